"""CHECKs of random schemas: their text, and whether a row keeps them. One that is about a NULL is kept."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import ge, gt, le, lt, ne
from typing import TYPE_CHECKING, Any

from .values import Value, can_be_literal, piql_literal

if TYPE_CHECKING:
    from .schema import Column, Schema, Table

_TESTS: Mapping[str, Callable[[Any, Any], bool]] = {"<": lt, "<=": le, ">": gt, ">=": ge, "<>": ne}
_NUMBERS = ("INT", "BIGINT")


@dataclass(frozen=True, slots=True)
class Check:
    """`column operator other`, `column operator value`, or `column IN (values)`."""

    column: str
    operator: str
    values: tuple[Value, ...] = ()
    other: str | None = None

    def __str__(self) -> str:
        literals = ", ".join(map(piql_literal, self.values))
        right = self.other or (f"({literals})" if self.operator == "IN" else literals)
        return f"CHECK ({self.column} {self.operator} {right})"

    def is_kept(self, row: Mapping[str, object]) -> bool:
        """Whether the test is not FALSE for a row."""
        value = row[self.column]
        right = row[self.other] if self.other is not None else self.values[0]
        if value is None or right is None:
            return True
        return value in self.values if self.operator == "IN" else _TESTS[self.operator](value, right)


def with_checks(rng: random.Random, schema: Schema, values: Mapping[tuple[str, str], Sequence[Value]]) -> Schema:
    """Return the schema with a CHECK on some tables, which most of the values that columns may well hold keep."""
    tables = (
        replace(table, checks=_checks(rng, table, values)) if rng.random() < 0.15 else table for table in schema.tables
    )
    return replace(schema, tables=tuple(tables))


def _checks(rng: random.Random, table: Table, values: Mapping[tuple[str, str], Sequence[Value]]) -> tuple[Check, ...]:
    checks = [_check(rng, table, column, values[table.name, column.name]) for column in table.columns]
    defaults = {column.name: column.default for column in table.columns}
    kept = [check for check in checks if check is not None and check.is_kept(defaults)]
    return tuple(rng.sample(kept, min(len(kept), rng.choice((1, 1, 2)))))


def _check(rng: random.Random, table: Table, column: Column, values: Sequence[Value]) -> Check | None:
    """Return a CHECK of a column; None where its values cannot be written."""
    written = [value for value in dict.fromkeys(values) if can_be_literal(value)]
    if not written or column.type.kind not in (*_NUMBERS, "VARCHAR", "TEXT"):
        return None
    numbers = [name for name in (at.name for at in table.columns if at.type.kind in _NUMBERS) if name != column.name]
    if column.type.kind in _NUMBERS and numbers and rng.random() < 0.4:
        return Check(column.name, rng.choice(("<=", ">=", "<>")), other=rng.choice(numbers))
    if column.type.kind in _NUMBERS and rng.random() < 0.5:
        return Check(column.name, ">=", (sorted(written)[len(written) // 4],))  # type: ignore[type-var]
    if rng.random() < 0.5:
        return Check(column.name, "<>", (rng.choice(written),))
    return Check(column.name, "IN", tuple(written[: max(1, len(written) * 3 // 4)]))
