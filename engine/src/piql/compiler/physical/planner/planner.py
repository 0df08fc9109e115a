"""Phase II: each section of the logical plan gets a bounded operator, or a reason why none exists (Algorithm 2).

Enters: the logical plan after Phase I, and the indexes that exist. Leaves: a physical plan with every read limited, or
the segments that nothing bounds. Next: `layout` gives operators their fields, `bounds` reads the numbers off the plan.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TypeAlias, assert_never

from piql.compiler.binding.outputs import output_columns
from piql.compiler.binding.types import type_of
from piql.compiler.logical.expressions import ColumnRef, Expression, conjuncts
from piql.compiler.logical.operators import (
    Cases,
    DataStop,
    Derived,
    Distinct,
    GroupBy,
    Join,
    LogicalNode,
    Output,
    Projection,
    RecursiveUnion,
    Relation,
    Selection,
    SemiJoin,
    Sort,
    SortKey,
    Stop,
    Union,
    WorkTable,
)
from piql.compiler.optimizer.analysis.column_uses import ColumnUses, column_uses
from piql.compiler.optimizer.analysis.effort import Cost
from piql.compiler.optimizer.analysis.predicates import ColumnKey, key_of
from piql.compiler.physical.operators import (
    LocalCases,
    LocalDistinct,
    LocalGroupBy,
    LocalProjection,
    LocalStop,
    LocalTop,
    PhysicalNode,
)
from piql.compiler.physical.planner.first_matches import plan_first_match
from piql.compiler.physical.planner.groups import depth_of_keys, depth_of_outputs, depth_of_rows
from piql.compiler.physical.planner.joins import plan_join
from piql.compiler.physical.planner.layout import lay_out
from piql.compiler.physical.planner.legs import is_leg
from piql.compiler.physical.planner.part import (
    NOTHING,
    Part,
    Want,
    fetched,
    is_in_order,
    selected,
    sorted_by,
    total_order,
    with_columns,
)
from piql.compiler.physical.planner.recursion import plan_recursion, plan_work_table
from piql.compiler.physical.planner.scans import plan_leg
from piql.compiler.physical.planner.semi_joins import plan_semi_join
from piql.compiler.physical.planner.unbounded import Gap
from piql.compiler.physical.planner.unions import plan_union
from piql.schema.catalog import Index
from piql.text.source import Span

SectionCost: TypeAlias = Callable[[PhysicalNode, Mapping[str, Iterable[str]]], Cost]


@dataclass(frozen=True, slots=True)
class _Section:
    """The result of planning a section; its root is kept, so that no other operator takes its identity."""

    root: LogicalNode
    part: Part
    gaps: tuple[Gap, ...]


@dataclass(slots=True)
class Planner:
    """Plans one query, section by section; reads that it could not bound are collected in `gaps`.

    The files beside this one plan one kind of section each. They call `plan` for the sections below.
    """

    indexes: Mapping[str, tuple[Index, ...]]  # secondary ones, by table
    uses: ColumnUses
    section_cost: SectionCost  # to choose the cheaper of two
    is_frozen: bool = False  # only the indexes given, as they are: they are deployed
    is_trial: bool = False  # the caller asks only whether there is a plan, so the first gap may end it
    attempts: int = 0  # how many `attempt` blocks are open: a gap in them need not refuse the query
    probes: int = 0  # how many `probe` blocks are open
    gaps: list[Gap] = field(default_factory=list)
    indistinct: list[Stop] = field(default_factory=list)  # pages of rows that may be equal
    work_rows: dict[str, int] = field(default_factory=dict)  # of one level, by the name of the recursive union
    sections: dict[tuple[int, Want], _Section] = field(default_factory=dict)  # planned, by the identity of their root

    def cost(self, section: PhysicalNode) -> Cost:
        """Return what a section on its own may take."""
        return self.section_cost(section, self.uses)

    def miss(self, describe: Callable[[], Gap]) -> None:
        """Note a read that nothing bounds; a trial ends with the first one that no other plan can avoid."""
        if self.is_trial and not self.attempts:
            raise _NoPlan
        self.gaps.append(describe())

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Plan a section of which there may be another plan."""
        self.attempts += 1
        try:
            yield
        finally:
            self.attempts -= 1

    @contextmanager
    def probe(self) -> Iterator[None]:
        """Plan a section whose gaps the caller drops; what was planned before is not planned again.

        A gap tells its path and the operators above it, which differ here. So only a probe takes a section as it was
        planned elsewhere. Without this, n subqueries one above the other plan the lowest section 2ⁿ times.
        """
        self.probes += 1
        try:
            with self.attempt():
                yield
        finally:
            self.probes -= 1

    def plan(self, node: LogicalNode, want: Want, path: tuple[int, ...], under: tuple[LogicalNode, ...]) -> Part:
        """Plan one section.

        `path` leads to it from the root, by the number of each input; `under` are the operators above it, the nearest
        first. Where nothing bounds it, a gap is noted and the part has `WORST` rows.
        """
        planned = self.sections.get((id(node), want)) if self.probes else None
        if planned is not None:
            self.gaps.extend(planned.gaps)
            return planned.part
        gaps = len(self.gaps)
        part = self._plan(node, want, path, under)
        self.sections[id(node), want] = _Section(node, part, tuple(self.gaps[gaps:]))
        return part

    def _plan(self, node: LogicalNode, want: Want, path: tuple[int, ...], under: tuple[LogicalNode, ...]) -> Part:
        """Plan a section by the kind of the operator on its top."""
        if is_leg(node):
            return plan_leg(self, node, want, path, under)
        below = (node, *under)
        match node:
            case Join():
                return (plan_first_match if node.first else plan_join)(self, node, want, path, under)
            case SemiJoin():
                return plan_semi_join(self, node, want, path, under)
            case Stop():
                return self._stop(node, path, below)
            case Sort():
                part = self.plan(node.input, Want(node.keys), (*path, 0), below)
                return sorted_by(part, node.keys if node.is_total else total_order(node.keys, part))
            case Projection():
                return self.project(self.plan(node.input, want, (*path, 0), below), node.outputs, "", node.span)
            case Derived():
                return self._derived(node, path, below)
            case Selection():
                part = self.plan(node.input, want.without_stop(), (*path, 0), below)
                return selected(part, conjuncts(node.predicate), node.predicate)
            case GroupBy():
                return self._group(node, path, below)
            case Distinct():
                part = fetched(self.plan(node.input, want.without_stop(), (*path, 0), below))
                part = part.on(LocalDistinct(child=part.plan, keys=part.keys, depth=depth_of_outputs(part.plan)))
                return part._replace(is_stopped=False, is_unique=True)
            case Union():
                return plan_union(self, node, want, path, below)
            case RecursiveUnion():
                return plan_recursion(self, node, path, below)
            case DataStop():
                return self.plan(node.input, want, (*path, 0), below)
            case Cases():
                raise AssertionError("the cases of a query are planned one by one")
            case Relation():
                raise AssertionError("a relation is a leg")
            case WorkTable():
                raise AssertionError("a work table is read under its alias")
            case _:
                assert_never(node)

    def _stop(self, node: Stop, path: tuple[int, ...], under: tuple[LogicalNode, ...]) -> Part:
        """Plan a LIMIT or PAGINATE with the sort below it; what the section below applies of both is not done again."""
        keys: tuple[SortKey, ...] = ()
        below, at, is_total = node.input, (*path, 0), False
        if isinstance(below, Sort):
            keys, is_total, below, at, under = below.keys, below.is_total, below.input, (*at, 0), (below, *under)
        if node.group_keys:
            want = Want(keys, node.count, is_of_each=True, is_exact=node.is_exact)
            return self.plan(below, want, at, under)._replace(is_stopped=False)
        part = self.plan(below, Want(keys, node.count, node.is_page), at, under)
        order = keys if is_total else total_order(keys or part.order, part)
        is_done = node.is_page or part.is_stopped or not keys or is_in_order(part, order)
        if not is_done and 0 < LocalTop.MANY_TIMES * node.count.max <= part.rows:
            part = with_columns(part, order)
            top = LocalTop(child=part.plan, keys=order, count=node.count, span=node.span)
            return part._replace(plan=top, rows=node.count.max, order=order)
        if keys or node.is_page:
            part = sorted_by(part, order)
        if node.is_page and not part.is_unique:
            self.indistinct.append(node)
        if node.is_page or not part.is_stopped:
            needs = order if node.is_page else ()
            part = with_columns(part, needs)
            stop = LocalStop(child=part.plan, count=node.count, is_page=node.is_page, order=needs, span=node.span)
            part = part._replace(plan=stop, rows=min(part.rows, node.count.max))
        return part._replace(is_stopped=False) if part.is_stopped else part

    def project(self, part: Part, outputs: tuple[Output, ...], alias: str, span: Span | None = None) -> Part:
        """Compute outputs over a section; operators above name them as columns of `alias`, or of "" at the top.

        `span` is where the text lists them.
        """
        part = with_columns(part, outputs)
        fields = tuple([output_column(output, alias) for output in outputs])
        needed = {*(key.expression for key in part.order), *part.keys}
        named: dict[Expression, ColumnRef] = {}
        for output, projected in zip(outputs, fields, strict=True):
            if output.expression in needed:
                named.setdefault(output.expression, projected)
        order = []
        for key in part.order:
            column = named.get(key.expression)
            if column is None:
                break
            order.append(replace(key, expression=column))
        keys = [
            expression
            for expression in part.keys
            if not (isinstance(expression, ColumnRef) and key_of(expression) in part.fixed)
        ]
        is_unique = part.is_unique and all(expression in named for expression in keys)
        return Part(
            LocalProjection(child=part.plan, outputs=outputs, alias=alias, fields=fields, span=span),
            part.rows,
            tuple(order),
            tuple([named[expression] for expression in keys]) if is_unique and keys else fields,
            {
                (alias, output.name): part.fixed[key_of(output.expression)]
                for output in outputs
                if isinstance(output.expression, ColumnRef) and key_of(output.expression) in part.fixed
            },
            is_stopped=part.is_stopped,
            is_unique=is_unique,
        )

    def _derived(self, node: Derived, path: tuple[int, ...], under: tuple[LogicalNode, ...]) -> Part:
        """Plan a derived table: its query, with the columns named by its alias."""
        if isinstance(node.input, WorkTable):
            return plan_work_table(self, node, node.input)
        part = self.plan(node.input, NOTHING, (*path, 0), under)
        columns = (
            ColumnRef(relation="", name=column.name, type=column.type, nullable=column.nullable)
            for column in output_columns(node.input)
        )
        return self.project(part, tuple(Output(name=column.name, expression=column) for column in columns), node.alias)

    def _group(self, node: GroupBy, path: tuple[int, ...], under: tuple[LogicalNode, ...]) -> Part:
        """Plan a GROUP BY: all rows below are read and grouped in memory."""
        part = self.plan(node.input, NOTHING, (*path, 0), under)
        part = with_columns(part, (*node.keys, *node.aggregates))
        is_one = all(isinstance(key, ColumnRef) and key_of(key) in part.fixed for key in node.keys)
        plan = LocalGroupBy(
            child=part.plan,
            keys=node.keys,
            aggregates=node.aggregates,
            is_one=is_one,
            fields=(*node.keys, *node.aggregates),
            depth=depth_of_rows(node, part.plan) if node.summed else depth_of_keys(node.keys, part.plan),
            span=node.span,
        )
        fixed = {key: part.fixed[key] for key in _columns_among(node.keys) if key in part.fixed}
        return Part(plan, 1 if is_one else part.rows, (), node.keys, fixed)


