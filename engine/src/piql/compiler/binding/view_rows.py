"""WHERE of a view: which rows of its table it counts. A test of one row alone, so that each write decides it by itself.

    WHERE state = 'paid' AND price IS NOT NULL    →    ViewRows(test, never_null={"state", "price"})

It compares columns with constants, since nothing else is sure to have a value for every row, the same at every time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from piql.compiler.binding.row_tests import TestClause, bind_test_of_rows, row_test_of
from piql.compiler.binding.scope import TableNames
from piql.compiler.binding.view_tables import ViewTables
from piql.compiler.logical import expressions as logical
from piql.compiler.syntax import ast
from piql.schema.catalog import RowTest

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
_CLAUSE = TestClause(
    "WHERE",
    "a view's WHERE",
    "view-form",
    "write constants, and test what is computed or asked for where the view is read",
)


@dataclass(frozen=True, slots=True)
class ViewRows:
    """The rows of a table that a view counts; `never_null` are the columns that hold a value in all of them."""

    condition: RowTest
    never_null: frozenset[str]


def bind_rows_of_view(where: ast.Expression, of_view: ViewTables, tables: TableNames) -> ViewRows:
    """Bind the WHERE of a view as a test of one of its rows. Raises TestRefused."""
    test = bind_test_of_rows(where, of_view.scope, tables, _CLAUSE)
    if len(of_view.tables) > 1:
        renamed = test.transform_up(lambda node: of_view.called(node) if isinstance(node, logical.ColumnRef) else node)
        test = cast("logical.Expression", renamed)
    for node in test.walk():
        if not isinstance(node, _PLAIN):
            span = getattr(node, "span", None) or where.span
            raise _CLAUSE.refused("a view's WHERE compares columns with constants", span)
    return ViewRows(row_test_of(test, of_view.rows), _never_null(test))


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
