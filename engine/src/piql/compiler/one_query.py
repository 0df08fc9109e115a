"""The stages of one query after binding: optimize → plan → with the indexes of the whole set → read the bound off.

    BoundQuery ──plan_once──▶ PlannedQuery ──(index_design, for the whole set)──finish_once──▶ CompiledQuery

Enters: a `BoundQuery` and the indexes of its tables. Leaves: a `CompiledQuery`. Next: `query_set` puts all together.
`compile_bare` takes a statement of the interactive mode through all stages, over the indexes that are deployed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from piql.compiler.binding.binder import DEFINITIONS, BoundQuery, bind_statement, tables_of
from piql.compiler.binding.let import several_rows
from piql.compiler.bounds.copies import dear_copies
from piql.compiler.bounds.expensive import expensive_query, expensive_write
from piql.compiler.bounds.levels import uncountable
from piql.compiler.bounds.queries import bound_of, section_cost
from piql.compiler.bounds.scaling import scaling_class
from piql.compiler.bounds.unsized import unsized_columns
from piql.compiler.bounds.writes import bound_of_write
from piql.compiler.index_design import (
    IndexesByTable,
    PlannedQuery,
    design_alone,
    indexes_read,
    tables_read,
)
from piql.compiler.logical.operators import Cases, Delete, Insert, LogicalNode, Update, section_of
from piql.compiler.narrow_indexes import over_narrow_indexes
from piql.compiler.optimizer import optimize
from piql.compiler.optimizer.analysis.effort import Cost
from piql.compiler.optimizer.analysis.predicates import holds_subquery
from piql.compiler.optimizer.cases import cases_of
from piql.compiler.optimizer.contradictions import contradictions, keeps_none
from piql.compiler.other_numbers import finish_for_numbers, plan_for_numbers
from piql.compiler.physical.indexes.index_set import IndexSet
from piql.compiler.physical.indexes.secondary_index import constraint_indexes
from piql.compiler.physical.operators import (
    IndexFKJoin,
    IndexScan,
    PhysicalNode,
    SortedIndexJoin,
    map_inputs,
)
from piql.compiler.physical.partitions import hot_partitions
from piql.compiler.physical.planner.competing_facts import competing_facts
from piql.compiler.physical.planner.findings import gap_diagnostics, indistinct_pages, misplaced_subqueries, never_true
from piql.compiler.physical.planner.left_out import (
    LeftOut,
    dear_limits,
    foreign_keys,
    limits_of_whole_tables,
    limits_relied_on,
    may_do_without,
    unused_limits,
    with_tables,
    without,
)
from piql.compiler.physical.planner.planner import plan_on_trial, plan_query
from piql.compiler.physical.planner.unbounded import Gap
from piql.compiler.physical.writes import plan_write
from piql.compiler.result import CompiledQuery, UnboundedSegment
from piql.compiler.syntax import ast
from piql.compiler.syntax.parser import parse
from piql.schema.catalog import Catalog, Index, Table
from piql.schema.read_policies import ReadLevel
from piql.schema.write_policies import WriteLevel
from piql.text.diagnostics.diagnostic import Diagnostic
from piql.text.diagnostics.report import report
from piql.text.source import Source
from piql.trees.caches import Cached
from piql.trees.giving_up import go_on

_plans: Cached[tuple[IndexesByTable, PlannedQuery | None]] = Cached(2048)
"""By query: its plan, with the indexes over which it was made."""
_finished: Cached[tuple[tuple[Index, ...], CompiledQuery]] = Cached(2048)
"""By query and plan: the result, with the indexes of the set that it depends on."""


def compile_bare(source: Source, catalog: Catalog, indexes: Mapping[str, Index] | None) -> CompiledQuery:
    """Compile one bare statement; only indexes that exist can be read, since nothing is deployed for it."""
    file = parse(source)
    whole = source.span(0, len(source.text))
    statement = file.statements[0] if len(file.statements) == 1 else None
    created = None
    if isinstance(statement, ast.CreateQuery):
        created = statement
        statement = statement.body
    has_errors = any(diagnostic.severity == "error" for diagnostic in file.diagnostics)
    if has_errors or statement is None or isinstance(statement, (*DEFINITIONS, ast.CreateUnit)):
        diagnostics = file.diagnostics or (
            report("syntax-error", "one statement is expected here: SELECT, INSERT, UPDATE or DELETE", whole),
        )
        return CompiledQuery("", "select", source.text, whole, whole, diagnostics=diagnostics)
    bound = bind_statement(statement, catalog)
    if indexes is None:
        indexes = constraint_indexes(catalog)
    planned = _plan(bound, indexes_by_table(indexes))
    read = indexes_read(None if planned is None else planned.plan)
    missing = [index.name for index in read if indexes.get(index.name) != index]
    if planned is not None and missing:
        planned = _plan(bound, indexes_by_table(indexes), is_frozen=True)
        if planned is not None and planned.gaps:
            planned = replace(planned, gaps=(), findings=(_not_deployed(bound, missing),))
    query = _finish(bound, planned, catalog, IndexSet(dict(indexes), {}))
    if created is not None:
        query = replace(query, read=_read_level(created), write=_write_level(created))
    return replace(query, diagnostics=(*file.diagnostics, *query.diagnostics)) if file.diagnostics else query


def _read_level(statement: object) -> ReadLevel | None:
    """Return what WITH READ of a statement says; None without it."""
    return statement.read.level if isinstance(statement, ast.CreateQuery) and statement.read is not None else None


def _write_level(statement: object) -> WriteLevel | None:
    """Return what WITH WRITE of a statement says; None without it."""
    return statement.write.level if isinstance(statement, ast.CreateQuery) and statement.write is not None else None


def _not_deployed(query: BoundQuery, missing: Sequence[str]) -> Diagnostic:
    return report(
        "missing-index",
        f"this needs an index that is not deployed: {', '.join(missing)}",
        query.span,
        help="give it a name with CREATE QUERY and deploy it: its indexes are made then",
    )


def indexes_by_table(indexes: Mapping[str, Index]) -> IndexesByTable:
    """Group indexes by the name of their table, in their order."""
    by_table: dict[str, list[Index]] = {}
    for index in indexes.values():
        by_table.setdefault(index.table, []).append(index)
    return {table: tuple(of_table) for table, of_table in by_table.items()}


def plan_once(query: BoundQuery, indexes: IndexesByTable) -> PlannedQuery | None:
    """Plan a query, unless it was planned before over the same indexes of its tables."""
    earlier = _plans.get((query,))
    if earlier is not None:
        earlier_indexes, planned = earlier
        if earlier_indexes is indexes:
            return planned
        names = [table.name for table in tables_of(query)]
        if all(are_same(earlier_indexes.get(name, ()), indexes.get(name, ())) for name in names):
            return _plans.put((query,), (indexes, planned))[1]
    return _plans.put((query,), (indexes, plan_for_numbers(query, indexes, _plan)))[1]


def plan_all_once(queries: Iterable[BoundQuery], indexes: IndexesByTable) -> tuple[PlannedQuery | None, ...]:
    """Plan the queries of a piece, unless nobody waits for them any more."""
    go_on()
    return tuple(plan_once(query, indexes) for query in queries)


def are_same(before: tuple[Index, ...], now: tuple[Index, ...]) -> bool:
    """Return whether indexes are equal and declared at the same spans."""
    return before == now and all(old.span is new.span for old, new in zip(before, now, strict=True))


def finish_once(bound: BoundQuery, planned: PlannedQuery | None, catalog: Catalog, settled: IndexSet) -> CompiledQuery:
    """Finish a query, unless it was finished before with the same indexes."""
    if isinstance(bound.plan, Insert | Update | Delete):
        # A write depends on the indexes of its table, and on those by which other tables refer to it.
        basis = tuple(settled.indexes.values())
        keys: tuple[object, ...] = (bound, planned, catalog.tables, catalog.thresholds)
    else:
        basis = tuple(settled.serving(index) for index in indexes_read(planned.plan)) if planned is not None else ()
        keys = (bound, planned, catalog.thresholds)
    earlier = _finished.get(keys)
    if earlier is not None and are_same(earlier[0], basis):
        return earlier[1]

    def finish(bound: BoundQuery, planned: PlannedQuery | None) -> CompiledQuery:
        return _finish(bound, planned, catalog, settled)

    if planned is not None and planned.plan is not None and not basis:
        query = finish_for_numbers(bound, planned, catalog.thresholds, finish)
    else:
        query = finish(bound, planned)
    return _finished.put(keys, (basis, query))[1]


def _plan(query: BoundQuery, by_table: IndexesByTable, *, is_frozen: bool = False) -> PlannedQuery | None:
    """Plan what a query reads as it stands, or for each case of its parameters.

    None for broken queries, and for writes of one row. A limit that makes it dearer, or leaves it without a bound, is
    left out. With `is_frozen` no index may be added.
    """
    plan = section_of(query.plan)
    if plan is None:
        return None

    cases = cases_of(plan)
    planned = _whole_or_by_case(plan, cases, query, by_table, is_frozen)
    least: Cost | None = None
    if planned.plan is None:
        groups = limits_relied_on(planned.logical) if planned.gaps and may_do_without(plan) else ()
    else:
        least = section_cost(planned.plan, {})
        is_otherwise_bounded, has_other_ways = may_do_without(plan), holds_subquery(plan)
        groups = dear_limits(planned.plan, least.nanoseconds, is_otherwise_bounded=is_otherwise_bounded)
        groups += unused_limits(planned.logical, planned.plan) if has_other_ways else ()
        if is_otherwise_bounded:
            groups += foreign_keys(plan, least.nanoseconds) + limits_of_whole_tables(plan)
        groups += competing_facts(plan, least)

    def plan_as_declared(indexes: IndexesByTable) -> PlannedQuery:
        return _whole_or_by_case(plan, cases, query, indexes, is_frozen)

    if not groups:
        return planned if is_frozen else over_narrow_indexes(planned, query, by_table, plan_as_declared)
    declared = {table.name: table for table in tables_of(query)}

    def plan_over(indexes: IndexesByTable, left_out: LeftOut) -> PlannedQuery:
        if not left_out:
            return plan_as_declared(indexes)
        tables = without(declared, left_out)
        by_case = None if cases is None else with_tables(cases, tables)
        cheaper = _whole_or_by_case(with_tables(plan, tables), by_case, query, indexes, is_frozen)
        return cheaper if cheaper.plan is None else _with_all_declared(cheaper, cheaper.plan, declared)

    def cost(candidate: PlannedQuery) -> Cost | None:
        alone = candidate if is_frozen else design_alone(query, candidate, by_table)
        return None if alone.plan is None else section_cost(alone.plan, {})

    cheapest, left_out = _cheapest_without(groups, planned, partial(plan_over, by_table), cost)
    if not is_frozen:
        cheapest = over_narrow_indexes(cheapest, query, by_table, partial(plan_over, left_out=left_out))
    if not left_out:
        return cheapest
    steps = tuple(replace(step, plan=with_tables(step.plan, declared)) for step in cheapest.steps)
    return replace(cheapest, steps=steps)


def _with_all_declared(planned: PlannedQuery, plan: PhysicalNode, declared: Mapping[str, Table]) -> PlannedQuery:
    """Return a query that was planned without some facts, over its tables as they are declared.

    Its steps are still without these facts: most of the plans that are compared are not taken.
    """
    return replace(planned, logical=with_tables(planned.logical, declared), plan=with_tables(plan, declared))


def _cheapest_without(
    groups: Sequence[LeftOut],
    planned: PlannedQuery,
    plan_without: Callable[[LeftOut], PlannedQuery],
    cost_of: Callable[[PlannedQuery], Cost | None],
) -> tuple[PlannedQuery, LeftOut]:
    """Return what costs less than a query as it is planned, and the facts left out for it: one of these groups, or two.

    The group without which a query costs least is tried with each of the others, and without each of its own facts: one
    that was left out beside others may bound another read. Where nothing bounds the query without some facts, it is not
    planned without these and more.
    """
    cheapest, least = planned, cost_of(planned)
    best: LeftOut = ()
    cheapest_without: LeftOut = ()
    tried = set[frozenset[object]]()
    needed: list[frozenset[object]] = []  # facts without which nothing bounds the query
    for _ in range(2):
        base, best = best, ()
        put_back = [tuple(fact for fact in base if fact is not back) for back in base] if len(base) > 1 else []
        for left_out in (*put_back, *(tuple(dict.fromkeys((*base, *group))) for group in groups)):
            facts = frozenset(left_out)
            if facts in tried or any(fewer < facts for fewer in needed):
                continue
            tried.add(facts)
            candidate = plan_without(left_out)
            cost = cost_of(candidate)
            if cost is None:
                needed.append(facts)
            elif least is None or cost[:2] < least[:2]:  # a byte less is no reason
                least, cheapest, best, cheapest_without = cost, candidate, left_out, left_out
        if not best:
            break
    return cheapest, cheapest_without


def _whole_or_by_case(
    plan: LogicalNode, cases: Cases | None, query: BoundQuery, by_table: IndexesByTable, is_frozen: bool
) -> PlannedQuery:
    """Plan a query as it stands, and for each case of its parameters if there are any; return what takes less."""
    planned = _plan_as_declared(plan, query, by_table, is_frozen)
    if cases is None:
        return planned
    by_case = _plan_as_declared(cases, query, by_table, is_frozen)
    if by_case.plan is None or (planned.plan is not None and not _is_quicker(by_case.plan, planned.plan)):
        return planned
    return by_case


def _is_quicker(plan: PhysicalNode, other: PhysicalNode) -> bool:
    """Whether a plan takes at least 10 % less time: an index for each case of the parameters is worth no less."""
    return section_cost(plan, {}).step < section_cost(other, {}).step


def _plan_as_declared(plan: LogicalNode, query: BoundQuery, by_table: IndexesByTable, is_frozen: bool) -> PlannedQuery:
    """Take a plan through both phases, with all that its tables declare."""

    def cost(plan: LogicalNode) -> Cost | None:
        if holds_subquery(plan):
            return None
        planned = plan_on_trial(plan, by_table, section_cost, is_frozen=is_frozen)
        return None if planned is None else section_cost(planned, {})

    logical, steps = optimize(plan, cost)
    misplaced = misplaced_subqueries(logical, query.name or None)
    if misplaced:
        return PlannedQuery(logical, steps, None, (), misplaced)
    planning = plan_query(logical, by_table, section_cost, is_frozen=is_frozen)
    pages = () if planning.gaps else indistinct_pages(planning.indistinct, query.name or None)
    return PlannedQuery(logical, steps, planning.plan, planning.gaps, pages, tables_read(planning.plan))


def _finish(bound: BoundQuery, planned: PlannedQuery | None, catalog: Catalog, settled: IndexSet) -> CompiledQuery:
    """Return the compiled query: its plan over the indexes of the set, its bound and its diagnostics."""
    query = CompiledQuery(
        bound.name,
        bound.kind,
        bound.span.text,
        bound.span,
        bound.name_span,
        bound.parameters,
        bound.plan,
        logical=None if planned is None else planned.logical,
        steps=() if planned is None else planned.steps,
        diagnostics=bound.diagnostics,
        read=_read_level(bound.ast),
        write=_write_level(bound.ast),
    )
    if isinstance(bound.plan, Insert | Update | Delete):
        if bound.has_errors:
            return replace(query, logical=bound.plan)
        return _named_in_unit(bound, _finish_write(query, bound, planned, catalog, settled))
    if planned is None or bound.has_errors:
        return query
    return _named_in_unit(bound, _finish_read(query, bound, planned, catalog, settled))


def _finish_read(
    query: CompiledQuery, bound: BoundQuery, planned: PlannedQuery, catalog: Catalog, settled: IndexSet
) -> CompiledQuery:
    """Return a compiled SELECT, or LET of a unit: its plan over the indexes of the set, and its bound."""
    if isinstance(bound.plan, LogicalNode) and keeps_none(planned.logical):
        excluded = never_true(contradictions(bound.plan), bound.name or None)
        query = replace(query, diagnostics=(*query.diagnostics, *excluded))
    if planned.findings:
        return replace(query, diagnostics=(*query.diagnostics, *planned.findings))
    if planned.plan is None:
        return _refused(query, planned.gaps)
    plan = with_settled_indexes(planned.plan, settled)
    proved = bound_of(plan)
    too_large = uncountable(plan, proved, bound.name or None)
    if too_large is not None:
        return replace(query, diagnostics=(*query.diagnostics, too_large))
    if bound.unit is not None and proved.rows > 1:
        return replace(query, diagnostics=(*query.diagnostics, several_rows(bound.ast, proved.rows)))
    warnings = hot_partitions(plan, bound.name or None)
    unsized = unsized_columns(plan)
    dear = None  # of a unit it is asked as a whole
    if bound.unit is None:
        name, span = bound.name or None, bound.name_span
        dear = expensive_query(proved, catalog.thresholds, name, span, are_bytes_known=not unsized)
    if dear is not None:
        warnings = (*warnings, dear)
    return replace(
        query,
        plan=plan,
        bound=proved,
        scaling_class=scaling_class(plan),
        indexes=tuple(indexes_read(plan)),
        unsized=unsized,
        diagnostics=(*query.diagnostics, *warnings),
    )


def _finish_write(
    query: CompiledQuery,
    bound: BoundQuery,
    planned: PlannedQuery | None,
    catalog: Catalog,
    settled: IndexSet,
) -> CompiledQuery:
    """Return a compiled write: its plan, with that of its section over the indexes of the set, and its bound."""
    write = bound.plan
    assert isinstance(write, Insert | Update | Delete)
    section = None
    if planned is not None:
        if isinstance(write, Insert):
            write = replace(write, given_by=planned.logical)
        else:
            write = replace(write, section=planned.logical)
        query = replace(query, logical=write, steps=planned.steps)
        if planned.findings:
            return replace(query, diagnostics=(*query.diagnostics, *planned.findings))
        if planned.plan is None:
            return _refused(query, planned.gaps, (0,), is_write=not isinstance(write, Insert))
        section = with_settled_indexes(planned.plan, settled)
        query = replace(query, indexes=tuple(indexes_read(section)))
    plan = plan_write(write, catalog, settled.indexes, section)
    proved = bound_of_write(plan)
    grade = "I" if section is None else scaling_class(section)
    dear = None  # of a unit it is asked as a whole
    if bound.unit is None:
        dear = expensive_write(proved, catalog.thresholds, query.name or None, query.name_span)
    dear = dear or dear_copies(plan, proved, query.name or None, query.name_span)
    diagnostics = query.diagnostics if dear is None else (*query.diagnostics, dear)
    return replace(query, logical=write, plan=plan, bound=proved, scaling_class=grade, diagnostics=diagnostics)


def _named_in_unit(bound: BoundQuery, query: CompiledQuery) -> CompiledQuery:
    """Return a statement of a unit with its number in what planning found; any other query as it is."""
    known = len(bound.diagnostics)
    if bound.unit is None or len(query.diagnostics) == known:
        return query
    which = f"statement {bound.unit.number} of {bound.unit.count}"
    findings = (replace(finding, message=f"{which}: {finding.message}") for finding in query.diagnostics[known:])
    return replace(query, diagnostics=(*bound.diagnostics, *findings))


def _refused(
    query: CompiledQuery, gaps: tuple[Gap, ...], above: tuple[int, ...] = (), *, is_write: bool = False
) -> CompiledQuery:
    """Return a query that nothing bounds, with a segment and a diagnostic for each gap.

    `above` leads from the root of the plan to what was read.
    """
    return replace(
        query,
        scaling_class="IV" if any(gap.is_product for gap in gaps) else "III",
        unbounded=tuple(
            UnboundedSegment((*above, *gap.path), gap.table.name, gap.spans, gap.table.name_span, gap.sentence)
            for gap in gaps
        ),
        diagnostics=(*query.diagnostics, *gap_diagnostics(gaps, query.span, query.name or None, is_write=is_write)),
    )


def with_settled_indexes(plan: PhysicalNode, settled: IndexSet) -> PhysicalNode:
    """Let each read of a secondary index use the one of the whole set."""
    if all(settled.serving(index) is index for index in indexes_read(plan)):
        return plan

    def settle(node: PhysicalNode) -> PhysicalNode:
        node = map_inputs(node, settle)
        if isinstance(node, IndexScan | IndexFKJoin | SortedIndexJoin) and not node.index.is_primary:
            index = settled.serving(node.index)
            if index is not node.index:
                return replace(node, index=index)
        return node

    return settle(plan)
