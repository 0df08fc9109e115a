"""Warns of a write that makes most of its requests to keep copies of a column in the entries of an index.

UPDATE item SET stock = [n] WHERE id = [id]     68 requests
  2     the row is read and written
  66    item_by_token_title holds stock in each of its 32 entries, one for each word of title
"""

from __future__ import annotations

from dataclasses import replace

from piql.compiler.bounds.bound import Bound
from piql.compiler.bounds.writes import bound_of_write, most_entries
from piql.compiler.physical.write_plan import WritePlan
from piql.compiler.physical.writes import change_of
from piql.schema.catalog import Index
from piql.text.diagnostics.diagnostic import Diagnostic, Label
from piql.text.diagnostics.report import report
from piql.text.source import Span

TIMES = 10  # as many requests as without the copies


def dear_copies(plan: WritePlan, bound: Bound, name: str | None, span: Span) -> Diagnostic | None:
    """Return the warning of an UPDATE that makes `TIMES` the requests for copies; `span` is that of its name.

    Copies are columns that an index holds beside its key, so that no request fetches them.
    """
    if plan.kind != "update" or bound.operations < TIMES:
        return None
    changed = frozenset(value.column for value in plan.values)
    copying = [index for index in plan.indexes if change_of(plan, index) == "put"]
    if not copying:
        return None
    without = bound_of_write(replace(plan, indexes=tuple(_without(index, changed) for index in plan.indexes)))
    if bound.operations < TIMES * without.operations:
        return None
    index = max(copying, key=lambda index: most_entries(plan.table, index))
    columns = ", ".join(column for column in plan.table.in_order(index.covering) if column in changed)
    return report(
        "expensive-write",
        f"one execution may make {bound.operations:,} requests; without the copies of {columns} in {index.name} it "
        f"would make {without.operations:,}",
        span,
        labels=_label(plan, index, columns),
        help=(
            f"a query reads {columns} by this index, perhaps by `*`: let it name its columns without {columns}, or "
            "read these by key in a query of their own",
            "if it is meant to be: `-- allow(expensive-write): why` on the line above",
        ),
        query=name,
    )


def _without(index: Index, columns: frozenset[str]) -> Index:
    return replace(index, covering=tuple(column for column in index.covering if column not in columns))


def _label(plan: WritePlan, index: Index, columns: str) -> tuple[Label, ...]:
    """Return a label at the first copied column that is set, with the number of its copies."""
    entries = most_entries(plan.table, index)
    words = next((", ".join(column.token_of) for column in index.columns if column.token_of), None)
    reason = f"one for each word of {words}" if words is not None else "one for each row"
    copies = f"{entries} entries" if entries > 1 else "an entry"
    change = next(value for value in plan.values if value.column in index.covering)
    if change.span is None:
        return ()
    return (Label(change.span, f"a row has {copies} in {index.name} with a copy of {columns}, {reason}"),)
