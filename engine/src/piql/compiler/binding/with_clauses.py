"""WITH → the plans of its queries, each found by its name while the query behind them is bound.

    WITH newest AS (SELECT …) SELECT … FROM newest n   →   SELECT … FROM (SELECT …) n

A name of WITH hides a table of the same name, and an entry sees those before it. Each use of it is a derived table with
a plan of its own, so that aliases stay unique in the whole statement: the first use takes the plan by which the entry
was checked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from piql.compiler.binding.outputs import output_columns, with_output_names
from piql.compiler.binding.recursion import bind_recursion, columns_of, reads_itself
from piql.compiler.binding.scope import matches
from piql.compiler.logical.operators import LogicalNode, WorkTable
from piql.compiler.syntax import ast
from piql.text.diagnostics.diagnostic import Diagnostic, Edit, Fix, Label
from piql.text.diagnostics.report import report

if TYPE_CHECKING:
    from piql.compiler.binding.expressions import QueryContext
    from piql.compiler.binding.scope import Scope


@dataclass(slots=True)
class WithTable:
    """A query of WITH: `visible` are those that it may read, `outer` is the scope around the WITH.

    `plan` is None after an error and where it is used up.
    """

    entry: ast.WithEntry
    is_recursive: bool
    visible: WithTables
    outer: Scope | None
    plan: LogicalNode | None = None
    is_broken: bool = False
    is_used: bool = False

    def bind(self, context: QueryContext) -> LogicalNode | None:
        """Return a new plan; None after an error was reported."""
        around, context.with_tables = context.with_tables, self.visible
        plan = bind_recursion(context, self.entry) if self.is_recursive else _bind_once(context, self.entry, self.outer)
        context.with_tables = around
        return plan

    def use(self, context: QueryContext) -> LogicalNode | None:
        """Return a plan that no other use has; None after an error, which is reported already."""
        self.is_used = True
        if self.is_broken:
            return None
        plan, self.plan = self.plan, None
        if plan is None:
            reported = len(context.diagnostics)
            plan = self.bind(context)
            del context.diagnostics[reported:]  # the first plan had the same
        return plan


WithTables: TypeAlias = Mapping[str, "WithTable | WorkTable"]
"""What names mean, by lower case; a work table in the step of the recursive query that has its name."""


def bind_with(
    context: QueryContext, clause: ast.WithClause, outer: Scope | None, bind: Callable[[], LogicalNode | None]
) -> LogicalNode | None:
    """Bind the queries of WITH, and then the query behind them by `bind`; None when an error was reported."""
    outside = context.with_tables
    tables: list[WithTable] = []
    first_entries: dict[str, ast.WithEntry] = {}
    is_broken = False
    for entry in clause.entries:
        fold = entry.name.text.lower()
        earlier = first_entries.setdefault(fold, entry)
        if earlier is not entry:
            labels = (Label(earlier.name.span, "the first one"),)
            message = f"{entry.name.text} appears twice in WITH"
            context.diagnostics.append(
                report("duplicate-alias", message, entry.name.span, labels=labels, help="rename one of them")
            )
            is_broken = True
            continue
        table = WithTable(entry, clause.is_recursive and reads_itself(entry), context.with_tables, outer)
        table.plan = table.bind(context)
        table.is_broken = table.plan is None
        is_broken |= table.is_broken
        tables.append(table)
        context.with_tables = {**context.with_tables, fold: table}
    plan = bind()
    context.with_tables = outside
    if not is_broken and plan is not None:
        for number, table in enumerate(tables):
            if not table.is_used:
                context.diagnostics.append(_unused(clause, number))
    return None if is_broken else plan


def _bind_once(context: QueryContext, entry: ast.WithEntry, outer: Scope | None) -> LogicalNode | None:
    """Bind a query of WITH that does not read itself, under the names that the entry gives its columns."""
    if entry.levels is not None and entry.levels_span is not None:
        context.diagnostics.append(
            report(
                "recursive-query",
                f"{entry.name.text} does not read itself, so it has no levels",
                entry.levels_span,
                help="leave MAX n LEVELS out, or write WITH RECURSIVE and read the name in the second query",
            )
        )
        return None
    plan = context.bind_nested(context, entry.query, outer, bool(entry.columns), False)
    if plan is None or not entry.columns:
        return plan
    columns = columns_of(context, entry, output_columns(plan))
    return None if columns is None else with_output_names(plan, [column.name for column in columns])


def _unused(clause: ast.WithClause, number: int) -> Diagnostic:
    """Return the warning of an entry that nothing reads; its fix removes the entry."""
    entry, file = clause.entries[number], clause.span.file
    if len(clause.entries) == 1:
        behind = clause.span.source.text[clause.span.end :]
        edit = Edit(file, clause.span.start, clause.span.end + len(behind) - len(behind.lstrip()), "")
    elif number == 0:
        edit = Edit(file, entry.span.start, clause.entries[1].span.start, "")
    else:
        edit = Edit(file, clause.entries[number - 1].span.end, entry.span.end, "")
    name = entry.name.text
    return report(
        "unused-with",
        f"nothing reads {name}, so it makes no request",
        entry.name.span,
        help=f"remove {name}, or read it in FROM",
        fixes=(Fix(f"Remove {name}", (edit,)),),
    )


def find_with_table(context: QueryContext, name: ast.Name) -> WithTable | WorkTable | None:
    """Return what a name of FROM means by WITH; None where it means a table."""
    table = context.with_tables.get(name.text.lower())
    if table is None:
        return None
    declared = table.name if isinstance(table, WorkTable) else table.entry.name.text
    return table if isinstance(table, WorkTable) or matches(name, declared) else None


def with_names(context: QueryContext) -> list[str]:
    """Return the names of WITH that FROM may use here, as they are written."""
    tables = context.with_tables.values()
    return [table.name if isinstance(table, WorkTable) else table.entry.name.text for table in tables]
