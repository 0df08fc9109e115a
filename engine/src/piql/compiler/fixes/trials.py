"""The fixes of an assembly's diagnostics: each is compiled on a copy of the text before it is offered.

Enters: an `Assembly`. Leaves: a `Compilation` whose places count from the start of each piece. Next: `relocation`.
A trial compiles the schema and the queries it is about, not the whole set.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from piql.compiler.binding.binder import BoundQuery, tables_of
from piql.compiler.bounds.bound import Bound
from piql.compiler.fixes.finding_fixes import Outcome, Trials
from piql.compiler.fixes.index_advice import advise
from piql.compiler.fixes.one_value import give_one_value
from piql.compiler.fixes.remedy import RefusedQuery
from piql.compiler.fixes.suggest import TrialWork, Works, suggest_fixes
from piql.compiler.index_design import PlannedQuery
from piql.compiler.logical.operators import Stop
from piql.compiler.query_set import Assembly, Part, assemble
from piql.compiler.result import Compilation, CompiledQuery
from piql.compiler.syntax import ast
from piql.compiler.syntax.parser import MAX_WORK, parse_once
from piql.schema.catalog import Table
from piql.text.diagnostics.diagnostic import Diagnostic, Edit, Fix, LaterFixes
from piql.text.source import Source
from piql.trees.caches import Cached, with_these_caches
from piql.trees.sharing import LongList, amended

MOST_TRIED = 60_000  # work of the trials for one query, as the parser counts it
LEAST_TRIALS = 8  # a query of which not so many compilations are within that is not tried
MOST_UNBLOCKED = 40  # other refused queries that are looked at for what else a fix bounds

LOOKED_OVER = 2_000  # characters without a statement, for the work of a token

GAP_CODES = frozenset(
    ("unbounded-scan", "unbounded-join", "unbounded-product", "unbounded-aggregate", "unbounded-sort", "stop-blocked")
)

_fixes_by_query: Cached[tuple[Fix, ...]] = Cached(512)
_settled: Cached[tuple[tuple[Diagnostic, ...], int]] = Cached(256)


def with_working_fixes(assembly: Assembly) -> Compilation:
    """Return the compilation, its diagnostics with the fixes that work."""
    compilation = _with_tried_fixes(assembly, _with_candidates(assembly, _with_fixes(assembly)))
    if compilation.has_errors:
        return compilation
    advice = advise(compilation, partial(_try_bounded, assembly))
    return replace(compilation, diagnostics=(*compilation.diagnostics, *advice)) if advice else compilation


def _as_compilation(assembly: Assembly, findings: Sequence[Diagnostic]) -> Compilation:
    catalog = assembly.catalog
    return Compilation((), catalog, catalog.tables, assembly.by_name, assembly.settled.indexes, tuple(findings))


def _with_fixes(assembly: Assembly) -> Compilation:
    """Give each refused query its fixes, which are looked for when they are first read."""
    compilation = _as_compilation(assembly, assembly.findings())
    refused = assembly.refused()
    if not refused:
        return compilation
    trials = _RefusedTrials(assembly, refused)
    fixes: dict[str, Sequence[Fix]] = {}
    for bound, plan in refused:
        fixes[bound.name] = _fixes_later(bound, plan, trials)
    return replace(
        compilation,
        diagnostics=tuple(_fixed(finding, fixes) for finding in compilation.diagnostics),
        queries=amended(
            compilation.queries,
            {
                name: replace(query, diagnostics=tuple(_fixed(finding, fixes) for finding in query.diagnostics))
                for name in fixes
                for query in (compilation.queries[name],)
            },
        ),
    )


def _with_candidates(assembly: Assembly, compilation: Compilation) -> Compilation:
    """Put on each scalar subquery that is refused what may help; it is tried with the fixes of other findings."""
    if all(diagnostic.code != "scalar-subquery" for diagnostic in compilation.diagnostics):
        return compilation
    changed: dict[int, Diagnostic] = {}
    for part in assembly.loud():
        for query, planned in zip(part.queries, part.planned, strict=True):
            scalar_subqueries = [diagnostic for diagnostic in query.diagnostics if diagnostic.code == "scalar-subquery"]
            if scalar_subqueries and planned is not None:
                candidates = give_one_value(planned.logical, assembly.definitions)
                for diagnostic in scalar_subqueries:
                    fixes = candidates.get((diagnostic.span.start, diagnostic.span.end), ())
                    changed[id(diagnostic)] = replace(diagnostic, fixes=fixes)

    def now(findings: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
        return tuple(changed.get(id(diagnostic), diagnostic) for diagnostic in findings)

    queries = {
        refused.name: replace(query, diagnostics=now(query.diagnostics))
        for part in assembly.loud()
        for refused in part.queries
        for query in (compilation.queries[refused.name],)
        if any(id(diagnostic) in changed for diagnostic in query.diagnostics)
    }
    queries_now = amended(compilation.queries, queries)
    return replace(compilation, queries=queries_now, diagnostics=now(compilation.diagnostics))


def _fixed(diagnostic: Diagnostic, fixes: Mapping[str, Sequence[Fix]]) -> Diagnostic:
    """Put the fixes of a query on each of its findings that nothing bounds."""
    if diagnostic.query is None or diagnostic.query not in fixes or diagnostic.code not in GAP_CODES:
        return diagnostic
    query_fixes = fixes[diagnostic.query]
    if not isinstance(query_fixes, LaterFixes):
        return replace(diagnostic, help=(*diagnostic.help, TOO_LONG))
    return replace(diagnostic, fixes=query_fixes)


TOO_LONG = "this query is too long for fixes to be tried: split it into several shorter ones"


class _RefusedTrials:
    """What the trials for the refused queries of one compilation share; each query has work of its own for them."""

    def __init__(self, assembly: Assembly, refused: Sequence[tuple[BoundQuery, PlannedQuery]]) -> None:
        self.assembly = assembly
        self.refused = refused
        self._work_of = {query.name: _work_of_a_trial(part) for part in assembly.loud() for query in part.bound}
        self._tried: dict[tuple[Edit, ...], Compilation] = {}

    def can_try(self, bound: BoundQuery) -> bool:
        """Return whether there is work enough to look for the fixes of a query."""
        return self._work_of[bound.name] * LEAST_TRIALS <= MOST_TRIED

    def work_for(self, bound: BoundQuery) -> tuple[TrialWork, int]:
        """Return the work that trials for a query may take, and what one takes."""
        return TrialWork(MOST_TRIED), self._work_of[bound.name]

    def unblocked(self, edits: tuple[Edit, ...], bound: BoundQuery) -> tuple[str, ...]:
        """Return the other refused queries that edits of the schema bound, among those that read an edited table."""
        edited = {table.name for table in self.assembly.schema.tables.values() if _holds_any(table, edits)}
        near = [
            refused.name
            for refused, _ in self.refused
            if refused.name != bound.name and any(table.name in edited for table in tables_of(refused))
        ][:MOST_UNBLOCKED]
        if not near:
            return ()
        if edits not in self._tried:
            self._tried[edits] = _try(self.assembly, edits, {bound.name, *near})
        after = self._tried[edits].queries
        return tuple(name for name in near if name in after and after[name].is_bounded)


def _holds_any(table: Table, edits: Sequence[Edit]) -> bool:
    span = table.span
    return span is not None and any(
        edit.file == span.file and span.start <= edit.start <= edit.end <= span.end for edit in edits
    )


def _work_of_a_trial(part: Part) -> int:
    """Return what it takes to compile one query of a piece again: its part of the work, and looking over the text."""
    return part.file.work // len(part.bound) + len(part.file.source.text) // LOOKED_OVER


def _fixes_later(bound: BoundQuery, planned: PlannedQuery, trials: _RefusedTrials) -> Sequence[Fix]:
    """Return fixes that are looked for when somebody asks for them; none where the query is too long for trials."""
    if not trials.can_try(bound):
        return ()
    return LaterFixes(with_these_caches(partial(_fixes_once, bound, planned, trials)))


def _fixes_once(bound: BoundQuery, planned: PlannedQuery, trials: _RefusedTrials) -> tuple[Fix, ...]:
    """Look for fixes, unless they were found before for the same query and schema, beside the same refused queries."""
    keys = (bound, trials.assembly.schema, *(refused for refused, _ in trials.refused))
    return _fixes_by_query.recall(keys, lambda: _fixes(bound, planned, trials))


def _fixes(bound: BoundQuery, planned: PlannedQuery, trials: _RefusedTrials) -> tuple[Fix, ...]:
    """Return the fixes of a refused query."""
    assembly = trials.assembly
    work, work_of_one = trials.work_for(bound)

    def is_bounded_with(edits: tuple[Edit, ...]) -> Works | None:
        if not work.takes(work_of_one):
            return None
        compilation = _try(assembly, edits, {bound.name})
        query = compilation.queries.get(bound.name)
        if query is None or query.bound is None or _errors_around(compilation, query):
            return None
        # an edit of this query changes no other
        unblocks = () if _is_inside(edits, bound) else trials.unblocked(edits, bound)
        return Works(cost_of(query.bound), unblocks)

    body = bound.ast.body if isinstance(bound.ast, ast.CreateQuery) else bound.ast
    refused = RefusedQuery(planned.gaps, bound.body_span, isinstance(bound.plan, Stop), assembly.definitions, body)
    return suggest_fixes(refused, is_bounded_with)


def cost_of(bound: Bound) -> str:
    """Say what an execution then costs at most."""
    requests = f"{bound.operations:,} request{'' if bound.operations == 1 else 's'}"
    return f"at most {requests} an execution"


def _is_inside(edits: Sequence[Edit], bound: BoundQuery) -> bool:
    span = bound.span
    return all(edit.file == span.file and span.start <= edit.start <= edit.end <= span.end for edit in edits)


def _with_tried_fixes(assembly: Assembly, compilation: Compilation) -> Compilation:
    """Keep of the fixes that came with a finding those that work, joined with others where they need them.

    The compilations of the trials are left as they are: trials within trials would never end.
    """
    diagnostics = compilation.diagnostics
    names = dict.fromkeys(
        diagnostic.query for diagnostic in diagnostics if diagnostic.code not in GAP_CODES and diagnostic.fixes
    )
    if not names:
        return compilation
    by_name: dict[str | None, list[Diagnostic]] = {name: [] for name in names}
    for diagnostic in diagnostics:
        if diagnostic.query in by_name and diagnostic.code not in GAP_CODES:
            by_name[diagnostic.query].append(diagnostic)
    trials = Trials(_read_in_a_trial(assembly))
    settled: dict[int, Diagnostic] = {}
    for name, findings in by_name.items():
        after = _settled_once(assembly, trials, name, findings, diagnostics)
        settled.update((id(before), finding) for before, finding in zip(findings, after, strict=True))
    queries = {
        name: replace(
            query, diagnostics=tuple(settled.get(id(diagnostic), diagnostic) for diagnostic in query.diagnostics)
        )
        for name in names
        if name is not None and (query := compilation.queries.get(name)) is not None
    }
    diagnostics = tuple(settled.get(id(diagnostic), diagnostic) for diagnostic in diagnostics)
    return replace(compilation, queries=amended(compilation.queries, queries), diagnostics=diagnostics)


def _read_in_a_trial(assembly: Assembly) -> int:
    """Return how many characters a trial reads: the schema, and the longest piece."""
    schema = sum(len(definition.source.text) for definition in assembly.definitions)
    return schema + max((len(part.file.source.text) for part in assembly.loud()), default=0)


def _settled_once(
    assembly: Assembly,
    trials: Trials,
    name: str | None,
    findings: Sequence[Diagnostic],
    diagnostics: Sequence[Diagnostic],
) -> tuple[Diagnostic, ...]:
    """Try the fixes of one query, unless that was done before for the same query and schema."""
    if name is None:
        errors = sum(diagnostic.severity == "error" for diagnostic in diagnostics)
        return trials.settled(findings, partial(_outcome_for_all, assembly, errors))
    trial = partial(_outcome_for, assembly, name)
    if not trials.left:
        return trials.settled(findings, trial)
    keys = (assembly.schema, *assembly.parts_of({name}))
    earlier = _settled.get(keys)
    if earlier is not None and earlier[1] < trials.left and len(earlier[0]) == len(findings):
        trials.left -= earlier[1]
        return earlier[0]
    before = trials.left
    after = trials.settled(findings, trial)
    if trials.left:  # else there might have been more to try
        _settled.put(keys, (after, before - trials.left))
    return after


def _outcome_for(assembly: Assembly, name: str, edits: tuple[Edit, ...]) -> Outcome:
    """Compile one query with edits made."""
    compilation = _with_fixes(_edited(assembly, edits, {name}, assembly.parts_of({name})))
    query = compilation.queries.get(name)
    if query is None:
        return Outcome(has_errors=True, is_bounded=False)
    gaps = [finding for finding in query.diagnostics if finding.code in GAP_CODES]
    beside = [finding for finding in compilation.diagnostics if finding.query != name or finding.code not in GAP_CODES]
    has_errors = _errors_around(replace(compilation, diagnostics=tuple(beside)), query)
    bounding = () if has_errors else tuple(dict.fromkeys(fix for finding in gaps for fix in finding.fixes))
    return Outcome(has_errors, query.is_bounded, bounding, "" if query.bound is None else cost_of(query.bound))


def _outcome_for_all(assembly: Assembly, errors: int, edits: tuple[Edit, ...]) -> Outcome:
    """Compile everything with edits that belong to no query: they must leave fewer errors."""
    compilation = _try(assembly, edits, None)
    left = sum(diagnostic.severity == "error" for diagnostic in compilation.diagnostics)
    return Outcome(has_errors=left >= errors, is_bounded=True)


def _try(assembly: Assembly, edits: tuple[Edit, ...], names: set[str] | None) -> Compilation:
    parts = assembly.first_parts_of(names) if names is not None else []  # others of their names are left as they are
    edited = _edited(assembly, edits, names, parts)
    return _as_compilation(edited, edited.findings())


def _try_bounded(assembly: Assembly, edits: tuple[Edit, ...], names: set[str]) -> Compilation:
    """Compile the schema and some queries in which nothing was found, with edits made."""
    parts = (replace(part, is_loud=True) for part in assembly.parts if any(query.name in names for query in part.bound))
    return _try(replace(assembly, parts=LongList.of(parts)), edits, names)


def _edited(assembly: Assembly, edits: tuple[Edit, ...], names: set[str] | None, parts: Sequence[Part]) -> Assembly:
    """Assemble the schema and the queries of some parts that have these names, or all, with edits made."""
    files: Iterable[ast.ParsedFile] = assembly.files
    if names is not None:
        defining = _defining(assembly, edits, names, parts)
        files = assembly.files.items_with_ids(defining.union(id(part.file) for part in parts))
    changed: list[ast.ParsedFile] = []
    for file in files:
        file_edits = sorted((edit for edit in edits if edit.file == file.source.name), key=lambda edit: -edit.start)
        if file_edits:
            text = file.source.text if names is None else _without(file, names)
            for edit in file_edits:
                text = text[: edit.start] + edit.text + text[edit.end :]
            file = parse_once(Source(text, file.source.name), MAX_WORK)
        if names is not None:
            statements = [
                statement
                for statement in file.statements
                if not isinstance(statement, ast.CreateQuery) or statement.name.text in names
            ]
            if len(statements) < len(file.statements):
                file = replace(file, statements=tuple(statements))
        changed.append(file)
    return assemble(LongList.of(changed))


def _defining(assembly: Assembly, edits: tuple[Edit, ...], names: set[str], parts: Sequence[Part]) -> frozenset[int]:
    """Return the ids of the pieces that define what some queries name: a trial takes as long in a set of a thousand.

    Those are the tables that they read and those that these reference, their indexes, and what is edited. All pieces
    where a query has no plan yet, which may come to name any table.
    """
    queries = [query for part in parts for query in part.bound if query.name in names]
    if any(query.plan is None or query.has_errors for query in queries):
        return assembly.defining
    schema = assembly.schema
    waiting = [table.name for query in queries for table in tables_of(query)]
    tables: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in tables and name in schema.tables:
            tables.add(name)
            waiting += [key.table for key in schema.tables[name].foreign_keys]
    spans = [schema.tables[name].span for name in tables]
    spans += [index.span for index in schema.indexes.values() if index.table in tables]
    near = {span.file for span in spans if span is not None} | {edit.file for edit in edits}
    return frozenset(id(file) for file in assembly.definitions if file.source.name in near)


def _without(file: ast.ParsedFile, names: set[str]) -> str:
    """Return a piece's text with the other queries blank, and what follows them up to the next statement.

    Places stay, and there is little to parse again. What stands behind the work that is done for a file is left out,
    or it would be read now instead of the others.
    """
    text, parts, at = file.source.text, [], 0
    if file.work > MAX_WORK and file.statements:
        text = text[: file.statements[-1].span.end]
    starts = [*(statement.span.start for statement in file.statements), len(text)]
    for statement, start, end in zip(file.statements, starts, starts[1:], strict=False):
        if isinstance(statement, ast.CreateQuery) and statement.name.text not in names:
            parts += [text[at:start], " " * (end - start)]
            at = end
    return "".join((*parts, text[at:]))


def _errors_around(compilation: Compilation, query: CompiledQuery) -> bool:
    """Whether the query itself or a table of the schema has an error."""
    errors = [diagnostic for diagnostic in compilation.diagnostics if diagnostic.severity == "error"]
    return any(
        error.query == query.name or (error.query is None and _is_schema(error, compilation)) for error in errors
    )


def _is_schema(diagnostic: Diagnostic, compilation: Compilation) -> bool:
    return any(
        table.span is not None
        and table.span.file == diagnostic.span.file
        and table.span.start <= diagnostic.span.start <= table.span.end
        for table in compilation.tables.values()
    )
