"""Reduces the tests of one column against literals to the values that are left, the narrowest range, or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from piql.compiler.logical.expressions import ColumnRef, Comparison, Constant, Expression, InList, IsNull, Not
from piql.compiler.optimizer.analysis.predicates import MIRRORED
from piql.schema.types import WHOLE


def narrow_literal_tests(parts: Sequence[Expression]) -> tuple[Expression, ...] | None:
    """Reduce those conjuncts that compare a column with literals to as few as possible; None where no row passes.

    a > 1 AND a >= 3 → a >= 3      a IN (1, 2, 5) AND a > 1 AND a <> 2 → a = 5      a > 3 AND a <> 1 → a > 3
    a > 3 AND a < 2 → nothing      a = 1 AND a = 2 → nothing      a IS NULL AND a > 1 → nothing
    """
    positions_of: dict[ColumnRef, list[int]] = {}
    for at, part in enumerate(parts):
        column = _literal_column(part)
        if column is not None:
            positions_of.setdefault(column, []).append(at)
    if any(_is_null_test(part) is not None for part in parts) and _asks_for_null_and_a_value(parts):
        return None
    tests_left: list[Expression | None] = list(parts)
    for column, positions in positions_of.items():
        tests = [parts[at] for at in positions]
        if len(tests) == 1 or not _are_comparable(tests):
            continue
        left = _ColumnTests(column, tests).narrowest()
        if left is None:
            return None
        for at in positions:
            tests_left[at] = next((expression for expression in left if expression is parts[at]), None)
        merged = [expression for expression in left if not any(expression is part for part in tests)]
        if merged:
            tests_left[positions[0]] = merged[0]
    return tuple(expression for expression in tests_left if expression is not None)


class _ColumnTests:
    """The tests of one column against literals that are comparable with one another."""

    def __init__(self, column: ColumnRef, tests: Sequence[Expression]) -> None:
        self.column = column
        self.lists: list[tuple[Expression, tuple[Constant, ...]]] = []
        self.low: tuple[Comparison, Constant] | None = None
        self.high: tuple[Comparison, Constant] | None = None
        self.exclusions: list[tuple[Expression, tuple[Constant, ...]]] = []  # `<>`, NOT IN
        for test in tests:
            self._note(test)

    def _note(self, test: Expression) -> None:
        match test:
            case InList(items=items):
                self.lists.append((test, _constants(items)))
            case Not(operand=InList(items=items)):
                self.exclusions.append((test, _constants(items)))
            case Comparison():
                operator, value = _read(test)
                if operator == "=":
                    self.lists.append((test, (value,)))
                elif operator == "<>":
                    self.exclusions.append((test, (value,)))
                elif operator in (">", ">="):
                    if self.low is None or _is_tighter(test, value, *self.low, upwards=True):
                        self.low = (test, value)
                elif self.high is None or _is_tighter(test, value, *self.high, upwards=False):
                    self.high = (test, value)

    def narrowest(self) -> list[Expression] | None:
        """Return the fewest tests that are equal to all of them; None where no value passes."""
        if self.lists:
            return self._of_values()
        if not self._is_range_of_some():
            return None
        ends = [end[0] for end in (self.low, self.high) if end is not None]
        return [*ends, *(test for test, values in self.exclusions if any(map(self._is_in_range, values)))]

    def _of_values(self) -> list[Expression] | None:
        first, items = self.lists[0]
        shared = [item for item in items if self._is_allowed(item)]
        if not shared:
            return None
        for test, values in self.lists:
            if len(values) == len(shared):
                return [test]
        if len(shared) == 1:
            return [Comparison(operator="=", left=self.column, right=shared[0], span=first.span)]
        return [InList(operand=self.column, items=tuple(shared), span=first.span)]

    def _is_allowed(self, value: Constant) -> bool:
        return (
            all(any(_value(item) == _value(value) for item in items) for _, items in self.lists)
            and not any(_value(item) == _value(value) for _, items in self.exclusions for item in items)
            and self._is_in_range(value)
        )

    def _is_in_range(self, value: Constant) -> bool:
        number = _value(value)
        if self.low is not None:
            low = _value(self.low[1])
            if number < low or (number == low and _read(self.low[0])[0] == ">"):
                return False
        if self.high is not None:
            high = _value(self.high[1])
            if number > high or (number == high and _read(self.high[0])[0] == "<"):
                return False
        return True

    def _is_range_of_some(self) -> bool:
        if self.low is None or self.high is None:
            return True
        low, high = _value(self.low[1]), _value(self.high[1])
        is_open = (_read(self.low[0])[0] == ">") + (_read(self.high[0])[0] == "<")
        if is_open == 2 and self.column.type.kind in WHOLE and isinstance(low, int) and isinstance(high, int):
            return bool(low + 1 < high)
        return bool(low < high or (low == high and not is_open))


def _literal_column(test: Expression) -> ColumnRef | None:
    """Return the column that a test compares with literals alone."""
    match test:
        case Comparison(left=ColumnRef() as column, right=Constant(value=value)) if value is not None:
            return column
        case Comparison(left=Constant(value=value), right=ColumnRef() as column) if value is not None:
            return column
        case (
            InList(operand=ColumnRef() as column, items=items)
            | Not(operand=InList(operand=ColumnRef() as column, items=items))
        ):
            return column if len(_constants(items)) == len(items) else None
        case _:
            return None


def _constants(items: Sequence[Expression]) -> tuple[Constant, ...]:
    return tuple(item for item in items if isinstance(item, Constant) and item.value is not None)


def _read(test: Comparison) -> tuple[str, Constant]:
    """Return the operator and the literal of a comparison, mirrored where the column is on the right."""
    if isinstance(test.right, Constant):
        return test.operator, test.right
    assert isinstance(test.left, Constant)
    return MIRRORED[test.operator], test.left


def _value(constant: Constant) -> Any:
    return constant.value


def _is_tighter(test: Comparison, value: Constant, than: Comparison, bound: Constant, *, upwards: bool) -> bool:
    left, right = _value(value), _value(bound)
    if left == right:
        return _read(test)[0] in ("<", ">") and _read(than)[0] not in ("<", ">")
    return bool(left > right) is upwards


def _are_comparable(tests: Sequence[Expression]) -> bool:
    kinds = set()
    for test in tests:
        for constant in test.find(Constant):
            is_number = isinstance(constant.value, int | float | Decimal) and not isinstance(constant.value, bool)
            kinds.add("number" if is_number else type(constant.value).__name__)
    return len(kinds) == 1


def _is_null_test(test: Expression) -> ColumnRef | None:
    return test.operand if isinstance(test, IsNull) and isinstance(test.operand, ColumnRef) else None


def _asks_for_null_and_a_value(parts: Sequence[Expression]) -> bool:
    null = {column for part in parts if (column := _is_null_test(part)) is not None}
    for part in parts:
        match part:
            case Comparison(left=left, right=right) if left in null or right in null:
                return True
            case InList(operand=operand) | Not(operand=InList(operand=operand) | IsNull(operand=operand)):
                if operand in null:
                    return True
            case _:
                pass
    return False
