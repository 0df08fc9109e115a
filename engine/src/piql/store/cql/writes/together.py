"""Sends changes of one partition as one request: plain ones as a batch, conditional ones as a batch decided as a whole.

INSERT …; INSERT …; DELETE …  of one partition   →   BEGIN BATCH INSERT …; INSERT …; APPLY BATCH     DELETE …
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

from piql.store.cql.link import Link
from piql.store.cql.reads.grouping import Values
from piql.store.cql.stored_values import pack_int

MOST_ROWS, MOST_BYTES = 50, 32_768  # of one batch: servers warn of larger ones
SERIALLY_AT_ONCE = 48  # requests at the same time


class Change(NamedTuple):
    """One statement that changes one row; changes with equal CQL and `partition` are of one partition."""

    cql: str
    values: Values
    partition: Hashable


def together(changes: Iterable[Change]) -> list[tuple[str, Values]]:
    """Return requests for changes that may be made in any order; those of one partition share requests."""
    all_changes = list(changes)
    return [batch_of([all_changes[at] for at in group], "UNLOGGED ") for group in _groups(all_changes)]


def batch_of(changes: Sequence[Change], kind: str = "") -> tuple[str, Values]:
    """Return one request for changes of one partition."""
    if len(changes) == 1:
        return changes[0].cql, changes[0].values
    values = [value for change in changes for value in change.values]
    return f"BEGIN {kind}BATCH {'; '.join(change.cql for change in changes)}; APPLY BATCH", values


def _groups(changes: Sequence[Change]) -> list[list[int]]:
    """Return the positions of changes in groups: of one partition and statement, within MOST_ROWS and MOST_BYTES."""
    groups: list[list[int]] = []
    open_groups: dict[tuple[str, Hashable], tuple[list[int], int]] = {}
    for at, change in enumerate(changes):
        size = sum([len(value) for value in change.values if value])
        group, taken = open_groups.get((change.cql, change.partition), ([], 0))
        if not group or len(group) == MOST_ROWS or taken + size > MOST_BYTES:
            group, taken = [], 0
            groups.append(group)
        group.append(at)
        open_groups[change.cql, change.partition] = group, taken + size
    return groups


def decide(connection: Link, changes: Sequence[Change]) -> list[bool]:
    """Send conditional changes, and return of each whether it is known as done.

    Those of one partition are sent as batches, one batch after another, since they would hinder each other.
    """
    done = [False] * len(changes)
    waiting: dict[Hashable, deque[list[int]]] = {}
    for group in _groups(changes):
        waiting.setdefault(changes[group[0]].partition, deque()).append(group)
    while waiting:
        first = [(partition, groups.popleft()) for partition, groups in waiting.items()]
        requests = [batch_of([changes[at] for at in group]) for _, group in first]
        answers = connection.answer_serially(requests, SERIALLY_AT_ONCE, is_change=True)
        for (_, group), rows in zip(first, answers, strict=True):
            for at in group:
                done[at] = rows is not None and bool(rows[0][0])
        waiting = {partition: groups for partition, groups in waiting.items() if groups}
    return done


def in_list(items: Sequence[Sequence[bytes]]) -> bytes:
    """Return the bytes of a list for `column IN ?`, or of tuples for `(column, column) IN ?`."""
    parts = [pack_int(len(items))]
    for item in items:
        body = item[0] if len(item) == 1 else b"".join([pack_int(len(part)) + part for part in item])
        parts += (pack_int(len(body)), body)
    return b"".join(parts)
