"""A compilation whose findings carry the fixes that work: each was compiled on a copy of the text before.

Enters: an `Assembly`. Leaves: a `Compilation` whose spans count from the start of each piece. Next: `relocation`.

    Assembly ──▶ fixes of gaps (gap_fixes) ──▶ fixes to try for scalar subqueries (one_value)
             ──▶ fixes that came with a finding, each tried (finding_fixes)
             ──▶ one warning a hot partition (partitions)
             ──▶ fixes of writes that are called expensive (cheaper_writes) ──▶ advice on indexes (index_advice)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from piql.compiler.fixes.cheaper_writes import with_cheaper_writes
from piql.compiler.fixes.finding_fixes import Outcome, Trials
from piql.compiler.fixes.gap_fixes import GAP_CODES, cost_of, with_gap_fixes
from piql.compiler.fixes.index_advice import advise
from piql.compiler.fixes.one_value import give_one_value
from piql.compiler.fixes.trials import compile_accepted, compile_edited, edited, has_errors_around
from piql.compiler.physical.partitions import once_for_each_partition
from piql.compiler.query_set import Assembly
from piql.compiler.result import Compilation, CompiledQuery
from piql.compiler.syntax.allowances import with_allowed
from piql.text.diagnostics.diagnostic import Diagnostic, Edit
from piql.text.source import Span
from piql.trees.caches import Cached
from piql.trees.sharing import amended

_findings_by_query: Cached[tuple[str, tuple[Diagnostic, ...], int]] = Cached(256)
"""The name of a query, its findings with the fixes that work, and how many trials that took.

Kept by the schema and the pieces of text; where no semicolon ends a query, one piece holds several queries.
"""


class _Subject(NamedTuple):
    """What a finding says, and where. A finding keeps its subject when its fixes change."""

    query: str | None
    code: str
    message: str
    span: Span


def _subject(finding: Diagnostic) -> _Subject:
    return _Subject(finding.query, finding.code, finding.message, finding.span)


def with_working_fixes(assembly: Assembly) -> Compilation:
    """Return the compilation of a whole set. Its diagnostics carry only fixes that work."""
    compilation = _with_tried_fixes(assembly, _with_fixes_of_scalar_subqueries(assembly, with_gap_fixes(assembly)))
    compilation = replace(compilation, diagnostics=once_for_each_partition(compilation.diagnostics))
    if compilation.has_errors:
        return compilation  # what is refused may need the very limit that a write could do without
    compilation = with_cheaper_writes(assembly, compilation)
    advice = _with_allowed(assembly, advise(compilation, partial(compile_accepted, assembly)))
    return replace(compilation, diagnostics=(*compilation.diagnostics, *advice)) if advice else compilation


def _with_allowed(assembly: Assembly, advice: Sequence[Diagnostic]) -> Sequence[Diagnostic]:
    """Return advice on indexes; what a comment above CREATE INDEX allows is a hint."""
    if not advice:
        return advice
    allowed_by_source = {part.file.source: part.allowed for part in assembly.parts if part.allowed}
    return [with_allowed((finding,), allowed_by_source.get(finding.span.source, ()))[0] for finding in advice]


def _with_fixes_of_scalar_subqueries(assembly: Assembly, compilation: Compilation) -> Compilation:
    """Give each refused scalar subquery the fixes that may help; `_with_tried_fixes` tries them with all others."""
    if all(diagnostic.code != "scalar-subquery" for diagnostic in compilation.diagnostics):
        return compilation
    changed: dict[_Subject, Diagnostic] = {}
    for part in assembly.parts_with_findings():
        for query, planned in zip(part.compiled, part.planned, strict=True):
            scalar_subqueries = [diagnostic for diagnostic in query.diagnostics if diagnostic.code == "scalar-subquery"]
            if scalar_subqueries and planned is not None:
                candidates = give_one_value(planned.logical, assembly.definitions)
                for diagnostic in scalar_subqueries:
                    fixes = candidates.get((diagnostic.span.start, diagnostic.span.end), ())
                    changed[_subject(diagnostic)] = replace(diagnostic, fixes=fixes)

    queries = {
        refused.name: replace(query, diagnostics=_replaced(query.diagnostics, changed))
        for part in assembly.parts_with_findings()
        for refused in part.queries
        for query in (compilation.queries[refused.name],)
        if any(_subject(diagnostic) in changed for diagnostic in query.diagnostics)
    }
    return _with_replaced(compilation, queries, changed)


def _replaced(diagnostics: Sequence[Diagnostic], changed: Mapping[_Subject, Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return the diagnostics, those whose subject is in `changed` as they are there."""
    return tuple(changed.get(_subject(diagnostic), diagnostic) for diagnostic in diagnostics)


