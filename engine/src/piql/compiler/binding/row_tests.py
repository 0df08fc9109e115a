"""A test of one row of a table, by itself: what the WHERE of a view and a CHECK have in common.

    quantity > 0 AND state IN ('new', 'paid')    →    RowTest("t.quantity > 0 AND …", ("0", …), ("quantity", "state"))

Each write decides it alone, so it asks nobody else: neither other rows, nor who writes, nor when.
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
    """Carries why a test is none of one row alone."""

    def __init__(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        super().__init__(diagnostics[0].message)
        self.diagnostics = diagnostics


@dataclass(frozen=True, slots=True)
class TestPlace:
    """Where such a test stands: the `clause` in messages, the `code` of its refusals, and what to do instead."""

    clause: str
    owner: str
    code: str
    way_out: str

    def refused(self, message: str, span: Span) -> TestRefused:
        """Return the refusal of a test, or of a part of it."""
        return TestRefused((report(self.code, message, span, help=self.way_out),))


def bind_row_test(
    node: ast.Expression, table: Table, shown: ast.Name, tables: TableNames, place: TestPlace
) -> logical.Expression:
    """Bind a test of the columns of `table`, which is called `shown` in it. Raises TestRefused."""

    def refuse_subquery(_: QueryContext, query: ast.QueryExpression, *__: object) -> NoReturn:
        raise place.refused(f"{place.owner} tests one row alone, without a query inside", query.span)

    context = QueryContext(tables, refuse_subquery)
    relation = ScopeRelation(shown.text, table.name, tables.columns_in_scope(table), shown.span, table)
    test = ExpressionBinder(context, Scope([relation], written=shown.text), place.clause).predicate(node)
    errors = tuple(finding for finding in context.diagnostics if finding.severity == "error")
    if test is None or errors:
        raise TestRefused(tuple(_of_one_row(error, place) for error in errors))
    for part in test.walk():
        if isinstance(part, logical.Parameter) and part.supplied is None:
            raise place.refused(
                f"[{part.name}] is given by an execution, and {place.owner} has none", part.span or node.span
            )
    return test


def _of_one_row(error: Diagnostic, place: TestPlace) -> Diagnostic:
    """Return an error of a test: what is said of a pattern elsewhere speaks of all rows, and of parameters."""
    if error.code != "pattern-match":
        return error
    return replace(error, message=f"{place.owner} tests no patterns, as {error.span.text} does", help=(place.way_out,))


def row_test_of(test: logical.Expression, table: Table) -> RowTest:
    """Return a bound test as the catalog keeps it."""
    names = table.in_order({column.name for column in logical.columns_of(test)})
    constants = tuple(repr(constant.value) for constant in test.find(logical.Constant))
    return RowTest(format_expression(test), constants, names, test)
