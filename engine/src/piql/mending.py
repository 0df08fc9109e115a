"""Fixes for what an assembly has against a text: each is compiled on a copy before it is offered.

Enters: an `Assembly`. Leaves: a `Compilation` whose places count from the start of each piece. Next: `placing`.
A trial compiles the schema and the queries it is about, not the whole set.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from piql.assembly import Assembly, Part, assemble
from piql.assistant.finding_fixes import Outcome, Trials
from piql.assistant.fixes import TrialWork, suggest_fixes
from piql.assistant.one_value import give_one_value
from piql.assistant.remedy import Patient
from piql.binding.binder import BoundQuery
from piql.compilation import Compilation, CompiledQuery
from piql.diagnostics.diagnostic import Diagnostic, Edit, Fix
from piql.index_advice import advise
from piql.index_design import PlannedQuery
from piql.logical.operators import Stop
from piql.memory import Memory
from piql.sharing import LongList, amended
from piql.source import Source
from piql.syntax import ast
from piql.syntax.parser import MAX_WORK, parse_once

MOST_MENDED = 40  # refused queries that get fixes in one compilation; the others get theirs when these are mended

MOST_TRIED = 60_000  # work of the trials in one compilation, as the parser counts it
LEAST_TRIED, SHARE = 20_000, 4  # a long text takes its time, so less is left for trials: a fourth of its work

LOOKED_OVER = 2_000  # characters without a statement, for the work of a token

GAP_CODES = frozenset(
    ("unbounded-scan", "unbounded-join", "unbounded-product", "unbounded-aggregate", "unbounded-sort", "stop-blocked")
)

_mended: Memory[tuple[tuple[Fix, ...], int]] = Memory(512)  # with the work that it took
_settled: Memory[tuple[tuple[Diagnostic, ...], int]] = Memory(256)


def mend(assembly: Assembly) -> Compilation:
    """Give the compilation with every fix that works."""
    compilation = _with_tried_fixes(assembly, _with_candidates(assembly, _with_fixes(assembly)))
    if compilation.has_errors:
        return compilation
    advice = advise(compilation, partial(_try_bounded, assembly))
    return replace(compilation, diagnostics=(*compilation.diagnostics, *advice)) if advice else compilation


def _as_compilation(assembly: Assembly, findings: Sequence[Diagnostic]) -> Compilation:
    catalog = assembly.catalog
    return Compilation((), catalog, catalog.tables, assembly.by_name, assembly.settled.indexes, tuple(findings))


def _with_fixes(assembly: Assembly) -> Compilation:
    """Give each query that nothing bounds its fixes."""
    compilation = _as_compilation(assembly, assembly.findings())
    refused = assembly.refused()[:MOST_MENDED]
    if not refused:
        return compilation
    trials = _RefusedTrials(assembly, refused)
    fixes = {bound.name: _fixes_once(bound, plan, trials) for bound, plan in refused}
    return replace(
        compilation,
        diagnostics=tuple(_fixed(each, fixes) for each in compilation.diagnostics),
        queries=amended(
            compilation.queries,
            {
                name: replace(query, diagnostics=tuple(_fixed(each, fixes) for each in query.diagnostics))
                for name in fixes
                for query in (compilation.queries[name],)
            },
        ),
    )


def _with_candidates(assembly: Assembly, compilation: Compilation) -> Compilation:
    """Put on each scalar subquery that is refused what may help; it is tried with the fixes of other findings."""
    if all(each.code != "scalar-subquery" for each in compilation.diagnostics):
        return compilation
    changed: dict[int, Diagnostic] = {}
    for part in assembly.loud():
        for query, planned in zip(part.queries, part.planned, strict=True):
            own = [each for each in query.diagnostics if each.code == "scalar-subquery"]
            if own and planned is not None:
                candidates = give_one_value(planned.logical, assembly.definitions)
                for each in own:
                    fixes = candidates.get((each.span.start, each.span.end), ())
                    changed[id(each)] = replace(each, fixes=fixes)

    def now(found: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
        return tuple(changed.get(id(each), each) for each in found)

    queries = {
        own.name: replace(query, diagnostics=now(query.diagnostics))
        for part in assembly.loud()
        for own in part.queries
        for query in (compilation.queries[own.name],)
        if any(id(each) in changed for each in query.diagnostics)
    }
    queries_now = amended(compilation.queries, queries)
    return replace(compilation, queries=queries_now, diagnostics=now(compilation.diagnostics))


def _fixed(diagnostic: Diagnostic, fixes: Mapping[str, tuple[Fix, ...]]) -> Diagnostic:
    """Put the fixes of a query on each of its findings that nothing bounds."""
    if diagnostic.query is None or diagnostic.query not in fixes or diagnostic.code not in GAP_CODES:
        return diagnostic
    return replace(diagnostic, fixes=fixes[diagnostic.query])


class _RefusedTrials:
    """What the trials for the refused queries of one compilation share."""

    def __init__(self, assembly: Assembly, refused: Sequence[tuple[BoundQuery, PlannedQuery]]) -> None:
        self.assembly = assembly
        self.refused = refused
        self.names = [bound.name for bound, _ in refused]
        self.work_of = {each.name: _work_of_a_trial(part) for part in assembly.loud() for each in part.bound}
        self.work = TrialWork(max(LEAST_TRIED, MOST_TRIED - sum(assembly.files.told(_work_among)) // SHARE))
        self._tried: dict[tuple[Edit, ...], Compilation] = {}

    def unblocked(self, edits: tuple[Edit, ...], name: str) -> tuple[str, ...]:
        """Give the other refused queries that edits of the schema bound, as far as there is time to see."""
        others = [each for each in self.names if each != name]
        if not others or not self.work.takes(sum(self.work_of[each] for each in self.names)):
            return ()
        if edits not in self._tried:
            self._tried[edits] = _try(self.assembly, edits, set(self.names))
        return tuple(each for each in others if self._tried[edits].queries[each].is_bounded)


def _work_among(files: tuple[ast.ParsedFile, ...]) -> int:
    return sum(each.work for each in files)


def _work_of_a_trial(part: Part) -> int:
    """Give what it takes to compile one query of a piece again: its part of the work, and looking over the text."""
    return part.file.work // len(part.bound) + len(part.file.source.text) // LOOKED_OVER


def _fixes_once(bound: BoundQuery, planned: PlannedQuery, trials: _RefusedTrials) -> tuple[Fix, ...]:
    """Look for fixes, unless they were found before for the same query and schema, beside the same refused queries."""
    keys = (bound, trials.assembly.schema, *(other for other, _ in trials.refused))
    known = _mended.get(keys)
    if known is not None and trials.work.takes(known[1]):
        return known[0]
    before, was_short = trials.work.left, trials.work.is_short
    trials.work.is_short = False
    fixes = _fixes(bound, planned, trials)
    if not trials.work.is_short:  # else there might have been more to find
        _mended.put(keys, (fixes, before - trials.work.left))
    trials.work.is_short |= was_short
    return fixes


def _fixes(bound: BoundQuery, planned: PlannedQuery, trials: _RefusedTrials) -> tuple[Fix, ...]:
    """Give the fixes of a refused query."""
    assembly = trials.assembly

    def is_bounded_with(edits: tuple[Edit, ...]) -> tuple[str, ...] | None:
        if not trials.work.takes(trials.work_of[bound.name]):
            return None
        compilation = _try(assembly, edits, {bound.name})
        query = compilation.queries.get(bound.name)
        if query is None or not query.is_bounded or _errors_around(compilation, query):
            return None
        # an edit of this query changes no other
        return () if _is_inside(edits, bound) else trials.unblocked(edits, bound.name)

    body = bound.ast.body if isinstance(bound.ast, ast.CreateQuery) else bound.ast
    patient = Patient(planned.gaps, bound.body_span, isinstance(bound.plan, Stop), assembly.definitions, body)
    return suggest_fixes(patient, is_bounded_with)


def _is_inside(edits: Sequence[Edit], bound: BoundQuery) -> bool:
    span = bound.span
    return all(each.file == span.file and span.start <= each.start <= each.end <= span.end for each in edits)


def _with_tried_fixes(assembly: Assembly, compilation: Compilation) -> Compilation:
    """Keep of the fixes that came with a finding those that work, joined with others where they need them.

    The compilations of the trials are left as they are: trials within trials would never end.
    """
    found = compilation.diagnostics
    names = dict.fromkeys(each.query for each in found if each.fixes and each.code not in GAP_CODES)
    if not names:
        return compilation
    by_name: dict[str | None, list[Diagnostic]] = {name: [] for name in names}
    for each in found:
        if each.query in by_name and each.code not in GAP_CODES:
            by_name[each.query].append(each)
    trials = Trials(_read_in_a_trial(assembly))
    settled: dict[int, Diagnostic] = {}
    for name, own in by_name.items():
        after = _settled_once(assembly, trials, name, own, found)
        settled.update((id(one), other) for one, other in zip(own, after, strict=True))
    queries = {
        name: replace(query, diagnostics=tuple(settled.get(id(each), each) for each in query.diagnostics))
        for name in names
        if name is not None and (query := compilation.queries.get(name)) is not None
    }
    diagnostics = tuple(settled.get(id(each), each) for each in found)
    return replace(compilation, queries=amended(compilation.queries, queries), diagnostics=diagnostics)


def _read_in_a_trial(assembly: Assembly) -> int:
    """Give how many characters a trial reads: the schema, and the longest piece."""
    schema = sum(len(each.source.text) for each in assembly.definitions)
    return schema + max((len(part.file.source.text) for part in assembly.loud()), default=0)


def _settled_once(
    assembly: Assembly, trials: Trials, name: str | None, own: Sequence[Diagnostic], found: Sequence[Diagnostic]
) -> tuple[Diagnostic, ...]:
    """Try the fixes of one query, unless that was done before for the same query and schema."""
    if name is None:
        errors = sum(each.severity == "error" for each in found)
        return trials.settled(own, partial(_outcome_for_all, assembly, errors))
    trial = partial(_outcome_for, assembly, name)
    if not trials.left:
        return trials.settled(own, trial)
    keys = (assembly.schema, *assembly.parts_of({name}))
    known = _settled.get(keys)
    if known is not None and known[1] < trials.left and len(known[0]) == len(own):
        trials.left -= known[1]
        return known[0]
    before = trials.left
    after = trials.settled(own, trial)
    if trials.left:  # else there might have been more to try
        _settled.put(keys, (after, before - trials.left))
    return after


def _outcome_for(assembly: Assembly, name: str, edits: tuple[Edit, ...]) -> Outcome:
    """Compile one query with edits made."""
    compilation = _with_fixes(_edited(assembly, edits, {name}, assembly.parts_of({name})))
    query = compilation.queries.get(name)
    if query is None:
        return Outcome(has_errors=True, is_bounded=False)
    gaps = [each for each in query.diagnostics if each.code in GAP_CODES]
    others = [each for each in compilation.diagnostics if each not in gaps]
    has_errors = _errors_around(replace(compilation, diagnostics=tuple(others)), query)
    return Outcome(has_errors, query.is_bounded, tuple(dict.fromkeys(fix for each in gaps for fix in each.fixes)))


def _outcome_for_all(assembly: Assembly, errors: int, edits: tuple[Edit, ...]) -> Outcome:
    """Compile everything with edits that belong to no query: they must leave fewer errors."""
    compilation = _try(assembly, edits, None)
    left = sum(each.severity == "error" for each in compilation.diagnostics)
    return Outcome(has_errors=left >= errors, is_bounded=True)


def _try(assembly: Assembly, edits: tuple[Edit, ...], names: set[str] | None) -> Compilation:
    parts = assembly.first_parts_of(names) if names is not None else []  # others of their names are left as they are
    edited = _edited(assembly, edits, names, parts)
    return _as_compilation(edited, edited.findings())


def _try_bounded(assembly: Assembly, edits: tuple[Edit, ...], names: set[str]) -> Compilation:
    """Compile the schema and some queries in which nothing was found, with edits made."""
    parts = (replace(part, is_loud=True) for part in assembly.parts if any(each.name in names for each in part.bound))
    return _try(replace(assembly, parts=LongList.of(parts)), edits, names)


def _edited(assembly: Assembly, edits: tuple[Edit, ...], names: set[str] | None, parts: Sequence[Part]) -> Assembly:
    """Assemble the schema and the queries of some parts that have these names, or all, with edits made."""
    files: Iterable[ast.ParsedFile] = assembly.files
    if names is not None:
        files = assembly.files.among(assembly.defining.union(id(part.file) for part in parts))
    changed: list[ast.ParsedFile] = []
    for file in files:
        own = sorted((each for each in edits if each.file == file.source.name), key=lambda each: -each.start)
        if own:
            text = file.source.text if names is None else _without(file, names)
            for edit in own:
                text = text[: edit.start] + edit.text + text[edit.end :]
            file = parse_once(Source(text, file.source.name), MAX_WORK)
        if names is not None:
            kept = [
                each for each in file.statements if not isinstance(each, ast.CreateQuery) or each.name.text in names
            ]
            if len(kept) < len(file.statements):
                file = replace(file, statements=tuple(kept))
        changed.append(file)
    return assemble(LongList.of(changed))


def _without(file: ast.ParsedFile, names: set[str]) -> str:
    """Give a piece's text with the other queries blank, and what follows them up to the next statement.

    Places stay, and there is little to parse again. What stands behind the work that is done for a file is left out,
    or it would be read now instead of the others.
    """
    text, parts, at = file.source.text, [], 0
    if file.work > MAX_WORK and file.statements:
        text = text[: file.statements[-1].span.end]
    starts = [*(each.span.start for each in file.statements), len(text)]
    for statement, start, end in zip(file.statements, starts, starts[1:], strict=False):
        if isinstance(statement, ast.CreateQuery) and statement.name.text not in names:
            parts += [text[at:start], " " * (end - start)]
            at = end
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
