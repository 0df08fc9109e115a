"""A test of one row of a table, by itself: what the WHERE of a view and a CHECK have in common.

    quantity > 0 AND state IN ('new', 'paid')    →    RowTest("t.quantity > 0 AND …", ("0", …), ("quantity", "state"))

Each write decides it from the row alone. So it may read neither other rows, nor parameters, nor the time.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NoReturn

from piql.compiler.binding.expressions import ExpressionBinder, QueryContext
from piql.compiler.binding.scope import Scope, ScopeRelation, TableNames
from piql.compiler.logical import expressions as logical
from piql.compiler.logical.format import format_expression
from piql.compiler.syntax import ast
from piql.schema.catalog import RowTest, Table
from piql.text.diagnostics.diagnostic import Diagnostic
from piql.text.diagnostics.report import report
from piql.text.source import Span


class TestRefused(Exception):
    """A test needs more than one row; `diagnostics` say why."""

    def __init__(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        super().__init__(diagnostics[0].message)
        self.diagnostics = diagnostics


@dataclass(frozen=True, slots=True)
class TestClause:
    """The clause that holds such a test: its `name`, and what it is called in messages.

    Refusals have the `code`, and `way_out` as their advice.
    """

    name: str
    with_article: str
    code: str
    way_out: str

    def refused(self, message: str, span: Span) -> TestRefused:
        """Return the refusal of a test, or of a part of it."""
        return TestRefused((report(self.code, message, span, help=self.way_out),))


def bind_row_test(
    node: ast.Expression, table: Table, shown: ast.Name, tables: TableNames, clause: TestClause
) -> logical.Expression:
    """Bind a test of the columns of `table`, which is called `shown` in it. Raises TestRefused."""
    relation = ScopeRelation(shown.text, table.name, tables.columns_in_scope(table), shown.span, table)
    return bind_test_of_rows(node, Scope([relation], written=shown.text), tables, clause)


def bind_test_of_rows(node: ast.Expression, scope: Scope, tables: TableNames, clause: TestClause) -> logical.Expression:
    """Bind a test of the columns of one row of each relation of a scope. Raises TestRefused."""

    def refuse_subquery(_: QueryContext, query: ast.QueryExpression, *__: object) -> NoReturn:
        raise clause.refused(f"{clause.with_article} tests one row alone, without a query inside", query.span)

    context = QueryContext(tables, refuse_subquery)
    test = ExpressionBinder(context, scope, clause.name).predicate(node)
    errors = tuple(finding for finding in context.diagnostics if finding.severity == "error")
    if test is None or errors:
        raise TestRefused(tuple(_of_one_row(error, clause) for error in errors))
    for part in test.walk():
        if isinstance(part, logical.Parameter) and part.supplied is None:
            raise clause.refused(
                f"[{part.name}] is given by an execution, and {clause.with_article} has none", part.span or node.span
            )
    return test


def _of_one_row(error: Diagnostic, clause: TestClause) -> Diagnostic:
    """Return an error of a test. What is usually said of patterns, to search with an index, does not help here."""
    if error.code != "pattern-match":
        return error
    return replace(
        error, message=f"{clause.with_article} tests no patterns, as {error.span.text} does", help=(clause.way_out,)
    )


def row_test_of(test: logical.Expression, table: Table) -> RowTest:
    """Return a bound test as the catalog keeps it."""
    names = table.in_order({column.name for column in logical.columns_of(test)})
    constants = tuple(repr(constant.value) for constant in test.find(logical.Constant))
    return RowTest(format_expression(test), constants, names, test)
