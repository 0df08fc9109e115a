"""Syntax trees of expressions → bound expressions: names resolved, literals converted to the type they are used as.

A method returns None when it has reported an error; its callers return None in turn. `ExpressionBinder` does the simple
kinds itself; calls, row values and word searches have modules of their own, which get the binder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import TYPE_CHECKING, assert_never, cast

from piql.compiler.binding.aggregates import aggregates_in
from piql.compiler.binding.alike import awaits_type, takes_type
from piql.compiler.binding.calls import bind_call
from piql.compiler.binding.case import bind_case
from piql.compiler.binding.cast import at_one_kind, bind_cast
from piql.compiler.binding.dates import (
    DATED,
    INTERVAL_PLACE,
    bind_difference,
    bind_interval_sum,
    is_dated,
    operand_type,
    takes_day,
)
from piql.compiler.binding.distinct import bind_distinct
from piql.compiler.binding.outputs import output_columns
from piql.compiler.binding.parameters import Parameters
from piql.compiler.binding.row_values import compare_rows, row_among_rows, row_among_values
from piql.compiler.binding.scope import Scope, TableNames, matches
from piql.compiler.binding.star_room import MOST_COLUMNS
from piql.compiler.binding.token_search import bind_like
from piql.compiler.binding.types import (
    BARE,
    arithmetic,
    bare,
    is_comparable,
    is_number,
    literal_type,
    number_type,
    type_of,
)
from piql.compiler.binding.whole_numbers import in_whole_numbers, is_fraction
from piql.compiler.logical import expressions as logical
from piql.compiler.syntax import ast
from piql.schema.catalog import Kind, SqlType
from piql.schema.types import COLUMN_TYPES, WHOLE, convert
from piql.schema.values import ValueMismatch, shown
from piql.text.diagnostics.diagnostic import Diagnostic, Edit, Fix, Label
from piql.text.diagnostics.report import report
from piql.text.source import Span

if TYPE_CHECKING:
    from piql.compiler.binding.with_clauses import WithTables
    from piql.compiler.logical.operators import LogicalNode, Output

QueryBinder = Callable[["QueryContext", ast.QueryExpression, Scope | None, bool, bool], "LogicalNode | None"]


@dataclass(slots=True)
class QueryContext:
    """The state that all parts of one query share while it is bound: parameters, aliases, diagnostics."""

    tables: TableNames
    bind_nested: QueryBinder  # binding.queries.bind_nested, for subqueries
    name: str | None = None
    parameters: Parameters = field(default_factory=Parameters)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    nesting: int = 0  # queries around the one being bound
    aliases: set[str] = field(default_factory=set)  # lower case; unique in the whole statement
    room: int = MOST_COLUMNS  # columns that its stars may stand for
    star_columns: int = 0  # that they stand for so far
    new_ids: int = 0  # calls of UUID() and the like
    with_tables: WithTables = field(default_factory=dict)  # what the names of WITH mean here
    with_names: set[str] = field(default_factory=set)  # of recursive queries; unique in the whole statement

    def unique_alias(self, shown: str) -> str:
        """Return an alias for the plan: as written, or with a number when the statement uses it elsewhere."""
        alias, number = shown, 1
        while alias.lower() in self.aliases:
            number += 1
            alias = f"{shown}_{number}"
        self.aliases.add(alias.lower())
        return alias

    def new_id(self) -> int:
        """Return a number for a new id of this statement, each once."""
        self.new_ids += 1
        return self.new_ids

    def unique_with_name(self, shown: str) -> str:
        """Return a name for one plan of a recursive query: as written, or with a number for further ones."""
        name, number = shown, 1
        while name.lower() in self.with_names:
            number += 1
            name = f"{shown}_{number}"
        self.with_names.add(name.lower())
        return name

    def on_trial(self) -> QueryContext:
        """Return a context in which a part of the query can be bound without a trace in this one."""
        return replace(
            self,
            parameters=self.parameters.copied(),
            diagnostics=[],
            aliases=set(self.aliases),
            with_names=set(self.with_names),
        )


class ExpressionBinder:
    """Binds the expressions of one clause, which messages call `clause`: WHERE, SET, ….

    `aggregates` says whether COUNT, SUM, … are allowed in it.
    """

    def __init__(self, context: QueryContext, scope: Scope, clause: str, aggregates: bool = False) -> None:
        self.context = context
        self.scope = scope
        self.clause = clause
        self.allows_aggregates = aggregates
        self.inside_aggregate = False
        self.outputs: Mapping[str, Output] = {}  # that may be named where FROM has no such column, by lower case
        self.is_test = clause in ("WHERE", "ON", "HAVING")  # a test that keeps rows: NULL acts as FALSE

    def predicate(self, node: ast.Expression) -> logical.Expression | None:
        """Bind a condition; a bare BOOLEAN column `approved` stands for `approved = TRUE`."""
        match node:
            case ast.Junction():
                return self._junction(node)
            case ast.Unary(operator="NOT"):
                with self.in_a_value():
                    operand = self.predicate(node.operand)
                return logical.Not(operand=operand, span=node.span) if operand is not None else None
        if isinstance(node, ast.InQuery):
            return self._in_query(node)
        if isinstance(node, ast.DistinctTest):
            return bind_distinct(self, node)
        with self.in_a_value():
            bound = self.value(node, BARE[Kind.BOOLEAN])
        if bound is None:
            return None
        bound_type = type_of(bound)
        if bound_type.kind not in (Kind.BOOLEAN, Kind.NULL):
            self.report(
                "not-a-condition",
                f"a condition must be true or false, but this is {bound_type.with_article}",
                node.span,
            )
            return None
        if isinstance(bound, logical.ColumnRef | logical.Parameter):
            true = logical.Constant(value=True, type=BARE[Kind.BOOLEAN], span=node.span)
            return logical.Comparison(operator="=", left=bound, right=true, span=node.span)
        return bound

    @contextmanager
    def in_a_value(self) -> Iterator[None]:
        """Mark, while the context is open, that FALSE and NULL differ: the expression is not a plain test of rows."""
        outside, self.is_test = self.is_test, False
        yield
        self.is_test = outside

    def value(self, node: ast.Expression, expected: SqlType | None = None) -> logical.Expression | None:
        """Bind an expression; literals and parameters take the type `expected`, where one is given."""
        match node:
            case ast.ColumnName():
                return self._column(node)
            case ast.LiteralValue():
                return self.literal(node, expected)
            case ast.ParameterUse():
                return self.context.parameters.use(node, expected)
            case ast.Binary():
                if node.operator in ("=", "<>", "<", "<=", ">", ">="):
                    return self.comparison(node)
                return self._arithmetic(node, expected)
            case ast.Unary(operator="-"):
                return self._negated(node, expected)
            case ast.Junction() | ast.Unary() | ast.DistinctTest():
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
                query = self.context.bind_nested(self.context, node.query, self.scope, True, True)
                return logical.Exists(query=query, span=node.span) if query is not None else None
            case ast.Like():
                return bind_like(self, node)
            case ast.Call():
                return bind_call(self, node, expected)
            case ast.Interval():
                self.report("type-mismatch", "an INTERVAL alone is no value", node.span, INTERVAL_PLACE)
                return None
            case ast.Case():
                return bind_case(self, node, expected)
            case ast.Cast():
                return bind_cast(self, node)
            case ast.Row():
                self.report(
                    "row-value",
                    "several values are given where one is expected",
                    node.span,
                    "compare them with the same number of values",
                )
                return None
            case ast.ScalarQuery():
                return self._scalar_query(node)
            case _:
                assert_never(node)

    def report(self, code: str, message: str, span: Span, help: str | tuple[str, ...] = (), *fixes: Fix) -> None:
        """Add a diagnostic to those of the query."""
        self.context.diagnostics.append(report(code, message, span, help=help, fixes=fixes))

    def _column(self, node: ast.ColumnName) -> logical.Expression | None:
        output = self.outputs.get(node.name.text.lower()) if node.qualifier is None else None
        if output is not None and matches(node.name, output.name) and not self.scope.has_own(node.name):
            return self._output(node, output)
        column = self.scope.resolve(node)
        if isinstance(column, Diagnostic):
            self.context.diagnostics.append(column)
            return None
        return column

    def _output(self, node: ast.ColumnName, output: Output) -> logical.Expression | None:
        """Return what an output of the select list stands for; None, after a report, for aggregates inside others."""
        if self.inside_aggregate and next(aggregates_in(output.expression), None) is not None:
            self.report("aggregate-misuse", f"{output.name} is an aggregate itself", node.span, "compare it as it is")
            return None
        return replace(output.expression, span=node.span)

    def literal(self, node: ast.LiteralValue, expected: SqlType | None) -> logical.Constant | None:
        """Bind a literal in the type expected, or in its own type; None, after a report, if that fails."""
        value = node.value
        if expected is None or expected.kind is Kind.NULL:
            inferred = literal_type(value)
            if inferred is None:
                self.report("bad-number", f"{shown(value)} is larger than any BIGINT", node.span)
                return None
            return logical.Constant(value=value, type=inferred, span=node.span)
        if expected.kind in WHOLE and isinstance(value, float | Decimal) and value == int(value):
            value = int(value)
        try:
            return logical.Constant(value=convert(value, expected), type=bare(expected), span=node.span)
        except ValueMismatch as mismatch:
            fixes = _as_boolean(node) if expected.kind is Kind.BOOLEAN else ()
            self.report("type-mismatch", str(mismatch), node.span, COLUMN_TYPES[expected.kind].written, *fixes)
            return None

    def pair(
        self, left: ast.Expression, right: ast.Expression
    ) -> tuple[logical.Expression | None, logical.Expression | None]:
        """Bind both sides of a comparison: a literal or parameter takes the type of the other side."""
        if takes_type(left) and not (takes_type(right) and awaits_type(right)):
            bound_right = self.value(right)
            return at_one_kind(self._compared_with(left, bound_right), bound_right)
        bound_left = self.value(left)
        return at_one_kind(bound_left, self._compared_with(right, bound_left))

    def _compared_with(self, node: ast.Expression, counterpart: logical.Expression | None) -> logical.Expression | None:
        """Bind the other side of a comparison as `counterpart` is typed; a fraction beside a whole number stays one."""
        expected = _expected_of(counterpart)
        is_whole = expected is not None and expected.kind in WHOLE
        if is_whole and isinstance(node, ast.LiteralValue) and is_fraction(node.value):
            expected = None
        return self.value(node, expected)

    def comparison(self, node: ast.Binary) -> logical.Expression | None:
        """Bind a comparison; one of row values becomes comparisons of their parts."""
        if isinstance(node.left, ast.Row) and isinstance(node.right, ast.Row):
            return compare_rows(self, node, node.left, node.right)
        left, right = self.pair(node.left, node.right)
        if left is None or right is None:
            return None
        if not self.check_comparable(left, right, node.left, node.right, node.span):
            return None
        for side, opposite in ((left, right), (right, left)):
            if isinstance(side, logical.Constant) and side.value is None:
                test = "IS NULL" if node.operator == "=" else "IS NOT NULL"
                span = opposite.span
                way_out = f"write {span.text} {test}" if span is not None else f"write {test}"
                self.report("null-comparison", "a comparison with NULL is never true", node.span, way_out)
                break
        operator = cast(logical.ComparisonOperator, node.operator)
        return in_whole_numbers(logical.Comparison(operator=operator, left=left, right=right, span=node.span))

    def check_comparable(
        self,
        left: logical.Expression,
        right: logical.Expression,
        left_node: ast.Expression,
        right_node: ast.Expression,
        span: Span,
    ) -> bool:
        """Return whether two sides have types that compare, and report it if they have not."""
        left_type, right_type = type_of(left), type_of(right)
        if is_comparable(left_type, right_type):
            return True
        labels = (
            Label(left_node.span, f"this is {left_type.with_article}"),
            Label(right_node.span, f"this is {right_type.with_article}"),
        )
        self.context.diagnostics.append(
            report(
                "type-mismatch",
                f"{left_type.with_article} cannot be compared with {right_type.with_article}",
                span,
                labels=labels,
                help="compare values of one type",
            )
        )
        return False

    def _arithmetic(self, node: ast.Binary, expected: SqlType | None) -> logical.Expression | None:
        """Bind `left + right` and the like; a parameter takes the type of the other operand, or that expected."""
        if is_dated(node):
            return bind_interval_sum(self, node, expected)
        hint = BARE[Kind.TEXT] if node.operator == "||" else None
        left: logical.Expression | None
        right: logical.Expression | None
        if isinstance(node.left, ast.ParameterUse):
            right = self.value(node.right, hint or (expected if isinstance(node.right, ast.ParameterUse) else None))
            dated = operand_type(node.operator, right, False, expected)
            left = self.value(node.left, hint or dated or (type_of(right) if right is not None else None))
        else:
            left = self.value(node.left, hint if isinstance(node.left, ast.LiteralValue) else None)
            is_parameter = isinstance(node.right, ast.ParameterUse)
            dated = operand_type(node.operator, left, True, expected) if takes_day(node.right) else None
            right = self.value(node.right, hint or dated or (type_of(left) if is_parameter and left else None))
        if left is None or right is None:
            return None
        if node.operator in ("+", "-") and (type_of(left).kind in DATED or type_of(right).kind in DATED):
            return bind_difference(self, node, left, right)
        result = arithmetic(node.operator, number_type(left), number_type(right))
        if result is None:
            self.report(
                "type-mismatch",
                f"`{node.operator}` has no meaning for {type_of(left)} and {type_of(right)}",
                node.span,
                "|| joins texts" if node.operator == "||" else "+ - * / % work on numbers, || joins texts",
            )
            return None
        return logical.Arithmetic(operator=node.operator, left=left, right=right, type=result, span=node.span)  # type: ignore[arg-type]

    def _negated(self, node: ast.Unary, expected: SqlType | None) -> logical.Expression | None:
        is_parameter = isinstance(node.operand, ast.ParameterUse)
        operand = self.value(node.operand, (expected or BARE[Kind.BIGINT]) if is_parameter else None)
        if operand is None:
            return None
        operand_type = type_of(operand)
        if not is_number(operand_type) and operand_type.kind is not Kind.NULL:
            self.report("type-mismatch", f"minus has no meaning for {operand_type.with_article}", node.span)
            return None
        return logical.FunctionCall(name="NEGATE", arguments=(operand,), type=operand_type, span=node.span)

    def _junction(self, node: ast.Junction) -> logical.Expression | None:
        """Bind AND or OR; nested ones of the same kind become one."""
        kind = logical.And if node.operator == "AND" else logical.Or
        operands: list[logical.Expression] = []
        is_broken = False
        for operand in node.operands:
            bound = self.predicate(operand)
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
        """Bind `a BETWEEN x AND y` as `a >= x AND a <= y`."""
        low = self.comparison(ast.Binary(operator=">=", left=node.operand, right=node.low, span=node.span))
        high = self.comparison(ast.Binary(operator="<=", left=node.operand, right=node.high, span=node.span))
        if low is None or high is None:
            return None
        both = logical.And(operands=(low, high), span=node.span)
        return logical.Not(operand=both, span=node.span) if node.is_negated else both

    def _in(self, node: ast.In) -> logical.Expression | None:
        """Bind `operand IN (a, b)` or `operand IN [list] MAX n`, with NOT or without."""
        if isinstance(node.operand, ast.Row):
            return row_among_values(self, node, node.operand)
        typed_item = None  # [me] IN (owner, target): the first column tells the type
        if takes_type(node.operand):
            typed_item = next((candidate for candidate in node.items if not takes_type(candidate)), None)
        bound = self.value(typed_item) if typed_item is not None else None
        operand = self.value(node.operand, _expected_of(bound))
        expected = _expected_of(operand)
        items: list[logical.Expression] = []
        for item in node.items:
            if node.is_list and isinstance(item, ast.ParameterUse):
                items.append(self.context.parameters.use(item, expected, is_list=True))
                continue
            value = bound if item is typed_item else self._compared_with(item, operand)
            if value is not None and (
                operand is None or self.check_comparable(operand, value, node.operand, item, item.span)
            ):
                items.append(value)
        if operand is None or len(items) < len(node.items):
            return None
        only = node.items[0]
        if len(items) == 1 and not node.is_list and isinstance(only, ast.ParameterUse):
            self.context.parameters.one_in_list(only, is_negated=node.is_negated)
        membership = logical.InList(operand=operand, items=tuple(items), span=node.span)
        return logical.Not(operand=membership, span=node.span) if node.is_negated else membership

    def _scalar_query(self, node: ast.ScalarQuery) -> logical.Expression | None:
        """Bind a subquery that stands for a value; one with another number of columns than 1 is reported."""
        query = self.context.bind_nested(self.context, node.query, self.scope, False, True)
        if query is None:
            return None
        columns = output_columns(query)
        if len(columns) != 1:
            self.report(
                "subquery-columns",
                f"a subquery used as a value must return one column, but this one returns {len(columns)}",
                node.query.span,
            )
            return None
        return logical.ScalarSubquery(query=query, type=columns[0].type, span=node.span)

    def _in_query(self, node: ast.InQuery) -> logical.Expression | None:
        """Bind `operand IN (SELECT …)`; a row of values is left to `row_among_rows`."""
        if isinstance(node.operand, ast.Row):
            return row_among_rows(self, node, node.operand)
        operand = None if takes_type(node.operand) else self.value(node.operand)
        query = self.context.bind_nested(self.context, node.query, self.scope, False, True)
        columns = output_columns(query) if query is not None else ()
        if takes_type(node.operand):
            operand = self.value(node.operand, bare(columns[0].type) if columns else None)
        if operand is None or query is None:
            return None
        if len(columns) != 1:
            self.report(
                "subquery-columns",
                f"the subquery of IN must return one column, but this one returns {len(columns)}",
                node.query.span,
            )
            return None
        if not is_comparable(type_of(operand), columns[0].type):
            self.report(
                "type-mismatch",
                f"{type_of(operand).with_article} cannot be compared with {columns[0].type.with_article}",
                node.span,
                "the subquery must give values of the type on the left",
            )
            return None
        membership = logical.InSubquery(operand=operand, query=query, span=node.span)
        return logical.Not(operand=membership, span=node.span) if node.is_negated else membership


def _expected_of(bound: logical.Expression | None) -> SqlType | None:
    """Return the type that the other side of a comparison takes; None where this side is broken or unknown."""
    return bare(type_of(bound)) if bound is not None else None


def _as_boolean(node: ast.LiteralValue) -> tuple[Fix, ...]:
    """Return the fix of a truth value as other databases take it: `'t'` and 1 of PostgreSQL and MySQL."""
    word = str(node.value).lower()
    written = "TRUE" if word in _TRUE else "FALSE" if word in _FALSE else None
    if written is None or not isinstance(node.value, str | int):
        return ()
    return (Fix(f"Write {written}", (Edit(node.span.file, node.span.start, node.span.end, written),)),)


_TRUE = frozenset({"t", "true", "y", "yes", "on", "1"})
_FALSE = frozenset({"f", "false", "n", "no", "off", "0"})