def _columns_among(keys: Iterable[Expression]) -> Iterator[ColumnKey]:
    """Return the grouping keys that are columns."""
    return (key_of(key) for key in keys if isinstance(key, ColumnRef))


def output_column(output: Output, alias: str) -> ColumnRef:
    """Return the column by which operators above a projection read one of its outputs."""
    return ColumnRef(relation=alias, name=output.name, type=type_of(output.expression), nullable=True)


@dataclass(frozen=True, slots=True)
class Planning:
    """The result of planning a query: a plan, or why there is none."""

    plan: PhysicalNode | None
    gaps: tuple[Gap, ...] = ()  # the reads that nothing bounds
    indistinct: tuple[Stop, ...] = ()  # pages of rows that may be equal


class _NoPlan(Exception):
    """Ends a trial at the first read that no plan bounds."""


def plan_on_trial(
    plan: LogicalNode,
    indexes: Mapping[str, tuple[Index, ...]],
    cost: SectionCost,
    *,
    is_frozen: bool = False,
) -> PhysicalNode | None:
    """Plan a query as `plan_query` does, to see what it would cost; None when it has no bound."""
    try:
        return _plan_query(plan, indexes, cost, is_frozen, is_trial=True).plan
    except _NoPlan:
        return None


def plan_query(
    plan: LogicalNode,
    indexes: Mapping[str, tuple[Index, ...]],
    cost: SectionCost,
    *,
    is_frozen: bool = False,
) -> Planning:
    """Plan a query after Phase I: the physical plan, or what nothing bounds; `cost` tells the cheaper of two plans."""
    if isinstance(plan, Cases):
        return _plan_cases(plan, [_plan_query(case, indexes, cost, is_frozen, is_trial=False) for case in plan.inputs])
    return _plan_query(plan, indexes, cost, is_frozen, is_trial=False)


def _plan_cases(cases: Cases, plannings: Sequence[Planning]) -> Planning:
    """Put the plans for the cases of a query together; what nothing bounds in one of them, nothing bounds in all."""
    gaps = tuple(replace(gap, path=(at, *gap.path)) for at, planning in enumerate(plannings) for gap in planning.gaps)
    indistinct = tuple(dict.fromkeys(stop for planning in plannings for stop in planning.indistinct))
    plans = tuple(planning.plan for planning in plannings if planning.plan is not None)
    if gaps or indistinct:
        return Planning(None, gaps, indistinct)
    return Planning(LocalCases(tests=cases.tests, inputs=plans, fields=plans[0].fields, span=cases.span))


def _plan_query(
    plan: LogicalNode,
    indexes: Mapping[str, tuple[Index, ...]],
    cost: SectionCost,
    is_frozen: bool,
    is_trial: bool,
) -> Planning:
    planner = Planner(indexes, column_uses(plan), cost, is_frozen, is_trial)
    part = planner.plan(plan, NOTHING, (), ())
    if planner.gaps or planner.indistinct:
        return Planning(None, tuple(planner.gaps), tuple(planner.indistinct))
    return Planning(lay_out(fetched(part).plan))
