"""Reads over the Rust driver, sent without its policy of copies (see rust.py)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from piql.store.base import Consistency, Reader, Row
from piql.store.cql.grouping import Sent, Values
from piql.store.cql.listing import Listing, OfKeys, as_they_came, parts_of
from piql.store.cql.reads import CqlRead, Statement
from piql.store.cql.rust import Page, RustConnection
from piql.store.cql.rust_reader import compiled_reader
from piql.store.cql.rust_values import row_source, to_keys
from piql.store.cql.stored_values import AS_PYTHON


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
            names
            | {
                "_connection": connection,
                "_prepared": prepared,
                "_seconds": self._seconds,
                "_take": connection.slots.get,
                "_put": connection.slots.put,
                "_more": more,
                "_again": again,
            },
            is_get=read.is_get,
        )

    def answer(self, sent: Sent, consistency: Consistency | None) -> list[Row]:
        return self.answer_many([sent], consistency)[0]

    def answer_many(self, sent: Sequence[Sent], consistency: Consistency | None) -> list[list[Row]]:
        pages = self._pages(sent, consistency)
        return [self._connection.rows(each.cql, page) for each, page in zip(sent, pages, strict=True)]

    def _pages(self, sent: Sequence[Sent], consistency: Consistency | None) -> list[Page]:
        connection = self._connection
        requests = [(each.cql, each.values) for each in sent]
        pages, failures = connection.sent_together(requests, "read", consistency, self._seconds)
        if failures:
            again = connection.pages([requests[at] for at in failures], consistency)
            for at, page in zip(failures, again, strict=True):
                pages[at] = page
        return pages

    def spread(self, partitions: list[bytes]) -> list[tuple[Any, list[int]]]:
        return [(None, list(range(len(partitions))))]

    def listed(
        self, listing: Listing, statement: Statement, values: Values, keys: Sequence[Any], limit: int | None
    ) -> list[Sent]:
        """Give the statements that answer requests for all keys: the driver takes a list of them as it is."""
        group, as_python = listing.group, AS_PYTHON.get(listing.cql_type)
        given = list(map(as_python, keys)) if as_python else list(keys)
        sent: list[Sent] = []
        for part in parts_of(listing, given, limit):
            bound: list[Any] = list(values)
            bound[group.place] = part
            sent.append(Sent(group.cql, bound, None, None, None, {}))
        return sent

    def of_keys(
        self, listing: Listing, sent: Sequence[Sent], keys: Sequence[Any], consistency: Consistency | None
    ) -> tuple[OfKeys, bool]:
        found: OfKeys = {key: [] for key in keys}
        pages = self._pages(sent, consistency)
        add_shown, rows_of = listing.known.get(None) or self._learn_listing(listing)
        hidden = sum([len(page) - add_shown(page, found) for page in pages])
        if not hidden or listing.row_of_each is not None:
            return found, True
        return as_they_came(listing, keys, [rows_of(page) for page in pages]), False

    def _learn_listing(self, listing: Listing) -> tuple[Callable[[Any, OfKeys], int], Callable[[Any], list[Row]]]:
        known = self._connection.known(listing.group.cql, "read")
        made = to_keys(known.statement.result_columns, listing.shown, listing.group.at), known.rows
        listing.known[None] = made
        return made
