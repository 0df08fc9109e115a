"""What nothing bounds: found by the planner, told to the user by `diagnostics`, closed by `fixes`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from piql.compiler.logical.expressions import ColumnRef, Comparison, Constant, conjuncts
from piql.compiler.logical.operators import Distinct, GroupBy, Join, LogicalNode, Relation, SemiJoin, Sort, Stop, inputs
from piql.compiler.optimizer.analysis.region import aliases_below
from piql.compiler.optimizer.analysis.restrictions import Restrictions
from piql.compiler.physical.few_values import holds_few_values
from piql.compiler.physical.planner.access import Reading
from piql.schema.catalog import Table
from piql.text.source import Span
from piql.trees.memory import Memory

GapKind = Literal["scan", "join", "product", "aggregate", "sort", "blocked"]


@dataclass(frozen=True, slots=True)
class Reference:
    """A foreign key that is not declared: these columns equal the whole primary key of another table in a join."""

    columns: tuple[str, ...]
    table: str
    referenced: tuple[str, ...]

    @property
    def clause(self) -> str:
        return f"FOREIGN KEY ({', '.join(self.columns)}) REFERENCES {self.table} ({', '.join(self.referenced)})"


@dataclass(frozen=True, slots=True)
class Gap:
    """A read without a bound: its relation, what is fixed about it, and why the stop, if any, does not limit it."""

    kind: GapKind
    path: tuple[int, ...]
    relation: Relation
    columns: tuple[str, ...]  # fixed by equalities
    words: tuple[tuple[str, ...], ...]  # the columns that are searched for a word, for each word
    spans: tuple[Span, ...]
    blockers: tuple[Span, ...] = ()  # the predicates or the sort that the stop cannot pass
    stop: Stop | None = None
    range_column: str = ""  # of the range that an index would apply
    is_tested: bool = False  # a predicate remains that no index applies, so that a stop would not help
    joined: tuple[str, ...] = ()  # tables joined to it before the stop counts
    references: tuple[Reference, ...] = ()  # foreign keys that would let the stop pass these joins
    is_product: bool = False  # multiplies with another read that nothing bounds
    served: tuple[Span, ...] = ()  # the predicates that an index can apply together
    unset: tuple[tuple[str, ...], ...] = ()  # foreign keys declared NULL that a join follows before the stop
    others: tuple[Relation, ...] = ()  # joined before it, where no equality joins it to them
    constants: tuple[str, ...] = ()  # of `columns`, those that equal what stands in the text

    @property
    def table(self) -> Table:
        return self.relation.table

    @property
    def limit_columns(self) -> tuple[str, ...]:
        """The columns a CARDINALITY LIMIT could be declared on, those of the primary key first, in its order.

        Columns of few values are left out: where nothing else is fixed there are none.
        """
        named = {name for name in self.columns if not self._holds_few(name)}
        key = tuple(name for name in self.table.primary_key if name in named)
        return (*key, *self.table.in_order(named.difference(key)))

    def _holds_few(self, name: str) -> bool:
        return holds_few_values(self.table, name, is_constant=name in self.constants)

    @property
    def sentence(self) -> str:
        """Say what grows: "subscriptions of one owner: nothing limits how many there are"."""
        flags = [name for name in self.columns if self._holds_few(name)]
        others = [name for name in self.columns if name not in flags]
        kinds = (
            [" with " + " and ".join(f"one word in {' or '.join(word)}" for word in self.words)] if self.words else []
        )
        kinds += [f" of one {' and one '.join(others)}"] if others else []
        kinds += [f" with one value of {' and '.join(flags)}"] if flags else []
        what = f"{self.table.name}{''.join(kinds)}" if kinds else f"all {self.table.name}"
        return f"{what}: nothing limits how many there are"


def gap_of(
    relation: Relation,
    path: tuple[int, ...],
    under: Sequence[LogicalNode],
    reading: Reading,
    *,
    is_joined: bool,
    has_equality: bool,
) -> Gap:
    """Describe a read that nothing bounds."""
    known = reading.restrictions
    values = (each for each in known.equal.values() if not each.is_null)
    fixed = sorted(values, key=lambda each: holds_few_values(relation.table, each.column))
    spans = [relation.span, *(each.predicate.span for each in fixed), *(word.predicate.span for word in known.words)]
    stop = next((each for each in under if isinstance(each, Stop)), None)
    joins = [] if is_joined else _joins_before_stop(under)
    blockers: list[Span | None] = []
    kind: GapKind = "join" if is_joined else "scan"
    if is_joined and not has_equality:
        kind = "product"
    elif any(isinstance(each, GroupBy | Distinct) for each in under):
        kind = "aggregate"
    tested = [*known.blocking, *(word.predicate for word in known.words[1:])]
    for each in list(known.ranges.values())[1:]:
        tested.extend(each.predicates)
    if kind not in ("product", "aggregate") and reading.wanted.count is not None:
        kind = "blocked" if tested else "sort"
        order = next((sort.span for sort in under if isinstance(sort, Sort)), None)
        blockers = [expression.span for expression in tested] or [order]
    return Gap(
        kind,
        path,
        relation,
        tuple(name for name, each in known.equal.items() if not each.is_null),
        tuple(dict.fromkeys(word.columns for word in known.words)),
        tuple(span for span in spans if span is not None),
        tuple(span for span in blockers if span is not None),
        stop,
        next(iter(known.ranges), ""),
        bool(tested) or any(isinstance(each, SemiJoin) for each in under),
        tuple(dict.fromkeys(each.table.name for join in joins for each in _others(join, relation))),
        tuple(dict.fromkeys(found for join in joins for found in _references(join, relation))),
        served=tuple(_served(known)),
        unset=tuple(dict.fromkeys(found for join in joins for found in _unset(join, relation))),
        others=tuple(_joined_before(under)) if kind == "product" else (),
        constants=tuple(
            name for name, each in known.equal.items() if all(isinstance(value, Constant) for value in each.values)
        ),
    )


def _served(known: Restrictions) -> Iterator[Span]:
    """Yield the places of the predicates that one index can apply together: equalities, and a word or a range."""
    predicates = [each.predicate for each in known.equal.values()]
    predicates += [word.predicate for word in known.words[:1]]
    predicates += [each for found in list(known.ranges.values())[:1] for each in found.predicates]
    for predicate in predicates:
        if predicate.span is not None:
            yield predicate.span


def _joined_before(under: Sequence[LogicalNode]) -> Iterator[Relation]:
    join = next((each for each in under if isinstance(each, Join)), None)
    if join is not None:
        own = aliases_below(join.left)
        yield from (relation for relation in join.left.find(Relation) if relation.alias in own)


def _joins_before_stop(under: Sequence[LogicalNode]) -> list[Join]:
    """Return the inner joins between a read and the stop, or the top."""
    found: list[Join] = []
    for each in under:
        if isinstance(each, Stop):
            break
        if isinstance(each, Join) and each.kind == "inner":
            found.append(each)
    return found


def _others(join: Join, relation: Relation) -> list[Relation]:
    return [each for each in _relations_below(join) if each.alias != relation.alias]


def _relations_below(join: Join) -> tuple[Relation, ...]:
    return _below.recall((join,), lambda: _relations(join))


def _relations(node: LogicalNode) -> tuple[Relation, ...]:
    if isinstance(node, Relation):
        return (node,)
    return tuple(found for source in inputs(node) for found in _relations(source))


_below: Memory[tuple[Relation, ...]] = Memory(1024)  # every gap of a plan looks at the same joins


def _aliases(join: Join) -> set[str]:
    return {relation.alias for relation in _relations_below(join)}


def _unset(join: Join, relation: Relation) -> Iterator[tuple[str, ...]]:
    """Yield the columns of the foreign keys of a relation that a join follows and that may be NULL."""
    pairs = _equated(join, relation)
    for key in relation.table.foreign_keys:
        columns = [relation.table.column(name) for name in key.columns]
        if any(column is not None and column.nullable for column in columns) and any(
            tuple(named.get(name) for name in key.referenced_columns) == key.columns for named in pairs.values()
        ):
            yield tuple(column.name for column in columns if column is not None and column.nullable)


def _equated(join: Join, relation: Relation) -> dict[str, dict[str, str]]:
    """Return for each other relation of a join which of its columns equals which of this one's."""
    pairs: dict[str, dict[str, str]] = {}
    for condition in conjuncts(join.condition) if join.condition is not None else ():
        match condition:
            case Comparison(operator="=", left=ColumnRef() as left, right=ColumnRef() as right):
                for own, other in ((left, right), (right, left)):
                    if own.relation == relation.alias and other.relation in _aliases(join) - {own.relation}:
                        pairs.setdefault(other.relation, {})[other.name] = own.name
            case _:
                pass
    return pairs


def _references(join: Join, relation: Relation) -> list[Reference]:
    """Return the foreign keys of a relation's table that a join follows without their being declared."""
    pairs = _equated(join, relation)
    if not pairs:
        return []
    tables = {each.alias: each.table for each in _others(join, relation)}
    found = []
    for alias, named in pairs.items():
        key = tables[alias].primary_key
        columns = tuple(named[name] for name in key if name in named)
        is_declared = any(set(each.columns) == set(columns) for each in relation.table.foreign_keys)
        if len(columns) == len(key) and len(set(columns)) == len(columns) and not is_declared:
            found.append(Reference(columns, tables[alias].name, key))
    return found
