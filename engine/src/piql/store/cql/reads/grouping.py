"""Turns requests for one key each into fewer statements for several keys, and their rows into those of each request.

    username = 'ada'                  username IN ('ada', 'bob')
    username = 'bob'           →
    owner = 'ada' … LIMIT 10          owner IN ('ada', 'bob') … PER PARTITION LIMIT 10
    owner = 'bob' … LIMIT 10

Requests are sent as one statement if they differ in one column only, and one node has all of their rows. A statement
has at most MOST_KEYS keys and asks for at most MOST_ROWS rows; for more, several statements are sent side by side.

Requests are grouped from a number of keys on (`at_least`), which `store.grouped_from` takes from the address's option
`fan_out`, or from a measurement on this cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from struct import Struct
from typing import TYPE_CHECKING, Any, NamedTuple

from piql.store.cql.stored_values import pack_int
from piql.store.rows import Row

if TYPE_CHECKING:
    from piql.store.cql.reads.reads import Statement

MOST_KEYS = 100  # as many as ScyllaDB allows in an IN
MOST_ROWS = 1_000

Values = list["bytes | None"]
"""The bytes of a statement's parameters."""

Request = tuple["Statement", Values]
RowsByRequest = list[list[Row]]
Spread = Callable[[list[bytes]], list[tuple[Any, list[int]]]]
"""From partition keys to a few nodes that have all of them, each with the positions of the keys that it has."""

_unpack_int = Struct(">i").unpack
_pack_short = Struct(">H").pack


@dataclass(frozen=True, slots=True)
class Group:
    """A SELECT for several values of one column.

    parameter       the number of the parameter that is a list here, and one value in the statement for one request
    at              the column's position in a row; if `is_added`, it was not asked for and is cut off
    is_partition    the column is in the partition key
    has_limit       the statement ends with PER PARTITION LIMIT
    as_read         from the bytes of a value to how it stands in a row
    """

    cql: str
    parameter: int
    at: int
    is_added: bool
    is_partition: bool
    has_limit: bool
    as_read: Callable[[bytes], Any]


class Sent(NamedTuple):
    """A statement to send.

    node      the node to send it to; None for any node that has the partition
    group     how it was put together; None for the statement of one request
    owners    for each value of the group's column, the positions of the requests that its rows answer
    stays     it resumes a page, and should go to the node that answered the pages before, which has cached them
    """

    cql: str
    values: Values
    partition: bytes | None
    node: Any
    group: Group | None
    owners: Mapping[bytes, Sequence[int]]
    stays: bool = False


def partition_key(statement: Statement, values: Values) -> bytes | None:
    """Return the bytes that decide which nodes keep a partition."""
    length = statement.partition_length
    if length == 1:
        return values[0]
    parts = [value for value in values[:length] if value is not None]
    if not length or len(parts) < length:
        return None
    return b"".join([_pack_short(len(part)) + part + b"\x00" for part in parts])


def single(request: Request, owners: Sequence[int]) -> Sent:
    """Return the statement of one request; its rows answer the requests at the positions `owners`."""
    statement, values = request
    return Sent(
        statement.cql, values, partition_key(statement, values), None, None, {b"": owners}, statement.is_further
    )


def grouped(requests: Sequence[Request], spread: Spread, at_least: float = 2) -> list[Sent]:
    """Return the statements that answer all requests; fewer than `at_least` of one statement are not grouped."""
    by_statement: dict[int, list[int]] = {}
    for at, (statement, _) in enumerate(requests):
        by_statement.setdefault(id(statement), []).append(at)
    sent: list[Sent] = []
    for numbers in by_statement.values():
        groups = requests[numbers[0]][0].groups
        if len(numbers) < at_least or not groups:
            sent += [single(requests[at], (at,)) for at in numbers]
        else:
            sent += _of_one_statement(requests, numbers, groups, spread)
    return sent


def _of_one_statement(
    requests: Sequence[Request], numbers: list[int], groups: tuple[Group, ...], spread: Spread
) -> list[Sent]:
    """Group requests of one statement, at the positions `numbers`, by the column with the most different values."""
    group = groups[0]
    if len(groups) > 1:
        group = max(groups, key=lambda candidate: len({requests[at][1][candidate.parameter] for at in numbers}))
    position = group.parameter
    alike: dict[Row, dict[bytes, list[int]]] = {}
    for at in numbers:
        values = requests[at][1]
        value = values[position]
        assert value is not None
        alike.setdefault((*values[:position], *values[position + 1 :]), {}).setdefault(value, []).append(at)
    sent: list[Sent] = []
    for by_value in alike.values():
        for node, owners in _spread(requests, group, by_value, spread):
            sent += _statements(requests, group, owners, node)
    return sent


def _spread(
    requests: Sequence[Request], group: Group, by_value: dict[bytes, list[int]], spread: Spread
) -> list[tuple[Any, dict[bytes, list[int]]]]:
    """Divide values by the node that can answer them together; `by_value` has the requests of each value."""
    if len(by_value) == 1 or not group.is_partition:
        return [(None, by_value)]
    keys = [partition_key(*requests[owners[0]]) or b"" for owners in by_value.values()]
    values = list(by_value)
    return [(node, {values[at]: by_value[values[at]] for at in numbers}) for node, numbers in spread(keys)]


def _statements(requests: Sequence[Request], group: Group, owners: dict[bytes, list[int]], node: Any) -> list[Sent]:
    """Return the statements for the values of `owners`, as many as MOST_KEYS and MOST_ROWS require."""
    statement, values = requests[next(iter(owners.values()))[0]]
    most = MOST_KEYS
    if group.has_limit:
        limit = values[-1]
        assert limit is not None
        most = max(1, min(most, MOST_ROWS // max(1, _unpack_int(limit)[0])))
    owned_values = list(owners.items())
    sent: list[Sent] = []
    for start in range(0, len(owned_values), most):
        part = dict(owned_values[start : start + most])
        first = next(iter(part.values()))[0]
        if len(part) == 1:
            sent.append(single(requests[first], next(iter(part.values()))))
            continue
        bound = list(values)
        bound[group.parameter] = pack_int(len(part)) + b"".join([pack_int(len(value)) + value for value in part])
        sent.append(Sent(group.cql, bound, partition_key(statement, requests[first][1]), node, group, part))
    return sent


def rows_of_requests(sent: Sequence[Sent], answers: RowsByRequest, count: int) -> RowsByRequest:
    """Return the rows of each of `count` requests, from those of the statements."""
    rows_by_request: RowsByRequest = [[]] * count
    for (_, _, _, _, group, owners, _), rows in zip(sent, answers, strict=True):
        if group is None:
            for at in owners[b""]:
                rows_by_request[at] = rows
            continue
        key_position, as_read = group.at, group.as_read
        rows_by_key: dict[Any, list[Row]] = {as_read(value): [] for value in owners}
        if group.is_added:
            for row in rows:
                rows_by_key[row[key_position]].append(row[:key_position])
        else:
            for row in rows:
                rows_by_key[row[key_position]].append(row)
        for key_rows, numbers in zip(rows_by_key.values(), owners.values(), strict=True):
            for at in numbers:
                rows_by_request[at] = key_rows
    return rows_by_request
