"""WITH RECURSIVE name AS (anchor UNION [ALL] step) MAX n LEVELS → a recursive union.

    RecursiveUnion
      Projection comments.id, 0               the anchor: level 0
        …
      Projection c.id, t.depth + 1            the step: level k from level k - 1
        Join c.parent = t.id
          Relation comments c
          Derived t
            WorkTable thread

The step reads the name exactly once, in its own FROM. So its rows belong to the rows of the level before, one by one:
nothing in it can look at a level as a whole, as an aggregate or a LIMIT would.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from piql.compiler.binding.outputs import output_columns, with_output_names
from piql.compiler.binding.scope import ScopeColumn, matches
from piql.compiler.binding.types import wider
from piql.compiler.binding.unions import SAME_COLUMNS, column_difference
from piql.compiler.logical.expressions import ColumnRef
from piql.compiler.logical.operators import (
    GroupBy,
    LogicalNode,
    Projection,
    RecursiveUnion,
    Selection,
    WorkTable,
)
from piql.compiler.syntax import ast
from piql.text.diagnostics.diagnostic import Diagnostic, Edit, Fix, Label
from piql.text.diagnostics.report import report
from piql.text.source import Span

if TYPE_CHECKING:
    from piql.compiler.binding.expressions import QueryContext

OFFERED_LEVELS = 5  # by the fix of a recursive query that does not say how many


@dataclass(frozen=True, slots=True)
class _Parts:
    """A recursive query taken apart: the rows that it begins with, and the query that repeats."""

    anchor: ast.QueryExpression
    step: ast.Select
    all: bool


def reads_itself(entry: ast.WithEntry) -> bool:
    """Return whether a query of WITH names itself."""
    return any(True for _ in _references(entry, entry.query))


def _references(entry: ast.WithEntry, query: ast.QueryExpression) -> Iterator[ast.TableName]:
    return (source for source in query.find(ast.TableName) if matches(source.table, entry.name.text))


def bind_recursion(context: QueryContext, entry: ast.WithEntry) -> RecursiveUnion | None:
    """Return the plan of a query of WITH RECURSIVE that names itself; None when an error was reported."""
    parts = _parts(context, entry)
    if entry.levels is None:
        context.diagnostics.append(_without_levels(entry))
    if parts is None:
        return None
    anchor = context.bind_nested(context, parts.anchor, None, bool(entry.columns), True)
    if anchor is None:
        return None
    columns = columns_of(context, entry, output_columns(anchor))
    if columns is None:
        return None
    name = context.unique_with_name(entry.name.text)
    columns = _widened(context, entry, parts, name, columns)
    step = _bind_step(context, entry, parts, name, columns)
    if step is None or entry.levels is None or not _fits(context, entry, parts, columns, step):
        return None
    names = [column.name for column in columns]
    return RecursiveUnion(
        name=name,
        columns=columns,
        anchor=with_output_names(anchor, names),
        step=with_output_names(step, names),
        all=parts.all,
        levels=entry.levels,
        levels_span=entry.levels_span,
        span=entry.span,
    )


def _parts(context: QueryContext, entry: ast.WithEntry) -> _Parts | None:
    """Take a recursive query apart; report what it has that cannot repeat, and return None then."""
    name, query = entry.name.text, entry.query
    if not isinstance(query, ast.UnionQuery):
        _refuse(
            context,
            f"{name} reads itself, but has no rows to begin with",
            next(_references(entry, query)).span,
            f"write the query of the first rows, UNION ALL, and then the one that reads {name}",
        )
        return None
    *anchors, step = query.inputs
    whole = query.order or query.stop or query.offset
    is_refused = False
    if whole is not None:
        _refuse(context, f"{name} cannot be ordered or limited as a whole", whole.span, _move(name))
        is_refused = True
    for anchor in anchors:
        for reference in _references(entry, anchor):
            way_out = f"begin with rows of tables; only the last query of the UNION reads {name}"
            _refuse(context, f"{name} is read in the query of its first rows", reference.span, way_out)
            is_refused = True
    if not isinstance(step, ast.Select):
        _refuse(context, "the query that repeats must be one SELECT", step.span, "write each level as one SELECT")
        return None
    if _refuse_step(context, entry, step) or is_refused:
        return None
    first = anchors[0]
    if len(anchors) > 1:
        span = first.span.to(anchors[-1].span)
        first = ast.UnionQuery(inputs=tuple(anchors), is_all=query.is_all, unions=query.unions[:-1], span=span)
    return _Parts(first, step, query.is_all)


def _refuse_step(context: QueryContext, entry: ast.WithEntry, step: ast.Select) -> bool:
    """Report the clauses of a step that look at a level as a whole, and where it does not read its name just once."""
    name, before = entry.name.text, len(context.diagnostics)
    if step.distinct is not None:
        way_out = "leave it out: UNION instead of UNION ALL drops rows that came before"
        _refuse(context, "DISTINCT cannot stand in the query that repeats", step.distinct, way_out)
    clauses = {"GROUP BY": step.group, "HAVING": step.having, "ORDER BY": step.order, "OFFSET": step.offset}
    stop = "PAGINATE" if step.stop is not None and step.stop.is_page else "LIMIT"
    for word, clause in {**clauses, stop: step.stop}.items():
        if clause is not None:
            _refuse(context, f"{word} cannot stand in the query that repeats", clause.span, _move(name))
    joins = step.from_clause.joins if step.from_clause is not None else ()
    sources = [(step.from_clause.first, "inner")] if step.from_clause is not None else []
    sources += [(join.table, join.kind) for join in joins]
    in_from = [
        (source, kind)
        for source, kind in sources
        if isinstance(source, ast.TableName) and matches(source.table, entry.name.text)
    ]
    direct = {id(source) for source, _ in in_from}
    for reference in _references(entry, step):
        if id(reference) not in direct:
            way_out = f"join {name} in FROM of the query that repeats, and nowhere else"
            _refuse(context, f"{name} is read in a subquery of itself", reference.span, way_out)
    for source, kind in in_from:
        if kind == "left":
            way_out = f"write {name} first: FROM {name} LEFT JOIN …"
            _refuse(context, f"{name} stands on the side of a LEFT JOIN that may be NULL", source.span, way_out)
    for source, _ in in_from[1:]:
        context.diagnostics.append(
            report(
                "recursive-query",
                f"{name} is read a second time in the query that repeats",
                source.span,
                labels=(Label(in_from[0][0].span, "the first time"),),
                help=f"join {name} once; rows of one level cannot be compared with each other",
            )
        )
    if not in_from and len(context.diagnostics) == before:
        way_out = f"join {name} in the last query of the UNION"
        _refuse(context, f"the query that repeats does not read {name}", step.items_span, way_out)
    return len(context.diagnostics) > before


def _move(name: str) -> str:
    return f"move it to the query that reads {name}"


def _refuse(context: QueryContext, message: str, span: Span, way_out: str) -> None:
    context.diagnostics.append(report("recursive-query", message, span, help=way_out))


def _without_levels(entry: ast.WithEntry) -> Diagnostic:
    """Return the error that nothing says how often a query repeats, with a number as its fix."""
    end, clause = entry.span.end, f" MAX {OFFERED_LEVELS} LEVELS"
    fix = Fix(
        f"Read at most {OFFERED_LEVELS} levels",
        (Edit(entry.span.file, end, end, clause),),
        consequence="rows of further levels are left out",
    )
    return report(
        "recursive-query",
        f"nothing says how many levels {entry.name.text} has: how often it repeats depends on the data",
        entry.name.span,
        help=f"write behind the parenthesis how many levels are read at most: ){clause}",
        fixes=(fix,),
    )


def columns_of(
    context: QueryContext, entry: ast.WithEntry, outputs: Sequence[ScopeColumn]
) -> tuple[ColumnRef, ...] | None:
    """Return the columns under the names that the entry gives them; None where these are not as many, or not unique."""
    names = [name.text for name in entry.columns] or [output.name for output in outputs]
    if len(names) != len(outputs):
        context.diagnostics.append(
            report(
                "union-columns",
                f"{entry.name.text} has names for {len(names)} columns, and its query gives {len(outputs)}",
                entry.columns[0].span.to(entry.columns[-1].span),
                help="write a name for each column of the query",
            )
        )
        return None
    seen: dict[str, ast.Name] = {}
    for name in entry.columns:
        first = seen.setdefault(name.text.lower(), name)
        if first is not name:
            labels = (Label(first.span, "the first one"),)
            message = f"two columns of {entry.name.text} are called {name.text}"
            context.diagnostics.append(
                report("duplicate-output", message, name.span, labels=labels, help="rename one of them")
            )
            return None
    return tuple(
        ColumnRef(relation="", name=name, type=output.type, nullable=True)
        for name, output in zip(names, outputs, strict=True)
    )


def _bind_step(
    context: QueryContext, entry: ast.WithEntry, parts: _Parts, name: str, columns: tuple[ColumnRef, ...]
) -> LogicalNode | None:
    """Bind the step over a work table with these columns; None when an error was reported."""
    around = context.with_tables
    table = WorkTable(name=name, columns=columns, all=parts.all)
    context.with_tables = {**around, entry.name.text.lower(): table}
    step = context.bind_nested(context, parts.step, None, True, True)  # its names do not matter
    context.with_tables = around
    return step


def _widened(
    context: QueryContext, entry: ast.WithEntry, parts: _Parts, name: str, columns: tuple[ColumnRef, ...]
) -> tuple[ColumnRef, ...]:
    """Return the columns with types that hold the values of all levels.

    `0` is INT and `depth + 1` is BIGINT, so depth is BIGINT. The step is bound on trial until its types fit into those
    that it reads; as types only grow wider, that ends.
    """
    while True:
        step = _bind_step(context.on_trial(), entry, parts, name, columns)
        outputs = output_columns(step) if step is not None else []
        if len(outputs) != len(columns):
            return columns
        types = [
            wider(column.type, output.type) or column.type for column, output in zip(columns, outputs, strict=True)
        ]
        if types == [column.type for column in columns]:
            return columns
        pairs = zip(columns, types, strict=True)
        columns = tuple(replace(column, type=wider_type) for column, wider_type in pairs)


def _fits(
    context: QueryContext, entry: ast.WithEntry, parts: _Parts, columns: tuple[ColumnRef, ...], step: LogicalNode
) -> bool:
    """Return whether the step gives the columns of the first rows, one row for one row; report what does not fit."""
    span, name = parts.step.items_span, entry.name.text
    difference = column_difference(columns, output_columns(step), f"the query of the first rows of {name}")
    if difference is not None:
        context.diagnostics.append(report(*difference, span, help=SAME_COLUMNS))
        return False
    node = step
    while isinstance(node, Projection | Selection):
        node = node.input
    if isinstance(node, GroupBy):
        _refuse(context, "an aggregate cannot stand in the query that repeats", span, _move(name))
        return False
    return True
