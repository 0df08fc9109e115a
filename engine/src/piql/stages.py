"""The stages of a compilation in their order, for all files together.

parse each file → bind them together → for each query: optimize → plan → settle the indexes of the whole set →
read the bounds off the plans → report what nothing bounds, with fixes that were compiled first
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial

from piql.assistant.finding_fixes import Outcome, Trials
from piql.assistant.fixes import suggest_fixes
from piql.assistant.remedy import Patient
from piql.binding.binder import BoundQuery, bind, bind_statement
from piql.bounds.bytes import reads_unsized
from piql.bounds.queries import bound_of
from piql.bounds.scaling import scaling_class
from piql.bounds.writes import bound_of_write
from piql.catalog import Catalog, Index
from piql.compilation import Compilation, CompiledQuery, UnboundedSegment
from piql.diagnostics.codes import report
from piql.diagnostics.diagnostic import Diagnostic, Edit, Fix
from piql.index_design import IndexesByTable, PlannedQuery, indexes_read, settle, tables_read
from piql.logical.operators import Delete, Insert, LogicalNode, LogicalWrite, Relation, Stop, Update
from piql.memory import Memory
from piql.node import Node
from piql.optimizer import optimize
from piql.optimizer.predicates import has_subquery
from piql.optimizer.rule import Cost
from piql.physical.findings import gap_diagnostics, hot_partitions, indistinct_pages, misplaced_subqueries
from piql.physical.index_set import IndexSet
from piql.physical.indexes import constraint_indexes
from piql.physical.operators import IndexFKJoin, IndexScan, PhysicalNode, SortedIndexJoin, operators
from piql.physical.planner import plan_query
from piql.physical.unbounded import Gap
from piql.physical.writes import plan_write
from piql.source import Source
from piql.syntax import ast
from piql.syntax.parser import parse

parse_once = lru_cache(maxsize=2048)(parse)

MOST_MENDED = 40  # refused queries that get fixes in one compilation; the others get theirs when these are mended


def compile_sources(sources: Sequence[Source]) -> Compilation:
    """Compile all files together."""
    files = tuple(parse_once(each) for each in sources)
    return _with_tried_fixes(files, _compile(files, tuple(sources), with_fixes=True))


def compile_bare(source: Source, catalog: Catalog, indexes: Mapping[str, Index] | None) -> CompiledQuery:
    """Compile one bare statement; only indexes that exist can be read, since nothing is deployed for it."""
    file = parse(source)
    whole = source.span(0, len(source.text))
    statement = file.statements[0] if len(file.statements) == 1 else None
    if isinstance(statement, ast.CreateQuery):
        statement = statement.body
    has_errors = any(each.severity == "error" for each in file.diagnostics)
    if has_errors or statement is None or isinstance(statement, ast.CreateTable | ast.CreateEntity | ast.CreateIndex):
        found = file.diagnostics or (
            report("syntax-error", "one statement is expected here: SELECT, INSERT, UPDATE or DELETE", whole),
        )
        return CompiledQuery("", "select", source.text, whole, whole, diagnostics=found)
    bound = bind_statement(statement, catalog)
    if indexes is None:
        indexes = constraint_indexes(catalog)
    planned = _plan(bound, _by_table(indexes), is_frozen=True)
    if planned is not None and planned.gaps:
        freely = _plan(bound, _by_table(indexes))
        if freely is not None and freely.plan is not None:
            missing = [each.name for each in indexes_read(freely.plan) if indexes.get(each.name) != each]
            planned = replace(planned, gaps=(), findings=(_not_deployed(bound, missing),))
    query = _finish(bound, planned, catalog, IndexSet(dict(indexes), {}))
    return replace(query, diagnostics=(*file.diagnostics, *query.diagnostics))


def _not_deployed(query: BoundQuery, missing: Sequence[str]) -> Diagnostic:
    return report(
        "missing-index",
        f"this needs an index that is not deployed: {', '.join(missing)}",
        query.span,
        help="give it a name with CREATE QUERY and deploy it: its indexes are made then",
    )


def _compile(files: Sequence[ast.ParsedFile], sources: tuple[Source, ...], *, with_fixes: bool) -> Compilation:
    program = bind(files)
    catalog = program.catalog
    required = _required.recall((catalog.tables, catalog.indexes), lambda: constraint_indexes(catalog))
    by_table = _tables.recall((required,), lambda: _by_table(required))
    planned = [_plan_once(query, by_table) for query in program.queries]
    settled = settle(program.queries, planned, catalog, by_table)
    queries: dict[str, CompiledQuery] = {}
    found = list(program.diagnostics)
    refused: list[tuple[BoundQuery, PlannedQuery]] = []
    for bound, plan in zip(program.queries, planned, strict=True):
        query = _finish_once(bound, plan, catalog, settled)
        if bound.name not in queries:
            queries[bound.name] = query
        found.extend(each for each in query.diagnostics if each not in bound.diagnostics)
        if plan is not None and plan.gaps and not bound.has_errors:
            refused.append((bound, plan))
    if with_fixes and refused:
        tried: dict[tuple[Edit, ...], Compilation] = {}
        fixes = {
            bound.name: _fixes_once(bound, plan, files, catalog, refused[:MOST_MENDED], tried)
            for bound, plan in refused[:MOST_MENDED]
        }
        found = [_with_fixes(each, fixes) for each in found]
        queries = {
            name: replace(query, diagnostics=tuple(_with_fixes(each, fixes) for each in query.diagnostics))
            if name in fixes
            else query
            for name, query in queries.items()
        }
    return Compilation(sources, catalog, catalog.tables, queries, settled.indexes, tuple(found))


def _with_tried_fixes(files: Sequence[ast.ParsedFile], compilation: Compilation) -> Compilation:
    """Keep of the fixes that came with a finding those that work, joined with others where they need them.

    The compilations of the trials are left as they are: trials within trials would never end.
    """
    found = compilation.diagnostics
    if not any(each.fixes and each.code not in GAP_CODES for each in found):
        return compilation
    trials = Trials(sum(len(file.source.text) for file in files))
    errors = sum(each.severity == "error" for each in found)
    settled: dict[Diagnostic, Diagnostic] = {}
    for name in dict.fromkeys(each.query for each in found if each.fixes and each.code not in GAP_CODES):
        own = [each for each in found if each.query == name and each.code not in GAP_CODES]
        trial = partial(_outcome_for_all, files, errors) if name is None else partial(_outcome_for, files, name)
        settled.update(zip(own, trials.settled(own, trial), strict=True))
    queries = {
        name: replace(query, diagnostics=tuple(settled.get(each, each) for each in query.diagnostics))
        for name, query in compilation.queries.items()
    }
    return replace(compilation, queries=queries, diagnostics=tuple(settled.get(each, each) for each in found))


def _outcome_for(files: Sequence[ast.ParsedFile], name: str, edits: tuple[Edit, ...]) -> Outcome:
    """Compile one query with edits made."""
    compilation = _try(files, edits, {name}, with_fixes=True)
    query = compilation.queries.get(name)
    if query is None:
        return Outcome(has_errors=True, is_bounded=False)
    gaps = [each for each in query.diagnostics if each.code in GAP_CODES]
    others = [each for each in compilation.diagnostics if each not in gaps]
    has_errors = _errors_around(replace(compilation, diagnostics=tuple(others)), query)
    return Outcome(has_errors, query.is_bounded, tuple(dict.fromkeys(fix for each in gaps for fix in each.fixes)))


def _outcome_for_all(files: Sequence[ast.ParsedFile], errors: int, edits: tuple[Edit, ...]) -> Outcome:
    """Compile everything with edits that belong to no query: they must leave fewer errors."""
    names = {each.name.text for file in files for each in file.statements if isinstance(each, ast.CreateQuery)}
    compilation = _try(files, edits, names)
    left = sum(each.severity == "error" for each in compilation.diagnostics)
    return Outcome(has_errors=left >= errors, is_bounded=True)


# What was found before from the very same queries and tables: see `memory`.
_required: Memory[dict[str, Index]] = Memory(512)
_tables: Memory[IndexesByTable] = Memory(512)
_plans: Memory[tuple[IndexesByTable, PlannedQuery | None]] = Memory(8192)
_finished: Memory[tuple[object, CompiledQuery]] = Memory(8192)
_mended: Memory[tuple[Fix, ...]] = Memory(512)


def _by_table(indexes: Mapping[str, Index]) -> IndexesByTable:
    found: dict[str, list[Index]] = {}
    for index in indexes.values():
        found.setdefault(index.table, []).append(index)
    return {table: tuple(own) for table, own in found.items()}


def _plan_once(query: BoundQuery, indexes: IndexesByTable) -> PlannedQuery | None:
    """Plan a query, unless it was planned before over the same indexes of its tables."""
    known = _plans.get((query,))
    if known is not None:
        before, planned = known
        if before is indexes:
            return planned
        tables = () if query.plan is None else {node.table.name for node in query.plan.find(Relation)}
        if all(before.get(table) == indexes.get(table) for table in tables):
            return _plans.put((query,), (indexes, planned))[1]
    return _plans.put((query,), (indexes, _plan(query, indexes)))[1]


def _finish_once(bound: BoundQuery, planned: PlannedQuery | None, catalog: Catalog, settled: IndexSet) -> CompiledQuery:
    """Finish a query, unless it was finished before with the same indexes."""
    if isinstance(bound.plan, Insert | Update | Delete):
        # A write depends on the indexes of its table, and on those by which other tables refer to it.
        basis: object = (id(catalog.tables), settled.indexes)
        keys: tuple[object, ...] = (bound, catalog.tables)
    else:
        basis = tuple(settled.serving(index) for index in indexes_read(planned.plan)) if planned is not None else ()
        keys = (bound, planned)
    known = _finished.get(keys)
    if known is not None and known[0] == basis:
        return known[1]
    return _finished.put(keys, (basis, _finish(bound, planned, catalog, settled)))[1]


def _plan(query: BoundQuery, by_table: IndexesByTable, *, is_frozen: bool = False) -> PlannedQuery | None:
    """Take a SELECT through both phases; None for writes and broken queries."""
    if query.plan is None or isinstance(query.plan, Insert | Update | Delete):
        return None

    def cost(plan: LogicalNode) -> Cost | None:
        if has_subquery(plan):
            return None
        planned = plan_query(plan, by_table, is_frozen=is_frozen).plan
        bound = bound_of(planned) if planned is not None else None
        return None if bound is None else (bound.operations, bound.rows)

    logical, steps = optimize(query.plan, cost)
    misplaced = misplaced_subqueries(logical, query.name or None)
    if misplaced:
        return PlannedQuery(logical, steps, None, (), misplaced)
    found = plan_query(logical, by_table, is_frozen=is_frozen)
    pages = () if found.gaps else indistinct_pages(found.indistinct, query.name or None)
    return PlannedQuery(logical, steps, found.plan, found.gaps, pages, tables_read(found.plan))


def _finish(bound: BoundQuery, planned: PlannedQuery | None, catalog: Catalog, settled: IndexSet) -> CompiledQuery:
    """Give the query with its indexes settled, its bound, and what there is to say about it."""
    query = CompiledQuery(
        bound.name,
        bound.kind,
        bound.span.text,
        bound.span,
        bound.name_span,
        bound.parameters,
        bound.plan,
        diagnostics=bound.diagnostics,
    )
    if isinstance(bound.plan, Insert | Update | Delete):
        if bound.has_errors:
            return replace(query, logical=bound.plan)
        return _finish_write(query, bound.plan, catalog, settled)
    if planned is None:
        return query
    query = replace(query, logical=planned.logical, steps=planned.steps)
    if bound.has_errors:
        return query
    if planned.findings:
        return replace(query, diagnostics=(*query.diagnostics, *planned.findings))
    if planned.plan is None:
        return _refused(query, planned.gaps)
    plan = with_settled_indexes(planned.plan, settled)
    found = hot_partitions(plan, bound)
    if any(map(reads_unsized, operators(plan))):
        found = (*found, _unsized(bound))
    return replace(
        query,
        plan=plan,
        bound=bound_of(plan),
        scaling_class=scaling_class(plan),
        indexes=tuple(indexes_read(plan)),
        diagnostics=(*bound.diagnostics, *found),
    )


def _finish_write(query: CompiledQuery, write: LogicalWrite, catalog: Catalog, settled: IndexSet) -> CompiledQuery:
    plan = plan_write(write, catalog, settled.indexes)
    return replace(query, logical=write, plan=plan, bound=bound_of_write(plan), scaling_class="I")


def _unsized(bound: BoundQuery) -> Diagnostic:
    return report(
        "unsized-column",
        "the bytes of this bound count 64 KiB for each TEXT or BLOB without a length",
        bound.name_span,
        help="VARCHAR(n) says how long a value can be",
        query=bound.name or None,
    )


def _refused(query: CompiledQuery, gaps: tuple[Gap, ...]) -> CompiledQuery:
    return replace(
        query,
        scaling_class="IV" if any(gap.is_product for gap in gaps) else "III",
        unbounded=tuple(
            UnboundedSegment(gap.path, gap.table.name, gap.spans, gap.table.name_span, gap.sentence) for gap in gaps
        ),
        diagnostics=(*query.diagnostics, *gap_diagnostics(gaps, query.span, query.name or None)),
    )


def with_settled_indexes(plan: PhysicalNode, settled: IndexSet) -> PhysicalNode:
    """Let each read of a secondary index use the one of the whole set."""
    if all(settled.serving(index) is index for index in indexes_read(plan)):
        return plan

    def settle(node: Node) -> Node:
        if isinstance(node, IndexScan | IndexFKJoin | SortedIndexJoin) and not node.index.is_primary:
            index = settled.serving(node.index)
            if index is not node.index:
                return replace(node, index=index)
        return node

    return plan.transform_up(settle)  # type: ignore[return-value]


def _fixes_once(
    bound: BoundQuery,
    planned: PlannedQuery,
    files: Sequence[ast.ParsedFile],
    catalog: Catalog,
    refused: Sequence[tuple[BoundQuery, PlannedQuery]],
    tried: dict[tuple[Edit, ...], Compilation],
) -> tuple[Fix, ...]:
    """Look for fixes, unless they were found before for the same query and schema, beside the same refused queries."""
    keys = (bound, catalog.tables, *(other for other, _ in refused))
    return _mended.recall(keys, lambda: _fixes(bound, planned, files, refused, tried))


def _fixes(
    bound: BoundQuery,
    planned: PlannedQuery,
    files: Sequence[ast.ParsedFile],
    refused: Sequence[tuple[BoundQuery, PlannedQuery]],
    tried: dict[tuple[Edit, ...], Compilation],
) -> tuple[Fix, ...]:
    """Give the fixes of a refused query; edits of the schema are compiled once with all refused queries (`tried`)."""
    others = [other.name for other, _ in refused if other.name != bound.name]

    def is_bounded_with(edits: tuple[Edit, ...]) -> tuple[str, ...] | None:
        compilation = _try(files, edits, {bound.name})
        query = compilation.queries.get(bound.name)
        if query is None or not query.is_bounded or _errors_around(compilation, query):
            return None
        if not others or _is_inside(edits, bound):  # an edit of this query changes no other
            return ()
        if edits not in tried:
            tried[edits] = _try(files, edits, {other.name for other, _ in refused})
        return tuple(name for name in others if tried[edits].queries[name].is_bounded)

    patient = Patient(planned.gaps, bound.body_span, _has_stop(bound.plan), files)
    return suggest_fixes(patient, is_bounded_with)


def _is_inside(edits: Sequence[Edit], bound: BoundQuery) -> bool:
    span = bound.span
    return all(each.file == span.file and span.start <= each.start <= each.end <= span.end for each in edits)


def _has_stop(plan: object) -> bool:
    return isinstance(plan, Stop)


def _try(
    files: Sequence[ast.ParsedFile], edits: tuple[Edit, ...], names: set[str], *, with_fixes: bool = False
) -> Compilation:
    """Compile the schema and some queries with edits made."""
    changed: list[ast.ParsedFile] = []
    for file in files:
        own = sorted((each for each in edits if each.file == file.source.name), key=lambda each: -each.start)
        if own:
            text = _without(file, names)
            for edit in own:
                text = text[: edit.start] + edit.text + text[edit.end :]
            file = parse_once(Source(text, file.source.name))
        kept = tuple(
            each for each in file.statements if not isinstance(each, ast.CreateQuery) or each.name.text in names
        )
        changed.append(replace(file, statements=kept))
    return _compile(changed, tuple(file.source for file in changed), with_fixes=with_fixes)


def _without(file: ast.ParsedFile, names: set[str]) -> str:
    """Give a file's text with the other queries blank, so that places stay and there is little to parse again."""
    text, parts, at = file.source.text, [], 0
    for each in file.statements:
        if isinstance(each, ast.CreateQuery) and each.name.text not in names:
            parts += [text[at : each.span.start], " " * (each.span.end - each.span.start)]
            at = each.span.end
    return "".join((*parts, text[at:]))


def _errors_around(compilation: Compilation, query: CompiledQuery) -> bool:
    """Whether an error stands in the query itself or in the tables of its files' schema that it reads."""
    errors = [each for each in compilation.diagnostics if each.severity == "error"]
    return any(each.query == query.name or (each.query is None and _is_schema(each, compilation)) for each in errors)


def _is_schema(diagnostic: Diagnostic, compilation: Compilation) -> bool:
    return any(
        table.span is not None
        and table.span.file == diagnostic.span.file
        and table.span.start <= diagnostic.span.start <= table.span.end
        for table in compilation.tables.values()
    )


def _with_fixes(diagnostic: Diagnostic, fixes: Mapping[str, tuple[Fix, ...]]) -> Diagnostic:
    """Put the fixes of a query on each of its findings that nothing bounds."""
    if diagnostic.query is None or diagnostic.query not in fixes or diagnostic.code not in GAP_CODES:
        return diagnostic
    return replace(diagnostic, fixes=fixes[diagnostic.query])


GAP_CODES = frozenset(
    ("unbounded-scan", "unbounded-join", "unbounded-product", "unbounded-aggregate", "unbounded-sort", "stop-blocked")
)
