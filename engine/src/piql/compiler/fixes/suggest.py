"""The smallest sets of remedies that bound a query: each tried on a copy of the text before it is offered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

from piql.compiler.fixes.consequences import together
from piql.compiler.fixes.edits import edits_of
from piql.compiler.fixes.remedies.cardinality_limit import add_cardinality_limit
from piql.compiler.fixes.remedies.compare_columns import compare_columns
from piql.compiler.fixes.remedies.fix_columns import fix_columns, fix_keys
from piql.compiler.fixes.remedies.foreign_key import add_foreign_key
from piql.compiler.fixes.remedies.join_by_key import join_by_key
from piql.compiler.fixes.remedies.keep_joined_view import keep_joined_view
from piql.compiler.fixes.remedies.keep_view import keep_view
from piql.compiler.fixes.remedies.limit_of_joined_table import limit_joined_table
from piql.compiler.fixes.remedies.limit_of_table import limit_table
from piql.compiler.fixes.remedies.order_by_range import order_by_range
from piql.compiler.fixes.remedies.range_of_one_parameter import give_one_parameter
from piql.compiler.fixes.remedies.read_both_sides import read_both_sides
from piql.compiler.fixes.remedies.read_first_rows import read_first_rows
from piql.compiler.fixes.remedies.read_first_rows_of_join import read_first_rows_of_join
from piql.compiler.fixes.remedies.stop import add_stop
from piql.compiler.fixes.remedies.usual_nulls import leave_nulls_as_usual
from piql.compiler.fixes.remedy import Change, RefusedQuery, Remedies, Remedy
from piql.text.diagnostics.diagnostic import Edit, Fix, FoundFixes

# Tried in this order. Limits come first: they are facts about the data that other queries can use, too.
REMEDIES: tuple[Remedies, ...] = (
    limit_joined_table,
    add_cardinality_limit,
    limit_table,
    add_stop,
    keep_view,
    keep_joined_view,
    join_by_key,
    add_foreign_key,
    compare_columns,
    order_by_range,
    leave_nulls_as_usual,
    read_both_sides,
    give_one_parameter,
)
# Ask for less data: offered only where none of REMEDIES helps.
NARROWING: tuple[Remedies, ...] = (fix_columns, read_first_rows_of_join, read_first_rows, fix_keys)

MOST_REMEDIES = 6  # the first so many remedies are also tried in combination
MOST_NARROWING = 4  # the same for remedies of NARROWING
MOST_TOGETHER = 3  # remedies in one fix; a set of limits may be larger
MOST_TRIALS = 40  # for one query; each compiles it once


@dataclass(frozen=True, slots=True)
class Works:
    """Edits that bound the query: its cost with them, in words, and the names of other queries that they bound, too."""

    cost: str
    unblocks: tuple[str, ...] = ()


Trial: TypeAlias = Callable[[tuple[Edit, ...]], Works | None]
"""Compiles the text with edits: None when the query is still refused."""


class TrialWork:
    """The work that is left for the trials of one query, as the parser counts it."""

    def __init__(self, left: int) -> None:
        self.left = left
        self.untried = 0  # trials for which no work was left

    def takes(self, work: int) -> bool:
        """Take some work, if so much is left; return whether it was."""
        if work > self.left:
            self.untried += 1
            return False
        self.left -= work
        return True


def suggest_fixes(query: RefusedQuery, is_bounded_with: Trial) -> FoundFixes:
    """Return the fixes of a refused query, those that change the least first, and how many sets were not tried.

    A set of remedies is offered only when no smaller part of it works.
    """
    trials_left = MOST_TRIALS

    def limited_trial(edits: tuple[Edit, ...]) -> Works | None:
        nonlocal trials_left
        trials_left -= 1
        return is_bounded_with(edits) if trials_left >= 0 else None

    remedies = list(dict.fromkeys(remedy for kind in REMEDIES for remedy in kind(query)))
    fixes = _sets_that_work(remedies, MOST_REMEDIES, query, limited_trial)
    narrowing = [] if fixes else [remedy for kind in NARROWING for remedy in kind(query)]
    if narrowing and len(query.gaps) <= MOST_TOGETHER:  # else each gap needs a remedy of its own
        mixed = [*narrowing[:MOST_NARROWING], *remedies[:MOST_NARROWING], *narrowing[MOST_NARROWING:]]
        fixes = _sets_that_work(mixed, 2 * MOST_NARROWING, query, limited_trial, tried_before=frozenset(remedies))
    in_order = tuple(fix for _, fix in sorted(fixes, key=lambda pair: pair[0]))
    return FoundFixes(in_order, max(-trials_left, 0))


def _sets_that_work(
    remedies: Sequence[Remedy],
    most: int,
    query: RefusedQuery,
    is_bounded_with: Trial,
    tried_before: frozenset[Remedy] = frozenset(),
) -> list[tuple[Change, Fix]]:
    """Try sets of remedies, the smallest first; return a fix for each set that works, with the most that it changes.

    `most` is how many of the first remedies are combined with others. A set whose remedies are all in `tried_before`
    is not tried.
    """
    fixes: list[tuple[Change, Fix]] = []
    working: list[frozenset[int]] = []

    def try_set(chosen: Sequence[int]) -> tuple[Change, Fix] | None:
        """Try the remedies at these indexes, unless fewer of them work or two of them exclude each other."""
        if any(part <= frozenset(chosen) for part in working):
            return None
        combined = [remedies[at] for at in chosen]
        if len({remedy.kind for remedy in combined}) < len(combined):
            return None
        if all(remedy in tried_before for remedy in combined):
            return None
        edits = edits_of(combined, query.files)
        works = is_bounded_with(edits) if edits is not None else None
        if edits is None or works is None:
            return None
        consequence = together(remedy.consequence for remedy in combined)
        fix = Fix(_title(combined), edits, works.unblocks, consequence, works.cost)
        return max(remedy.change for remedy in combined), fix

    def keep(chosen: Sequence[int], fix: tuple[Change, Fix] | None) -> None:
        """Note what `try_set` returned for a set."""
        if fix is not None:
            working.append(frozenset(chosen))
            fixes.append(fix)

    for at in range(len(remedies)):
        keep([at], try_set([at]))
    if fixes and tried_before:
        return fixes
    if not fixes and len(query.gaps) >= MOST_TOGETHER:
        keep(*_all_limits([at for at, remedy in enumerate(remedies) if remedy.line is not None], try_set))
    indexes = range(min(len(remedies), most))
    for size in range(2, min(MOST_TOGETHER, len(indexes)) + 1):
        if size > 2 and fixes:
            break
        for chosen in combinations(indexes, size):
            keep(chosen, try_set(chosen))
    return fixes


def _all_limits(
    limits: list[int], try_set: Callable[[Sequence[int]], tuple[Change, Fix] | None]
) -> tuple[list[int], tuple[Change, Fix] | None]:
    """Try all limits together, since many gaps may need one each; then leave out those that are not needed.

    `limits` are indexes of remedies. Returns the indexes that are left, and their fix; None if even all do not work.
    """
    chosen, fix = limits, try_set(limits) if limits else None
    for at in limits if fix is not None else ():
        fewer = [limit for limit in chosen if limit != at]
        fix_of_fewer = try_set(fewer) if fewer else None
        if fix_of_fewer is not None:
            chosen, fix = fewer, fix_of_fewer
    return chosen, fix


def _title(remedies: Sequence[Remedy]) -> str:
    first, *following = (remedy.title for remedy in remedies)
    return " and ".join((first, *(title[0].lower() + title[1:] for title in following)))
