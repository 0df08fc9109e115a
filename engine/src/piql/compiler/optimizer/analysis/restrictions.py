"""What predicates fix about one relation: columns by equality, one range, a word, and the rest that must be tested.

s.owner = [me] AND s.target IN ('a', 'b') AND s.since > 3 AND LOWER(s.note) = 'x'
→ equal: owner → [me], target → 'a', 'b'    ranges: since → (3, ∞)    rest: LOWER(s.note) = 'x'
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

from piql.compiler.logical.expressions import (
    Aggregate,
    ColumnRef,
    Comparison,
    ComparisonOperator,
    Constant,
    Expression,
    InList,
    IsNull,
    Not,
    Parameter,
    TokenMatch,
)
from piql.compiler.optimizer.analysis.decided_tests import is_never
from piql.compiler.optimizer.analysis.predicates import MIRRORED, has_subquery, is_lookup_type, relations_of
from piql.compiler.optimizer.analysis.range_ends import End, narrower_end
from piql.schema.catalog import SqlType, word_column


@dataclass(frozen=True, slots=True)
class Fixed:
    """A column that equals one of `values`; a list parameter among them stands for up to `max_items` values.

    One that IS NULL has one value, too, by which the entries of an index are found. UNIQUE and limits do not count it.
    """

    column: str
    values: tuple[Expression, ...]
    predicate: Expression
    is_null: bool = False  # `column IS NULL`: its one value is NULL

    @property
    def count(self) -> int:
        """How many values it may have at most."""
        return sum([value.max_items or 1 if isinstance(value, Parameter) else 1 for value in self.values])


class Range(NamedTuple):
    """The inequalities on one column that an index can serve together; a side that is None is open."""

    column: str
    low: Expression | None = None
    is_low_included: bool = False
    high: Expression | None = None
    is_high_included: bool = False
    predicates: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Word:
    """A word looked for in the text of `columns` together."""

    columns: tuple[str, ...]
    word: Expression
    predicate: TokenMatch

    @property
    def name(self) -> str:
        """The name of the index column that holds the words."""
        return word_column(self.columns).name


class Restrictions(NamedTuple):
    """All that a list of predicates says about the relation `alias`."""

    alias: str
    equal: Mapping[str, Fixed]
    ranges: Mapping[str, Range]
    words: tuple[Word, ...]
    residual: tuple[Expression, ...]  # tests that no index applies
    keeps_none: bool  # one of the predicates is FALSE

    @property
    def blocking(self) -> tuple[Expression, ...]:
        """The residual tests that may drop some rows of one read: those on fixed columns alone drop all or none."""
        return tuple(expression for expression in self.residual if not self._is_one_for_a_read(expression))

    def _is_one_for_a_read(self, predicate: Expression) -> bool:
        if has_subquery(predicate):
            return False
        if not relations_of(predicate):
            return True  # of parameters alone
        columns = [node for node in predicate.walk() if isinstance(node, ColumnRef) and node.relation == self.alias]
        return bool(columns) and all(node.name in self.equal for node in columns)

    def depends_on(self, column: str, available: frozenset[str]) -> bool:
        """Whether a column is fixed by values of these other relations."""
        fixed = self.equal.get(column)
        return fixed is not None and any(relations_of(value) & available for value in fixed.values)

    def are_served_with(self, order: Sequence[str]) -> bool:
        """Whether some index can apply all of them and give its rows in the order of `order` (columns not fixed)."""
        if self.blocking or len(self.words) > 1 or len(self.ranges) > 1:
            return False
        free = [column for column in order if column not in self.equal]
        return not self.ranges or not free or free[0] in self.ranges


def constant_columns(equal: Mapping[str, Fixed]) -> tuple[str, ...]:
    """Return the columns that equal what stands in the text of the query."""
    return tuple(
        name for name, equality in equal.items() if all(isinstance(value, Constant) for value in equality.values)
    )


def restrictions_on(alias: str, predicates: Iterable[Expression], available: frozenset[str]) -> Restrictions:
    """Sort the predicates on a relation, where the columns of the relations `available` are known values.

    Of several that fix one column, the one with the fewest values is the key, and the others are tested on its rows.
    """
    equal: dict[str, Fixed] = {}
    ranges: dict[str, Range] = {}
    words: list[Word] = []
    residual: list[Expression] = []
    keeps_none = False
    for predicate in sorted(predicates, key=_rank):
        match predicate:
            case Constant() if is_never(predicate):
                keeps_none = True
            case Comparison():
                if not _restrict(alias, predicate, available, equal, ranges):
                    residual.append(predicate)
            case InList(operand=ColumnRef(relation=relation) as column, items=items) if (
                relation == alias
                and column.name not in equal
                and all(is_lookup_type(column.type, item) and _is_value(item, alias, available) for item in items)
            ):
                equal[column.name] = Fixed(column.name, items, predicate)
            case IsNull(operand=ColumnRef(relation=relation) as column) if (
                relation == alias and column.nullable and column.name not in equal
            ):
                null = Constant(value=None, type=column.type)
                equal[column.name] = Fixed(column.name, (null,), predicate, is_null=True)
            case Not(operand=IsNull(operand=ColumnRef(relation=relation) as column)) if relation == alias:
                # a range without ends leaves out NULL, as every range does
                range_ = ranges.get(column.name, Range(column.name))
                ranges[column.name] = range_._replace(predicates=(*range_.predicates, predicate))
            case TokenMatch(columns=columns, word=word) if columns[0].relation == alias and _is_value(
                word, alias, available
            ):
                words.append(Word(tuple(column.name for column in columns), word, predicate))
            case _:
                residual.append(predicate)
    for name in [name for name in ranges if name in equal]:  # the key is one value already; the range is tested on it
        residual.extend(ranges.pop(name).predicates)
    return Restrictions(alias, equal, ranges, tuple(words), tuple(residual), keeps_none)


def _restrict(
    alias: str,
    predicate: Comparison,
    available: frozenset[str],
    equal: dict[str, Fixed],
    ranges: dict[str, Range],
) -> bool:
    """Add what a comparison fixes to `equal` or `ranges`; False when an index cannot apply it."""
    for column, operator, value in (
        (predicate.left, predicate.operator, predicate.right),
        (predicate.right, MIRRORED[predicate.operator], predicate.left),
    ):
        if not isinstance(column, ColumnRef) or column.relation != alias or operator == "<>":
            continue
        if not is_lookup_type(column.type, value) or not _is_value(value, alias, available):
            continue
        name = column.name
        if operator == "=":
            if name in equal:
                return False
            equal[name] = Fixed(name, (value,), predicate)
            return True
        narrowed = _narrowed(ranges.get(name, Range(name)), column.type, operator, value)
        if narrowed is None:
            return False
        ranges[name] = narrowed._replace(predicates=(*narrowed.predicates, predicate))
        return True
    return False


def _narrowed(range_: Range, column_type: SqlType, operator: ComparisonOperator, value: Expression) -> Range | None:
    """Return a range with one more end; None where no single expression stands for both ends."""
    if operator in ("<", "<="):
        present = End(range_.high, range_.is_high_included) if range_.high is not None else None
        end = narrower_end(present, End(value, operator == "<="), column_type, is_low=False)
        return range_._replace(high=end.value, is_high_included=end.is_included) if end is not None else None
    present = End(range_.low, range_.is_low_included) if range_.low is not None else None
    end = narrower_end(present, End(value, operator == ">="), column_type, is_low=True)
    return range_._replace(low=end.value, is_low_included=end.is_included) if end is not None else None


def _rank(predicate: Expression) -> float:
    """Return a sort key: other predicates first, then IN lists by their number of values, then IS NULL."""
    match predicate:
        case IsNull():
            return inf
        case InList(items=items):
            return sum(item.max_items or 1 if isinstance(item, Parameter) else 1 for item in items)
        case _:
            return 0


def _is_value(expression: Expression, alias: str, available: frozenset[str]) -> bool:
    """Whether an expression is known before the relation is read."""
    match expression:
        case Constant() | Parameter():
            return True
        case ColumnRef(relation=relation):
            return relation != alias and relation in available
        case _:
            if has_subquery(expression) or any(isinstance(node, Aggregate) for node in expression.walk()):
                return False
            relations = relations_of(expression)
            return alias not in relations and relations <= available
