"""The bound of a write: gets, counts, puts and deletes of one record, its index entries and its constraints.

One bound holds on every store. What a store without transactions needs beside the record and its entries (the intent,
entries put in doubt before, places under limits) is counted; the embedded store makes fewer requests.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from piql.compiler.bounds.bound import Bound, OperatorBound, Term
from piql.compiler.physical.operators import WritePlan
from piql.compiler.physical.widths import columns_bytes
from piql.compiler.physical.writes import change_of
from piql.schema.catalog import CardinalityLimit, ForeignKey, Index, Table, UniqueKey
from piql.schema.types import UNSIZED_BYTES
from piql.trees.caches import Cached


class _Steps(NamedTuple):
    """The terms of a write, by what kind of request they are."""

    gets: list[Term]
    counts: list[Term]
    puts: list[Term]
    deletes: list[Term]


def bound_of_write(plan: WritePlan) -> Bound:
    """Add up the requests of a write; each is a term with its reason."""
    table = plan.table
    steps = _Steps([], [], [], [])
    steps.gets.append(Term("1", 1, f"the row of {table.name} as it was", table.key_span))
    entries = _count_entries(plan, steps)
    if entries or plan.left or plan.counted_limits or plan.unique_checks:
        steps.puts.insert(0, _one("the intent, so that an interrupted write is completed or withdrawn"))
        steps.deletes.append(_one("the intent"))
    one_by_one = _count_places(plan, steps) + _count_references(plan, steps)
    if plan.kind == "delete":
        steps.deletes.append(_one(f"the row of {table.name}"))
    else:
        steps.puts.append(_one(f"the row of {table.name}"))
    totals = [sum(term.value for term in terms) for terms in steps]
    formula = " + ".join(str(total) for total, terms in zip(totals, steps, strict=True) if terms)
    operations = sum(totals)
    reads, counts, puts, deletes = totals
    has_intent = "the intent" in {term.reason for term in steps.deletes}
    width = columns_bytes(table, (column.name for column in table.columns))
    return Bound(
        operations=operations,
        round_trips=2 + 2 * has_intent + 2 * bool(entries) + one_by_one,
        rows=0,
        bytes=width,
        formula=formula,
        rows_formula="0",
        rows_fetched=reads,
        terms=tuple(term for terms in steps for term in terms),
        by_operator=(OperatorBound((), plan.kind.capitalize(), operations, formula, 0, "0", width),),
        puts=puts,
        deletes=deletes,
        reads=reads,
        counts=counts,
    )


def _one(reason: str) -> Term:
    return Term("1", 1, reason)


def _count_entries(plan: WritePlan, steps: _Steps) -> int:
    """Count index entries: new ones are put in doubt and then for good, stale ones put in doubt and then deleted."""
    count = 0
    for index in plan.indexes:
        change, entries = change_of(plan, index), most_entries(plan.table, index)
        if change != "none" and plan.kind != "delete":
            reason = f"new entries of {index.name}, before the row is there and after"
            steps.puts.append(Term(str(2 * entries), 2 * entries, reason, index.span))
            count += 2 * entries
        if change == "replace":
            reason = f"stale entries of {index.name}"
            steps.puts.append(Term(str(entries), entries, f"{reason}, put in doubt before the row changes", index.span))
            steps.deletes.append(Term(str(entries), entries, reason, index.span))
            count += 2 * entries
    return count


def _count_places(plan: WritePlan, steps: _Steps) -> int:
    """Count the requests for slots under limits: looked for, taken and given back."""
    count = 0
    for constraint in _entered(plan):
        groups, limit, what = _groups(plan.table, constraint)
        if limit > 1:
            steps.counts.append(Term(str(groups), groups, f"how many {plan.table.name} share {what}", constraint.span))
            count += groups
        steps.puts.append(
            Term(str(groups), groups, f"a place among the {plan.table.name} with {what}", constraint.span)
        )
        count += groups
    for constraint in plan.left:
        groups, _, what = _groups(plan.table, constraint)
        reason = f"the place among the {plan.table.name} with {what} that is given back"
        steps.counts.append(Term(str(groups), groups, reason, constraint.span))
        steps.deletes.append(Term(str(groups), groups, reason, constraint.span))
        count += 2 * groups
    return count


def _entered(plan: WritePlan) -> Iterator[CardinalityLimit | UniqueKey]:
    yield from (key for key, _ in plan.unique_checks)
    yield from (limit for limit, _ in plan.counted_limits)


def _groups(table: Table, constraint: CardinalityLimit | UniqueKey) -> tuple[int, int, str]:
    """Return how many groups one row is in, how many rows each may have, and what they share."""
    columns = ", ".join(constraint.columns)
    if isinstance(constraint, UniqueKey):
        return 1, 1, f"this {columns}"
    if constraint.is_token:
        return most_words(table, constraint.columns), constraint.limit, f"each word in {columns}"
    return 1, constraint.limit, f"this {columns}"


def _count_references(plan: WritePlan, steps: _Steps) -> int:
    """Count what foreign keys make a write look at, on either side, and what it shows before it looks."""
    count = 0
    for key in plan.references:
        columns = ", ".join(key.columns)
        if key in plan.unique_references:
            reason = f"which row of {key.table} has the value that {columns} names"
            steps.gets.append(Term("1", 1, reason, key.span))
            count += 1
        steps.gets.append(Term("1", 1, f"the row of {key.table} that {columns} names", key.span))
        count += 1
    if plan.referrers:
        steps.gets.extend(_looks.recall((plan.referrers,), lambda: tuple(map(_look, plan.referrers))))
        count += len(plan.referrers)
    if plan.referrers or plan.is_shown_first:
        steps.puts.append(_one(f"the row of {plan.table.name}, marked while references are looked for"))
        count += 1
    return count


def _look(referrer: tuple[Table, ForeignKey, Index]) -> Term:
    referring, key, _ = referrer
    return Term("1", 1, f"whether {referring.name} still names the row by {', '.join(key.columns)}", key.span)


_looks: Cached[tuple[Term, ...]] = Cached(512)  # which all writes of a table that is referred to have in common


def most_entries(table: Table, index: Index) -> int:
    """Return how many entries one row has in an index: one, or one for each word of its texts."""
    token = next((column for column in index.columns if column.token_of), None)
    return most_words(table, token.token_of) if token is not None else 1


def most_words(table: Table, names: tuple[str, ...]) -> int:
    """Return how many words texts can hold: a letter and a space each, in as many characters as their types allow."""
    count = 0
    for name in names:
        column = table.column(name)
        length = column.type.length if column is not None else None
        count += ((length if length is not None else UNSIZED_BYTES) + 1) // 2
    return count
