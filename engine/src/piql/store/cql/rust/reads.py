"""Reads over the Rust driver, sent without its policy of copies (see connection.py)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from piql.store.base import Consistency, Reader, Row
from piql.store.cql.reads.grouping import Sent, Values
from piql.store.cql.reads.listing import Lister, Listing, OfKeys, as_they_came, parts_of
from piql.store.cql.reads.reads import CqlRead
from piql.store.cql.rust.reader import compiled_lister, compiled_reader
from piql.store.cql.rust.values import key_source, row_source, to_keys

if TYPE_CHECKING:
    from piql.store.cql.rust.connection import Page, RustConnection
from piql.store.cql.stored_values import CODECS


class RustReads:
    """Reads that may be repeated: without an answer in the time of the first copy, or with an error, they are."""

    def __init__(self, connection: RustConnection) -> None:
        address = connection.address
        self._connection = connection
        self._seconds = min(address.speculative / 1000 or address.timeout, address.timeout)

    def reader(self, read: CqlRead, consistency: Consistency | None, more: Reader) -> Reader:
        """Generate what answers single requests: the most frequent call, and so one function.

        Whatever fails goes the ordinary way, which tries again and says why.
        """
        statement, connection = read.statements[0], self._connection
        prepared = connection.prepared_for_reads(statement.cql, consistency)

        def again(arguments: Row) -> tuple[list[Row], int]:
            rows = connection.answer(statement.cql, statement.bind(arguments) or [], consistency)
            shown = read.finish(rows) if read.finish else rows
            if read.is_get or len(shown) == len(rows) or len(rows) < arguments[-1]:
                return shown, 1
            return more(arguments)

        given, names = statement.given
        return compiled_reader(
            given,
            row_source(prepared.result_columns, read.shown),
            names | self._names(prepared) | {"_more": more, "_again": again},
            is_get=read.is_get,
        )

    def answer(self, sent: Sent, consistency: Consistency | None) -> list[Row]:
        return self.answer_many([sent], consistency)[0]

    def answer_many(self, sent: Sequence[Sent], consistency: Consistency | None) -> list[list[Row]]:
        pages = self._pages([(statement.cql, statement.values) for statement in sent], consistency)
        return [self._connection.rows(statement.cql, page) for statement, page in zip(sent, pages, strict=True)]

    def _pages(self, requests: Sequence[tuple[str, Values]], consistency: Consistency | None) -> list[Page]:
        connection = self._connection
        pages, failures = connection.sent_together(requests, "read", consistency, self._seconds)
        if failures:
            again = connection.pages([requests[at] for at in failures], consistency)
            for at, page in zip(failures, again, strict=True):
                pages[at] = page
        return pages

    def spread(self, partitions: list[bytes]) -> list[tuple[Any, list[int]]]:
        return [(None, list(range(len(partitions))))]

    def lister(self, read: CqlRead, listing: Listing, consistency: Consistency | None) -> Lister:
        """Generate what answers batches by one statement; of more keys than that lists, several go together."""
        statement, group, connection = read.statements[0], listing.group, self._connection
        prepared = connection.prepared_for_reads(group.cql, consistency)
        codec, is_get = CODECS.get(listing.cql_type), read.is_get
        as_python = codec.decode if codec else None

        def requests(arguments: Row, keys: Sequence[Any]) -> list[tuple[str, Values]]:
            values = statement.bind(arguments)
            assert values is not None
            listed_requests: list[tuple[str, Values]] = []
            given = [as_python(key) for key in keys] if as_python else list(keys)
            for part in parts_of(listing, given, None if is_get else arguments[-1]):
                bound: list[Any] = list(values)
                bound[group.place] = part
                listed_requests.append((group.cql, bound))
            return listed_requests

        def again(arguments: Row, keys: Sequence[Any]) -> Page:
            return connection.pages(requests(arguments, keys), consistency)[0]

        def came(keys: Sequence[Any], pages: list[Page]) -> OfKeys:
            return as_they_came(listing, keys, [connection.rows(group.cql, page) for page in pages])

        given, names = statement.given
        source = row_source(prepared.result_columns, listing.shown)
        lister_of_one = compiled_lister(
            given,
            group.place,
            source,
            key_source(prepared.result_columns, group.at),
            names | self._names(prepared) | {"_again": again, "_came": came, "_as_python": as_python},
            is_limited=listing.row_of_each is None,
        )
        add_shown = to_keys(prepared.result_columns, listing.shown, group.at)

        def answer(arguments: Row, keys: Sequence[Any]) -> tuple[OfKeys, bool, int]:
            if len(keys) <= listing.most(None if is_get else arguments[-1]):
                return lister_of_one(arguments, keys)
            sent = requests(arguments, keys)
            pages = self._pages(sent, consistency)
            found: OfKeys = {key: [] for key in keys}
            hidden = sum([len(page) - add_shown(page, found) for page in pages])
            if hidden and listing.row_of_each is None:
                return came(keys, pages), False, len(sent)
            return found, True, len(sent)

        return answer

    def _names(self, prepared: Any) -> dict[str, Any]:
        """Return what generated functions send a statement with."""
        connection = self._connection
        return {
            "_connection": connection,
            "_prepared": prepared,
            "_seconds": self._seconds,
            "_take": connection.slots.get,
            "_put": connection.slots.put,
        }
