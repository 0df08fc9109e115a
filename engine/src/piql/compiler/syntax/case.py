"""CASE: `CASE WHEN test THEN value … ELSE value END`, and `CASE operand WHEN value THEN value … END`.

The second form compares the operand in each WHEN, so binding copies it there; `parser.repeat` keeps these copies small.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from piql.compiler.syntax import ast

if TYPE_CHECKING:
    from piql.compiler.syntax.expressions import ExpressionParser

MAX_WHENS = 500  # of one CASE
LEVELS = 3  # of nesting that one CASE counts for: the Python source made of it has three parentheses


def case_expression(parser: ExpressionParser) -> ast.Case:
    """Parse a CASE, at its first word; raise SyntaxFault where a part is missing, or where there are too many."""
    start = parser.advance().start
    parser.nesting += LEVELS
    operand, words_of_operand = None, 0
    if parser.token.word != "WHEN":
        first_token, repeated_before = parser.at, parser.repeated
        operand = parser.expression()
        words_of_operand = parser.words_since(first_token, repeated_before)
    branches: list[ast.WhenBranch] = []
    while parser.token.word == "WHEN" or not branches:
        when = parser.token
        parser.expect("WHEN", "after CASE" if operand is None else "after what CASE compares")
        test = parser.expression()
        parser.expect("THEN", "after WHEN and its test" if operand is None else "after WHEN and its value")
        value = parser.expression()
        branches.append(ast.WhenBranch(test=test, value=value, span=parser.span_from(when.start)))
        if len(branches) > MAX_WHENS:
            way_out = "look the value up in a table"
            raise parser.fault("too-many", f"more than {MAX_WHENS} WHENs are in one CASE", branches[-1].span, way_out)
        if len(branches) > 1:  # another copy of the operand
            parser.repeat(words_of_operand)
    otherwise = parser.expression() if parser.accept("ELSE") else None
    parser.expect("END", "after ELSE and its value" if otherwise is not None else "after the last WHEN of CASE")
    parser.nesting -= LEVELS
    return ast.Case(operand=operand, branches=tuple(branches), otherwise=otherwise, span=parser.span_from(start))
