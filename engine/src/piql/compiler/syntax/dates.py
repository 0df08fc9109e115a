"""INTERVAL literals, and the words in EXTRACT.

INTERVAL '1 year 2 days'    INTERVAL '7' DAY    INTERVAL 7 DAY    INTERVAL [days] DAY    EXTRACT(YEAR FROM posted)
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, cast

from piql.compiler.syntax import ast
from piql.compiler.syntax.lexer import unquote
from piql.schema.calendar import SHORTER_THAN_A_DAY, UNIT_OF_WORD, UNITS

if TYPE_CHECKING:
    from piql.compiler.syntax.expressions import ExpressionParser

_PART = re.compile(r"\s*([+-]?[0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]+)\s*")
_NUMBER = re.compile(r"\s*[+-]?[0-9]+(?:\.[0-9]+)?\s*")
_MAX_LENGTH = 200  # characters of a text
_MOST = 10**12  # of a unit: more than lies between the years 1 and 9999

EXAMPLES = "write INTERVAL '7 days' or INTERVAL '1 month 12 hours'"


def begins_interval(parser: ExpressionParser) -> bool:
    """Return whether the next word, INTERVAL, begins a literal: else it is a name."""
    following = parser.peek()
    return following.kind in ("string", "number") or following.word[:1] in ("[", ":", "?", "$")


def interval(parser: ExpressionParser) -> ast.Interval:
    """Parse an INTERVAL literal; raise SyntaxFault for an unknown unit, or a count that is not whole."""
    start = parser.advance().start
    token = parser.token
    if token.kind == "string" and not _NUMBER.fullmatch(unquote(token)):
        parser.advance()
        return ast.Interval(parts=_parts(parser, unquote(token), start), span=parser.span_from(start))
    if token.kind in ("string", "number"):
        parser.advance()
        text = unquote(token) if token.kind == "string" else token.text
        count: ast.LiteralValue | ast.ParameterUse | None = None
    else:
        text, count = "", cast(ast.ParameterUse, parser.parameter())
    unit = UNIT_OF_WORD.get(parser.token.word)
    if unit is None:
        raise parser.expecting(f"the unit of the interval: {', '.join(UNITS)}", EXAMPLES)
    parser.advance()
    if count is None:
        count = _count(parser, text.strip(), unit, start)
    part = ast.IntervalPart(count=count, unit=unit, span=parser.span_from(start))
    return ast.Interval(parts=(part,), span=parser.span_from(start))


def _parts(parser: ExpressionParser, text: str, start: int) -> tuple[ast.IntervalPart, ...]:
    parts: list[ast.IntervalPart] = []
    at = 0
    while at < len(text) or not parts:
        match = _PART.match(text, at) if len(text) <= _MAX_LENGTH else None
        unit = UNIT_OF_WORD.get(match.group(2).upper()) if match is not None else None
        if match is None or unit is None:
            message = "this is no interval: it has counts of " + ", ".join(f"{unit.lower()}s" for unit in UNITS)
            raise parser.fault("bad-number", message, parser.span_from(start), EXAMPLES)
        count = _count(parser, match.group(1), unit, start)
        parts.append(ast.IntervalPart(count=count, unit=unit, span=parser.span_from(start)))
        at = match.end()
    return tuple(parts)


def _count(parser: ExpressionParser, text: str, unit: str, start: int) -> ast.LiteralValue:
    """Return a count; only hours, minutes and seconds may have a fraction, of whole milliseconds."""
    number = Decimal(text) if len(text) < len(str(_MOST)) * 2 else Decimal(_MOST)
    milliseconds = number * UNITS[unit].milliseconds
    if number != int(number) and (unit not in SHORTER_THAN_A_DAY or milliseconds != int(milliseconds)):
        message = f"{text} {unit.lower()}s are not a whole number of {_whole_unit(unit)}"
        raise parser.fault("bad-number", message, parser.span_from(start), "write a whole number")
    if abs(number) >= _MOST:
        raise parser.fault("bad-number", "no two times are so far apart", parser.span_from(start))
    value = int(number) if number == int(number) else number.normalize()
    return ast.LiteralValue(value=value, span=parser.span_from(start))


def _whole_unit(unit: str) -> str:
    return "milliseconds" if unit in SHORTER_THAN_A_DAY else f"{unit.lower()}s"


def extract(parser: ExpressionParser, name: ast.Name) -> ast.Call:
    """Parse `(YEAR FROM expression)` behind EXTRACT, as a call with the part as its first argument."""
    parser.expect("(", "after EXTRACT")
    token = parser.token
    if token.kind not in ("word", "string") or parser.peek().word != "FROM":
        raise parser.expecting("a part and FROM, such as EXTRACT(YEAR FROM column)")
    parser.advance()
    word = unquote(token) if token.kind == "string" else token.word
    part = ast.LiteralValue(value=word.upper(), span=parser.span_of(token))
    parser.expect("FROM", "after the part")
    operand = parser.expression()
    parser.expect(")", "after the arguments of EXTRACT")
    return ast.Call(name=name, arguments=(part, operand), span=parser.span_from(name.span.start))
