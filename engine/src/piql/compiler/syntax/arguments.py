"""The arguments of a call, also where SQL writes words between them.

POSITION(part IN text)                    →  POSITION(part, text)
SUBSTRING(text FROM start FOR length)     →  SUBSTRING(text, start, length)
SUBSTRING(text FOR length)                →  SUBSTRING(text, 1, length)
TRIM(LEADING characters FROM text)        →  LTRIM(text, characters)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from piql.compiler.syntax import ast
from piql.compiler.syntax.precedence import COMPARISON

if TYPE_CHECKING:
    from piql.compiler.syntax.expressions import ExpressionParser

_SIDES = {"BOTH": "TRIM", "LEADING": "LTRIM", "TRAILING": "RTRIM"}


def arguments_of(parser: ExpressionParser, name: ast.Name) -> tuple[ast.Name, list[ast.Expression]]:
    """Parse the arguments of a call up to the parenthesis behind them; return the function that is meant, and them."""
    word = name.text.upper()
    if word == "TRIM" and parser.token.word in _SIDES and parser.peek().word not in (")", ",", "."):
        return _trimmed(parser, ast.Name(text=_SIDES[parser.advance().word], span=name.span))
    if word == "POSITION":
        part = parser.expression(COMPARISON)
        parser.expect("IN", "and a text after what POSITION looks for")
        return name, [part, parser.expression()]
    arguments = [parser.expression()]
    if word == "TRIM" and parser.accept("FROM"):
        return name, [parser.expression(), *arguments]
    if word == "SUBSTRING" and parser.accept("FROM"):
        arguments.append(parser.expression())
        if parser.accept("FOR"):
            arguments.append(parser.expression())
        return name, arguments
    if word == "SUBSTRING" and (token := parser.accept("FOR")):
        return name, [*arguments, ast.LiteralValue(value=1, span=parser.span_of(token)), parser.expression()]
    while parser.accept(","):
        arguments.append(parser.expression())
    return name, arguments


def _trimmed(parser: ExpressionParser, name: ast.Name) -> tuple[ast.Name, list[ast.Expression]]:
    """Parse what stands behind BOTH, LEADING or TRAILING."""
    if parser.accept("FROM"):
        return name, [parser.expression()]
    characters = parser.expression()
    parser.expect("FROM", "and a text after the characters to trim")
    return name, [parser.expression(), characters]
