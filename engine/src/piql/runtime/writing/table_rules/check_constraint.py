"""CHECK: what a table demands of the values of each row, which needs no request.

items: quantity = 0 breaks CHECK (quantity > 0)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast

from piql.compiler.logical.expressions import Expression, columns_of
from piql.errors import ConstraintViolation, PiqlError
from piql.runtime.execution.expressions import ExpressionCompiler
from piql.runtime.execution.preparation import Preparation
from piql.runtime.writing.table_rules.constraints import named, picker
from piql.runtime.writing.table_rules.records import ValueReader
from piql.schema.catalog import Check, RowTest, Table
from piql.store.base import Store
from piql.store.rows import Row


def compiled_test(test: RowTest, positions: Mapping[str, int], store: Store) -> tuple[ExpressionCompiler, Expression]:
    """Return a compiler of a test of records `r`, whose columns have these positions, and the test itself."""
    expression = cast("Expression", test.test)
    sources = {column: f"r[{positions[column.name]}]" for column in columns_of(expression)}
    return Preparation(store, {}, lambda index: index).over_sources(sources), expression


class CheckConstraint:
    """One CHECK of a table whose records have the columns of `record`."""

    def __init__(self, table: Table, check: Check, store: Store, record: Table | None = None) -> None:
        self.table, self.rule = table, check
        positions = {column.name: at for at, column in enumerate((record or table).columns)}
        compiler, test = compiled_test(check.test, positions, store)
        self._breaks: Callable[[Row], bool] = compiler.function("r", compiler.is_false(test))
        self.values = picker(record or table, check.test.columns)
        self._reader = ValueReader(table, store)

    def holds(self, record: Row) -> bool:
        """Return whether a record may be in the table; one whose test cannot be computed may not."""
        try:
            return not self._breaks(record)
        except (ArithmeticError, PiqlError):
            return False

    def check(self, record: Row) -> None:
        """Raise ConstraintViolation for a record that breaks it."""
        try:
            if not self._breaks(record):
                return
            why = f"breaks {self.rule.declaration}{named(self.rule)}"
        except (ArithmeticError, PiqlError) as failure:
            why = f"is out of what {self.rule.declaration}{named(self.rule)} can compute: {failure}"
        raise ConstraintViolation(f"{self.table.name}: {self.shown(record)} {why}")

    def check_change(self, old: Row | None, new: Row) -> None:
        """Raise ConstraintViolation for new values that break it; values that the row had before are let through."""
        if old is None or self.values(old) != self.values(new):
            self.check(new)

    def shown(self, record: Row) -> str:
        """Return the values that the test looks at: `quantity = 0`; `a row` where it looks at none."""
        return self._reader.shown(self.rule.test.columns, self.values(record)) or "a row"
