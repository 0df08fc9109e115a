"""The requests of one batch as one statement, where they differ in one column alone: known when a read is prepared.

    ('ada', 10), ('bob', 10)   →   … WHERE owner IN ('ada', 'bob') PER PARTITION LIMIT 10   →   the rows of each

grouping.py finds the same out from the requests themselves, which may be of several reads and differ in more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeAlias

from piql.store.base import Consistency, Row
from piql.store.cql.reads.grouping import MOST_KEYS, MOST_ROWS, Group, Sent, Spread, Values, partition_key
from piql.store.cql.reads.shown import Shown
from piql.store.cql.stored_values import pack_int

if TYPE_CHECKING:
    from piql.store.cql.reads.reads import Statement

OfKeys = dict[Any, list[Row]]
Lister: TypeAlias = Callable[[Row, Sequence[Any]], tuple[OfKeys, bool, int]]
"""Answers requests for different keys, given the arguments of any of them: gives the rows of each key that are shown,
and True; where hidden ones took the place of others, all that came, and False; and how many statements that took."""


@dataclass(frozen=True, slots=True)
class Listing:
    """One way to send the requests of a read together, compiled for it; `cql_type` is that of the listed column."""

    group: Group
    cql_type: str
    keys: Callable[[Sequence[Row]], list[Any]]
    """From the arguments to the values of the column as they stand in the rows."""
    is_alike: Callable[[Sequence[Row]], bool]
    """Says whether all other arguments are the same."""
    to_bytes: Callable[[Any], bytes]
    shown: Shown
    row_of_each: Callable[[list[Row]], OfKeys] | None
    """From the rows that came to those that are shown, where there is one for each key at most."""
    rows: Callable[[list[Row]], list[Row]] | None
    """The same where a key may have several rows."""
    listers: dict[Consistency | None, Lister] = field(default_factory=dict, compare=False)
    """What answers batches, as fresh as is asked for."""

    def most(self, limit: int | None) -> int:
        """Return how many keys a statement may list, so that it neither lists nor finds more than servers take."""
        return MOST_KEYS if limit is None else max(1, min(MOST_KEYS, MOST_ROWS // max(1, limit)))


def listing_for(listings: Sequence[Listing], arguments: Sequence[Row]) -> Listing | None:
    """Return the way to send requests as one statement; None where they differ in more."""
    return next((listing for listing in listings if listing.is_alike(arguments)), None)


def parts_of(listing: Listing, keys: Sequence[Any], limit: int | None) -> list[Sequence[Any]]:
    """Split keys so that a statement lists no more of them than it may."""
    most = listing.most(limit)
    if len(keys) <= most:
        return [keys]
    return [keys[start : start + most] for start in range(0, len(keys), most)]


def listed(
    listing: Listing, statement: Statement, values: Values, keys: Sequence[Any], limit: int | None, spread: Spread
) -> list[Sent]:
    """Return the statements that answer requests for all keys; `values` are those of any one of them."""
    group, encode = listing.group, listing.to_bytes
    encoded = [encode(key) for key in keys]
    by_node: list[tuple[Any, Sequence[bytes]]] = [(None, encoded)]
    if group.is_partition and len(encoded) > 1:
        by_node = [(node, [encoded[at] for at in node_keys]) for node, node_keys in spread(encoded)]
    sent: list[Sent] = []
    for node, node_keys in by_node:
        for part in parts_of(listing, node_keys, limit):
            bound = list(values)
            bound[group.place] = pack_int(len(part)) + b"".join(
                [pack_int(len(encoded_key)) + encoded_key for encoded_key in part]
            )
            partition = part[0] if group.is_partition else partition_key(statement, values)
            sent.append(Sent(group.cql, bound, partition, node, None, {}))
    return sent


def rows_of_keys(listing: Listing, keys: Sequence[Any], answers: list[list[Row]]) -> OfKeys | None:
    """Return the rows that are shown of each key; None where hidden ones took the place of others in a limit."""
    if listing.row_of_each is not None:
        rows_by_key: OfKeys = {}
        for rows in answers:
            rows_by_key.update(listing.row_of_each(rows))
        if len(rows_by_key) < len(keys):
            for key in keys:
                rows_by_key.setdefault(key, [])
        return rows_by_key
    rows_by_key = {key: [] for key in keys}
    key_of = itemgetter(listing.group.at)
    for rows in answers:
        shown = listing.rows(rows) if listing.rows else rows
        if len(shown) < len(rows):
            return None
        for key, row in zip(map(key_of, rows), shown, strict=True):
            rows_by_key[key].append(row)
    return rows_by_key


def as_they_came(listing: Listing, keys: Sequence[Any], answers: list[list[Row]]) -> OfKeys:
    """Return all rows of each key, hidden ones too, as a request for that key alone would have brought them."""
    at = listing.group.at
    rows_by_key: OfKeys = {key: [] for key in keys}
    for rows in answers:
        for row in rows:
            rows_by_key[row[at]].append(row[:at] if listing.group.is_added else row)
    return rows_by_key
