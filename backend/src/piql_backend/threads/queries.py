"""Which query has taken the place of one that is gone: it was renamed. Pure.

A query is known by its body, that is its statement without the name. Two queries may have the same body, and then
nothing says which one is which.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from piql.compiler.result import CompiledQuery

from piql_backend.threads.nodes import PlannedNode


@dataclass(frozen=True, slots=True)
class PlannedQuery:
    """What threads about a query need of it: a digest of its body, and the nodes of its plan."""

    body: str
    nodes: Sequence[PlannedNode]


def body_of(query: CompiledQuery) -> str:
    """A digest of a statement without its name, however its words are spaced."""
    start = query.name_span.start - query.span.start
    end = start + query.name_span.end - query.name_span.start
    words = f"{query.text[:start]} {query.text[end:]}".split()
    return hashlib.sha256(" ".join(words).encode()).hexdigest()


def renamed_queries(before: Mapping[str, str], now: Mapping[str, str]) -> Mapping[str, str]:
    """The new names of queries by their names before, where bodies by name are known of both.

    A query was renamed if it is gone, and exactly one query is new and has its body. Of two that are gone with one body
    none was.
    """
    gone = [name for name in before if name not in now]
    new = [name for name in now if name not in before]
    renamed = {}
    for name in gone:
        body = before[name]
        alike = [candidate for candidate in new if now[candidate] == body]
        if len(alike) == 1 and sum(before[candidate] == body for candidate in gone) == 1:
            renamed[name] = alike[0]
    return renamed
