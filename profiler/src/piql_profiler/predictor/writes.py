"""What a write asks of the store, part by part: its own record and entries, groups under limits, foreign keys.

    INSERT INTO subscriptions (owner, target, approved) …      owner and target reference users, 100 of one owner
    Insert            the record and its entry by target
    LimitCheck        1 group of 100
    ReferenceCheck    2 looks, after the record is written: a delete of a user then finds it by its key

A UNIQUE key that leads to the row is one look more. An INSERT is taken to put a new row, an UPDATE to change all the
columns that it names. In a store with transactions nothing is written before the looks, and a row that leaves a group
needs no check.

A view is rows and entries more in the transaction of the write. Without transactions each group that the row enters or
leaves is a write of its own, behind the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

from piql.compiler.bounds.writes import most_entries, most_words
from piql.compiler.physical.write_plan import ViewUpkeep, WritePlan
from piql.compiler.physical.writes import change_of
from piql.schema.catalog import CardinalityLimit, Table, UniqueKey

from piql_profiler.measure.grid import CHECK_BYTES, LOOK, SHOW_AND_LOOK, Operator, Point

Path = tuple[int, ...]
_FEWEST_PLACES_SEARCHED = 10  # by a row that leaves a group and has to find its own place first


def write_points(
    plan: WritePlan,
    row_bytes: Callable[[Table], int],
    *,
    is_stepped: bool,
    value_of: Callable[[CardinalityLimit], int],
) -> Iterator[tuple[Path, str, Point]]:
    """The parts of a write, each with its path and its name in observations.

    `is_stepped` says that the store has no transactions, so that the write is made by single steps. `value_of` returns
    the value of a limit. Paths: () the write, (0,), (0, 1), … its limit checks by size, (1,) its reference check, (3,),
    (3, 1), … the groups of views.
    """
    if plan.otherwise is not None and _rows_and_entries(plan.otherwise) > _rows_and_entries(plan):
        plan = replace(plan.otherwise, found_by=plan.found_by)  # ON CONFLICT DO UPDATE: the dearer way
    written = plan.most_rows
    together = 1 + _entries(plan) if is_stepped else _rows_and_entries(plan)
    yield (), plan.kind.capitalize(), Point(Operator.WRITE, written * together, 1, row_bytes(plan.table))
    for at, (rows, groups) in enumerate(sorted(_groups(plan, is_stepped, value_of).items())):
        name = Operator.LIMIT_CHECK
        yield ((0,) if at == 0 else (0, at)), name.value, Point(name, written * groups, rows, CHECK_BYTES)
    if looks := written * _looks(plan, is_stepped):
        is_shown = is_stepped and (plan.is_shown_first if plan.kind == "insert" else bool(plan.referrers))
        name = Operator.REFERENCE_CHECK
        yield (1,), name.value, Point(name, looks, SHOW_AND_LOOK if is_shown else LOOK, CHECK_BYTES)
    if is_stepped:
        kept = (upkeep for upkeep in plan.views for _ in range(written * _groups_of_view(plan, upkeep)))
        for at, upkeep in enumerate(kept):
            point = Point(Operator.WRITE, 1 + _entries_of_group(upkeep), 1, row_bytes(upkeep.view))
            yield ((3,) if at == 0 else (3, at)), plan.kind.capitalize(), point


def limits_of_write(plan: WritePlan, *, is_stepped: bool) -> Iterator[CardinalityLimit]:
    """The limits that decide how many places a write searches: of groups that it enters and, if stepped, leaves."""
    if plan.kind != "delete":
        yield from (limit for limit, _ in plan.counted_limits)
    if is_stepped and plan.kind != "insert":
        yield from (constraint for constraint in plan.left if isinstance(constraint, CardinalityLimit))


def _rows_and_entries(plan: WritePlan) -> int:
    """Count what is put or deleted in one transaction: the record with its entries, and groups of views with theirs."""
    return 1 + _entries(plan) + sum(_groups_of_view(plan, view) * (1 + _entries_of_group(view)) for view in plan.views)


def _groups_of_view(plan: WritePlan, upkeep: ViewUpkeep) -> int:
    """Count the groups that a write changes: an INSERT is taken to put a new row, so that it leaves none."""
    is_one = plan.kind == "insert" and not (upkeep.view.view is not None and upkeep.view.view.joins)
    return min(1, upkeep.groups) if is_one else upkeep.groups


def _entries_of_group(upkeep: ViewUpkeep) -> int:
    """Count the entries of a group that are put or deleted; what is counted or summed moves all of them."""
    return 2 * len(upkeep.indexes)


def _entries(plan: WritePlan) -> int:
    """Count the entries that are put or deleted; one that moves is both."""
    entries = 0
    for index in plan.indexes:
        change = change_of(plan, index)
        if change != "none":
            moves = plan.kind == "update" and change == "replace"
            entries += (2 if moves else 1) * most_entries(plan.table, index)
    return entries


def _groups(plan: WritePlan, is_stepped: bool, value_of: Callable[[CardinalityLimit], int]) -> Counter[int]:
    """Count the groups that are entered and left, by how many rows each may have."""
    groups: Counter[int] = Counter()
    if plan.kind != "delete":
        for limit, _ in plan.counted_limits:
            groups[value_of(limit)] += _groups_of(plan.table, limit)
        groups[1] += len(plan.unique_checks)
    if is_stepped and plan.kind != "insert":
        for constraint in plan.left:
            rows = value_of(constraint) if isinstance(constraint, CardinalityLimit) else 1
            groups[max(rows, _FEWEST_PLACES_SEARCHED)] += _groups_of(plan.table, constraint)
    return +groups  # without groups that are counted 0 times


def _groups_of(table: Table, constraint: CardinalityLimit | UniqueKey) -> int:
    """How many groups of a constraint one row is in: one, or one for each of its words."""
    is_of_words = isinstance(constraint, CardinalityLimit) and constraint.is_token
    return most_words(table, constraint.columns) if is_of_words else 1


def _looks(plan: WritePlan, is_stepped: bool) -> int:
    """Count the reads of referenced and of referencing rows, and those that look for rows by UNIQUE keys first."""
    looks = (len(plan.references) if plan.kind != "delete" else 0) + (plan.found_by is not None)
    if is_stepped and plan.kind != "delete":
        looks += len(plan.unique_references) + 2 * len(plan.looked_up)
    looks += sum(read.requests for upkeep in plan.views for read in upkeep.reads)
    return looks + (len(plan.referrers) if plan.kind != "insert" else 0)
