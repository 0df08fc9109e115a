"""Fixes of writes that are called expensive: reliefs, each compiled with all queries of its tables before.

    expensive-write ──▶ LaterFixes ──first read──▶ write_reliefs ──each, or some together──▶ a trial ──▶ tuple of Fix

Enters: an `Assembly` without errors. Leaves: its `Compilation`. A relief works if the write is expensive no longer, no
query of its tables has a larger bound than before, and none has a warning that it had not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial

from piql.compiler.binding.binder import tables_of
from piql.compiler.fixes.consequences import together
from piql.compiler.fixes.finding_fixes import joined_title
from piql.compiler.fixes.gap_fixes import cost_of
from piql.compiler.fixes.index_advice import is_no_worse
from piql.compiler.fixes.trials import compile_accepted
from piql.compiler.fixes.write_reliefs import DearWrite, Relief, edits_of, reliefs_of
from piql.compiler.physical.write_plan import WritePlan
from piql.compiler.query_set import Assembly
from piql.compiler.result import Compilation, CompiledQuery
from piql.compiler.syntax import ast
from piql.schema.catalog import views_of
from piql.text.diagnostics.diagnostic import Diagnostic, Edit, Fix, FoundFixes, LaterFixes
from piql.trees.caches import Cached, with_these_caches
from piql.trees.sharing import amended

CODE = "expensive-write"
MOST_RELIEFS = 12  # that are tried for one write: each takes a compilation of all queries of its tables

_fixes: Cached[FoundFixes] = Cached(256)


def with_cheaper_writes(assembly: Assembly, compilation: Compilation) -> Compilation:
    """Give each write that is called expensive its fixes, which are looked for when they are first read."""
    names = {finding.query for finding in compilation.diagnostics if _is_dear(finding)}
    later = {
        name: LaterFixes(with_these_caches(partial(_find_once, assembly, compilation, compilation.queries[name])))
        for name in names
        if name is not None
    }
    if not later:
        return compilation

    def with_fixes(findings: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
        return tuple(
            replace(finding, fixes=later[finding.query]) if _is_dear(finding) and finding.query is not None else finding
            for finding in findings
        )

    queries = {
        name: replace(query, diagnostics=with_fixes(query.diagnostics))
        for name in later
        for query in (compilation.queries[name],)
    }
    return replace(
        compilation,
        diagnostics=with_fixes(compilation.diagnostics),
        queries=amended(compilation.queries, queries),
    )


def _is_dear(finding: Diagnostic) -> bool:
    return finding.code == CODE and not finding.allowed


def _find_once(assembly: Assembly, compilation: Compilation, query: CompiledQuery) -> FoundFixes:
    """Look for fixes, unless they are known for the same schema and the same queries of its tables."""
    plans = _plans_of(query)
    names = _names_of_queries(assembly, {plan.table.name for plan in plans})
    keys = (assembly.schema, query, *(compilation.queries[name] for name in sorted(names)))
    return _fixes.recall(keys, lambda: _find(assembly, compilation, query, plans, names))


def _plans_of(query: CompiledQuery) -> tuple[WritePlan, ...]:
    plans = [statement.plan for statement in query.statements or (query,)]
    return tuple(plan for plan in plans if isinstance(plan, WritePlan))


def _names_of_queries(assembly: Assembly, written: set[str]) -> set[str]:
    """Return the queries that name one of the tables, or a view of one."""
    tables = assembly.catalog.tables
    views = {view.name for name in written for view in views_of(tables, name)}
    return {
        query.name
        for part in assembly.parts
        for query in part.bound
        if not (written | views).isdisjoint(table.name for table in tables_of(query))
    }


def _find(
    assembly: Assembly,
    compilation: Compilation,
    query: CompiledQuery,
    plans: tuple[WritePlan, ...],
    names: set[str],
) -> FoundFixes:
    """Return the fixes of one write: each relief that is enough, or else the first ones that are enough together."""
    if not plans:
        return FoundFixes(())
    before = tuple(compilation.queries[name] for name in sorted(names))
    write = DearWrite(query, plans, compilation, assembly.definitions, _selects(assembly, names))
    reliefs = reliefs_of(write)
    fixes: list[Fix] = []
    helping: list[Relief] = []

    def after(edits: tuple[Edit, ...]) -> CompiledQuery | None:
        """Return the write with edits made; None where a query of its tables is worse, or it is no cheaper."""
        trial = compile_accepted(assembly, edits, names)
        changed = trial.queries.get(query.name)
        if changed is None or changed.bound is None or query.bound is None or not is_no_worse(before, trial):
            return None
        is_cheaper = changed.bound.operations < query.bound.operations
        is_as_quiet = all(_warnings(trial.queries[old.name]) <= _warnings(old) for old in before)
        return changed if is_cheaper and is_as_quiet else None

    for relief in reliefs[:MOST_RELIEFS]:
        changed = after(edits_of([relief]))
        if changed is None:
            continue
        if _is_enough(changed):
            fixes.append(_fix([relief], changed))
        elif relief.may_be_joined:
            helping.append(relief)
    for count in range(2, 1 if fixes else len(helping) + 1):
        changed = after(edits_of(helping[:count]))
        if changed is not None and _is_enough(changed):
            fixes.append(_fix(helping[:count], changed))
            break
    return FoundFixes(tuple(fixes), max(0, len(reliefs) - MOST_RELIEFS))


def _selects(assembly: Assembly, names: set[str]) -> Sequence[tuple[str, ast.QueryExpression]]:
    """Return the texts of the queries among `names` that read."""
    return tuple(
        (statement.name.text, statement.body)
        for part in assembly.parts
        for statement in part.file.statements
        if isinstance(statement, ast.CreateQuery)
        and statement.name.text in names
        and isinstance(statement.body, ast.Select | ast.UnionQuery)
    )


def _warnings(query: CompiledQuery) -> int:
    return sum(finding.severity == "warning" and not finding.allowed for finding in query.diagnostics)


def _is_enough(query: CompiledQuery) -> bool:
    return not any(map(_is_dear, query.diagnostics))


def _fix(reliefs: Sequence[Relief], after: CompiledQuery) -> Fix:
    """Return reliefs as one fix, with what the write then costs."""
    assert after.bound is not None
    title = joined_title([relief.title for relief in reliefs])
    consequence = together(relief.consequence for relief in reliefs)
    return Fix(title, edits_of(reliefs), (), consequence, cost_of(after.bound))
