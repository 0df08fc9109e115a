"""How many distinct values some columns may have in the rows of a section.

There are no more groups and distinct rows than that, and no more requests for them, since equal ones are made once.

    SortedIndexJoin badges b (owner = p.owner)           p.owner is f.target, of which there are 100,
      SortedIndexJoin photos p (owner = f.target)    →   so badges is read 100 times at most,
        IndexScan follows f (owner = [me])               though 10,000 rows ask for it

Enters: expressions, a section of a physical plan, and the rows of all its operators. Leaves: a formula. `rows` asks for
`combinations_of`, `requests` for `keys_of_reads`. A way to count that is wrong makes a bound that is not proved.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import assert_never

from piql.compiler.bounds.facts import of_prefix, of_row_limit, of_stretch
from piql.compiler.bounds.formula import ONE, ZERO, Formula, number, smaller
from piql.compiler.logical.expressions import (
    Aggregate,
    ColumnRef,
    Comparison,
    Expression,
    Parameter,
    columns_of,
)
from piql.compiler.optimizer.analysis.equalities import Equalities
from piql.compiler.optimizer.analysis.predicates import (
    all_conjuncts,
    are_given,
    is_given,
    key_of,
    relations_of,
    replace_columns,
)
from piql.compiler.physical.operators import (
    Choosing,
    Dereference,
    IndexFKJoin,
    IndexScan,
    KeyPart,
    LocalCases,
    LocalDistinct,
    LocalGroupBy,
    LocalJoin,
    LocalProjection,
    LocalSelection,
    LocalSemiJoin,
    LocalUnion,
    PhysicalNode,
    RecursiveUnion,
    SortedIndexJoin,
    WorkTableScan,
    inputs,
)
from piql.schema.catalog import Kind
from piql.trees.node import Node

Path = tuple[int, ...]
Expressions = tuple[Expression, ...]  # no two are equal; they are counted as one row of values

TRUTH_VALUES = 2  # of a BOOLEAN that is not NULL


def combinations_of(
    keys: Iterable[Expression], node: PhysicalNode, path: Path, rows: Mapping[Path, Formula]
) -> Formula:
    """Return the most combinations of values that `keys` have in the rows of an operator; NULL counts as a value.

    `path` is the operator's place in the plan (child numbers from the root), `rows` what leaves each operator below.
    """
    return _DistinctValues(rows, counts_null=True).count(_distinct(keys), node, path)


def keys_of_reads(
    node: IndexFKJoin | SortedIndexJoin | Dereference, path: Path, rows: Mapping[Path, Formula]
) -> Formula:
    """Return the most different keys that an operator asks for; equal ones are asked for once, those with a NULL never.

    `path` is the operator's place in the plan (child numbers from the root), `rows` what leaves each operator below.
    """
    if isinstance(node, Dereference):
        keys: list[Expression] = [
            ColumnRef(relation=node.alias, name=column.name, type=column.type)
            for column in node.table.columns
            if column.name in node.table.primary_key
        ]
    else:
        keys = [value for part in node.prefix for value in part.values]
        if isinstance(node, SortedIndexJoin):
            keys.extend(_ends(node))
    return _DistinctValues(rows, counts_null=False).count(_distinct(keys), node.child, (*path, 0))


def _ends(node: SortedIndexJoin) -> Iterator[Expression]:
    if node.range is not None:
        yield from (end for end in (node.range.low, node.range.high) if end is not None)


def _distinct(expressions: Iterable[Expression]) -> Expressions:
    return tuple(dict.fromkeys(expression for expression in expressions if not is_given(expression)))


@dataclass(frozen=True, slots=True)
class _DistinctValues:
    """Counts distinct values in one plan; `rows` are those that leave each operator, by its path.

    Each way to count gives a number that is never exceeded, so the smallest is the answer.
    """

    rows: Mapping[Path, Formula]
    counts_null: bool
    counted: dict[tuple[Path, Expressions], Formula] = field(default_factory=dict)

    def count(self, expressions: Expressions, node: PhysicalNode, path: Path) -> Formula:
        """Return how many distinct rows of these expressions leave an operator, at most as many as leave it at all."""
        key = (path, expressions)
        smallest = self.counted.get(key)
        if smallest is None:
            smallest = self.rows[path]
            for formula in self._ways(expressions, node, path) if expressions else (ONE,):
                smallest = smaller(formula, smallest)
            self.counted[key] = smallest
        return smallest

    def _ways(self, expressions: Expressions, node: PhysicalNode, path: Path) -> Iterator[Formula]:
        """Yield the numbers that an operator proves, most of them from what its child proves of other expressions."""
        below = (*path, 0)
        match node:
            case IndexScan():
                within = node.limit.within
                free = tuple(
                    column for column in _columns(expressions) if within is None or column.name != within.column
                )
                formula = self._of_columns(free, node.prefix)
                if formula is not None and within is not None and len(free) < len(_columns(expressions)):
                    formula = formula * of_stretch(within)
                if formula is not None:
                    yield formula
            case IndexFKJoin() | SortedIndexJoin():
                yield from self._of_join(expressions, node, below)
            case LocalJoin():
                yield from self._of_local_join(expressions, node, path)
            case LocalSelection():
                for equal_expressions in _with_equals(expressions, (node.predicate,)):
                    yield self.count(equal_expressions, node.child, below)
            case LocalProjection():
                meanings = {(node.alias, output.name): output.expression for output in node.outputs}
                columns = _columns(expressions)
                if all(key_of(column) in meanings for column in columns):
                    yield self.count(_distinct(meanings[key_of(column)] for column in columns), node.child, below)
            case LocalGroupBy():
                keys = _keys_read(expressions, node)
                if keys is not None:
                    yield self.count(keys, node.child, below)
            case RecursiveUnion() | WorkTableScan() | LocalCases():
                pass  # no more than its rows
            case LocalUnion():
                yield from self._of_union(expressions, node, path)
            case LocalSemiJoin(mark=ColumnRef() as mark) | LocalDistinct(mark=ColumnRef() as mark):
                unmarked = tuple(expression for expression in expressions if expression != mark)
                yield self.count(unmarked, inputs(node)[0], below) * (
                    self._truth_values() if len(unmarked) < len(expressions) else ONE
                )
            case Dereference() | Choosing() | LocalSemiJoin() | LocalDistinct():
                yield self.count(expressions, inputs(node)[0], below)
            case _:
                assert_never(node)

    def _of_join(self, expressions: Expressions, node: IndexFKJoin | SortedIndexJoin, below: Path) -> Iterator[Formula]:
        """Count in two ways: by the values of the table's columns, and by the matches of each key.

        Equal keys have the same matches, so a joined row is determined by its key and by which match it is.
        """
        of_table, of_child = _apart(expressions, frozenset((node.alias,)))
        if not of_table:
            yield self.count(of_child, node.child, below)
            return
        parts = {part.column: part for part in node.prefix}
        mapped = [parts[column.name].values[0] for column in of_table if _is_one(parts.get(column.name))]
        free = tuple(column for column in of_table if not _is_one(parts.get(column.name)))
        may_be_null = self.counts_null and node.kind == "left"
        values = self._of_columns(free, node.prefix)
        if values is not None:
            is_null_counted = all(column.name not in parts for column in free) and bool(free)
            values = values + ONE if may_be_null and not is_null_counted else values
            yield self.count(_distinct((*of_child, *mapped)), node.child, below) * values
        if free or may_be_null:
            keys = [value for part in node.prefix for value in part.values]
            matches = of_prefix(node.prefix)
            if isinstance(node, SortedIndexJoin):
                if node.limit.count is not None:
                    keys.extend(_ends(node))
                matches = matches * number(node.index.buckets * ranges_of_page(node))
                matches = matches * of_row_limit(node.table, node.limit)
            if may_be_null and (node.condition is not None or not matches.value):
                matches = matches + ONE
            yield self.count(_distinct((*of_child, *keys)), node.child, below) * matches

    def _of_local_join(self, expressions: Expressions, node: LocalJoin, path: Path) -> Iterator[Formula]:
        """Count the combinations of the values of both sides, or those of one side that determines the other."""
        if any(True for expression in expressions for _ in expression.find(Aggregate)):
            return  # an aggregate belongs to one side, but its columns may not tell to which
        at_left, at_right = (*path, 0), (*path, 1)
        on_right = frozenset(_offered(node.right))
        may_be_null = self.counts_null and node.kind == "left"
        conditions = () if node.condition is None else (node.condition,)
        is_matched = node.kind != "left" or (  # else a left row without a match, which passes no test, counts
            not self.counts_null
            and any(isinstance(expression, ColumnRef) and expression.relation in on_right for expression in expressions)
        )
        equalities = conditions if is_matched else ()
        for equal_expressions in _with_equals(expressions, equalities):
            of_right, of_left = _apart(equal_expressions, on_right)
            right = self.count(of_right, node.right, at_right) if of_right or node.kind != "left" else ONE
            if may_be_null and of_right:
                truths = self._of_columns(of_right, ())  # NULL is counted there
                right = right + ONE if truths is None else smaller(truths, right + ONE)
            yield self.count(of_left, node.left, at_left) * right
        if node.is_left_once and not may_be_null:
            _, of_left = _apart((*expressions, *conditions), on_right)
            yield self.count(of_left, node.left, at_left)

    def _of_union(self, expressions: Expressions, node: LocalUnion, path: Path) -> Iterator[Formula]:
        """Add up what the inputs give, where the expressions are columns of the union."""
        if not all(expression in node.fields for expression in expressions):
            return
        positions = [node.fields.index(expression) for expression in expressions]
        total = ZERO
        for at, branch in enumerate(node.inputs):
            if len(branch.fields) != len(node.fields):
                return
            of_branch = _distinct(branch.fields[position] for position in positions)
            total = total + self.count(of_branch, branch, (*path, at))
        yield total

    def _of_columns(self, columns: Sequence[ColumnRef], prefix: Sequence[KeyPart]) -> Formula | None:
        """Return the most combinations that columns of one read have by constants and types; None where one is free."""
        total = ONE
        for column in columns:
            part = next((part for part in prefix if part.column == column.name), None)
            if part is not None and are_given(part.values):
                total = total * of_prefix((part,))
            elif column.type.kind is Kind.BOOLEAN:
                total = total * self._truth_values()
            else:
                return None
        return total

    def _truth_values(self) -> Formula:
        """Return how many values a BOOLEAN may have, with NULL where it counts."""
        return number(TRUTH_VALUES + self.counts_null)


def ranges_of_page(node: SortedIndexJoin) -> int:
    """Return how many ranges of one key's list a resumed page may read; 1 where the join is not resumable.

    The page may also be ordered by columns of other tables. A row of those may come before, at or behind the position
    where the last page ended: then the list is read whole, from that position on, or behind it.
    """
    if not node.is_resumable:
        return 1
    is_of_table = [
        isinstance(key.expression, ColumnRef) and key.expression.relation == node.alias for key in node.order
    ]
    turns = sum(before and not behind for before, behind in pairwise([*is_of_table, False]))
    return 2 + 2 * turns


def _is_one(part: KeyPart | None) -> bool:
    """Return whether a key column has one value for each row of the child."""
    if part is None or len(part.values) != 1:
        return False
    value = part.values[0]
    return not (isinstance(value, Parameter) and value.max_items is not None)


def _columns(expressions: Expressions) -> tuple[ColumnRef, ...]:
    return tuple(
        dict.fromkeys(column for expression in expressions for column in sorted(columns_of(expression), key=key_of))
    )


def _apart(expressions: Iterable[Expression], relations: frozenset[str]) -> tuple[tuple[ColumnRef, ...], Expressions]:
    """Return the columns of some relations, and the other expressions.

    An expression over these relations is replaced by its columns, whose values determine it.
    """
    columns: dict[ColumnRef, None] = {}
    remaining: dict[Expression, None] = {}
    for expression in expressions:
        if relations_of(expression).isdisjoint(relations):
            remaining[expression] = None
            continue
        for column in _columns((expression,)):
            if column.relation in relations:
                columns[column] = None
            else:
                remaining[column] = None
    return tuple(columns), tuple(remaining)


def _with_equals(expressions: Expressions, predicates: Iterable[Expression]) -> Iterator[Expressions]:
    """Yield the expressions, then the same with columns replaced by equal ones, then without columns of one value."""
    yield expressions
    tests = all_conjuncts(predicates)
    equal = Equalities(tests)
    one_value = {
        key_of(equal_column)
        for test in tests
        for column in _compared_with_value(test)
        for equal_column in equal.equal_to(column)
    }
    for members in equal.classes():
        for column in members:
            equal_columns = {key_of(member): column for member in members}
            changed = _distinct(replace_columns(expression, equal_columns) for expression in expressions)
            if changed != expressions:
                yield changed
    if one_value:
        columns = _columns(expressions)
        yield tuple(column for column in columns if key_of(column) not in one_value)


def _compared_with_value(test: Expression) -> Iterator[ColumnRef]:
    """Yield the column of `column = value`; nothing for another test."""
    match test:
        case Comparison(operator="=", left=ColumnRef() as column, right=value) if is_given(value):
            yield column
        case Comparison(operator="=", left=value, right=ColumnRef() as column) if is_given(value):
            yield column
        case _:
            pass


def _keys_read(expressions: Expressions, group: LocalGroupBy) -> Expressions | None:
    """Return the group keys that expressions read; None where they also read something else, such as an aggregate."""
    read: dict[Expression, None] = {}
    waiting: list[Node] = list(expressions)
    while waiting:
        node = waiting.pop()
        if node in group.keys:
            read[node] = None
        elif isinstance(node, Aggregate | ColumnRef):
            return None
        else:
            waiting.extend(node.children())
    return tuple(read)


def _offered(node: PhysicalNode) -> Iterator[str]:
    """Yield the relations whose columns a section offers to the operators above it."""
    match node:
        case IndexScan():
            yield node.alias
        case IndexFKJoin() | SortedIndexJoin():
            yield node.alias
            yield from _offered(node.child)
        case LocalJoin():
            yield from _offered(node.left)
            yield from _offered(node.right)
        case LocalSemiJoin(mark=ColumnRef() as mark) | LocalDistinct(mark=ColumnRef() as mark):
            yield mark.relation
            yield from _offered(inputs(node)[0])
        case LocalProjection():
            yield node.alias
        case WorkTableScan():
            yield from (node.alias, node.row.relation)
        case LocalUnion() | LocalCases() | RecursiveUnion():
            yield from (column.relation for column in node.fields if isinstance(column, ColumnRef))
        case Dereference() | Choosing() | LocalSemiJoin() | LocalGroupBy() | LocalDistinct():
            yield from _offered(inputs(node)[0])
        case _:
            assert_never(node)
