"""Physical plans as text, for golden files, the command line and whoever looks at a plan.

LocalStop 50 [count]
└─ SortedIndexJoin thoughts t (owner = s.target) by posted DESC, first 50 [count]
   └─ LocalSelection s.approved = TRUE
      └─ IndexScan subscriptions s (owner = [me]), at most 100
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from piql.compiler.logical.expressions import ColumnRef
from piql.compiler.logical.format import (
    format_assignments,
    format_cases,
    format_conflict,
    format_count,
    format_expression,
    format_list,
    format_more,
    format_order,
    format_output,
    format_returning,
    format_row,
)
from piql.compiler.logical.operators import SortKey
from piql.compiler.physical.operators import (
    Dereference,
    IndexFKJoin,
    IndexScan,
    KeyPart,
    KeyRange,
    LocalCases,
    LocalDistinct,
    LocalGroupBy,
    LocalJoin,
    LocalProjection,
    LocalSelection,
    LocalSemiJoin,
    LocalSort,
    LocalStop,
    LocalTop,
    LocalUnion,
    RecursiveUnion,
    RowLimit,
    SortedIndexJoin,
    WorkTableScan,
    inputs,
)
from piql.compiler.physical.unit_plan import QueryPlan, UnitPlan
from piql.compiler.physical.write_plan import ViewUpkeep, WritePlan
from piql.schema.catalog import Index, IndexColumn


def format_plan(plan: QueryPlan) -> str:
    """Return a plan as an indented tree, one operator a line."""
    return "\n".join(_tree(plan))


def _tree(plan: QueryPlan) -> list[str]:
    operator, detail = describe(plan)
    lines = [f"{operator} {detail}" if detail else operator]
    below: Sequence[QueryPlan]
    match plan:
        case UnitPlan():
            below = plan.statements
        case WritePlan():
            below = plan.reads
        case _:
            below = inputs(plan)
    for number, source in enumerate(below):
        is_last = number == len(below) - 1
        first, *following = _tree(source)
        lines.append(("└─ " if is_last else "├─ ") + first)
        lines.extend(("   " if is_last else "│  ") + line for line in following)
    return lines


def describe(node: QueryPlan) -> tuple[str, str]:
    """Return the name of an operator, and what it does in one line."""
    name = type(node).__name__
    match node:
        case IndexScan():
            return name, _read(node.table.name, node.alias, node.index, node.prefix, node.range) + _rows(
                node.order, node.is_ascending, node.is_merged, node.limit
            )
        case IndexFKJoin():
            return _outer(name, node.kind), _read(
                node.table.name, node.alias, node.index, node.prefix, None
            ) + _condition(node.condition)
        case SortedIndexJoin():
            read = _read(node.table.name, node.alias, node.index, node.prefix, node.range)
            rows = _rows(node.order, node.is_ascending, node.is_merged, node.limit)
            return _outer(name, node.kind), read + rows + _condition(node.condition)
        case Dereference():
            return name, _named(node.table.name, node.alias)
        case LocalSelection():
            most = f", at most {node.passing.rows}" if node.passing is not None else ""
            return name, format_expression(node.predicate) + most
        case LocalJoin():
            condition = format_expression(node.condition) if node.condition is not None else "(product)"
            return _outer(name, node.kind), condition
        case LocalSemiJoin():
            condition = format_expression(node.condition) if node.condition is not None else ""
            return "LocalAntiJoin" if node.is_anti else name, condition + _mark(node.mark)
        case LocalSort():
            return name, format_order(node.keys)
        case LocalTop():
            return name, f"{format_count(node.count)} by {format_order(node.keys)}"
        case LocalStop():
            order = f" in the order {format_order(node.order)}" if node.is_page else ""
            return "LocalPage" if node.is_page else name, format_count(node.count) + order
        case LocalGroupBy():
            keys = f"by {format_list(node.keys)}" if node.keys else ""
            aggregates = f": {format_list(node.aggregates)}" if node.aggregates else ""
            return name, (keys + aggregates).removeprefix(": ")
        case LocalDistinct():
            return name, f"{format_expression(node.tested)} IS NOT NULL{_mark(node.mark)}" if node.tested else ""
        case LocalUnion():
            merged = f"merged by {format_order(node.order)}" if node.order else ""
            return name, " ".join(word for word in ("all" if node.all else "", merged) if word)
        case LocalCases():
            return name, format_cases(node.tests)
        case RecursiveUnion():
            return name, f"{'all ' if node.all else ''}{node.name}, at most {node.levels} levels"
        case WorkTableScan():
            return name, _named(node.name, node.alias)
        case LocalProjection():
            return name, ", ".join(format_output(output) for output in node.outputs)
        case UnitPlan():
            return "Unit", f"{len(node.statements)} statements, all or none"
        case WritePlan():
            return node.kind.capitalize(), _write(node)
        case _:
            assert_never(node)


def _mark(mark: ColumnRef | None) -> str:
    return f" AS {format_expression(mark)}" if mark is not None else ""


def format_index(index: Index) -> str:
    """Return an index as a store keeps it: `item ((i_subject), i_title, i_id) → i_a_id`, its partition first."""
    names = [_key_column(column) for column in index.columns]
    partition = names[: index.partition_columns]
    if index.buckets > 1:
        partition.insert(0, f"one of {index.buckets} buckets")
    key = ", ".join((f"({', '.join(partition) or 'all'})", *names[index.partition_columns :]))
    held = f" → {', '.join(index.covering)}" if index.covering else ""
    return f"{index.table} ({key}){held}"


def _key_column(column: IndexColumn) -> str:
    name = f"TOKEN({', '.join(column.token_of)})" if column.token_of else column.name
    return name if column.ascending else f"{name} DESC"


def _outer(name: str, kind: str) -> str:
    return name if kind == "inner" else f"{name} (left)"


def _condition(condition: object) -> str:
    return "" if condition is None else f" where {format_expression(condition)}"  # type: ignore[arg-type]


def _named(table: str, alias: str) -> str:
    return table if alias in (table, "") else f"{table} {alias}"


def _read(table: str, alias: str, index: Index, prefix: tuple[KeyPart, ...], range: KeyRange | None) -> str:
    parts = [_key(part) for part in prefix]
    if range is not None:
        parts.append(_range(range))
    keys = f" ({', '.join(parts)})" if parts else ""
    by = "" if index.is_primary else f" by {index.name}"
    return f"{_named(table, alias)}{keys}{by}"


def _key(part: KeyPart) -> str:
    if len(part.values) > 1:
        return f"{part.column} IN ({format_list(part.values)})"
    if part.is_null:
        return f"{part.column} IS NULL"
    value = part.values[0]
    if getattr(value, "max_items", None) is not None:
        return f"{part.column} IN {format_expression(value)}"
    return f"{part.column} = {format_expression(value)}"


def _range(range: KeyRange) -> str:
    ends = []
    if range.low is not None:
        ends.append(f"{range.column} {'>=' if range.is_low_included else '>'} {format_expression(range.low)}")
    if range.high is not None:
        ends.append(f"{range.column} {'<=' if range.is_high_included else '<'} {format_expression(range.high)}")
    return " AND ".join(ends) or f"{range.column} IS NOT NULL"


def _rows(order: tuple[SortKey, ...], is_ascending: bool, is_merged: bool, limit: RowLimit) -> str:
    direction = "" if is_ascending else " backwards"
    merged = f" merged by {format_order(order)}" if is_merged else ""
    if limit.count is None:
        return f"{direction}{merged}, at most {limit.max}"
    if limit.max < limit.count.max:
        return f"{direction}{merged}, first {format_count(limit.count)}, at most {limit.max}"
    return f"{direction}{merged}, first {format_count(limit.count)}"


def _kept(upkeep: ViewUpkeep) -> str:
    """Return a view that a write keeps, with the number of windows that a row is in."""
    assert upkeep.view.view is not None
    windows = upkeep.view.view.groups_of_row
    return f"{upkeep.view.name} in {windows} windows" if windows > 1 else upkeep.view.name


def _write(plan: WritePlan) -> str:
    assignments = format_assignments(plan.values) + format_more(plan.more, plan.rows)
    text = plan.table.name
    if plan.kind != "insert":
        text += format_row(plan.key, plan.where)
    if assignments:
        text += f": {assignments}"
    if plan.if_not_exists:
        text += " if not exists"
    if plan.conflict is not None:
        text += format_conflict(plan.conflict)
    if plan.condition is not None:
        text += f" if {format_expression(plan.condition)}"
    if plan.views:
        text += f" keeping {', '.join(map(_kept, plan.views))}"
    return text + format_returning(plan.returning)
