"""The smallest sets of remedies that bound a query: each tried on a copy of the text before it is offered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import TypeAlias

from piql.assistant.cardinality_limit import add_cardinality_limit
from piql.assistant.edits import edits_of
from piql.assistant.foreign_key import add_foreign_key
from piql.assistant.remedy import Patient, Remedies, Remedy
from piql.assistant.stop import add_stop
from piql.diagnostics.diagnostic import Edit, Fix

# Limits first: they say something about the data, which other queries can use, too.
REMEDIES: tuple[Remedies, ...] = (add_cardinality_limit, add_stop, add_foreign_key)

MOST_REMEDIES = 6  # that are tried together with others
MOST_TOGETHER = 3

Trial: TypeAlias = Callable[[tuple[Edit, ...]], tuple[str, ...] | None]
"""Compiles the text with edits: None when the query is still refused, else the other queries that are bounded now."""


def suggest_fixes(patient: Patient, is_bounded_with: Trial) -> tuple[Fix, ...]:
    """Give the fixes of a query, those of one remedy first; a set is offered only when no smaller part of it works."""
    remedies = [remedy for kind in REMEDIES for remedy in kind(patient)]
    found: list[Fix] = []
    working: list[frozenset[int]] = []
    for size in range(1, min(MOST_TOGETHER, len(remedies)) + 1):
        for chosen in combinations(range(len(remedies) if size == 1 else min(len(remedies), MOST_REMEDIES)), size):
            if any(each <= frozenset(chosen) for each in working):
                continue
            together = [remedies[at] for at in chosen]
            if len({each.excludes for each in together}) < size:
                continue
            edits = edits_of(together, patient.files)
            if edits is None:
                continue
            unblocks = is_bounded_with(edits)
            if unblocks is not None:
                working.append(frozenset(chosen))
                found.append(Fix(_title(together), edits, unblocks))
        if found and size > 1:
            break
    return tuple(found)


def _title(remedies: Sequence[Remedy]) -> str:
    first, *rest = (each.title for each in remedies)
    return " and ".join((first, *(each[0].lower() + each[1:] for each in rest)))
