"""A set of parsed pieces → everything but fixes: bound together, planned, with the indexes of the whole set.

Enters: the pieces of all files in their order, and perhaps an earlier set. Leaves: an `Assembly`. Next: `fixes`.

    pieces ──▶ schema ──▶ each piece bound ──▶ each query planned alone ──▶ indexes of the set ──▶ `Part`s, finished

`assemble` does all of it, or starts from an earlier set that differs in a few pieces (`_changed`). Then only these are
compiled: the pieces that changed, those that name a changed table, and those whose indexes are designed anew. The
result is the same either way. Offsets count from the start of each piece; `relocation` turns them into those of files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from operator import is_

from piql.compiler.binding.binder import (
    BoundQuery,
    bind_piece,
    bind_schema_once,
    declaration_of,
    defines,
    marked_duplicate,
    tables_of,
)
from piql.compiler.binding.schema import BoundSchema
from piql.compiler.binding.scope import TableNames
from piql.compiler.binding.star_room import StarRoom
from piql.compiler.bounds.unsized import UnsizedRead, unsized_findings
from piql.compiler.early_answers import tell_early, tell_others
from piql.compiler.index_design import IndexesByTable, PlannedQuery, design, settle
from piql.compiler.one_query import are_same, finish_once, indexes_by_table, plan_all_once
from piql.compiler.one_unit import with_units
from piql.compiler.physical.indexes.index_set import IndexSet, settle_indexes
from piql.compiler.physical.indexes.secondary_index import constraint_indexes
from piql.compiler.result import CompiledQuery, RepeatedQuery
from piql.compiler.syntax import ast
from piql.compiler.syntax.allowances import Allowance, allowances, idle_allowances, with_allowed
from piql.compiler.syntax.lexer import MAX_FINDINGS
from piql.compiler.syntax.pieces import file_of_piece
from piql.schema.catalog import Catalog, Index
from piql.text.diagnostics.diagnostic import Diagnostic
from piql.trees.caches import Cached
from piql.trees.giving_up import go_on
from piql.trees.sharing import LongList, LongMap, common_ends

MOST_CHANGED = 64  # pieces; a set that differs in more is put together anew

_required: Cached[dict[str, Index]] = Cached(128)
_tables: Cached[IndexesByTable] = Cached(128)


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """The results of one piece: its queries bound, planned and finished, and its diagnostics."""

    file: ast.ParsedFile
    defines: bool  # a table, an entity or an index
    bound: tuple[BoundQuery, ...]
    alone: tuple[PlannedQuery | None, ...]  # planned as if there were no other queries
    planned: tuple[PlannedQuery | None, ...]
    reads: frozenset[str]  # tables whose secondary indexes its queries read when they are planned alone
    compiled: tuple[CompiledQuery, ...]  # in the order of `bound`
    queries: tuple[CompiledQuery, ...]  # the same, the statements of a unit as one
    unnamed: tuple[Diagnostic, ...]
    allowed: tuple[Allowance, ...]
    idle: tuple[Diagnostic, ...]  # of comments that allow nothing
    has_findings: bool  # diagnostics of its queries or its syntax; those of the tables that it defines do not count
    writes: bool  # some of its queries write; their bounds depend on the indexes of several tables

    def findings_of_plans(self) -> list[Diagnostic]:
        """Return the diagnostics of planning; each query lists them after those of binding, a unit its own at last."""
        of_queries = [
            finding
            for query, bound in zip(self.compiled, self.bound, strict=True)
            for finding in query.diagnostics[len(bound.diagnostics) :]
        ]
        return of_queries + [
            finding
            for unit in self.queries
            if unit.kind == "unit"
            for finding in unit.diagnostics[sum(len(query.diagnostics) for query in unit.statements) :]
        ]


@dataclass(frozen=True, slots=True, eq=False)
class Assembly:
    """All pieces together, with all that the next set may be made from."""

    files: LongList[ast.ParsedFile]  # the pieces
    parts: LongList[Part]  # one for each piece, in the same order
    schema: BoundSchema
    definitions: list[ast.ParsedFile]  # those of the pieces that define a part of the schema
    defining: frozenset[int]  # their ids
    names: TableNames
    catalog: Catalog
    by_table: IndexesByTable  # the indexes that constraints need
    designed: Mapping[str, tuple[Index, ...]]  # the indexes that queries need, by table
    settled: IndexSet  # all of them under their final names
    by_name: LongMap[str, CompiledQuery]  # the first query of each name
    times: Counter[str]  # how many queries have a name, in lower case
    room: LongMap[str | None, StarRoom]  # of each file

    def parts_of(self, names: set[str]) -> list[Part]:
        """Return the parts with findings that hold a query of one of these names."""
        return [part for part in self.parts_with_findings() if any(query.name in names for query in part.bound)]

    def first_parts_of(self, names: set[str]) -> list[Part]:
        """Return, of `parts_of(names)`, the first part for each name."""
        first: dict[str, Part] = {}
        for part in self.parts_of(names):
            for query in part.bound:
                first.setdefault(query.name, part)
        return [part for name, part in first.items() if name in names]

    def parts_with_findings(self) -> list[Part]:
        """Return the parts whose `has_findings` is set, in the order of the text."""
        return list(chain.from_iterable(self.parts.by_run(_with_findings)))

    def refused(self) -> list[tuple[BoundQuery, PlannedQuery]]:
        """Return the queries that nothing bounds."""
        return [
            (bound, planned)
            for part in self.parts_with_findings()
            for bound, planned in zip(part.bound, part.planned, strict=True)
            if planned is not None and planned.gaps and not bound.has_errors
        ]

    def repeated(self) -> tuple[RepeatedQuery, ...]:
        """Return the queries whose name an earlier one has, in the order of the text."""
        return tuple(
            RepeatedQuery(query.name, query.span, query.name_span, first.name_span)
            for part in self.parts_with_findings()  # each has an error
            for query in part.queries
            if (first := self.by_name[query.name]) is not query
        )

    def findings(self) -> list[Diagnostic]:
        """Return the diagnostics up to binding in the order of the text, those of each plan, those of columns."""
        of_schema: dict[int, list[Diagnostic]] = {}
        for finding in self.schema.diagnostics:
            of_schema.setdefault(id(finding.span.source), []).append(finding)
        of_texts: list[Diagnostic] = []
        of_plans: list[Diagnostic] = []
        syntax_counts: Counter[str | None] = Counter()  # findings of the syntax so far, by file
        parts = self.parts_with_findings()
        if of_schema:
            candidates = chain.from_iterable(self.parts.by_run(_defining_or_with_findings))
            parts = [part for part in candidates if part.has_findings or id(part.file.source) in of_schema]
        for part in parts:
            source = part.file.source
            home = file_of_piece(source.name)
            syntax = part.file.diagnostics[: MAX_FINDINGS - syntax_counts[home]]
            syntax_counts[home] += len(syntax)
            of_part = [*syntax, *with_allowed(of_schema.get(id(source), ()), part.allowed), *part.unnamed, *part.idle]
            for query, bound in zip(part.compiled, part.bound, strict=True):
                of_part.extend(query.diagnostics[: len(bound.diagnostics)])
            of_texts.extend(sorted(of_part, key=lambda finding: finding.span.start))
            of_plans.extend(part.findings_of_plans())
        unsized = chain.from_iterable(self.parts.by_run(_unsized_among))
        return [*of_texts, *of_plans, *unsized_findings(unsized, self.catalog.tables)]


def assemble(files: LongList[ast.ParsedFile], before: Assembly | None = None) -> Assembly:
    """Put pieces together, from an earlier set where it differs little."""
    if before is not None:
        changed = _changed(files, before)
        if changed is not None:
            return changed
    definitions = list(chain.from_iterable(files.by_run(_defining_among)))
    schema = bind_schema_once(definitions)
    names = TableNames(schema.tables, frozenset(schema.broken))
    catalog = Catalog(schema.tables, schema.indexes, schema.thresholds)
    by_table = _constraint_indexes(catalog)
    bound: list[tuple[BoundQuery, ...]] = []
    unnamed: list[tuple[Diagnostic, ...]] = []
    first_by_name: dict[str, BoundQuery] = {}
    times: Counter[str] = Counter()
    room = _room_of(files)
    for file in files:
        go_on()
        home = file_of_piece(file.source.name)
        queries, without_name, room[home] = bind_piece(file, schema, names, room[home])
        for at, query in enumerate(queries):
            if not query.is_first:
                continue
            name = query.name.lower()
            times[name] += 1
            first = first_by_name.setdefault(name, query)
            if first is not query:
                queries[at] = marked_duplicate(query, first)
        bound.append(tuple(queries))
        unnamed.append(without_name)
    alone = [plan_all_once(queries, by_table) for queries in bound]
    planned = list(chain.from_iterable(alone))
    settled, designed = settle(list(chain.from_iterable(bound)), planned, catalog, by_table)
    plans = iter(planned)
    parts = LongList.of(
        _part(file, queries, plans_alone, tuple(islice(plans, len(plans_alone))), without_name, catalog, settled)
        for file, queries, plans_alone, without_name in zip(files, bound, alone, unnamed, strict=True)
    )
    defining = frozenset(map(id, definitions))
    by_name, rooms = _by_name(parts), LongMap(room)
    return Assembly(
        files, parts, schema, definitions, defining, names, catalog, by_table, designed, settled, by_name, times, rooms
    )


def _constraint_indexes(catalog: Catalog) -> IndexesByTable:
    """Return the indexes that the constraints of a catalog need, and those declared in it, by table."""
    required = _required.recall((catalog.tables, catalog.indexes), lambda: constraint_indexes(catalog))
    return _tables.recall((required,), lambda: indexes_by_table(required))


def _changed(files: LongList[ast.ParsedFile], before: Assembly) -> Assembly | None:
    """Return the set of `files`, made from an earlier one; None where it has to be put together anew.

    That is so where more than MOST_CHANGED pieces differ, where the order of tables or a setting changed, where two
    queries have one name, or where stars stand for too many columns: what is said then depends on the queries before.
    """
    head, tail = common_ends(before.files, files)
    if len(before.files) + len(files) - 2 * (head + tail) > MOST_CHANGED:
        return None
    removed = before.parts.between(head, len(before.files) - tail)
    added = files.between(head, len(files) - tail)
    base, stale, redefined = before, list[Part](), frozenset[str]()
    if any(part.defines for part in removed) or any(map(defines, added)):
        base = _with_schema_of(files, before)
        if base.catalog.thresholds != before.catalog.thresholds:
            return None
        tables = _redefined_tables(before, base)
        if tables is None:
            return None
        redefined = tables
        stale = _parts_to_rebind(before, redefined, removed)
    bound = [(file, *bind_piece(file, base.schema, base.names)) for file in (*added, *(part.file for part in stale))]
    room = _room_with(before, [*removed, *stale], [(file, queries) for file, queries, *_ in bound])
    if room is None:
        return None
    removed_names = [query.name for part in removed for query in part.queries]
    added_names = [query.name for _, queries, *_ in bound[: len(added)] for query in queries if query.is_first]
    times = before.times
    if removed_names != added_names:
        times = Counter(times)
        times.subtract(name.lower() for name in removed_names)
        times.update(name.lower() for name in added_names)
    rebound_names = [query.name for part in stale for query in part.queries]
    had_twins = any(before.times[name.lower()] > 1 for name in (*removed_names, *rebound_names))
    if had_twins or any(times[name.lower()] > 1 for name in added_names):
        return None  # of two queries with one name, the second has the error
    tell_early([query for _, queries, *_ in bound for query in queries], base.definitions, base.catalog, base.by_table)
    new: list[Part] = []
    for file, queries, unnamed, _ in bound:
        alone = plan_all_once(queries, base.by_table)
        new.append(_part(file, tuple(queries), alone, alone, unnamed, base.catalog, base.settled))
    results = [result for part in new for result in zip(part.bound, part.alone, part.compiled, strict=True)]
    tell_others(results, base.definitions)
    rebound = {id(old): part for old, part in zip(stale, new[len(added) :], strict=True)}
    parts = before.parts.with_replaced(rebound) if rebound else before.parts
    parts = parts.with_slice(head, len(before.parts) - tail, new[: len(added)])
    affected = redefined.union(*(part.reads for part in (*removed, *stale, *new)))
    by_name = before.by_name if removed_names == added_names else _by_name(parts)
    by_name = by_name.with_values({query.name: query for part in new for query in part.queries})
    assembly = replace(base, files=files, parts=parts, times=times, room=room, by_name=by_name)
    return _designed_anew(assembly, before, affected, redefined) if affected else assembly


def _with_schema_of(files: LongList[ast.ParsedFile], before: Assembly) -> Assembly:
    """Return an earlier set over the definitions of other files; its queries are still as they were."""
    definitions = list(chain.from_iterable(files.by_run(_defining_among)))
    schema = bind_schema_once(definitions)
    catalog = Catalog(schema.tables, schema.indexes, schema.thresholds)
    return replace(
        before,
        schema=schema,
        definitions=definitions,
        defining=frozenset(map(id, definitions)),
        names=TableNames(schema.tables, frozenset(schema.broken)),
        catalog=catalog,
        by_table=_constraint_indexes(catalog),
    )


def _redefined_tables(before: Assembly, now: Assembly) -> frozenset[str] | None:
    """Return the tables that are new, gone, broken or changed; None where the order of the others has changed."""
    old, new = before.schema, now.schema
    in_both = [name for name in old.tables if name in new.tables]
    if in_both != [name for name in new.tables if name in old.tables]:
        return None
    same = (
        name
        for name in in_both
        if old.tables[name] == new.tables[name]
        and declaration_of(old.tables[name]) == declaration_of(new.tables[name])
        and are_same(before.by_table.get(name, ()), now.by_table.get(name, ()))
        and name not in old.broken
        and name not in new.broken
    )
    return frozenset(old.tables.keys() | new.tables.keys()).difference(same)


def _parts_to_rebind(before: Assembly, redefined: frozenset[str], removed: Sequence[Part]) -> list[Part]:
    """Return the parts that stay but are to be bound again: with queries of other tables, or with errors."""
    gone = set(map(id, removed))
    parts = chain.from_iterable(before.parts.by_run(_tables_among))
    return [part for part, names in parts if (names is None or names & redefined) and id(part) not in gone]


def _room_of(files: Iterable[ast.ParsedFile]) -> dict[str | None, StarRoom]:
    """Return the room for stars that each file begins with."""
    work: Counter[str | None] = Counter()
    for file in files:
        work[file_of_piece(file.source.name)] += file.work
    return {home: StarRoom(amount) for home, amount in work.items()}


def _room_with(
    before: Assembly, removed: Sequence[Part], added: Sequence[tuple[ast.ParsedFile, Sequence[BoundQuery]]]
) -> LongMap[str | None, StarRoom] | None:
    """Return the room for stars once pieces are replaced; None where there is or was too little."""
    room: dict[str | None, StarRoom] = {}
    changes = [(part.file, part.bound, -1) for part in removed] + [(file, queries, 1) for file, queries in added]
    for file, queries, sign in changes:
        home = file_of_piece(file.source.name)
        file_room = room.get(home) or before.room.get(home) or StarRoom()
        room[home] = file_room.with_more(sign * file.work, sign * sum(query.star_columns for query in queries))
    return (
        None
        if any(file_room.is_short or file_room.left < 0 for file_room in room.values())
        else before.room.with_values(room)
    )


def _designed_anew(
    assembly: Assembly, before: Assembly, affected: frozenset[str], redefined: frozenset[str]
) -> Assembly:
    """Design the indexes of the `affected` tables again, and of all tables that share a reader with them.

    Parts whose plans or indexes change by that are finished again. `redefined` are the tables that are not as they were
    before.
    """
    readers = list(chain.from_iterable(assembly.parts.by_run(_readers_among)))
    while True:
        reached = affected.union(*(part.reads for part in readers if not affected.isdisjoint(part.reads)))
        if reached == affected:
            break
        affected = reached
    again = [part for part in readers if not affected.isdisjoint(part.reads)]
    planned = [plan for part in again for plan in part.alone]
    tables = [table for name, table in assembly.catalog.tables.items() if name in affected]
    redesigned = design([query for part in again for query in part.bound], planned, tables, assembly.by_table)
    designed, settled = assembly.designed, assembly.settled
    if redefined or any(not are_same(designed[name], indexes) for name, indexes in redesigned.items()):
        designed = {
            name: redesigned[name] if name in redesigned else designed[name] for name in assembly.catalog.tables
        }
        settled = settle_indexes(assembly.catalog, chain.from_iterable(designed.values()))
    plans = iter(planned)
    plans_now = {id(part): tuple(islice(plans, len(part.alone))) for part in again}
    changed = redefined | _tables_with_other_indexes(before.settled, settled)
    new_parts: dict[int, Part] = {}
    for part in readers:
        planned_now = plans_now.get(id(part), part.planned)
        if not changed.isdisjoint(part.reads) or not all(map(is_, part.planned, planned_now)):
            new_parts[id(part)] = _finished_again(part, planned_now, assembly.catalog, settled)
    for part in _writing_beside(assembly, before, changed):
        part_now = new_parts.get(id(part), part)
        new_parts[id(part)] = _finished_again(part_now, part_now.planned, assembly.catalog, settled)
    new_parts = {key: part for key, part in new_parts.items() if id(part) != key}
    if not new_parts:
        return replace(assembly, designed=designed, settled=settled)
    by_name = assembly.by_name.with_values(
        {
            query.name: query
            for part in assembly.parts.items_with_ids(new_parts)
            for old, query in zip(part.queries, new_parts[id(part)].queries, strict=True)
            if assembly.by_name[old.name] is old
        }
    )
    parts = assembly.parts.with_replaced(new_parts)
    return replace(assembly, parts=parts, designed=designed, settled=settled, by_name=by_name)


def _writing_beside(assembly: Assembly, before: Assembly, changed: frozenset[str]) -> list[Part]:
    """Return the parts that write tables which changed, refer to such ones or are referred to by them."""
    if not changed:
        return []
    beside = set(changed)
    catalogs = (before.catalog,) if before.catalog is assembly.catalog else (before.catalog, assembly.catalog)
    for catalog in catalogs:
        for table in catalog.tables.values():
            for key in table.foreign_keys:
                if table.name in changed or key.table in changed:
                    beside |= {table.name, key.table}
            if table.view is not None and not changed.isdisjoint(names := (table.name, *table.view.tables)):
                beside.update(names)
    writing = chain.from_iterable(assembly.parts.by_run(_writing_among))
    return [part for part in writing if not beside.isdisjoint(_tables_of_part(part))]


def _tables_with_other_indexes(before: IndexSet, now: IndexSet) -> frozenset[str]:
    """Return the tables of which an index was added, removed or changed."""
    either = before.served_by.keys() | now.served_by.keys()
    return frozenset(key[0] for key in either if before.served_by.get(key) is not now.served_by.get(key))


def _part(
    file: ast.ParsedFile,
    bound: tuple[BoundQuery, ...],
    alone: tuple[PlannedQuery | None, ...],
    planned: tuple[PlannedQuery | None, ...],
    unnamed: tuple[Diagnostic, ...],
    catalog: Catalog,
    settled: IndexSet,
) -> Part:
    """Return a piece whose queries are finished over the indexes of the set."""
    compiled = tuple(finish_once(query, plan, catalog, settled) for query, plan in zip(bound, planned, strict=True))
    allowed = allowances(file)
    idle: tuple[Diagnostic, ...] = ()
    queries = compiled
    if any(query.unit is not None for query in bound):
        queries = with_units(bound, compiled, catalog)
    if allowed:
        findings = [finding for query in queries for finding in query.diagnostics]
        is_whole = not (defines(file) or file.diagnostics or any(finding.severity == "error" for finding in findings))
        idle = idle_allowances(file, allowed, findings if is_whole else None)
        queries = tuple(replace(query, diagnostics=with_allowed(query.diagnostics, allowed)) for query in queries)
        compiled = tuple(replace(query, diagnostics=with_allowed(query.diagnostics, allowed)) for query in compiled)
    has_any = bool(file.diagnostics or unnamed or idle or any(query.diagnostics for query in queries))
    reads = frozenset[str]().union(*(query.tables for query in alone if query is not None))
    writes = any(query.kind != "select" for query in bound)
    return Part(
        file, defines(file), bound, alone, planned, reads, compiled, queries, unnamed, allowed, idle, has_any, writes
    )


def _finished_again(part: Part, planned: tuple[PlannedQuery | None, ...], catalog: Catalog, settled: IndexSet) -> Part:
    """Return a part with its queries finished over these plans and indexes; the same object if nothing changes."""
    go_on()
    new = _part(part.file, part.bound, part.alone, planned, part.unnamed, catalog, settled)
    is_same = all(map(is_, part.planned, planned)) and all(map(is_, part.queries, new.queries))
    return part if is_same else new


def _by_name(parts: Iterable[Part]) -> LongMap[str, CompiledQuery]:
    """Return the first query of each name."""
    by_name: dict[str, CompiledQuery] = {}
    for part in parts:
        for query in part.queries:
            by_name.setdefault(query.name, query)
    return LongMap(by_name)


# Each of these is asked of a run of a LongList, which caches the answer with the run.


def _defining_among(files: tuple[ast.ParsedFile, ...]) -> list[ast.ParsedFile]:
    return [file for file in files if defines(file)]


def _with_findings(parts: tuple[Part, ...]) -> list[Part]:
    return [part for part in parts if part.has_findings]


def _defining_or_with_findings(parts: tuple[Part, ...]) -> list[Part]:
    return [part for part in parts if part.has_findings or part.defines]


def _unsized_among(parts: tuple[Part, ...]) -> list[UnsizedRead]:
    return [
        UnsizedRead(column, query.name, query.name_span)
        for part in parts
        for query in part.queries
        for column in query.unsized
    ]


def _readers_among(parts: tuple[Part, ...]) -> list[Part]:
    return [part for part in parts if part.reads]


def _writing_among(parts: tuple[Part, ...]) -> list[Part]:
    return [part for part in parts if part.writes]


def _tables_among(parts: tuple[Part, ...]) -> list[tuple[Part, frozenset[str] | None]]:
    """Return the parts with queries, and the tables of those without errors: any table may have been misspelt."""
    return [
        (part, None if any(query.has_errors for query in part.bound) else _tables_of_part(part))
        for part in parts
        if part.bound
    ]


def _tables_of_part(part: Part) -> frozenset[str]:
    return frozenset(table.name for query in part.bound for table in tables_of(query))
