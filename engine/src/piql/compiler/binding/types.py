"""The rules of types: which compare, what arithmetic results in, and the type of a literal or an expression."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime
from decimal import Decimal
from uuid import UUID

from piql.compiler.logical import expressions as logical
from piql.schema.catalog import Kind, SqlType
from piql.schema.decimals import MAX_PRECISION
from piql.schema.types import COLUMN_TYPES, NUMBERS, TEXTS
from piql.schema.values import BIGINT_RANGE, INT_RANGE

BARE: dict[Kind, SqlType] = {kind: SqlType(kind) for kind in Kind}
BOOLEAN = BARE[Kind.BOOLEAN]
BIGINT = BARE[Kind.BIGINT]
NULL = BARE[Kind.NULL]

_FAMILY = {Kind.NULL: Kind.NULL} | {kind: row.family for kind, row in COLUMN_TYPES.items()}


def bare(type: SqlType) -> SqlType:
    """Return the type without length and precision, as comparisons use it."""
    return BARE[type.kind]


def is_number(type: SqlType) -> bool:
    """Return whether values of a type are INT, BIGINT, DECIMAL or DOUBLE; False for NULL."""
    return type.kind in NUMBERS


def is_text(type: SqlType) -> bool:
    """Return whether values of a type are texts; False for NULL."""
    return type.kind in TEXTS


def is_comparable(left: SqlType, right: SqlType) -> bool:
    """Return whether values of the two types can be compared."""
    return left.kind is Kind.NULL or right.kind is Kind.NULL or _FAMILY[left.kind] is _FAMILY[right.kind]


def wider(left: SqlType, right: SqlType) -> SqlType | None:
    """Return the type that holds the values of both; None when there is none."""
    if left == right or right.kind is Kind.NULL:
        return left
    if left.kind is Kind.NULL:
        return right
    if _FAMILY[left.kind] is not _FAMILY[right.kind]:
        return None
    if left.kind in NUMBERS:
        return BARE[NUMBERS[max(NUMBERS.index(left.kind), NUMBERS.index(right.kind))]]
    return BARE[left.kind] if left.kind is right.kind else BARE[Kind.TEXT]


def arithmetic(operator: str, left: SqlType, right: SqlType) -> SqlType | None:
    """Return the type of `left operator right`, None where it has none: whole numbers become BIGINT, `/` DOUBLE.

    A DECIMAL has the digits that hold every result: DECIMAL(10, 2) + DECIMAL(5, 3) is DECIMAL(12, 3). It has no digits
    where one side has none, or where these exceed what a DECIMAL may have.
    """
    if Kind.NULL in (left.kind, right.kind):
        typed_side = right if left.kind is Kind.NULL else left
        left = right = typed_side
    if operator == "||":
        return BARE[Kind.TEXT] if all(is_text(side) or side.kind is Kind.NULL for side in (left, right)) else None
    if not (is_number(left) or left.kind is Kind.NULL) or not (is_number(right) or right.kind is Kind.NULL):
        return None
    if operator == "/":
        return BARE[Kind.DOUBLE]
    result = wider(bare(left), bare(right))
    if result is not None and result.kind is Kind.DECIMAL:
        return _exact(operator, left, right)
    return BARE[Kind.BIGINT] if result is not None and result.kind is Kind.INT else result


_Digits = tuple[int, int]  # before the point, and after it
_WHOLE_DIGITS = {Kind.INT: (10, 0), Kind.BIGINT: (19, 0)}


def _digits(type: SqlType) -> _Digits | None:
    """Return how many digits the values of a type have; None where the type does not tell."""
    if type.precision is not None:
        scale = type.scale or 0
        return type.precision - scale, scale
    return _WHOLE_DIGITS.get(type.kind)


def _exact(operator: str, left: SqlType, right: SqlType) -> SqlType:
    """Return the DECIMAL that holds every result of `+`, `-`, `*` or `%`."""
    left_digits, right_digits = _digits(left), _digits(right)
    if left_digits is None or right_digits is None:
        return BARE[Kind.DECIMAL]
    match operator:
        case "*":
            return decimal_type(left_digits[0] + right_digits[0], left_digits[1] + right_digits[1])
        case "%":
            return decimal_type(min(left_digits[0], right_digits[0]), max(left_digits[1], right_digits[1]))
        case _:
            return decimal_type(max(left_digits[0], right_digits[0]) + 1, max(left_digits[1], right_digits[1]))


def decimal_type(before: int, after: int) -> SqlType:
    """Return the DECIMAL with so many digits before and after the point; without digits where that is too many."""
    if before + after > MAX_PRECISION:
        return BARE[Kind.DECIMAL]
    return SqlType(Kind.DECIMAL, precision=max(before + after, 1), scale=after)


def number_type(expression: logical.Expression) -> SqlType:
    """Return the type of an operand of arithmetic: a DECIMAL literal has the digits that are written."""
    if isinstance(expression, logical.Constant) and isinstance(expression.value, Decimal):
        exponent = expression.value.as_tuple().exponent
        assert isinstance(exponent, int)
        return decimal_type(max(expression.value.adjusted() + 1, 0), max(-exponent, 0))
    return type_of(expression)


def rounded_type(number: SqlType, digits: logical.Expression | None) -> SqlType:
    """Return the type of ROUND(number, digits); a DECIMAL has as many digits after the point as `digits` says."""
    sizes = _digits(number)
    if number.kind is not Kind.DECIMAL or sizes is None:
        return bare(number)
    digits_after = 0 if digits is None else digits.value if isinstance(digits, logical.Constant) else None
    if not isinstance(digits_after, int):
        return BARE[Kind.DECIMAL]
    before, after = sizes
    return number if digits_after >= after else decimal_type(before + 1, max(digits_after, 0))


def summed_type(number: SqlType) -> SqlType:
    """Return the type of SUM: BIGINT for whole numbers; a DECIMAL keeps its digits after the point."""
    if number.kind in _WHOLE_DIGITS:
        return BARE[Kind.BIGINT]
    if number.precision is not None:
        return SqlType(Kind.DECIMAL, precision=MAX_PRECISION, scale=number.scale)
    return bare(number)


def literal_type(value: object) -> SqlType | None:
    """Return the type of a literal by itself; None for a whole number that is too large for BIGINT."""
    match value:
        case None:
            return NULL
        case bool():
            return BOOLEAN
        case int():
            if INT_RANGE[0] <= value <= INT_RANGE[1]:
                return BARE[Kind.INT]
            return BARE[Kind.BIGINT] if BIGINT_RANGE[0] <= value <= BIGINT_RANGE[1] else None
        case float():
            return BARE[Kind.DOUBLE]
        case Decimal():
            return BARE[Kind.DECIMAL]
        case bytes():
            return BARE[Kind.BLOB]
        case datetime():
            return BARE[Kind.TIMESTAMP]
        case date():
            return BARE[Kind.DATE]
        case UUID():
            return BARE[Kind.UUID]
    return BARE[Kind.TEXT]


def type_of(expression: logical.Expression) -> SqlType:
    """Return the type of a bound expression; every predicate is BOOLEAN."""
    expression_type: SqlType = getattr(expression, "type", BOOLEAN)
    return expression_type


def common_type(values: Iterable[logical.Expression]) -> SqlType | None:
    """Return the type that holds all these values, NULL where there is none of them; None where there is none."""
    common: SqlType | None = NULL
    for value in values:
        common = wider(common, bare(type_of(value))) if common is not None else None
    return common


def is_nullable(expression: logical.Expression) -> bool:
    """Return whether an expression may be NULL; True also where that is not obvious."""
    match expression:
        case logical.ColumnRef():
            return expression.nullable
        case logical.Constant():
            return expression.value is None
        case logical.Aggregate():
            return expression.function != "COUNT"
        case logical.IsNull() | logical.Exists():
            return False
    return True
