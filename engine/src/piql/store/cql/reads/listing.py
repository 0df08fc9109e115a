"""Sends the requests of one batch as one statement if they differ in one column only.

    ('ada', 10), ('bob', 10)   →   … WHERE owner IN ('ada', 'bob') PER PARTITION LIMIT 10   →   the rows of each

Which column that may be is known when a read is prepared. `grouping.py` finds it out from the requests, which takes
longer, but the requests may be of several reads and differ in several columns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeAlias

from piql.store.base import Consistency
from piql.store.cql.reads.grouping import MOST_KEYS, MOST_ROWS, Group, Sent, Spread, Values, partition_key
from piql.store.cql.reads.shown import Shown
from piql.store.cql.stored_values import pack_int
from piql.store.rows import Row

if TYPE_CHECKING:
    from piql.store.cql.reads.reads import Statement

RowsByKey = dict[Any, list[Row]]
Lister: TypeAlias = Callable[[Row, Sequence[Any]], tuple[RowsByKey, bool, int]]
"""From the arguments of any request and the different keys to: rows by key, whether they are final, and the number of
statements. Final rows are those that the read returns. If hidden rows took places under a LIMIT, the result is all rows
that came, and the caller asks for more."""


@dataclass(frozen=True, slots=True)
class Listing:
    """One way to send the requests of a read together, compiled when the read is prepared.

    group        the statement, and its column whose values are listed
    cql_type     the CQL type of that column
    keys         from the arguments of all requests to their values of the column, as they stand in rows
    is_alike     from the arguments of all requests to whether they differ in that column only
    to_bytes     from a key to the bytes of the column
    row_by_key   of a get: from the rows that came to those that the read returns, by key
    rows         of a range: from the rows that came to those that the read returns
    listers      made by the driver, one for each consistency
    """

    group: Group
    cql_type: str
    keys: Callable[[Sequence[Row]], list[Any]]
    is_alike: Callable[[Sequence[Row]], bool]
    to_bytes: Callable[[Any], bytes]
    shown: Shown
    row_by_key: Callable[[list[Row]], RowsByKey] | None
    rows: Callable[[list[Row]], list[Row]] | None
    listers: dict[Consistency | None, Lister] = field(default_factory=dict, compare=False)

    def most(self, limit: int | None) -> int:
        """Return how many keys one statement may list, if each has up to `limit` rows."""
        return MOST_KEYS if limit is None else max(1, min(MOST_KEYS, MOST_ROWS // max(1, limit)))


def listing_for(listings: Sequence[Listing], arguments: Sequence[Row]) -> Listing | None:
    """Return the listing by which requests can be sent as one statement; None if they differ in more than a column."""
    return next((listing for listing in listings if listing.is_alike(arguments)), None)


def parts_of(listing: Listing, keys: Sequence[Any], limit: int | None) -> list[Sequence[Any]]:
    """Divide keys into parts that one statement may list."""
    most = listing.most(limit)
    if len(keys) <= most:
        return [keys]
    return [keys[start : start + most] for start in range(0, len(keys), most)]


def listed(
    listing: Listing, statement: Statement, values: Values, keys: Sequence[Any], limit: int | None, spread: Spread
) -> list[Sent]:
    """Return the statements that answer requests for all keys; `values` are the parameters of any one request."""
    group, encode = listing.group, listing.to_bytes
    encoded = [encode(key) for key in keys]
    by_node: list[tuple[Any, Sequence[bytes]]] = [(None, encoded)]
    if group.is_partition and len(encoded) > 1:
        by_node = [(node, [encoded[at] for at in node_keys]) for node, node_keys in spread(encoded)]
    sent: list[Sent] = []
    for node, node_keys in by_node:
        for part in parts_of(listing, node_keys, limit):
            bound = list(values)
            bound[group.parameter] = pack_int(len(part)) + b"".join(
                [pack_int(len(encoded_key)) + encoded_key for encoded_key in part]
            )
            partition = part[0] if group.is_partition else partition_key(statement, values)
            sent.append(Sent(group.cql, bound, partition, node, None, {}))
    return sent


def rows_of_keys(listing: Listing, keys: Sequence[Any], answers: list[list[Row]]) -> RowsByKey | None:
    """Return the rows that the read returns, by key; None if hidden rows took places under the LIMIT."""
    if listing.row_by_key is not None:
        rows_by_key: RowsByKey = {}
        for rows in answers:
            rows_by_key.update(listing.row_by_key(rows))
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


def all_rows_of_keys(listing: Listing, keys: Sequence[Any], answers: list[list[Row]]) -> RowsByKey:
    """Return all rows that came by key, hidden ones too, as a request for each key would have returned them."""
    at = listing.group.at
    rows_by_key: RowsByKey = {key: [] for key in keys}
    for rows in answers:
        for row in rows:
            rows_by_key[row[at]].append(row[:at] if listing.group.is_added else row)
    return rows_by_key
