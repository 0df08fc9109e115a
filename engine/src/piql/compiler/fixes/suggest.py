"""The smallest sets of remedies that bound a query: each tried on a copy of the text before it is offered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

from piql.compiler.fixes.consequences import together
from piql.compiler.fixes.edits import edits_of
from piql.compiler.fixes.remedies.cardinality_limit import add_cardinality_limit
from piql.compiler.fixes.remedies.fix_columns import fix_columns
from piql.compiler.fixes.remedies.foreign_key import add_foreign_key
from piql.compiler.fixes.remedies.join_by_key import join_by_key
from piql.compiler.fixes.remedies.order_by_range import order_by_range
from piql.compiler.fixes.remedies.read_both_sides import read_both_sides
from piql.compiler.fixes.remedies.read_first_rows import read_first_rows
from piql.compiler.fixes.remedies.stop import add_stop
from piql.compiler.fixes.remedy import Change, RefusedQuery, Remedies, Remedy
from piql.text.diagnostics.diagnostic import Edit, Fix

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


@dataclass(frozen=True, slots=True)
class Works:
    """What a trial tells of edits that bound the query: what it costs then, and the other queries bounded by them."""

    cost: str
    unblocks: tuple[str, ...] = ()


Trial: TypeAlias = Callable[[tuple[Edit, ...]], Works | None]
"""Compiles the text with edits: None when the query is still refused."""


class TrialWork:
    """What the trials for one query may still cost."""

    def __init__(self, left: int) -> None:
        self.left = left

    def takes(self, work: int) -> bool:
        """Take work from it, if there is as much."""
        if work > self.left:
            return False
        self.left -= work
        return True


def suggest_fixes(query: RefusedQuery, is_bounded_with: Trial) -> tuple[Fix, ...]:
    """Return the fixes of a query, those that change the least first.

    A set of remedies is offered only when no smaller part of it works.
    """
    left = MOST_TRIALS

    def tried(edits: tuple[Edit, ...]) -> Works | None:
        nonlocal left
        left -= 1
        return is_bounded_with(edits) if left >= 0 else None

    remedies = [remedy for kind in REMEDIES for remedy in kind(query)]
    fixes = _sets_that_work(remedies, MOST_REMEDIES, query, tried)
    narrowing = [] if fixes else [remedy for kind in NARROWING for remedy in kind(query)]
    if narrowing and len(query.gaps) <= MOST_TOGETHER:  # else each gap needs a remedy of its own
        some = [*narrowing[:MOST_NARROWING], *remedies[:MOST_NARROWING], *narrowing[MOST_NARROWING:]]
        fixes = _sets_that_work(some, 2 * MOST_NARROWING, query, tried, tried_before=frozenset(remedies))
    return tuple(fix for _, fix in sorted(fixes, key=lambda pair: pair[0]))


def _sets_that_work(
    remedies: Sequence[Remedy],
    most: int,
    query: RefusedQuery,
    is_bounded_with: Trial,
    tried_before: frozenset[Remedy] = frozenset(),
) -> list[tuple[Change, Fix]]:
    """Try sets of remedies, but for those of `known` ones alone; give each that works with the most it changes."""
    fixes: list[tuple[Change, Fix]] = []
    working: list[frozenset[int]] = []

    def tried(chosen: Sequence[int]) -> tuple[Change, Fix] | None:
        """Try a set, unless a part of it works or it cannot be."""
        if any(part <= frozenset(chosen) for part in working):
            return None
        some = [remedies[at] for at in chosen]
        if len({remedy.kind for remedy in some}) < len(some) or all(remedy in tried_before for remedy in some):
            return None
        edits = edits_of(some, query.files)
        works = is_bounded_with(edits) if edits is not None else None
        if edits is None or works is None:
            return None
        consequence = together(remedy.consequence for remedy in some)
        fix = Fix(_title(some), edits, works.unblocks, consequence, works.cost)
        return max(remedy.change for remedy in some), fix

    def keep(chosen: Sequence[int], fix: tuple[Change, Fix] | None) -> None:
        if fix is not None:
            working.append(frozenset(chosen))
            fixes.append(fix)

    for at in range(len(remedies)):
        keep([at], tried([at]))
    if fixes and tried_before:
        return fixes
    if not fixes and len(query.gaps) >= MOST_TOGETHER:
        keep(*_all_limits([at for at, remedy in enumerate(remedies) if remedy.line is not None], tried))
    few = range(min(len(remedies), most))
    for size in range(2, min(MOST_TOGETHER, len(few)) + 1):
        if size > 2 and fixes:
            break
        for chosen in combinations(few, size):
            keep(chosen, tried(chosen))
    return fixes


def _all_limits(
    limits: list[int], tried: Callable[[Sequence[int]], tuple[Change, Fix] | None]
) -> tuple[list[int], tuple[Change, Fix] | None]:
    """Try all limits together, as many gaps need however many they are; then leave out what is not needed."""
    chosen, works = limits, tried(limits) if limits else None
    for at in limits if works is not None else ():
        fewer = [limit for limit in chosen if limit != at]
        less = tried(fewer) if fewer else None
        if less is not None:
            chosen, works = fewer, less
    return chosen, works


def _title(remedies: Sequence[Remedy]) -> str:
    first, *following = (remedy.title for remedy in remedies)
    return " and ".join((first, *(title[0].lower() + title[1:] for title in following)))
