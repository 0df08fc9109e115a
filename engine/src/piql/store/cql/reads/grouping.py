"""Requests for one key each → fewer statements for several keys each, and their rows → the rows of each request.

    username = 'ada'                  username IN ('ada', 'bob')
    username = 'bob'           →
    owner = 'ada' … LIMIT 10          owner IN ('ada', 'bob') … PER PARTITION LIMIT 10
    owner = 'bob' … LIMIT 10

Requests are sent as one where they differ in one column alone, and a node that has all of their rows can answer them.
A statement holds at most MOST_KEYS keys, as many as ScyllaDB takes, and asks for at most MOST_ROWS rows: more of them
are sent side by side. From how many keys on they go together is said by the address (`fan_out`), or by what was
measured on this cluster and kept beside the data; until then, from two.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from struct import Struct
from typing import TYPE_CHECKING, Any, NamedTuple

from piql.store.base import Row
from piql.store.cql.stored_values import pack_int

if TYPE_CHECKING:
    from piql.store.cql.reads.reads import Statement

MOST_KEYS = 100
MOST_ROWS = 1_000

Values = list["bytes | None"]
Request = tuple["Statement", Values]
RowsByRequest = list[list[Row]]
Spread = Callable[[list[bytes]], list[tuple[Any, list[int]]]]
"""From the partition keys of requests to the nodes that may answer them together, and the places of theirs."""

_unpack_int = Struct(">i").unpack
_pack_short = Struct(">H").pack


@dataclass(frozen=True, slots=True)
class Group:
    """A SELECT for several values of one column: `place` is where they are bound, `at` where they stand in a row."""

    cql: str
    place: int
    at: int
    is_added: bool  # the column was not asked for, and is cut off
    is_partition: bool
    has_limit: bool
    as_read: Callable[[bytes], Any]


class Sent(NamedTuple):
    """A statement to send, to `node` if there is a choice; `owners` are the requests that each value's rows are for.

    `stays`: it goes on behind a place, and goes where its partition's other pages went: that node has them at hand.
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


def alone(request: Request, owners: Sequence[int]) -> Sent:
    statement, values = request
    return Sent(
        statement.cql, values, partition_key(statement, values), None, None, {b"": owners}, statement.is_further
    )


def grouped(requests: Sequence[Request], spread: Spread, at_least: float = 2) -> list[Sent]:
    """Return the statements that answer all requests; fewer of one kind than `at_least` are sent side by side."""
    by_statement: dict[int, list[int]] = {}
    for at, (statement, _) in enumerate(requests):
        by_statement.setdefault(id(statement), []).append(at)
    sent: list[Sent] = []
    for numbers in by_statement.values():
        groups = requests[numbers[0]][0].groups
        if len(numbers) < at_least or not groups:
            sent += [alone(requests[at], (at,)) for at in numbers]
        else:
            sent += _of_one_statement(requests, numbers, groups, spread)
    return sent


def _of_one_statement(
    requests: Sequence[Request], numbers: list[int], groups: tuple[Group, ...], spread: Spread
) -> list[Sent]:
    group = groups[0]
    if len(groups) > 1:
        group = max(groups, key=lambda candidate: len({requests[at][1][candidate.place] for at in numbers}))
    position = group.place
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
    """Return the values that one node can answer together; those of one partition all are such."""
    if len(by_value) == 1 or not group.is_partition:
        return [(None, by_value)]
    keys = [partition_key(*requests[owners[0]]) or b"" for owners in by_value.values()]
    values = list(by_value)
    return [(node, {values[at]: by_value[values[at]] for at in numbers}) for node, numbers in spread(keys)]


def _statements(requests: Sequence[Request], group: Group, owners: dict[bytes, list[int]], node: Any) -> list[Sent]:
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
            sent.append(alone(requests[first], next(iter(part.values()))))
            continue
        bound = list(values)
        bound[group.place] = pack_int(len(part)) + b"".join([pack_int(len(value)) + value for value in part])
        sent.append(Sent(group.cql, bound, partition_key(statement, requests[first][1]), node, group, part))
    return sent


def given_back(sent: Sequence[Sent], answers: RowsByRequest, count: int) -> RowsByRequest:
    """Return the rows of each request out of those of the statements."""
    rows_by_request: RowsByRequest = [[]] * count
    for (_, _, _, _, group, owners, _), rows in zip(sent, answers, strict=True):
        if group is None:
            for at in owners[b""]:
                rows_by_request[at] = rows
            continue
        at_key, as_read = group.at, group.as_read
        by_key: dict[Any, list[Row]] = {as_read(value): [] for value in owners}
        if group.is_added:
            for row in rows:
                by_key[row[at_key]].append(row[:at_key])
        else:
            for row in rows:
                by_key[row[at_key]].append(row)
        for of_key, numbers in zip(by_key.values(), owners.values(), strict=True):
            for at in numbers:
                rows_by_request[at] = of_key
    return rows_by_request
