"""Reduces the tests of one column against literals to the values that are left, the narrowest range, or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from piql.compiler.logical.expressions import ColumnRef, Comparison, Constant, Expression, InList, IsNull, Not
from piql.compiler.optimizer.analysis.predicates import MIRRORED
from piql.schema.types import WHOLE


def narrow_literal_tests(parts: Sequence[Expression]) -> tuple[Expression, ...] | None:
    """Reduce those conjuncts that compare a column with literals to as few as possible; None where no row passes.

    a > 1 AND a >= 3 → a >= 3      a IN (1, 2, 5) AND a > 1 AND a <> 2 → a = 5      a > 3 AND a <> 1 → a > 3
    a > 3 AND a < 2 → None         a = 1 AND a = 2 → None         a IS NULL AND a > 1 → None
    """
    positions_of: dict[ColumnRef, list[int]] = {}
    for at, part in enumerate(parts):
        column = _literal_column(part)
        if column is not None:
            positions_of.setdefault(column, []).append(at)
    if _asks_for_null_and_a_value(parts):
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


class _Items(NamedTuple):
    """A test that names single values, and these values."""

    test: Expression
    values: tuple[Constant, ...]


class _End(NamedTuple):
    """A test that sets one end of a range, its literal, and whether the literal itself is outside the range."""

    test: Comparison
    number: Any
    is_open: bool


class _ColumnTests:
    """The tests of one column against literals that are comparable with one another."""

    def __init__(self, column: ColumnRef, tests: Sequence[Expression]) -> None:
        self.column = column
        self.lists: list[_Items] = []  # `=`, IN
        self.exclusions: list[_Items] = []  # `<>`, NOT IN
        self.low: _End | None = None
        self.high: _End | None = None
        for test in tests:
            self._add(test)

    def _add(self, test: Expression) -> None:
        """Sort one test in; of several that set one end, the tightest is kept."""
        match test:
            case InList(items=items):
                self.lists.append(_Items(test, _constants(items)))
            case Not(operand=InList(items=items)):
                self.exclusions.append(_Items(test, _constants(items)))
            case Comparison():
                operator, value = _operator_and_literal(test)
                end = _End(test, value.value, is_open=operator in ("<", ">"))
                if operator == "=":
                    self.lists.append(_Items(test, (value,)))
                elif operator == "<>":
                    self.exclusions.append(_Items(test, (value,)))
                elif operator in (">", ">="):
                    if self.low is None or _is_tighter(end, self.low, is_low=True):
                        self.low = end
                elif self.high is None or _is_tighter(end, self.high, is_low=False):
                    self.high = end

    def narrowest(self) -> list[Expression] | None:
        """Return the fewest tests that are equal to all of them; None where no value passes."""
        if self.lists:
            return self._of_values()
        if self._is_empty_range():
            return None
        ends = [end.test for end in (self.low, self.high) if end is not None]
        return [*ends, *(items.test for items in self.exclusions if any(map(self._is_in_range, items.values)))]

    def _of_values(self) -> list[Expression] | None:
        """Return one test of the values that all lists hold and no other test forbids; None where there is none."""
        first = self.lists[0].test
        shared = [value for value in self.lists[0].values if self._is_allowed(value)]
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
            all(_holds(items, value) for items in self.lists)
            and not any(_holds(items, value) for items in self.exclusions)
            and self._is_in_range(value)
        )

    def _is_in_range(self, value: Constant) -> bool:
        number: Any = value.value
        low, high = self.low, self.high
        if low is not None and (number < low.number or (number == low.number and low.is_open)):
            return False
        return high is None or not (number > high.number or (number == high.number and high.is_open))

    def _is_empty_range(self) -> bool:
        """Whether no value lies between the two ends."""
        low, high = self.low, self.high
        if low is None or high is None:
            return False
        is_whole = self.column.type.kind in WHOLE and isinstance(low.number, int) and isinstance(high.number, int)
        if is_whole and low.is_open and high.is_open:
            return bool(low.number + 1 >= high.number)
        return bool(low.number > high.number or (low.number == high.number and (low.is_open or high.is_open)))


def _holds(items: _Items, value: Constant) -> bool:
    return any(item.value == value.value for item in items.values)


def _is_tighter(end: _End, present: _End, *, is_low: bool) -> bool:
    """Whether an end leaves less of the range than the present one on the same side."""
    if end.number == present.number:
        return end.is_open and not present.is_open
    return bool(end.number > present.number) is is_low


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
    """Return those of some items that are literals, without NULL."""
    return tuple(item for item in items if isinstance(item, Constant) and item.value is not None)


def _operator_and_literal(test: Comparison) -> tuple[str, Constant]:
    """Return the operator and the literal of a comparison, mirrored where the column is on the right."""
    if isinstance(test.right, Constant):
        return test.operator, test.right
    assert isinstance(test.left, Constant)
    return MIRRORED[test.operator], test.left


def _are_comparable(tests: Sequence[Expression]) -> bool:
    """Whether all literals of some tests are numbers, or of one other type."""
    kinds = set()
    for test in tests:
        for constant in test.find(Constant):
            is_number = isinstance(constant.value, int | float | Decimal) and not isinstance(constant.value, bool)
            kinds.add("number" if is_number else type(constant.value).__name__)
    return len(kinds) == 1


def _asks_for_null_and_a_value(parts: Sequence[Expression]) -> bool:
    """Whether one test asks that a column IS NULL, and another one that it has a value."""
    null_columns = {part.operand for part in parts if isinstance(part, IsNull) and isinstance(part.operand, ColumnRef)}
    for part in parts if null_columns else ():
        match part:
            case Comparison(left=left, right=right) if left in null_columns or right in null_columns:
                return True
            case InList(operand=operand) | Not(operand=InList(operand=operand) | IsNull(operand=operand)):
                if operand in null_columns:
                    return True
            case _:
                pass
    return False
