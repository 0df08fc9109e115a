"""The fixes of the queries that nothing bounds: looked for when somebody first reads them, and kept.

Enters: an `Assembly`. Leaves: its `Compilation`, where each finding about a gap has its fixes as `LaterFixes`.

    finding about a gap ──▶ LaterFixes ──first read──▶ suggest_fixes ──each set of edits──▶ a trial ──▶ tuple of Fix
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeAlias

from piql.compiler.binding.binder import BoundQuery, tables_of
from piql.compiler.binding.written_rows import section_select
from piql.compiler.bounds.bound import Bound
from piql.compiler.fixes.remedy import RefusedQuery
from piql.compiler.fixes.suggest import TrialWork, Works, suggest_fixes
from piql.compiler.fixes.trials import as_compilation, compile_edited, has_errors_around
from piql.compiler.index_design import PlannedQuery
from piql.compiler.logical.operators import Stop, section_of
from piql.compiler.physical.view_upkeep import upkeep_of_views
from piql.compiler.physical.write_plan import ViewUpkeep
from piql.compiler.query_set import Assembly, Part
from piql.compiler.result import Compilation, CompiledQuery
from piql.compiler.syntax import ast
from piql.schema.catalog import Table, View
from piql.schema.view_joins import restricted, starts_of
from piql.text.diagnostics.diagnostic import Diagnostic, Edit, Fix, FoundFixes, LaterFixes
from piql.text.source import Span
from piql.trees.caches import Cached, with_these_caches
from piql.trees.sharing import amended

MOST_TRIED = 60_000  # the work of all trials for one query together, as the parser counts it
LEAST_TRIALS = 8  # a query so long that MOST_TRIED allows fewer trials gets no fixes
MOST_UNBLOCKED = 40  # other refused queries that are looked at for what else a fix bounds
_TO_COUNT_ONCE = 4  # requests by which groups count a write once, where there are no transactions
CHARACTERS_OF_WORK = 2_000  # characters without a statement that count as the work of one token

GAP_CODES = frozenset(
    ("unbounded-scan", "unbounded-join", "unbounded-product", "unbounded-aggregate", "unbounded-sort", "stop-blocked")
)
TOO_LONG = "this query is too long for fixes to be tried: split it into several shorter ones"

_FixesInText: TypeAlias = tuple[Span, Sequence[Fix]]
"""The text of a query, or of a statement in a unit, and its fixes."""

_fixes_by_query: Cached[FoundFixes] = Cached(512)


def with_gap_fixes(assembly: Assembly) -> Compilation:
    """Give each refused query its fixes, which are looked for when they are first read."""
    compilation = as_compilation(assembly, assembly.findings())
    refused = assembly.refused()
    if not refused:
        return compilation
    trials = _RefusedTrials(assembly, refused)
    fixes: dict[str, list[_FixesInText]] = {}
    for query, planned in refused:
        fixes.setdefault(query.name, []).append((query.span, _later_fixes(query, planned, trials)))

    def with_fixes(diagnostics: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
        return tuple(_with_query_fixes(diagnostic, fixes) for diagnostic in diagnostics)

    queries = {
        name: replace(query, diagnostics=with_fixes(query.diagnostics))
        for name in fixes
        for query in (compilation.queries[name],)
    }
    return replace(
        compilation,
        diagnostics=with_fixes(compilation.diagnostics),
        queries=amended(compilation.queries, queries),
    )


def _with_query_fixes(diagnostic: Diagnostic, fixes: Mapping[str, Sequence[_FixesInText]]) -> Diagnostic:
    """Return a finding about a gap with the fixes of its query, or of its statement in a unit; others as they are."""
    if diagnostic.query is None or diagnostic.query not in fixes or diagnostic.code not in GAP_CODES:
        return diagnostic
    of_name = fixes[diagnostic.query]
    query_fixes = next((fixes_there for span, fixes_there in of_name if _is_in(diagnostic.span, span)), of_name[-1][1])
    if not isinstance(query_fixes, LaterFixes):
        return replace(diagnostic, help=(*diagnostic.help, TOO_LONG))
    return replace(diagnostic, fixes=query_fixes)


def _is_in(span: Span, text: Span) -> bool:
    return span.file == text.file and text.start <= span.start and span.end <= text.end


def _later_fixes(query: BoundQuery, planned: PlannedQuery, trials: _RefusedTrials) -> Sequence[Fix]:
    """Return fixes that are looked for when they are first read; none if the query is too long for trials."""
    if not trials.can_try(query):
        return ()
    return LaterFixes(with_these_caches(partial(_find_fixes_once, query, planned, trials)))


def _find_fixes_once(query: BoundQuery, planned: PlannedQuery, trials: _RefusedTrials) -> FoundFixes:
    """Look for fixes, unless they are known for the same query, schema and other refused queries."""
    keys = (query, trials.assembly.schema, *(refused for refused, _ in trials.refused))
    return _fixes_by_query.recall(keys, lambda: _find_fixes(query, planned, trials))


def _find_fixes(query: BoundQuery, planned: PlannedQuery, trials: _RefusedTrials) -> FoundFixes:
    """Return the fixes of a refused query."""
    assembly = trials.assembly
    work, work_of_a_trial = trials.work_for(query)

    def is_bounded_with(edits: tuple[Edit, ...]) -> Works | None:
        if not work.takes(work_of_a_trial):
            return None
        compilation = compile_edited(assembly, edits, {query.name})
        compiled = compilation.queries.get(query.name)
        if compiled is not None and query.unit is not None:
            compilation, compiled = _statement_alone(compilation, compiled, query.unit.number)
        if compiled is None or compiled.bound is None or has_errors_around(compilation, compiled):
            return None
        # an edit of this query changes no other
        unblocks = () if _edits_only(edits, query) else trials.unblocked(edits, query)
        return Works(cost_of(compiled.bound) + _cost_of_new_views(compilation, assembly), unblocks)

    body = query.ast.body if isinstance(query.ast, ast.CreateQuery) else query.ast
    if isinstance(body, ast.Let) and isinstance(body.value, ast.ScalarQuery):
        body = body.value.query
    refused = RefusedQuery(
        planned.gaps,
        query.body_span,
        isinstance(section_of(query.plan), Stop),
        assembly.definitions,
        section_select(body) if isinstance(body, ast.Update | ast.Delete) else body,
        isinstance(body, ast.Update | ast.Delete),
        assembly.schema.tables,
    )
    fixes = suggest_fixes(refused, is_bounded_with)
    return FoundFixes(fixes.fixes, fixes.untried + work.untried)


def _statement_alone(
    compilation: Compilation, unit: CompiledQuery, number: int
) -> tuple[Compilation, CompiledQuery | None]:
    """Return a statement of a unit, and the compilation without the findings of the others: they have their own fixes.

    None where the unit has no such statement any more.
    """
    if number > len(unit.statements):
        return compilation, None
    statement = unit.statements[number - 1]
    others = (finding for finding in compilation.diagnostics if finding.query != unit.name)
    return replace(compilation, diagnostics=(*others, *statement.diagnostics)), statement


def _cost_of_new_views(compilation: Compilation, assembly: Assembly) -> str:
    """Return what the writes pay for views that a trial has and the text has not, in words behind the other cost."""
    text = ""
    for name, view in compilation.tables.items():
        if view.view is not None and name not in assembly.schema.tables:
            if view.view.joins:
                text += _cost_of_joined_view(compilation, view)
                continue
            indexes = sum(index.table == name for index in compilation.indexes.values())
            requests = 2 + (2 + 4 * indexes if indexes else 0)
            text += f"; a write to {view.view.table} takes {requests} more for each group that its row enters or leaves"
            text += f", and up to {_TO_COUNT_ONCE} to count itself once"
    return text


def _cost_of_joined_view(compilation: Compilation, view: Table) -> str:
    """Return what a write to each of the tables of a view may take for it, whichever write it is."""
    assert view.view is not None
    costs: list[str] = []
    for name in dict.fromkeys(view.view.tables):
        upkeep = upkeep_of_views(
            compilation.tables[name], compilation.catalog, compilation.indexes, None, may_move=True
        )
        requests = sum(_most_requests(kept) for kept in upkeep if kept.view.name == view.name)
        costs.append(f"one to {name} at most {requests:,}")
    return f"; a write takes more for it: {', '.join(costs)}{_kept_as_they_are(compilation, view.view)}"


def _most_requests(kept: ViewUpkeep) -> int:
    """Return what the upkeep of a view of several tables adds to the bound of a write at most."""
    reads = sum(read.requests for read in kept.reads) + kept.is_marked
    if not kept.groups:
        return reads
    indexes = len(kept.indexes)
    if not kept.by_steps:
        return reads + kept.groups * (2 + 2 * indexes)
    return reads + kept.groups * (2 + (2 + 4 * indexes if indexes else 0)) + _TO_COUNT_ONCE


def _kept_as_they_are(compilation: Compilation, view: View) -> str:
    """Return which columns a row keeps while others name it, since no limit says how many groups would change."""
    text = ""
    for start in starts_of(view, compilation.tables):
        columns = ", ".join(sorted(restricted(view, compilation.tables, start)))
        if columns and start.guard is not None:
            text += f"; {columns} of a row of {start.table} stays while {view.tables[start.guard.number]} names the row"
    return text


class _RefusedTrials:
    """The trials for the refused queries of one compilation. Each query has its own limit of work (`MOST_TRIED`).

    Edits of the schema may bound several queries: their compilation is kept, by the edits.
    """

    def __init__(self, assembly: Assembly, refused: Sequence[tuple[BoundQuery, PlannedQuery]]) -> None:
        self.assembly = assembly
        self.refused = refused
        self._work_of = {
            query.name: _work_of_a_trial(part) for part in assembly.parts_with_findings() for query in part.bound
        }
        self._tried: dict[tuple[Edit, ...], Compilation] = {}

    def can_try(self, query: BoundQuery) -> bool:
        """Return whether the limit of work leaves room for at least `LEAST_TRIALS` trials of a query."""
        return self._work_of[query.name] * LEAST_TRIALS <= MOST_TRIED

    def work_for(self, query: BoundQuery) -> tuple[TrialWork, int]:
        """Return the work that is left for the trials of a query, and what one trial takes of it."""
        return TrialWork(MOST_TRIED), self._work_of[query.name]

    def unblocked(self, edits: tuple[Edit, ...], query: BoundQuery) -> tuple[str, ...]:
        """Return the other refused queries that edits of the schema bound, among those that read an edited table."""
        edited_tables = {table.name for table in self.assembly.schema.tables.values() if _holds_any_edit(table, edits)}
        candidates = [
            refused.name
            for refused, _ in self.refused
            if refused.name != query.name and any(table.name in edited_tables for table in tables_of(refused))
        ][:MOST_UNBLOCKED]
        if not candidates:
            return ()
        if edits not in self._tried:
            self._tried[edits] = compile_edited(self.assembly, edits, {query.name, *candidates})
        queries = self._tried[edits].queries
        return tuple(name for name in candidates if name in queries and queries[name].is_bounded)


def _holds_any_edit(table: Table, edits: Sequence[Edit]) -> bool:
    span = table.span
    return span is not None and any(
        edit.file == span.file and span.start <= edit.start <= edit.end <= span.end for edit in edits
    )


def _work_of_a_trial(part: Part) -> int:
    """Return the parser's work to compile one query of a piece again: its share of the piece, and the other text."""
    return part.file.work // len(part.queries) + len(part.file.source.text) // CHARACTERS_OF_WORK


def _edits_only(edits: Sequence[Edit], query: BoundQuery) -> bool:
    """Return whether all edits are inside the text of a query."""
    span = query.span
    return all(edit.file == span.file and span.start <= edit.start <= edit.end <= span.end for edit in edits)


def cost_of(bound: Bound) -> str:
    """Return the requests of an execution as the user reads them: `at most 101 requests an execution`."""
    requests = f"{bound.operations:,} request{'' if bound.operations == 1 else 's'}"
    return f"at most {requests} an execution"
