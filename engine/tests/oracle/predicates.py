"""Random predicates over the columns in sight, with values that the data holds."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from .choices import random_case
from .contents import Contents
from .contents import Row as StoredRow
from .query import (
    And,
    Arithmetic,
    Between,
    Call,
    Cast,
    Col,
    Compare,
    Const,
    DatePart,
    DateSum,
    Difference,
    Distinct,
    Expr,
    In,
    IsNull,
    Not,
    Now,
    Or,
    Param,
    Row,
    Token,
)
from .schema import Column, Schema, Table
from .schema_generator import Pools
from .values import (
    DATE_PARTS,
    DAY_UNITS,
    INT,
    TRUNCATED,
    WORDS,
    Value,
    ValueType,
    can_be_literal,
    random_value,
)

PARAMETER_NAMES = ("me", "p", "who", "key", "text", "day", "n", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9")


@dataclass
class Sight:
    """A relation in scope: its alias, its table, and a row of it that predicates like to match."""

    alias: str
    table: Table
    row: StoredRow | None
    is_optional: bool = False


@dataclass
class Parameters:
    """The parameters of one query and, for each execution, a value of every one."""

    rng: random.Random
    executions: int = 3
    samples: list[dict[str, object]] = field(default_factory=list)
    used: int = 0

    def __post_init__(self) -> None:
        self.samples = [{} for _ in range(self.executions)]

    def new(self, values: Sequence[object]) -> str:
        """Name a new parameter that has these values, one an execution."""
        plain = self.used < len(PARAMETER_NAMES)
        name = PARAMETER_NAMES[self.used] if plain else f"y{self.used}"
        self.used += 1
        for sample, value in zip(self.samples, values, strict=True):
            sample[name] = value
        return name


class PredicateGenerator:
    """Makes predicates for one query."""

    def __init__(self, rng: random.Random, schema: Schema, pools: Pools, contents: Contents, is_basic: bool) -> None:
        self.rng = rng
        self.schema = schema
        self.pools = pools
        self.contents = contents
        self.is_basic = is_basic
        self.parameters = Parameters(rng)

    def sight(self, alias: str, table: Table, is_optional: bool = False) -> Sight:
        rows = self.contents.all_rows(table.name)
        return Sight(alias, table, self.rng.choice(rows) if rows else None, is_optional)

    def stored_value(self, sight: Sight, column: str) -> Value:
        """Return a value that some row of the relation has in a column, rather than not."""
        if sight.row is not None and sight.row[column] is not None and self.rng.random() < 0.8:
            return sight.row[column]  # type: ignore[return-value]
        return self.pools.value(sight.table.name, column)

    def listed_value(self, sight: Sight, column: str) -> Value:
        is_stored = self.rng.random() < 0.4
        return self.stored_value(sight, column) if is_stored else self.pools.value(sight.table.name, column)

    def operand(self, sight: Sight, column: str) -> Expr:
        """Return a literal or a parameter to compare a column with."""
        of = sight.table.column(column).type
        if self.rng.random() < 0.35:
            value = self.stored_value(sight, column)
            if can_be_literal(value):
                return Const(value, of)
        values = [self.stored_value(sight, column)]
        values += [self.pools.value(sight.table.name, column) for _ in range(self.parameters.executions - 1)]
        return Param(self.parameters.new([self.or_null(value) for value in values]), of)

    def end(self, sight: Sight, column: str) -> Expr:
        """Return a value to end a range with: that of a day or time may be computed."""
        of = sight.table.column(column).type
        if self.is_basic or not of.is_dated or self.rng.random() < 0.5:
            return self.operand(sight, column)
        value = Now(of.kind) if self.rng.random() < 0.5 else self.operand(sight, column)
        if isinstance(value, Const) or self.rng.random() < 0.3:
            return value
        return self.date_sum(value, of)

    def date_sum(self, operand: Expr, of: ValueType) -> Expr:
        units = DAY_UNITS if of.kind == "DATE" else (*DAY_UNITS, "HOUR", "SECOND", "MILLISECOND")
        return DateSum(operand, self.rng.choice((1, 2, 11, 30, -1, -3, -31)), self.rng.choice(units), of.kind)

    def dated(self, sight: Sight, column: Column) -> tuple[Expr, ValueType]:
        """Return an expression over a day or time, and its type."""
        reference, of = Col(sight.alias, column.name), column.type
        match self.rng.randrange(4):
            case 0:
                return self.date_sum(reference, of), of
            case 1:
                alike = [column.name for column in sight.table.columns if column.type.kind == of.kind]
                return Difference(reference, Col(sight.alias, self.rng.choice(alike)), of.kind), INT
            case 2:
                return DatePart(self.rng.choice(TRUNCATED), reference, of.kind, is_truncated=True), of
        return DatePart(self.rng.choice(DATE_PARTS), reference, of.kind), INT

    def or_null(self, value: Value) -> Value:
        """Return a value, or now and then NULL instead of it."""
        return None if self.rng.random() < 0.06 else value

    def equality(self, sight: Sight, column: str) -> Expr:
        left, right = Col(sight.alias, column), self.operand(sight, column)
        return Compare("=", left, right) if self.rng.random() < 0.85 else Compare("=", right, left)

    def inequality(self, sight: Sight, column: str) -> Expr:
        if not self.is_basic and self.rng.random() < 0.3:
            ends = self.end(sight, column), self.end(sight, column)
            return Between(Col(sight.alias, column), *ends, self.rng.random() < 0.15)
        operator = self.rng.choice(("<", "<=", ">", ">="))
        if self.rng.random() < 0.1:
            return Compare(operator, self.operand(sight, column), Col(sight.alias, column))
        return Compare(operator, Col(sight.alias, column), self.end(sight, column))

    def membership(self, sight: Sight, column: str) -> Expr:
        of = sight.table.column(column).type
        negated = self.rng.random() < 0.15
        if self.rng.random() < 0.5:
            most = self.rng.choice((1, 2, 3, 5))
            lists = [
                [self.listed_value(sight, column) for _ in range(self.rng.randint(0, most))]
                for _ in range(self.parameters.executions)
            ]
            return In(Col(sight.alias, column), (Param(self.parameters.new(lists), of, most),), negated)
        items = tuple(self.operand(sight, column) for _ in range(self.rng.randint(1, 4)))
        return In(Col(sight.alias, column), items, negated)

    def extra(self, sights: Sequence[Sight], depth: int = 0) -> Expr:
        """Return a predicate of any kind on what is in sight."""
        sight = self.rng.choice(sights)
        column = self.rng.choice(sight.table.columns)
        name = column.name
        chance = self.rng.random()
        if self.is_basic:
            return self.equality(sight, name) if chance < 0.45 else self.inequality(sight, name)
        if depth < 2 and self.rng.random() < 0.06:
            return And(tuple(self.inequality(sight, name) for _ in range(self.rng.choice((2, 2, 3)))))
        if depth < 2 and self.rng.random() < 0.03:
            column_and_value = Col(sight.alias, name), self.operand(sight, name)
            return Or(
                tuple(Compare(operator, *column_and_value) for operator in self.rng.sample(("=", "<", ">", ">="), 2))
            )
        if self.rng.random() < 0.05 and len(sight.table.columns) > 1:
            return self.rows_compared(sight)
        if depth < 2 and chance < 0.2:
            operands = tuple(self.extra(sights, depth + 1) for _ in range(self.rng.choice((2, 2, 3))))
            return Or(operands) if self.rng.random() < 0.7 else And(operands)
        if depth < 2 and chance < 0.28:
            return Not(self.extra(sights, depth + 1))
        if chance < 0.31:
            return Distinct(Col(sight.alias, name), self.operand(sight, name), self.rng.random() < 0.6)
        if chance < 0.38:
            return IsNull(Col(sight.alias, name), self.rng.random() < 0.5)
        if chance < 0.48:
            return self.membership(sight, name)
        if chance < 0.58 and any(map(_is_computable, sight.table.columns)):
            return self.computed(sight)
        if chance < 0.63 and column.type.is_text:
            return self.token(sight, name)
        if chance < 0.7:
            return Compare("<>", Col(sight.alias, name), self.operand(sight, name))
        if chance < 0.75 and column.type.kind == "BOOLEAN":
            return Compare("=", Col(sight.alias, name), Const(True, column.type))
        if chance < 0.8:
            return self.column_comparison(sights)
        if chance >= 0.94:
            return self.optional(sight, name)
        return self.equality(sight, name) if chance < 0.88 else self.inequality(sight, name)

    def optional(self, sight: Sight, column: str) -> Expr:
        """Compare a column with a parameter only where that has a value, in the ways in which programs write it."""
        of = sight.table.column(column).type
        values = [self.rng.choice((None, self.stored_value(sight, column))) for _ in self.parameters.samples]
        parameter, reference = Param(self.parameters.new(values), of), Col(sight.alias, column)
        operator = self.rng.choice(("=", "=", "<=", ">=", "<", ">"))
        if operator in ("=", "<=", ">=") and self.rng.random() < 0.3:
            return Compare(operator, reference, Call("COALESCE", (parameter, reference)))
        tests = [IsNull(parameter, False), Compare(operator, reference, parameter)]
        self.rng.shuffle(tests)
        return Or(tuple(tests))

    def rows_compared(self, sight: Sight) -> Expr:
        """Compare some columns with as many values, or look for them among rows."""
        columns = self.rng.sample(sight.table.columns, 2)
        row = Row(tuple(Col(sight.alias, column.name) for column in columns))

        def values() -> Row:
            return Row(tuple(self.operand(sight, column.name) for column in columns))

        if self.rng.random() < 0.6:
            return Compare(self.rng.choice(("=", "<>", "<", "<=", ">", ">=")), row, values())
        return In(row, tuple(values() for _ in range(self.rng.randint(1, 3))), self.rng.random() < 0.2)

    def column_comparison(self, sights: Sequence[Sight]) -> Expr:
        """Compare two columns of one type, or test a column against itself."""
        one = self.rng.choice(sights)
        column = self.rng.choice(one.table.columns)
        candidates = [
            (other_sight, candidate_column.name)
            for other_sight in sights
            for candidate_column in other_sight.table.columns
            if candidate_column.type.kind == column.type.kind
        ]
        other_sight, name = self.rng.choice(candidates)
        return Compare(
            self.rng.choice(("=", "<", "<=", "<>", ">=")), Col(one.alias, column.name), Col(other_sight.alias, name)
        )

    def token(self, sight: Sight, column: str) -> Token:
        values = [self.rng.choice(WORDS) for _ in range(self.parameters.executions)]
        of = sight.table.column(column).type
        keyword = self.rng.choice(("LIKE", "CONTAINS"))
        return Token(Col(sight.alias, column), Param(self.parameters.new(values), of), keyword)  # type: ignore[arg-type]

    def computed(self, sight: Sight) -> Expr:
        """Compare something computed from a column."""
        expression, of = self.computation(sight)
        if of.is_dated:
            return Compare(self.rng.choice(("=", "<", ">=", "<>")), expression, Const(random_value(self.rng, of), of))
        value: Value = (
            self.rng.choice((0, 1, 2, 3, 5)) if of == INT else self.rng.choice(("a", "A", "red", "", "é", "b"))
        )
        return Compare(self.rng.choice(("=", "<", ">=", "<>")), expression, Const(value, of))

    def call(self, reference: Expr, of: ValueType) -> Expr:
        """Return a call of one of the functions that give a value of the type of a column."""
        rng = self.rng
        if of != INT:
            a_text, count = Const(rng.choice(("a", "", "xy")), of), Const(rng.choice((0, 1, 2, -1)), INT)
            name, *arguments = rng.choice(
                (
                    ("LEFT", count),
                    ("RIGHT", count),
                    ("LPAD", count, Const("xy", of)),
                    ("RPAD", Const(5, INT), Const("-", of)),
                    ("REPLACE", Const("a", of), a_text),
                    ("CONCAT", a_text),
                    ("LTRIM",),
                    ("RTRIM", Const("a ", of)),
                    ("NULLIF", a_text),
                    ("GREATEST", a_text),
                    ("LEAST", a_text),
                )
            )
            return Call(name, (reference, *arguments))
        number = Const(rng.choice((0, 1, 2, 3)), INT)
        name, *others = rng.choice((("SIGN",), ("NULLIF", number), ("GREATEST", number), ("LEAST", number)))
        return Call(name, (reference, *others))

    def computation(self, sight: Sight) -> tuple[Expr, ValueType]:
        """Return an expression over a column and its type, INT standing for every number."""
        columns = [column for column in sight.table.columns if _is_computable(column)]
        if not columns:
            any_column = self.rng.choice(sight.table.columns)
            return Col(sight.alias, any_column.name), any_column.type
        column = self.rng.choice(columns)
        reference = Col(sight.alias, column.name)
        if column.type.is_dated:
            return self.dated(sight, column)
        of = ValueType("TEXT") if column.type.is_text else INT
        if not self.is_basic and self.rng.random() < 0.15:
            values: tuple[Value, ...] = ("none", "a", "") if column.type.is_text else (0, 1, -3)
            choice = random_case(
                self.rng,
                reference,
                lambda: self.extra([sight], depth=2),
                lambda: Const(self.rng.choice(values), of),
            )
            return choice, of
        if not self.is_basic and self.rng.random() < 0.08:
            if column.type.is_number and self.rng.random() < 0.4:
                return Cast(reference, "DOUBLE"), INT
            return Cast(reference, "TEXT"), ValueType("TEXT")
        if not self.is_basic and self.rng.random() < 0.12:
            return self.call(reference, of), of
        if column.type.is_text:
            text = of
            match self.rng.randrange(7):
                case 0:
                    return Call("LOWER", (reference,)), text
                case 1:
                    return Call("UPPER", (reference,)), text
                case 2:
                    return Call("LENGTH", (reference,)), INT
                case 3:
                    start, length = Const(self.rng.choice((1, 2, 3)), INT), Const(self.rng.choice((0, 1, 2, 5)), INT)
                    return Call(
                        "SUBSTR", (reference, start, length) if self.rng.random() < 0.7 else (reference, start)
                    ), text
                case 4:
                    return Call("TRIM", (reference,)), text
                case 5:
                    return Call("COALESCE", (reference, Const("none", text))), text
            return Arithmetic("||", reference, Const("!", text)), text
        match self.rng.randrange(6):
            case 0:
                return Call("ABS", (reference,)), INT
            case 1 if self.rng.random() < 0.3:
                same = Col(
                    sight.alias, self.rng.choice([candidate.name for candidate in columns if candidate.type.is_number])
                )
                return Arithmetic(self.rng.choice("+-*"), reference, same), INT
            case 1:
                return Arithmetic(self.rng.choice("+-*"), reference, Const(self.rng.choice((0, 1, 2, -3)), INT)), INT
            case 4:
                return Arithmetic(self.rng.choice("/%"), reference, Const(self.rng.choice((1, 2, 3, -4)), INT)), INT
            case 2:
                return Call("COALESCE", (reference, Const(0, INT))), INT
            case 3:
                name = self.rng.choice(("ROUND", "FLOOR", "CEIL", "TRUNC"))
                return Call(name, (reference,), column.type), INT
        return Arithmetic("-", Const(7, INT), reference), INT


def _is_computable(column: Column) -> bool:
    return column.type.is_text or column.type.is_number or column.type.is_dated
