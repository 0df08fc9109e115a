"""Expressions of the tree → bound expressions: names resolved, literals converted to the type they meet.

A method gives None when something was wrong; what was wrong is reported by then, and callers pass None on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from piql.binding.functions import AGGREGATES, FUNCTIONS
from piql.binding.outputs import output_columns
from piql.binding.parameters import Parameters
from piql.binding.scope import Scope, TableNames, suggestion
from piql.binding.types import (
    BARE,
    arithmetic,
    bare,
    is_comparable,
    is_number,
    is_text,
    literal_type,
    type_of,
)
from piql.catalog import Kind, SqlType
from piql.diagnostics.codes import report
from piql.diagnostics.diagnostic import Diagnostic, Edit, Fix, Label
from piql.logical import expressions as logical
from piql.source import Span
from piql.syntax import ast
from piql.values import ValueMismatch, convert, shown

if TYPE_CHECKING:
    from piql.logical.operators import LogicalNode

QueryBinder = Callable[["QueryContext", ast.QueryExpression, Scope, bool], "LogicalNode | None"]


@dataclass(slots=True)
class QueryContext:
    """What all parts of one query share while it is bound."""

    tables: TableNames
    bind_query: QueryBinder  # given by binding.queries; subqueries come back to it
    name: str | None = None
    parameters: Parameters = field(default_factory=Parameters)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    aliases: set[str] = field(default_factory=set)  # lower case; unique in the whole statement

    def unique_alias(self, shown: str) -> str:
        """Give an alias for the plan: as written, with a number when it is taken elsewhere in the statement."""
        alias, number = shown, 1
        while alias.lower() in self.aliases:
            number += 1
            alias = f"{shown}_{number}"
        self.aliases.add(alias.lower())
        return alias


class ExpressionBinder:
    """Binds the expressions of one clause; `aggregates` tells whether COUNT, SUM, … may stand in it."""

    def __init__(self, context: QueryContext, scope: Scope, clause: str, aggregates: bool = False) -> None:
        self.context = context
        self.scope = scope
        self.clause = clause
        self.allows_aggregates = aggregates
        self.inside_aggregate = False

    def predicate(self, node: ast.Expression) -> logical.Expression | None:
        """Bind a condition; a bare BOOLEAN column `approved` stands for `approved = TRUE`."""
        match node:
            case ast.Junction():
                return self._junction(node)
            case ast.Unary(operator="NOT"):
                operand = self.predicate(node.operand)
                return logical.Not(operand=operand, span=node.span) if operand is not None else None
        bound = self.value(node, BARE[Kind.BOOLEAN])
        if bound is None:
            return None
        type = type_of(bound)
        if type.kind not in (Kind.BOOLEAN, Kind.NULL):
            return self._fail("not-a-condition", f"a condition is true or false, this is {_a(type)}", node.span)
        if isinstance(bound, logical.ColumnRef | logical.Parameter):
            true = logical.Constant(value=True, type=BARE[Kind.BOOLEAN], span=node.span)
            return logical.Comparison(operator="=", left=bound, right=true, span=node.span)
        return bound

    def value(self, node: ast.Expression, expected: SqlType | None = None) -> logical.Expression | None:
        """Bind an expression; `expected` is the type that its place asks of literals and parameters."""
        match node:
            case ast.ColumnName():
                return self._column(node)
            case ast.LiteralValue():
                return self.literal(node, expected)
            case ast.ParameterUse():
                return self.context.parameters.use(node, expected)
            case ast.Binary():
                if node.operator in ("=", "<>", "<", "<=", ">", ">="):
                    return self._comparison(node)
                return self._arithmetic(node, expected)
            case ast.Unary(operator="-"):
                return self._negated(node, expected)
            case ast.Junction() | ast.Unary():
                return self.predicate(node)
            case ast.NullTest():
                return self._null_test(node)
            case ast.Between():
                return self._between(node)
            case ast.In():
                return self._in(node)
            case ast.InQuery():
                return self._in_query(node)
            case ast.ExistsQuery():
                query = self.context.bind_query(self.context, node.query, self.scope, True)
                return logical.Exists(query=query, span=node.span) if query is not None else None
            case ast.Like():
                return self._like(node)
            case ast.Call():
                return self._call(node, expected)
            case ast.Row():
                return self._fail("row-value", "several values stand where one belongs", node.span)
            case ast.ScalarQuery():
                return self._fail(
                    "scalar-subquery",
                    "a subquery cannot stand for one value",
                    node.span,
                    "join its table, or use IN (SELECT …) or EXISTS (SELECT …)",
                )

    def _fail(self, code: str, message: str, span: Span, help: str | tuple[str, ...] = (), fix: Fix | None = None) -> None:
        self.context.diagnostics.append(report(code, message, span, help=help, fixes=(fix,) if fix else ()))

    def _column(self, node: ast.ColumnName) -> logical.ColumnRef | None:
        found = self.scope.resolve(node)
        if isinstance(found, Diagnostic):
            self.context.diagnostics.append(found)
            return None
        return found

    def literal(self, node: ast.LiteralValue, expected: SqlType | None) -> logical.Constant | None:
        """Bind a literal as a value of the type expected, or of its own type."""
        value = node.value
        if expected is None or expected.kind is Kind.NULL:
            type = literal_type(value)
            if type is None:
                return self._fail("bad-number", f"{shown(value)} is larger than any BIGINT", node.span)
            return logical.Constant(value=value, type=type, span=node.span)
        try:
            return logical.Constant(value=convert(value, expected), type=bare(expected), span=node.span)
        except ValueMismatch as mismatch:
            return self._fail("type-mismatch", str(mismatch), node.span)

    def pair(
        self, left: ast.Expression, right: ast.Expression
    ) -> tuple[logical.Expression | None, logical.Expression | None]:
        """Bind two sides of a comparison: a literal or parameter takes the type of the other side."""
        if _takes_type(left) and not (_takes_type(right) and isinstance(right, ast.ParameterUse)):
            bound_right = self.value(right)
            return self.value(left, _expected_of(bound_right)), bound_right
        bound_left = self.value(left)
        return bound_left, self.value(right, _expected_of(bound_left))

    def _comparison(self, node: ast.Binary) -> logical.Expression | None:
        if isinstance(node.left, ast.Row) and isinstance(node.right, ast.Row):
            return self._row_comparison(node, node.left, node.right)
        left, right = self.pair(node.left, node.right)
        if left is None or right is None:
            return None
        if not self._check_comparable(left, right, node.left, node.right, node.span):
            return None
        for side, other in ((left, right), (right, left)):
            if isinstance(side, logical.Constant) and side.value is None:
                test = "IS NULL" if node.operator == "=" else "IS NOT NULL"
                span = other.span
                help = f"write {span.text} {test}" if span is not None else f"write {test}"
                self._fail("null-comparison", "a comparison with NULL is never true", node.span, help)
                break
        return logical.Comparison(
            operator=cast(logical.ComparisonOperator, node.operator), left=left, right=right, span=node.span
        )

    def _row_comparison(self, node: ast.Binary, left: ast.Row, right: ast.Row) -> logical.Expression | None:
        """`(a, b) = (x, y)` is `a = x AND b = y`."""
        if node.operator != "=" or len(left.items) != len(right.items):
            return self._fail(
                "row-value",
                "rows are compared by = with as many values on both sides",
                node.span,
                "compare the columns one by one",
            )
        parts = []
        for one, other in zip(left.items, right.items, strict=True):
            part = self._comparison(ast.Binary(operator="=", left=one, right=other, span=one.span.to(other.span)))
            if part is None:
                return None
            parts.append(part)
        return logical.And(operands=tuple(parts), span=node.span)

    def _check_comparable(
        self,
        left: logical.Expression,
        right: logical.Expression,
        left_node: ast.Expression,
        right_node: ast.Expression,
        span: Span,
    ) -> bool:
        left_type, right_type = type_of(left), type_of(right)
        if is_comparable(left_type, right_type):
            return True
        labels = (
            Label(left_node.span, f"this is {_a(left_type)}"),
            Label(right_node.span, f"this is {_a(right_type)}"),
        )
        self.context.diagnostics.append(
            report(
                "type-mismatch",
                f"{_a(left_type)} cannot be compared with {_a(right_type)}",
                span,
                labels=labels,
                help="compare values of one type",
            )
        )
        return False

    def _arithmetic(self, node: ast.Binary, expected: SqlType | None) -> logical.Expression | None:
        hint = BARE[Kind.TEXT] if node.operator == "||" else None
        left: logical.Expression | None
        right: logical.Expression | None
        if isinstance(node.left, ast.ParameterUse):
            right = self.value(node.right, hint or (expected if isinstance(node.right, ast.ParameterUse) else None))
            left = self.value(node.left, hint or (type_of(right) if right is not None else None))
        else:
            left = self.value(node.left, hint if isinstance(node.left, ast.LiteralValue) else None)
            takes = isinstance(node.right, ast.ParameterUse)
            right = self.value(node.right, hint or (type_of(left) if takes and left is not None else None))
        if left is None or right is None:
            return None
        type = arithmetic(node.operator, type_of(left), type_of(right))
        if type is None:
            return self._fail(
                "type-mismatch",
                f"`{node.operator}` has no meaning for {_a(type_of(left))} and {_a(type_of(right))}",
                node.span,
                "|| joins texts" if node.operator == "||" else "+ - * / % work on numbers, || joins texts",
            )
        return logical.Arithmetic(operator=node.operator, left=left, right=right, type=type, span=node.span)  # type: ignore[arg-type]

    def _negated(self, node: ast.Unary, expected: SqlType | None) -> logical.Expression | None:
        takes = isinstance(node.operand, ast.ParameterUse)
        operand = self.value(node.operand, (expected or BARE[Kind.BIGINT]) if takes else None)
        if operand is None:
            return None
        type = type_of(operand)
        if not is_number(type) and type.kind is not Kind.NULL:
            return self._fail("type-mismatch", f"minus has no meaning for {_a(type)}", node.span)
        return logical.FunctionCall(name="NEGATE", arguments=(operand,), type=bare(type), span=node.span)

    def _junction(self, node: ast.Junction) -> logical.Expression | None:
        kind = logical.And if node.operator == "AND" else logical.Or
        operands: list[logical.Expression] = []
        is_broken = False
        for each in node.operands:
            bound = self.predicate(each)
            if bound is None:
                is_broken = True
            elif isinstance(bound, kind):
                operands.extend(bound.operands)
            else:
                operands.append(bound)
        return None if is_broken else kind(operands=tuple(operands), span=node.span)

    def _null_test(self, node: ast.NullTest) -> logical.Expression | None:
        operand = self.value(node.operand)
        if operand is None:
            return None
        test = logical.IsNull(operand=operand, span=node.span)
        return logical.Not(operand=test, span=node.span) if node.is_negated else test

    def _between(self, node: ast.Between) -> logical.Expression | None:
        """`a BETWEEN x AND y` is `a >= x AND a <= y`."""
        low = self._comparison(ast.Binary(operator=">=", left=node.operand, right=node.low, span=node.span))
        high = self._comparison(ast.Binary(operator="<=", left=node.operand, right=node.high, span=node.span))
        if low is None or high is None:
            return None
        both = logical.And(operands=(low, high), span=node.span)
        return logical.Not(operand=both, span=node.span) if node.is_negated else both

    def _in(self, node: ast.In) -> logical.Expression | None:
        operand = self.value(node.operand)
        expected = _expected_of(operand)
        items: list[logical.Expression] = []
        is_broken = operand is None
        for each in node.items:
            if node.is_list and isinstance(each, ast.ParameterUse):
                items.append(self.context.parameters.use(each, expected, is_list=True))
                continue
            item = self.value(each, expected)
            if item is None:
                is_broken = True
            elif operand is not None and not self._check_comparable(operand, item, node.operand, each, each.span):
                is_broken = True
            else:
                items.append(item)
        if is_broken or operand is None:
            return None
        found = logical.InList(operand=operand, items=tuple(items), span=node.span)
        return logical.Not(operand=found, span=node.span) if node.is_negated else found

    def _in_query(self, node: ast.InQuery) -> logical.Expression | None:
        operand = self.value(node.operand)
        query = self.context.bind_query(self.context, node.query, self.scope, False)
        if operand is None or query is None:
            return None
        columns = output_columns(query)
        if len(columns) != 1:
            return self._fail(
                "subquery-columns", f"the subquery of IN gives one column, this one gives {len(columns)}", node.query.span
            )
        if not is_comparable(type_of(operand), columns[0].type):
            return self._fail(
                "type-mismatch",
                f"{_a(type_of(operand))} cannot be compared with {_a(columns[0].type)}",
                node.span,
                "the subquery must give values of the type on the left",
            )
        found = logical.InSubquery(operand=operand, query=query, span=node.span)
        return logical.Not(operand=found, span=node.span) if node.is_negated else found

    def _like(self, node: ast.Like) -> logical.Expression | None:
        operands = node.operand.items if isinstance(node.operand, ast.Row) else (node.operand,)
        columns: list[logical.ColumnRef] = []
        is_broken = False
        for each in operands:
            column = self.value(each)
            if column is None:
                is_broken = True
            elif not isinstance(column, logical.ColumnRef):
                self._fail("token-search", f"{node.keyword} searches the words of columns, this is none", each.span)
                is_broken = True
            elif not is_text(column.type) and column.type.kind is not Kind.NULL:
                self._fail(
                    "type-mismatch", f"{node.keyword} searches text, {column.name} is {_a(column.type)}", each.span
                )
                is_broken = True
            elif columns and column.relation != columns[0].relation:
                self._fail("token-search", f"one {node.keyword} searches columns of one table", node.operand.span)
                is_broken = True
            else:
                columns.append(column)
        pattern = node.pattern
        if isinstance(pattern, ast.LiteralValue) and isinstance(pattern.value, str):
            is_broken = not self._is_one_word(node, pattern, pattern.value) or is_broken
        word = self.value(pattern, BARE[Kind.TEXT])
        if word is None or is_broken:
            return None
        if not isinstance(word, logical.Constant | logical.Parameter):
            return self._fail(
                "token-search",
                f"the word after {node.keyword} is a parameter or a text",
                pattern.span,
                f"write {node.keyword} [word]",
            )
        found = logical.TokenMatch(columns=tuple(columns), word=word, span=node.span)
        return logical.Not(operand=found, span=node.span) if node.is_negated else found

    def _is_one_word(self, node: ast.Like, pattern: ast.LiteralValue, text: str) -> bool:
        word = text.strip("%")
        is_word = word.isalnum()
        if "%" not in text and "_" not in text:
            if is_word:
                return True
            self._fail(
                "token-search",
                f"{shown(text)} is not one word",
                pattern.span,
                "search each word with a LIKE of its own, joined by AND",
            )
            return False
        fix = None
        if is_word and text.startswith("%"):
            edit = Edit(pattern.span.file, pattern.span.start, pattern.span.end, f"'{word}'")
            fix = Fix(f"Search for the word {word}", (edit,))
        self._fail(
            "pattern-match",
            f"LIKE {shown(text)} compares every row with the pattern, however many there are",
            node.span,
            "search for whole words through an index: LIKE [word]"
            if text.startswith("%")
            else "for a beginning, write column >= [from] AND column < [to]; for whole words, LIKE [word]",
            fix,
        )
        return False

    def _call(self, node: ast.Call, expected: SqlType | None) -> logical.Expression | None:
        name = node.name.text.upper()
        if node.over is not None:
            return self._fail(
                "window-function",
                f"{name} … OVER is refused: window functions are not part of PIQL",
                node.span,
                "use GROUP BY over a bounded section, or number the rows in the application",
            )
        if name in AGGREGATES:
            return self._aggregate(node, name)
        function = FUNCTIONS.get(name)
        if function is None:
            near = suggestion(name, [*FUNCTIONS, *AGGREGATES])
            help = f"did you mean {near}?" if near else "known are " + ", ".join(sorted([*FUNCTIONS, *AGGREGATES]))
            fix = Fix(f"Change to {near}", (Edit(node.span.file, node.name.span.start, node.name.span.end, near),)) if near else None
            return self._fail("unknown-function", f"there is no function {node.name.text}", node.name.span, help, fix)
        if node.is_star or node.is_distinct or not function.low <= len(node.arguments) <= function.high:
            return self._fail("function-arguments", f"{name} is called as {function.usage}", node.span)
        arguments = []
        for place, each in enumerate(node.arguments):
            wanted = function.wanted(place)
            if wanted is None and isinstance(each, ast.ParameterUse | ast.LiteralValue):
                wanted = type_of(arguments[0]) if arguments else expected
            bound = self.value(each, wanted if isinstance(each, ast.ParameterUse) else None)
            if bound is None:
                return None
            if not function.accepts(place, type_of(bound)):
                return self._fail(
                    "function-arguments",
                    f"{name} does not take {_a(type_of(bound))} here",
                    each.span,
                    f"it is called as {function.usage}",
                )
            arguments.append(bound)
        result = function.result([type_of(each) for each in arguments])
        if result is None:
            return self._fail("type-mismatch", f"the arguments of {name} have no type in common", node.span)
        return logical.FunctionCall(name=function.name, arguments=tuple(arguments), type=result, span=node.span)

    def _aggregate(self, node: ast.Call, name: str) -> logical.Expression | None:
        if self.inside_aggregate:
            return self._fail("aggregate-misuse", f"{name} cannot stand inside another aggregate", node.span)
        if not self.allows_aggregates:
            help = "conditions on groups belong in HAVING" if self.clause == "WHERE" else ()
            return self._fail("aggregate-misuse", f"{name} cannot stand in {self.clause}", node.span, help)
        if node.is_star:
            if name != "COUNT":
                return self._fail("function-arguments", f"{name}(*) has no meaning", node.span, f"write {name}(column)")
            return logical.Aggregate(
                function="COUNT", operand=None, distinct=False, type=BARE[Kind.BIGINT], span=node.span
            )
        if len(node.arguments) != 1:
            return self._fail("function-arguments", f"{name} takes one argument", node.span)
        self.inside_aggregate = True
        operand = self.value(node.arguments[0])
        self.inside_aggregate = False
        if operand is None:
            return None
        type = type_of(operand)
        if name in ("SUM", "AVG") and not is_number(type) and type.kind is not Kind.NULL:
            return self._fail(
                "function-arguments", f"{name} adds numbers, {node.arguments[0].span.text} is {_a(type)}", node.span
            )
        if name == "COUNT":
            result = BARE[Kind.BIGINT]
        elif name == "AVG":
            result = BARE[Kind.DOUBLE]
        elif name == "SUM":
            result = BARE[Kind.BIGINT] if type.kind in (Kind.INT, Kind.BIGINT) else bare(type)
        else:
            result = type
        return logical.Aggregate(
            function=name,  # type: ignore[arg-type]
            operand=operand,
            distinct=node.is_distinct,
            type=result,
            span=node.span,
        )


def _takes_type(node: ast.Expression) -> bool:
    return isinstance(node, ast.LiteralValue | ast.ParameterUse)


def _expected_of(bound: logical.Expression | None) -> SqlType | None:
    return bare(type_of(bound)) if bound is not None else None


def _a(type: SqlType) -> str:
    """Give a type with its article, for a sentence."""
    return ("an " if type.kind is Kind.INT else "a ") + str(type)
