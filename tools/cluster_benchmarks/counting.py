"""Counts the requests that are sent to a cluster, by what they cost there.

conditional changes    a lightweight transaction            plain changes    a write
serial reads           a read that settles one              reads            any other read
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

KINDS = ("conditional changes", "serial reads", "plain changes", "reads")


@contextmanager
def counted(connection: Any) -> Iterator[Counter[str]]:
    """Count the requests of a connection while the context lasts; several rows may be one request."""
    counts: Counter[str] = Counter()
    many, serially = connection.answer_many, connection.answer_serially
    one, change_if = connection.answer, connection.change_if

    def count_many(requests: Sequence[tuple[str, Any]], *options: Any) -> Any:
        counts.update(_kind(cql) for cql, _ in requests)
        return many(requests, *options)

    def count_serially(requests: Sequence[tuple[str, Any]], most: int, *, is_change: bool) -> Any:
        counts[KINDS[not is_change]] += len(requests)
        return serially(requests, most, is_change=is_change)

    def count_one(cql: str, *options: Any, is_serial: bool = False) -> Any:
        counts[KINDS[1] if is_serial else _kind(cql)] += 1
        return one(cql, *options, is_serial=is_serial)

    def count_change(*request: Any) -> Any:
        counts[KINDS[0]] += 1
        return change_if(*request)

    connection.answer_many, connection.answer_serially = count_many, count_serially
    connection.answer, connection.change_if = count_one, count_change
    yield counts
    for name in ("answer_many", "answer_serially", "answer", "change_if"):
        delattr(connection, name)


def _kind(cql: str) -> str:
    return KINDS[3] if cql.startswith("SELECT") else KINDS[2]
