"""WHERE of a view: which rows of its table it counts. A test of one row alone, so that each write decides it by itself.

    WHERE state = 'paid' AND price IS NOT NULL    →    ViewRows(test, never_null={"state", "price"})

It compares columns with constants, since nothing else is sure to have a value for every row, the same at every time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

from piql.compiler.binding.expressions import ExpressionBinder, QueryContext
from piql.compiler.binding.scope import Scope, ScopeRelation, TableNames
from piql.compiler.logical import expressions as logical
from piql.compiler.logical.format import format_expression
from piql.compiler.syntax import ast
from piql.schema.catalog import Table, ViewCondition
from piql.text.diagnostics.diagnostic import Diagnostic
from piql.text.diagnostics.report import report
from piql.text.source import Span

_PLAIN = (
    logical.ColumnRef,
    logical.Constant,
    logical.Comparison,
    logical.And,
    logical.Or,
    logical.Not,
    logical.IsNull,
    logical.InList,
)


class RowsRefused(Exception):
    """Carries why a condition is none of a view."""

    def __init__(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        super().__init__(diagnostics[0].message)
        self.diagnostics = diagnostics


@dataclass(frozen=True, slots=True)
class ViewRows:
    """The rows of a table that a view counts; `never_null` are the columns that hold a value in all of them."""

    condition: ViewCondition
    never_null: frozenset[str]


def bind_rows_of_view(where: ast.Expression, table: Table, shown: ast.Name, tables: TableNames) -> ViewRows:
    """Bind the WHERE of a view; `shown` is the name of its table there. Raises RowsRefused."""
    context = QueryContext(tables, _refuse_subquery)
    relation = ScopeRelation(shown.text, table.name, tables.columns_in_scope(table), shown.span, table)
    test = ExpressionBinder(context, Scope([relation], written=shown.text), "WHERE").predicate(where)
    errors = tuple(finding for finding in context.diagnostics if finding.severity == "error")
    if test is None or errors:
        raise RowsRefused(errors)
    for node in test.walk():
        if isinstance(node, logical.Parameter) and node.supplied is None:
            raise _refused(f"[{node.name}] is given by an execution, and a view by none", node.span or where.span)
        if not isinstance(node, _PLAIN):
            raise _refused("a view's WHERE compares columns with constants", getattr(node, "span", None) or where.span)
    names = table.in_order({column.name for column in logical.columns_of(test)})
    constants = tuple(repr(constant.value) for constant in test.find(logical.Constant))
    return ViewRows(ViewCondition(format_expression(test), constants, names, test), _never_null(test))


def _refused(message: str, span: Span) -> RowsRefused:
    way_out = "write constants, and test what is computed or asked for where the view is read"
    return RowsRefused((report("view-form", message, span, help=way_out),))


def _refuse_subquery(_: QueryContext, query: ast.QueryExpression, *__: object) -> NoReturn:
    raise _refused("a view's WHERE tests one row alone, without a query inside", query.span)


def _never_null(test: logical.Expression) -> frozenset[str]:
    """Return the columns that cannot be NULL where a test is true."""
    names: set[str] = set()
    for part in logical.conjuncts(test):
        match part:
            case logical.Not(operand=logical.IsNull(operand=logical.ColumnRef(name=name))):
                names.add(name)
            case logical.Comparison(left=left, right=right):
                names.update(side.name for side in (left, right) if isinstance(side, logical.ColumnRef))
            case logical.InList(operand=logical.ColumnRef(name=name)):
                names.add(name)
    return frozenset(names)
