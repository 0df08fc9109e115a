"""CHECK → `Check`: a test of the columns of one row, which no write may make FALSE.

    CHECK (quantity > 0)    →    Check(RowTest("t.quantity > 0", …), "quantity > 0")

It may compute, but only from the row itself: what is right once stays right until the row is written again.
"""

from __future__ import annotations

from piql.compiler.binding.row_tests import TestClause, bind_row_test, row_test_of
from piql.compiler.binding.scope import TableNames
from piql.compiler.logical import expressions as logical
from piql.compiler.syntax import ast
from piql.compiler.syntax.print_queries import print_expression
from piql.schema.catalog import Check, Table

_CLAUSE = TestClause(
    "CHECK",
    "a CHECK",
    "check-form",
    "test the columns of this table and constants, and all else in the application or in UPDATE … IF",
)


def bind_check(clause: ast.CheckClause, table: Table, name: ast.Name) -> Check:
    """Bind a CHECK of a table, which is called `name` in its declaration. Raises TestRefused."""
    test = bind_row_test(clause.test, table, name, TableNames({table.name: table}), _CLAUSE)
    for node in test.walk():
        if isinstance(node, logical.Parameter):
            span = node.span or clause.test.span
            raise _CLAUSE.refused(f"{span.text} is another value each time, so a row would be right only for now", span)
    written = print_expression(clause.test)
    name_of_check = clause.name.text if clause.name else None
    return Check(row_test_of(test, table), written, name_of_check, _samples(test), clause.span)


def _samples(test: logical.Expression) -> tuple[tuple[str, tuple[object, ...]], ...]:
    """Return the constants that each column is compared with by itself."""
    samples: dict[str, list[object]] = {}
    for node in test.walk():
        match node:
            case logical.Comparison(left=logical.ColumnRef(name=name), right=logical.Constant(value=value)):
                samples.setdefault(name, []).append(value)
            case logical.Comparison(left=logical.Constant(value=value), right=logical.ColumnRef(name=name)):
                samples.setdefault(name, []).append(value)
            case logical.InList(operand=logical.ColumnRef(name=name), items=items):
                constants = [item.value for item in items if isinstance(item, logical.Constant)]
                samples.setdefault(name, []).extend(constants)
    return tuple((name, tuple(dict.fromkeys(values))) for name, values in samples.items())