def _with_replaced(
    compilation: Compilation, queries: Mapping[str, CompiledQuery], changed: Mapping[_Subject, Diagnostic]
) -> Compilation:
    diagnostics = _replaced(compilation.diagnostics, changed)
    return replace(compilation, queries=amended(compilation.queries, queries), diagnostics=diagnostics)


def _with_tried_fixes(assembly: Assembly, compilation: Compilation) -> Compilation:
    """Try the fixes that came with a finding. Keep those that work, joined with others where they need them.

    The compilations of the trials try no fixes themselves: trials within trials would never end.
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
    trials = Trials(_characters_of_a_trial(assembly))
    tried: dict[_Subject, Diagnostic] = {}
    for name, findings in by_name.items():
        findings_after = _with_tried_fixes_once(assembly, trials, name, findings, diagnostics)
        tried.update((_subject(before), after) for before, after in zip(findings, findings_after, strict=True))
    queries = {
        name: replace(query, diagnostics=_replaced(query.diagnostics, tried))
        for name in names
        if name is not None and (query := compilation.queries.get(name)) is not None
    }
    return _with_replaced(compilation, queries, tried)


def _characters_of_a_trial(assembly: Assembly) -> int:
    """Return how many characters a trial reads: the schema, and the longest piece."""
    schema = sum(len(definition.source.text) for definition in assembly.definitions)
    return schema + max((len(part.file.source.text) for part in assembly.parts_with_findings()), default=0)


def _with_tried_fixes_once(
    assembly: Assembly,
    trials: Trials,
    name: str | None,
    findings: Sequence[Diagnostic],
    diagnostics: Sequence[Diagnostic],
) -> tuple[Diagnostic, ...]:
    """Return findings with the fixes that work: of one query, or with `name` None those that belong to no query.

    What is known for the same query and schema is not tried again; it is counted against the limit all the same, so
    that the answer does not depend on what was compiled before.
    """
    if name is None:
        errors = sum(diagnostic.severity == "error" for diagnostic in diagnostics)
        return trials.settled(findings, partial(_outcome_for_schema, assembly, errors))
    trial = partial(_outcome_for_query, assembly, name)
    if not trials.left:
        return trials.settled(findings, trial)
    keys = (assembly.schema, *assembly.parts_of({name}))
    earlier = _findings_by_query.get(keys)
    if earlier is not None:
        known_name, known_findings, trials_taken = earlier
        if known_name == name and trials_taken < trials.left and len(known_findings) == len(findings):
            trials.left -= trials_taken
            return known_findings
    left_before = trials.left
    settled = trials.settled(findings, trial)
    if trials.left:  # otherwise some fixes may not have been tried
        _findings_by_query.put(keys, (name, settled, left_before - trials.left))
    return settled


def _outcome_for_query(assembly: Assembly, name: str, edits: tuple[Edit, ...]) -> Outcome:
    """Compile one query with edits made; where it has a gap then, say what would bound it."""
    compilation = with_gap_fixes(edited(assembly, edits, {name}, assembly.parts_of({name})))
    query = compilation.queries.get(name)
    if query is None:
        return Outcome(has_errors=True, is_bounded=False)
    gaps = [finding for finding in query.diagnostics if finding.code in GAP_CODES]
    others = [finding for finding in compilation.diagnostics if finding.query != name or finding.code not in GAP_CODES]
    has_errors = has_errors_around(replace(compilation, diagnostics=tuple(others)), query)
    bounding = () if has_errors else tuple(dict.fromkeys(fix for finding in gaps for fix in finding.fixes))
    return Outcome(has_errors, query.is_bounded, bounding, "" if query.bound is None else cost_of(query.bound))


def _outcome_for_schema(assembly: Assembly, errors: int, edits: tuple[Edit, ...]) -> Outcome:
    """Compile everything with edits that belong to no query: they work if fewer than `errors` errors are left."""
    compilation = compile_edited(assembly, edits, None)
    errors_left = sum(diagnostic.severity == "error" for diagnostic in compilation.diagnostics)
    return Outcome(has_errors=errors_left >= errors, is_bounded=True)
