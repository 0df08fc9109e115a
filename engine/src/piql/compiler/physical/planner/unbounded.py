"""A `Gap`: a read that nothing bounds. The planner finds it, `findings` reports it, and `compiler.fixes` closes it.

Gaps are described in terms of the query, because they become messages: which columns are fixed, what the stop counts,
and which declarations are missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from piql.compiler.logical.expressions import ColumnRef, Comparison, conjuncts
from piql.compiler.logical.operators import Distinct, GroupBy, Join, LogicalNode, Relation, SemiJoin, Sort, Stop, inputs
from piql.compiler.optimizer.analysis.facts import countable_range
from piql.compiler.optimizer.analysis.region import aliases_below
from piql.compiler.optimizer.analysis.restrictions import Range, Restrictions, constant_columns
from piql.compiler.physical.few_values import columns_for_limit, holds_few_values
from piql.compiler.physical.planner.join_starts import JoinStart, join_starts
from piql.compiler.physical.planner.reading import Reading
from piql.schema.catalog import Table
from piql.text.source import Span
from piql.trees.caches import Cached

GapKind = Literal["scan", "join", "product", "aggregate", "sort", "blocked"]


@dataclass(frozen=True, slots=True)
class Reference:
    """A foreign key that is not declared: these columns equal the whole primary key of another table in a join."""

    columns: tuple[str, ...]
    table: str
    referenced: tuple[str, ...]

    @property
    def clause(self) -> str:
        """The declaration that would make it a foreign key."""
        return f"FOREIGN KEY ({', '.join(self.columns)}) REFERENCES {self.table} ({', '.join(self.referenced)})"


@dataclass(frozen=True, slots=True)
class Gap:
    """A read without a bound: its relation, what is fixed about it, and why the stop, if any, does not limit it."""

    kind: GapKind
    path: tuple[int, ...]  # to the read from the root of the logical plan, by the number of each input
    relation: Relation
    columns: tuple[str, ...]  # fixed by equalities
    words: tuple[tuple[str, ...], ...]  # the columns that are searched for a word, for each word
    spans: tuple[Span, ...]  # of the relation, then of the equalities and words that fix something
    blockers: tuple[Span, ...] = ()  # the predicates or the sort that the stop cannot pass
    stop: Stop | None = None
    range_column: str = ""  # of the range that an index would apply
    is_tested: bool = False  # a predicate remains that no index applies, so that a stop would not help
    joined: tuple[str, ...] = ()  # tables joined to it before the stop counts
    references: tuple[Reference, ...] = ()  # foreign keys that would let the stop pass these joins
    is_product: bool = False  # multiplies with another read that nothing bounds
    served: tuple[Span, ...] = ()  # the predicates that an index can apply together
    unset: tuple[tuple[str, ...], ...] = ()  # foreign keys declared NULL that a join follows before the stop
    earlier: tuple[Relation, ...] = ()  # relations joined before it, where no equality joins it to them
    constants: tuple[str, ...] = ()  # of `columns`, those that equal what stands in the text
    countable: Range | None = None  # would bound the read if its two ends were a known number apart
    starts: tuple[JoinStart, ...] = ()  # where its join could begin if a limit stood there

    @property
    def table(self) -> Table:
        return self.relation.table

    @property
    def limit_columns(self) -> tuple[str, ...]:
        """The columns a CARDINALITY LIMIT could be declared on, those of the primary key first, in its order.

        Columns of few values are left out: where nothing else is fixed there are none.
        """
        return columns_for_limit(self.table, self.columns, self.constants)

    def _holds_few(self, name: str) -> bool:
        return holds_few_values(self.table, name, is_constant=name in self.constants)

    @property
    def sentence(self) -> str:
        """Say what grows: "subscriptions of one owner: nothing limits how many there are"."""
        flags = [name for name in self.columns if self._holds_few(name)]
        owners = [name for name in self.columns if name not in flags]
        kinds = (
            [" with " + " and ".join(f"one word in {' or '.join(word)}" for word in self.words)] if self.words else []
        )
        kinds += [f" of one {' and one '.join(owners)}"] if owners else []
        kinds += [f" with one value of {' and '.join(flags)}"] if flags else []
        subject = f"{self.table.name}{''.join(kinds)}" if kinds else f"all {self.table.name}"
        return f"{subject}: nothing limits how many there are"


def gap_of(
    relation: Relation,
    path: tuple[int, ...],
    under: Sequence[LogicalNode],
    reading: Reading,
    *,
    is_joined: bool,
    has_equality: bool,
) -> Gap:
    """Describe a read that nothing bounds; `under` are the operators above it, nearest first.

    `is_joined`: it is read for each row of a join's left side; `has_equality`: by an equality with these rows.
    """
    restrictions = reading.restrictions
    equalities = (equality for equality in restrictions.equal.values() if not equality.is_null)
    fixed = sorted(equalities, key=lambda equality: holds_few_values(relation.table, equality.column))
    spans = [
        relation.span,
        *(equality.predicate.span for equality in fixed),
        *(word.predicate.span for word in restrictions.words),
    ]
    stop = next((node for node in under if isinstance(node, Stop)), None)
    joins = [] if is_joined else _joins_before_stop(under)
    blockers: list[Span | None] = []
    kind: GapKind = "join" if is_joined else "scan"
    if is_joined and not has_equality:
        kind = "product"
    elif any(isinstance(node, GroupBy | Distinct) for node in under):
        kind = "aggregate"
    tested = [*restrictions.blocking, *(word.predicate for word in restrictions.words[1:])]
    for range_ in list(restrictions.ranges.values())[1:]:
        tested.extend(range_.predicates)
    if kind not in ("product", "aggregate") and reading.demand.count is not None:
        kind = "blocked" if tested else "sort"
        order = next((sort.span for sort in under if isinstance(sort, Sort)), None)
        blockers = [expression.span for expression in tested] or [order]
    return Gap(
        kind,
        path,
        relation,
        tuple(name for name, equality in restrictions.equal.items() if not equality.is_null),
        tuple(dict.fromkeys(word.columns for word in restrictions.words)),
        tuple(span for span in spans if span is not None),
        tuple(span for span in blockers if span is not None),
        stop,
        next(iter(restrictions.ranges), ""),
        bool(tested) or any(isinstance(node, SemiJoin) for node in under),
        tuple(dict.fromkeys(beside.table.name for join in joins for beside in _relations_beside(join, relation))),
        tuple(dict.fromkeys(reference for join in joins for reference in _references(join, relation))),
        served=tuple(_served(restrictions)),
        unset=tuple(dict.fromkeys(columns for join in joins for columns in _unset(join, relation))),
        earlier=tuple(_joined_before(under)) if kind == "product" else (),
        constants=constant_columns(restrictions.equal),
        countable=countable_range(relation.table, restrictions),
        starts=join_starts(under),
    )


def _served(restrictions: Restrictions) -> Iterator[Span]:
    """Yield the spans of the predicates that one index can apply together: equalities, one word and one range."""
    predicates = [equality.predicate for equality in restrictions.equal.values()]
    predicates += [word.predicate for word in restrictions.words[:1]]
    predicates += [predicate for range_ in list(restrictions.ranges.values())[:1] for predicate in range_.predicates]
    for predicate in predicates:
        if predicate.span is not None:
            yield predicate.span


def _joined_before(under: Sequence[LogicalNode]) -> Iterator[Relation]:
    """Yield the relations on the left of the nearest join."""
    join = next((node for node in under if isinstance(node, Join)), None)
    if join is not None:
        aliases = aliases_below(join.left)
        yield from (relation for relation in join.left.find(Relation) if relation.alias in aliases)


def _joins_before_stop(under: Sequence[LogicalNode]) -> list[Join]:
    """Return the inner joins between a read and the stop, or the top."""
    joins: list[Join] = []
    for node in under:
        if isinstance(node, Stop):
            break
        if isinstance(node, Join) and node.kind == "inner":
            joins.append(node)
    return joins


def _relations_beside(join: Join, relation: Relation) -> list[Relation]:
    """Return the relations below a join, but for one."""
    return [beside for beside in _relations_below(join) if beside.alias != relation.alias]


def _relations_below(join: Join) -> tuple[Relation, ...]:
    return _below.recall((join,), lambda: _relations(join))


def _relations(node: LogicalNode) -> tuple[Relation, ...]:
    if isinstance(node, Relation):
        return (node,)
    return tuple(relation for source in inputs(node) for relation in _relations(source))


_below: Cached[tuple[Relation, ...]] = Cached(1024)  # every gap of a plan looks at the same joins


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
    """Return for each other relation of a join its columns, each with the column of `relation` that it equals."""
    pairs: dict[str, dict[str, str]] = {}
    for condition in conjuncts(join.condition) if join.condition is not None else ():
        match condition:
            case Comparison(operator="=", left=ColumnRef() as left, right=ColumnRef() as right):
                for column, partner in ((left, right), (right, left)):
                    if column.relation == relation.alias and partner.relation in _aliases(join) - {column.relation}:
                        pairs.setdefault(partner.relation, {})[partner.name] = column.name
            case _:
                pass
    return pairs


def _references(join: Join, relation: Relation) -> list[Reference]:
    """Return the foreign keys of a relation's table that a join follows without their being declared."""
    pairs = _equated(join, relation)
    if not pairs:
        return []
    tables = {beside.alias: beside.table for beside in _relations_beside(join, relation)}
    references = []
    for alias, named in pairs.items():
        key = tables[alias].primary_key
        columns = tuple(named[name] for name in key if name in named)
        is_declared = any(set(foreign.columns) == set(columns) for foreign in relation.table.foreign_keys)
        if len(columns) == len(key) and len(set(columns)) == len(columns) and not is_declared:
            references.append(Reference(columns, tables[alias].name, key))
    return references
