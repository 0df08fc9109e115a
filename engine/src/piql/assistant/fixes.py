"""The smallest sets of remedies that bound a query: each tried on a copy of the text before it is offered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import TypeAlias

from piql.assistant.cardinality_limit import add_cardinality_limit
from piql.assistant.edits import edits_of
from piql.assistant.fix_columns import fix_columns
from piql.assistant.foreign_key import add_foreign_key
from piql.assistant.join_by_key import join_by_key
from piql.assistant.order_by_range import order_by_range
from piql.assistant.read_both_sides import read_both_sides
from piql.assistant.read_first_rows import read_first_rows
from piql.assistant.remedy import Patient, Remedies, Remedy
from piql.assistant.stop import add_stop
from piql.diagnostics.diagnostic import Edit, Fix

# Limits first: they say something about the data, which other queries can use, too.
REMEDIES: tuple[Remedies, ...] = (
    add_cardinality_limit,
    add_stop,
    join_by_key,
    add_foreign_key,
    order_by_range,
    read_both_sides,
)
# What asks for less is offered only where nothing else helps.
NARROWING: tuple[Remedies, ...] = (fix_columns, read_first_rows)

MOST_REMEDIES = 6  # that are tried together with others
MOST_NARROWING = 4
MOST_TOGETHER = 3
MOST_TRIALS = 40  # for one query, each a compilation of it

Trial: TypeAlias = Callable[[tuple[Edit, ...]], tuple[str, ...] | None]
"""Compiles the text with edits: None when the query is still refused, else the other queries that are bounded now."""


class TrialWork:
    """What trials may still cost; a compilation shares it among its queries, the first ones first."""

    def __init__(self, left: int) -> None:
        self.left = left
        self.is_short = False  # something was not tried because of it

    def takes(self, work: int) -> bool:
        """Take work from it, if there is as much."""
        if work > self.left:
            self.is_short = True
            return False
        self.left -= work
        return True


def suggest_fixes(patient: Patient, is_bounded_with: Trial) -> tuple[Fix, ...]:
    """Give the fixes of a query, those of one remedy first; a set is offered only when no smaller part of it works."""
    left = MOST_TRIALS

    def tried(edits: tuple[Edit, ...]) -> tuple[str, ...] | None:
        nonlocal left
        left -= 1
        return is_bounded_with(edits) if left >= 0 else None

    remedies = [remedy for kind in REMEDIES for remedy in kind(patient)]
    found = _sets_that_work(remedies, MOST_REMEDIES, patient, tried)
    if found or len(patient.gaps) > MOST_TOGETHER:  # each gap needs a remedy of its own then
        return found
    narrowing = [remedy for kind in NARROWING for remedy in kind(patient)]
    if not narrowing:
        return ()
    together = [*narrowing[:MOST_NARROWING], *remedies[:MOST_NARROWING], *narrowing[MOST_NARROWING:]]
    return _sets_that_work(together, 2 * MOST_NARROWING, patient, tried, known=frozenset(remedies))


def _sets_that_work(
    remedies: Sequence[Remedy],
    most: int,
    patient: Patient,
    is_bounded_with: Trial,
    known: frozenset[Remedy] = frozenset(),
) -> tuple[Fix, ...]:
    """Try sets of remedies, but for those of `known` ones alone."""
    found: list[Fix] = []
    working: list[frozenset[int]] = []
    for size in range(1, min(MOST_TOGETHER, len(remedies)) + 1):
        for chosen in combinations(range(len(remedies) if size == 1 else min(len(remedies), most)), size):
            if any(each <= frozenset(chosen) for each in working):
                continue
            together = [remedies[at] for at in chosen]
            if len({each.kind for each in together}) < size or all(each in known for each in together):
                continue
            edits = edits_of(together, patient.files)
            if edits is None:
                continue
            unblocks = is_bounded_with(edits)
            if unblocks is not None:
                working.append(frozenset(chosen))
                found.append(Fix(_title(together), edits, unblocks))
        if found and (size > 1 or known):
            break
    return tuple(found)


def _title(remedies: Sequence[Remedy]) -> str:
    first, *rest = (each.title for each in remedies)
    return " and ".join((first, *(each[0].lower() + each[1:] for each in rest)))
