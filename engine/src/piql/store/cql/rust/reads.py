"""Reads over the Rust driver: sent without its policy of speculative copies first (see connection.py).

A read that fails or is late goes to the ordinary way of `RustConnection`, which tries again and raises the error.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from piql.store.base import Consistency, Reader
from piql.store.cql.reads.grouping import Sent, Values
from piql.store.cql.reads.listing import Lister, Listing, RowsByKey, all_rows_of_keys, parts_of
from piql.store.cql.reads.reads import CqlRead
from piql.store.cql.rust.reader import compiled_lister, compiled_reader
from piql.store.cql.rust.values import key_source, row_source, to_keys
from piql.store.cql.stored_values import CODECS
from piql.store.rows import Row

if TYPE_CHECKING:
    from piql.store.cql.rust.connection import Page, RustConnection


class RustReads:
    """The reads of a session; one that has no answer within `_seconds`, or fails, is repeated."""

    def __init__(self, connection: RustConnection) -> None:
        address = connection.address
        self._connection = connection
        self._seconds = min(address.speculative / 1000 or address.timeout, address.timeout)

    def reader(self, read: CqlRead, consistency: Consistency | None, more: Reader) -> Reader:
        """Generate the function that answers single requests, which are the most frequent call."""
        statement, connection = read.statements[0], self._connection
        prepared = connection.prepared_for_reads(statement.cql, consistency)

        def again(arguments: Row) -> tuple[list[Row], int]:
            rows = connection.answer(statement.cql, statement.bind(arguments) or [], consistency)
            shown = read.finish(rows) if read.finish else rows
            if read.is_get or len(shown) == len(rows) or len(rows) < arguments[-1]:
                return shown, 1
            return more(arguments)

        return compiled_reader(
            statement.python.source,
            row_source(prepared.result_columns, read.shown),
            statement.python.names | self._names(prepared) | {"_more": more, "_again": again},
            is_get=read.is_get,
        )

    def answer(self, sent: Sent, consistency: Consistency | None) -> list[Row]:
        return self.answer_many([sent], consistency)[0]

    def answer_many(self, sent: Sequence[Sent], consistency: Consistency | None) -> list[list[Row]]:
        pages = self._pages([(statement.cql, statement.values) for statement in sent], consistency)
        return [self._connection.rows(statement.cql, page) for statement, page in zip(sent, pages, strict=True)]

    def _pages(self, requests: Sequence[tuple[str, Values]], consistency: Consistency | None) -> list[Page]:
        """Send requests at the same time, and those that failed or were late once more in the ordinary way."""
        connection = self._connection
        pages, failures = connection.sent_together(requests, "read", consistency, self._seconds)
        if failures:
            again = connection.pages([requests[at] for at in failures], consistency)
            for at, page in zip(failures, again, strict=True):
                pages[at] = page
        return pages

    def spread(self, partitions: list[bytes]) -> list[tuple[Any, list[int]]]:
        """Return all partitions together: the driver chooses a node, which asks others for what it does not have."""
        return [(None, list(range(len(partitions))))]

    def lister(self, read: CqlRead, listing: Listing, consistency: Consistency | None) -> Lister:
        """Generate the function that answers batches by one statement; keys beyond what it may list take several."""
        statement, group, connection = read.statements[0], listing.group, self._connection
        prepared = connection.prepared_for_reads(group.cql, consistency)
        codec, is_get = CODECS.get(listing.cql_type), read.is_get
        as_python = codec.decode if codec else None

        def requests(arguments: Row, keys: Sequence[Any]) -> list[tuple[str, Values]]:
            values = statement.bind(arguments)
            assert values is not None
            listed_requests: list[tuple[str, Values]] = []
            python_keys = [as_python(key) for key in keys] if as_python else list(keys)
            for part in parts_of(listing, python_keys, None if is_get else arguments[-1]):
                bound: list[Any] = list(values)
                bound[group.parameter] = part
                listed_requests.append((group.cql, bound))
            return listed_requests

        def again(arguments: Row, keys: Sequence[Any]) -> Page:
            return connection.pages(requests(arguments, keys), consistency)[0]

        def came(keys: Sequence[Any], pages: list[Page]) -> RowsByKey:
            return all_rows_of_keys(listing, keys, [connection.rows(group.cql, page) for page in pages])

        names = {"_again": again, "_came": came, "_as_python": as_python}
        lister_of_one = compiled_lister(
            statement.python.source,
            group.parameter,
            row_source(prepared.result_columns, listing.shown),
            key_source(prepared.result_columns, group.at),
            statement.python.names | self._names(prepared) | names,
            is_limited=listing.row_by_key is None,
        )
        add_shown = to_keys(prepared.result_columns, listing.shown, group.at)

        def answer(arguments: Row, keys: Sequence[Any]) -> tuple[RowsByKey, bool, int]:
            if len(keys) <= listing.most(None if is_get else arguments[-1]):
                return lister_of_one(arguments, keys)
            sent = requests(arguments, keys)
            pages = self._pages(sent, consistency)
            rows_by_key: RowsByKey = {key: [] for key in keys}
            hidden = sum([len(page) - add_shown(page, rows_by_key) for page in pages])
            if hidden and listing.row_by_key is None:
                return came(keys, pages), False, len(sent)
            return rows_by_key, True, len(sent)

        return answer

    def _names(self, prepared: Any) -> dict[str, Any]:
        """Return the objects by which generated functions send a statement."""
        connection = self._connection
        return {
            "_connection": connection,
            "_prepared": prepared,
            "_seconds": self._seconds,
            "_take": connection.slots.get,
            "_put": connection.slots.put,
        }
