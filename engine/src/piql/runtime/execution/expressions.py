"""Turns bound expressions into Python source, and the source into functions: once for each operator of a query.

Rows hold stored values (see `piql.store.base`). For each expression there are two sources, that of its stored value
(`stored`) and that of its value as a user sees it (`value`). In both, `r[2]` is a field of the row, `p[0]` a parameter,
`t1` a temporary and `k7` an object that the source needs.

A predicate has two sources, so that NOT needs no third truth value:

    is_true(a < b)         (t1 := r[0]) is not None and (t2 := r[1]) is not None and t1 < t2
    is_false(NOT a < b)    the same
    stored(a < b)          t1 < t2 if (t1 := r[0]) is not None and (t2 := r[1]) is not None else None

Each names every operand once, or the source of nested predicates would double with each level.

Numbers are computed by `numbers`, functions by `functions`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from piql.compiler.binding.functions import takes_null
from piql.compiler.binding.types import BARE, type_of
from piql.compiler.logical.expressions import (
    And,
    Arithmetic,
    Case,
    ColumnRef,
    Comparison,
    Constant,
    Expression,
    FunctionCall,
    InList,
    IsNull,
    Not,
    Or,
    Parameter,
    TokenMatch,
)
from piql.compiler.logical.format import format_expression
from piql.errors import NumberOutOfRange
from piql.runtime.execution import numbers
from piql.runtime.execution.casts import conversion_or_error
from piql.runtime.execution.functions import FUNCTIONS, Computation
from piql.schema.catalog import Kind, SqlType
from piql.schema.types import NUMBERS, WHOLE, range_of
from piql.schema.words import folded, words_of
from piql.store.rows import Codec

_PYTHON_SIGN = {"=": "==", "<>": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_PREDICATES = (And, Or, Not, Comparison, IsNull, InList, TokenMatch)
_NUMBERS = (Kind.INT, Kind.BIGINT, Kind.DOUBLE)


class _Group(str):
    """A source in parentheses. Where others stand around it, it goes without: Python refuses more than 200 pairs."""

    __slots__ = ()


def _group(source: str) -> str:
    """Return a source in parentheses."""
    return _Group(f"({source})")


def _bare(source: str) -> str:
    """Return a source for a place that has parentheses already."""
    return source[1:-1] if isinstance(source, _Group) else source


def _set(name: str, source: str) -> str:
    """Return the source of a temporary that takes a value, and is it."""
    return f"({name} := {_bare(source)})"


class ExpressionCompiler:
    """Writes the sources of expressions over the rows of one operator.

    field_sources    the source of each field of the rows: expression → `r[2]`
    slots            the position of each parameter in `p`
    codec            of a type's stored values; None where they are the values themselves
    names            the objects that the sources written so far refer to, by name
    """

    def __init__(
        self,
        field_sources: Mapping[Any, str],
        slots: Mapping[str, int],
        codec: Callable[[SqlType], Codec | None],
    ) -> None:
        self._field_sources = field_sources
        self._slots = slots
        self._codec = codec
        self.names: dict[str, Any] = {"words_of": words_of, "folded": folded}
        self._temporaries = 0

    def function(self, arguments: str, body: str) -> Callable[..., Any]:
        """Return a function of these arguments, such as `r, p`, whose body was written by this compiler."""
        function: Callable[..., Any] = eval(f"lambda {arguments}: {body}", self.names)
        return function

    def _temporary(self) -> str:
        self._temporaries += 1
        return f"t{self._temporaries}"

    def name(self, value: Any) -> str:
        """Return a new name under which sources can refer to an object."""
        name = f"k{len(self.names)}"
        self.names[name] = value
        return name

    def tuple_of(self, sources: list[str]) -> str:
        """Return the source of a tuple."""
        return f"({', '.join(sources)}{',' if len(sources) == 1 else ''})"

    def stored(self, expression: Expression) -> str:
        """Return the source of an expression's stored value; raise LookupError if the rows do not hold its columns."""
        source = self._field_sources.get(expression)
        if source is not None:
            return source
        match expression:
            case ColumnRef():
                raise LookupError(f"{expression.relation}.{expression.name} is not among the fields")
            case Constant(value=value, type=type):
                codec = self._codec(type)
                encoded = value if value is None or codec is None else codec.encode(value)
                return repr(encoded) if encoded is None or isinstance(encoded, int | str) else self.name(encoded)
            case Parameter(name=name):
                return f"p[{self._slots[name]}]"
            case Arithmetic():
                return self._encoded(self._arithmetic(expression), expression.type)
            case FunctionCall(name="COALESCE", arguments=arguments, type=type):
                return self._coalesce(arguments, type)
            case FunctionCall():
                return self._encoded(self._call(expression), expression.type)
            case Case():
                return self._case(expression)
            case _ if isinstance(expression, _PREDICATES):
                return self._truth_value(expression)
        raise LookupError(f"{expression.__class__.__name__} cannot be computed from a row")

    def value(self, expression: Expression) -> str:
        """Return the source of an expression's value, decoded."""
        if isinstance(expression, Constant):
            constant = expression.value
            return repr(constant) if constant is None or isinstance(constant, int | str) else self.name(constant)
        if expression not in self._field_sources:
            if isinstance(expression, Arithmetic):
                return self._arithmetic(expression)
            if isinstance(expression, FunctionCall) and expression.name != "COALESCE":
                return self._call(expression)
        source = self.stored(expression)
        codec = None if isinstance(expression, _PREDICATES) else self._codec(type_of(expression))
        return source if codec is None else self._if_set(source, f"{self.name(codec.decode)}({{}})")

    def _if_set(self, source: str, then: str) -> str:
        """Return the source of `then` with the value of `source` for its {}; None where that value is None."""
        at = self._temporary()
        return _group(f"None if {_set(at, source)} is None else {then.format(at)}")

    def _encoded(self, source: str, type: SqlType) -> str:
        """Return the source of a stored value, from that of the value."""
        codec = self._codec(type)
        return source if codec is None else self._if_set(source, f"{self.name(codec.encode)}({{}})")

    def _as(self, expression: Expression, kind: Kind) -> str:
        """Return the source of a number's value; a DECIMAL becomes a float where `kind` is DOUBLE."""
        source = self.value(expression)
        if kind is Kind.DOUBLE and type_of(expression).kind is Kind.DECIMAL:
            return self._if_set(source, "float({})")
        return source

    def _arithmetic(self, node: Arithmetic) -> str:
        """Return the source of the value of `left operator right`, which is None where an operand is."""
        left, right = self._as(node.left, node.type.kind), self._as(node.right, node.type.kind)
        a, b = self._temporary(), self._temporary()
        tests = f"{_set(a, left)} is None or {_set(b, right)} is None"
        return _group(f"None if {tests} else {self._computed(node, a, b)}")

    def _computed(self, node: Arithmetic, a: str, b: str) -> str:
        """Return the source of the operator on two temporaries; the result is checked where it may leave its type."""
        match node.operator, node.type.kind:
            case "||", _:
                return f"{a} + {b}"
            case "/", _:
                return f"{self.name(numbers.divide)}({a}, {b})"
            case operator, Kind.DECIMAL:
                return f"{self.name(numbers.exact_operator(operator, words_for(node)))}({a}, {b})"
            case "%", Kind.DOUBLE:
                return f"{self.name(numbers.remainder_of_doubles)}({a}, {b})"
            case "%", _:
                return f"{self.name(numbers.remainder)}({a}, {b})"
            case operator, Kind.DOUBLE:
                return f"{self.name(numbers.finite)}({a} {operator} {b})"
            case operator, _:
                return f"{a} {operator} {b}" if _cannot_leave(node) else self._within(f"{a} {operator} {b}", node)

    def _within(self, source: str, node: Arithmetic | FunctionCall) -> str:
        """Return the source of a whole number, which raises NumberOutOfRange outside of its type."""
        low, high = range_of(node.type)
        at, refuse = self._temporary(), self.name(numbers.range_refusal(node.type, words_for(node)))
        return _group(f"{at} if {low} <= {_set(at, source)} <= {high} else {refuse}({at})")

    def _call(self, node: FunctionCall) -> str:
        """Return the source of a function's value, which is None where an argument is."""
        computation = (
            Computation(conversion_or_error(type_of(node.arguments[0]), node.type, words_for(node)))
            if node.name == "CAST"
            else FUNCTIONS[node.name]
        )
        if takes_null(node.name):
            is_chosen = node.name != "NULLIF"  # its second argument is only compared, so it keeps its type
            sources = [self._value_as(value, node.type) if is_chosen else self.value(value) for value in node.arguments]
            return f"{self.name(computation.function)}({', '.join(sources)})"
        names = [self._temporary() for _ in node.arguments]
        sources = list(map(self.value, node.arguments))
        tests = [f"{_set(name, source)} is None" for name, source in zip(names, sources, strict=True)]
        function = in_calendar(computation.function, words_for(node)) if computation.is_dated else computation.function
        result = f"{self.name(function)}({', '.join(names)})"
        if node.type.kind in computation.may_leave:
            result = self._checked(result, node)
        return _group(f"None if {' or '.join(tests)} else {result}")

    def _checked(self, source: str, node: FunctionCall) -> str:
        """Return the source of a number, which raises NumberOutOfRange outside of its type."""
        if node.type.kind in WHOLE:
            return self._within(source, node)
        return f"{self.name(numbers.checked_result(BARE[Kind.DECIMAL], words_for(node)))}({source})"

    def _coalesce(self, arguments: tuple[Expression, ...], type: SqlType) -> str:
        """Return the source of the first stored value that is set, converted to the stored form of `type`."""
        result = "None"
        for argument in reversed(arguments):
            at = self._temporary()
            result = f"{at} if {_set(at, self._stored_as(argument, type))} is not None else {result}"
        return _group(result)

    def _case(self, node: Case) -> str:
        """Return the source of a CASE's stored value; Python computes nothing behind the first test that is true.

        It is flat, since Python refuses conditional expressions that are nested deeply: `(a and (x,) or (y,))[0]`.
        """
        pairs = zip(node.tests, node.values, strict=True)
        whens = [f"{self.is_true(test)} and ({self._stored_as(value, node.type)},)" for test, value in pairs]
        return f"({' or '.join(whens)} or ({self._stored_as(node.otherwise, node.type)},))[0]"

    def _stored_as(self, expression: Expression, type: SqlType) -> str:
        """Return the source of an expression's stored value in the stored form of a type that holds its values."""
        kind = type_of(expression).kind
        if kind in (type.kind, Kind.NULL) or type.kind not in (Kind.DECIMAL, Kind.DOUBLE):
            return self.stored(expression)
        return self._encoded(self._value_as(expression, type), type)

    def _value_as(self, expression: Expression, type: SqlType) -> str:
        """Return the source of an expression's value; a number is one of `type`, where this is DECIMAL or DOUBLE."""
        source, kind = self.value(expression), type_of(expression).kind
        if kind in (type.kind, Kind.NULL) or kind not in NUMBERS or type.kind not in (Kind.DECIMAL, Kind.DOUBLE):
            return source
        return self._if_set(source, f"{self.name(Decimal if type.kind is Kind.DECIMAL else float)}({{}})")

    def is_true(self, expression: Expression) -> str:
        """Return a source that is true in Python exactly when the predicate is TRUE."""
        return self._truth(expression, True)

    def is_false(self, expression: Expression) -> str:
        """Return a source that is true in Python exactly when the predicate is FALSE."""
        return self._truth(expression, False)

    def _truth(self, expression: Expression, is_wanted: bool) -> str:
        """Return a source that is true in Python exactly when the predicate has the wanted truth value."""
        if expression not in self._field_sources:
            match expression:
                case And(operands=operands):
                    return self._joined(operands, is_wanted, "and" if is_wanted else "or")
                case Or(operands=operands):
                    return self._joined(operands, is_wanted, "or" if is_wanted else "and")
                case Not(operand=operand):
                    return self._truth(operand, not is_wanted)
                case IsNull(operand=Constant(value=value)):
                    return str((value is None) is is_wanted)
                case IsNull(operand=operand):
                    return _group(f"{self.stored(operand)} is {'' if is_wanted else 'not '}None")
                case Comparison():
                    return self._comparison(expression, is_wanted)
                case InList():
                    return self._in_list(expression, is_wanted)
                case TokenMatch():
                    return self._token_match(expression, is_wanted)
        return f"({self.stored(expression)} == {1 if is_wanted else 0})"

    def _joined(self, operands: tuple[Expression, ...], is_wanted: bool, word: str) -> str:
        if not operands:
            return str(word == "and")
        return f"({f' {word} '.join(self._truth(operand, is_wanted) for operand in operands)})"

    def comparable(self, left: Expression, right: Expression) -> tuple[str, str]:
        """Return the sources of two operands in a form in which Python compares them as SQL does.

        A DECIMAL is decoded beside another kind of number; all other values compare as stored.
        """
        kinds = {type_of(left).kind, type_of(right).kind}
        if Kind.DECIMAL in kinds and kinds & set(_NUMBERS):
            kind = Kind.DOUBLE if Kind.DOUBLE in kinds else Kind.DECIMAL
            return self._as(left, kind), self._as(right, kind)
        return self.stored(left), self.stored(right)

    def _truth_value(self, node: Expression) -> str:
        """Return the source of a predicate's value: True, False or None."""
        match node:
            case And(operands=operands):
                return self._junction(list(map(self.stored, operands)), is_or=False)
            case Or(operands=operands):
                return self._junction(list(map(self.stored, operands)), is_or=True)
            case Not(operand=operand):
                return self._if_set(self.stored(operand), "not {}")
            case Comparison():
                tests, compared = self._compared(node, _PYTHON_SIGN[node.operator])
                return _group(f"{compared} if {' and '.join(tests)} else None" if tests else compared)
            case InList():
                return self._in_value(node)
            case TokenMatch():
                return _group(f"True if {self.is_true(node)} else False if {self.is_false(node)} else None")
        return self.is_true(node)  # IS NULL is never unknown

    def _junction(self, sources: list[str], is_or: bool) -> str:
        """Return the source of the value of an AND or OR of values; nothing is computed behind the one that decides."""
        names = [self._temporary() for _ in sources]
        decided = [f"{_set(name, source)} == {int(is_or)}" for name, source in zip(names, sources, strict=True)]
        unknown = [f"{name} is None" for name in names]
        tests = f"{is_or} if {' or '.join(decided)} else None if {' or '.join(unknown)} else " if names else ""
        return _group(f"{tests}{not is_or}")

    def _comparison(self, node: Comparison, is_wanted: bool) -> str:
        """Return the source of a comparison of two operands that are both set."""
        sign = _PYTHON_SIGN[node.operator]
        if not is_wanted:
            sign = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}[sign]
        tests, compared = self._compared(node, sign)
        return _group(" and ".join([*tests, compared]))

    def _compared(self, node: Comparison, sign: str) -> tuple[list[str], str]:
        """Return the sources of the tests whether its operands are set, and of the comparison by a sign of Python."""
        left, right = self.comparable(node.left, node.right)
        tests: list[str] = []
        operands: list[str] = []
        for operand, source in ((node.left, left), (node.right, right)):
            if isinstance(operand, Constant) and source != "None":
                operands.append(source)
                continue
            at = self._temporary()
            tests.append(f"{_set(at, source)} is not None")
            operands.append(at)
        return tests, f"{operands[0]} {sign} {operands[1]}"

    def _in_list(self, node: InList, is_wanted: bool) -> str:
        """Return the source of an IN list: a test for each item, joined by `or`, or by `and` for NOT IN."""

        def test(operand: Expression, item: Expression) -> str:
            if isinstance(item, Parameter) and item.max_items is not None:
                return self._in_parameter(operand, item, is_wanted)
            return self._comparison(Comparison(operator="=", left=operand, right=item), is_wanted)

        word = " or " if is_wanted else " and "
        return self._over_items(
            node, lambda operand: word.join(test(operand, item) for item in node.items) or str(not is_wanted)
        )

    def _in_value(self, node: InList) -> str:
        """Return the source of the value of an IN list: that of an OR of its items."""

        def value(operand: Expression, item: Expression) -> str:
            if not (isinstance(item, Parameter) and item.max_items is not None):
                return self._truth_value(Comparison(operator="=", left=operand, right=item))
            is_in, is_out = (self._in_parameter(operand, item, is_wanted) for is_wanted in (True, False))
            return _group(f"True if {is_in} else False if {is_out} else None")

        return self._over_items(
            node, lambda operand: self._junction([value(operand, item) for item in node.items], is_or=True)
        )

    def _over_items(self, node: InList, source: Callable[[Expression], str]) -> str:
        """Return a source that tests the operand with each item, and computes it once."""
        operand = node.operand
        if not node.items or isinstance(operand, ColumnRef | Parameter | Constant) or operand in self._field_sources:
            return _group(_bare(source(operand)))
        at, computed = self._temporary(), self.stored(operand)
        around, self._field_sources = self._field_sources, {**self._field_sources, operand: at}
        tests = source(operand)
        self._field_sources = around
        return _group(f"[{at} := {_bare(computed)}] and ({_bare(tests)})")

    def _in_parameter(self, operand: Expression, items: Parameter, is_wanted: bool) -> str:
        """Return the source of `operand IN [items]`, where the list holds no NULL; an empty list makes it FALSE."""
        listed = f"p[{self._slots[items.name]}]"
        left, values = self.comparable(operand, items)
        if values != listed:  # each value has to be decoded
            codec = self._codec(items.type)
            read = self.name((lambda value: value) if codec is None else codec.decode)
            values = f"[{read}(v) for v in {listed}]"
        at = self._temporary()
        if is_wanted:
            return f"(({at} := {left}) is not None and {at} in {values})"
        return f"(not {listed} or (({at} := {left}) is not None and {at} not in {values}))"

    def _token_match(self, node: TokenMatch, is_wanted: bool) -> str:
        """Return the source of a token match: it is unknown if no column has the word and one of them is NULL."""
        columns = [self.stored(column) for column in node.columns]
        word = self.stored(node.word)
        if word == "None":
            return "False"
        at = self._temporary()
        is_set = f"({at} := {word}) is not None"
        is_among = f"folded({at}) in words_of({', '.join(columns)})"
        if is_wanted:
            return f"({is_set} and {is_among})"
        return f"({is_set} and {' and '.join([f'{column} is not None' for column in columns])} and not {is_among})"


def in_calendar(compute: Callable[..., Any], words: str) -> Callable[..., Any]:
    """Return a function of days or times that raises NumberOutOfRange outside of the years 1 to 9999."""

    def computed(*values: Any) -> Any:
        try:
            return compute(*values)
        except (OverflowError, ValueError):
            raise NumberOutOfRange(f"{words} is outside the years 1 to 9999") from None

    return computed


def words_for(expression: Expression) -> str:
    """Return an expression as it was written, for messages."""
    return expression.span.text if expression.span is not None else format_expression(expression)


def _cannot_leave(node: Arithmetic) -> bool:
    """Return whether the result always fits its type, BIGINT: it does for operands of 32 bits."""
    return all(type_of(expression).kind in (Kind.INT, Kind.NULL) for expression in (node.left, node.right))
