"""The bound of a write: gets, counts, puts and deletes of one record, its index entries and its constraints.

    INSERT INTO a table with CARDINALITY LIMIT 10 (b) and an index on c:   1 + 2 + 9 + 4

      1 get       the row before
      2 counts    the rows with this b, and the places with the b before
      9 puts      the intent, 3 for each of the two indexes, a place, the row
      4 deletes   the intent, a stale entry of each index, the place before

A view of the table adds for each group that the row leaves or enters a get and a put, and for each index on the view
a put and a delete. Of a view of several tables, the rows that belong to the row are read before. A row that others name
is marked while they are looked for, where what the view takes of it changes.

An UPDATE or DELETE of a section reads the keys of its rows, and takes all this for each of them:

    DELETE FROM line WHERE cart = [cart], under CARDINALITY LIMIT 100 (cart):    1 + 2·line.cart

So does each row of an INSERT … VALUES [rows] MAX n: 2·rows. Values that subqueries in VALUES read come before all.

One bound holds on every store. What a store without transactions needs beside the record and its entries (the intent,
entries put in doubt before, places under limits) is counted; the embedded store makes fewer requests.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from piql.compiler.bounds.bound import Bound, OperatorBound, OtherWay, Term
from piql.compiler.bounds.formula import named, number
from piql.compiler.bounds.queries import bound_of, requests_and_rows
from piql.compiler.logical.operators import GivenRows
from piql.compiler.physical.operators import PhysicalNode
from piql.compiler.physical.widths import columns_bytes
from piql.compiler.physical.write_plan import ViewUpkeep, WritePlan
from piql.compiler.physical.writes import change_of
from piql.schema.catalog import CardinalityLimit, ForeignKey, Index, Table, UniqueKey
from piql.schema.types import UNSIZED_BYTES
from piql.trees.caches import Cached

SECTION = (2,)
"""The path of the plan of a section below its write; (0,) and (1,) are the checks of limits and of references."""


class _Requests(NamedTuple):
    """The requests of a write, by their kind: a term for each group of them. The lists are filled step by step."""

    gets: list[Term]
    counts: list[Term]
    puts: list[Term]
    deletes: list[Term]


def bound_of_write(plan: WritePlan) -> Bound:
    """Return the bound of a write: the sum of its requests, each a term with its reason.

    Of an INSERT with ON CONFLICT DO UPDATE it is the dearer way: that of the INSERT or that of the UPDATE. Of a write
    of several rows it is the sum.
    """
    requests, round_trips = _requests_of(plan, plan.found_by)
    if plan.otherwise is None:
        return _bound_of_rows(plan, requests, round_trips)
    of_update, trips_of_update = _requests_of(plan.otherwise, plan.found_by)
    round_trips = max(round_trips, trips_of_update)
    ways = [_bound_of_rows(plan, way, round_trips) for way in (requests, of_update)]
    counted, other = ways if ways[0].operations >= ways[1].operations else reversed(ways)
    more_reads = other.reads + other.counts - counted.reads - counted.counts
    more_writes = other.puts + other.deletes - counted.puts - counted.deletes
    return replace(counted, other_ways=(OtherWay(more_reads, more_writes),))


def _bound_of_rows(plan: WritePlan, requests: _Requests, round_trips: int) -> Bound:
    """Return the bound of a write that takes `requests` and `round_trips` for each of its rows."""
    if plan.section is not None:
        return _bound_of_section(plan, plan.section, requests, round_trips)
    rows = plan.most_rows
    if plan.rows is not None:
        return _bound_of_list(plan, plan.rows, requests, round_trips)
    if rows > 1:
        requests = _Requests(*([_times(rows, term) for term in terms] for terms in requests))
    bound = _bound(plan, requests, rows * round_trips)
    return bound if plan.given_by is None else _after_reading(bound, plan.given_by)


def _after_reading(written: Bound, given_by: PhysicalNode) -> Bound:
    """Return the bound of a write whose values are read first."""
    read = bound_of(given_by)
    reads, _ = requests_and_rows(given_by)
    return replace(
        written,
        operations=read.operations + written.operations,
        round_trips=read.round_trips + written.round_trips,
        bytes=read.bytes + written.bytes,
        formula=f"{reads} + {written.formula}",
        rows_fetched=read.rows_fetched + written.rows_fetched,
        terms=(*read.terms, *written.terms),
        by_operator=(*written.by_operator, *(replace(part, path=(*SECTION, *part.path)) for part in read.by_operator)),
        reads=read.operations + written.reads,
    )


def _bound_of_list(plan: WritePlan, rows: GivenRows, requests: _Requests, round_trips: int) -> Bound:
    """Return the bound of an INSERT that takes `requests` and `round_trips` for each row of a list."""
    of_all = _Requests(*([_times(rows.max, term, "at most ") for term in terms] for terms in requests))
    bound = _bound(plan, of_all, rows.max * round_trips)
    term = Term(rows.name, rows.max, f"[{rows.name}] holds at most {rows.max:,} rows", rows.span, rows.max_span)
    formula = str(number(_sum(requests)) * named(term))
    rows_formula = rows.name if plan.returning else "0"
    operator = replace(bound.by_operator[0], formula=formula, rows_formula=rows_formula)
    return replace(
        bound, formula=formula, rows_formula=rows_formula, terms=(term, *bound.terms), by_operator=(operator,)
    )


def rows_of(plan: WritePlan) -> int:
    """Return how many rows a write may change."""
    return plan.most_rows if plan.section is None else bound_of(plan.section).rows


def _bound_of_section(plan: WritePlan, section: PhysicalNode, requests: _Requests, round_trips: int) -> Bound:
    """Return the bound of a write that takes `requests` and `round_trips` for each row of a section."""
    read = bound_of(section)
    reads, rows = requests_and_rows(section)
    formula = str(reads + number(_sum(requests)) * rows)
    of_all = _Requests(*([_times(read.rows, term, "at most ") for term in terms] for terms in requests))
    written = _bound(plan, of_all, read.rows * round_trips)
    operations = read.operations + written.operations
    returned = read.rows if plan.returning else 0
    of_rows = replace(
        written.by_operator[0],
        formula=str(number(_sum(requests)) * rows),
        rows=returned,
        rows_formula=read.rows_formula if plan.returning else "0",
        bytes=read.rows * written.bytes,
    )
    return replace(
        written,
        operations=operations,
        round_trips=read.round_trips + written.round_trips,
        rows=returned,
        rows_formula=of_rows.rows_formula,
        bytes=read.bytes + of_rows.bytes,
        formula=formula,
        rows_fetched=read.rows_fetched + written.rows_fetched,
        terms=(*read.terms, *written.terms),
        by_operator=(of_rows, *(replace(part, path=(*SECTION, *part.path)) for part in read.by_operator)),
        reads=read.operations + written.reads,
    )


def _times(rows: int, term: Term, about: str = "") -> Term:
    """Return the requests of all rows of a write, of which each takes `term`; `about` stands before their number."""
    value = rows * term.value
    return replace(term, symbol=str(value), value=value, reason=f"{term.reason}, for each of {about}{rows:,} rows")


def _sum(requests: _Requests) -> int:
    return sum(term.value for terms in requests for term in terms)


def _requests_of(plan: WritePlan, found_by: UniqueKey | None) -> tuple[_Requests, int]:
    """Return the requests of a write whose row is looked up by `found_by`, if that is a key, and its round trips."""
    table = plan.table
    requests = _Requests([], [], [], [])
    if found_by is not None:
        reason = f"which row of {table.name} has this {', '.join(found_by.columns)}"
        requests.gets.append(Term("1", 1, reason, found_by.span))
    for key in plan.looked_up:
        columns = ", ".join(key.columns)
        requests.gets.append(Term("2", 2, f"the row of {table.name} that has this {columns}, looked up", key.span))
    requests.gets.append(Term("1", 1, f"the row of {table.name} as it was", table.key_span))
    entries = _add_entries(plan, requests)
    has_groups = any(upkeep.groups and upkeep.by_steps for upkeep in plan.views)
    has_intent = bool(entries or plan.left or plan.counted_limits or plan.unique_checks or has_groups)
    if has_intent:
        requests.puts.insert(0, _one("the intent, so that an interrupted write is completed or withdrawn"))
        requests.deletes.append(_one("the intent"))
    one_by_one = _add_places(plan, requests) + _add_references(plan, requests)  # each waits for the one before
    if plan.kind == "delete":
        requests.deletes.append(_one(f"the row of {table.name}"))
    else:
        requests.puts.append(_one(f"the row of {table.name}"))
    trips_of_views = _add_views(plan, requests) + (_add_contribution(plan, requests) if has_groups else 0)
    steps = 2 + bool(found_by) + 2 * len(plan.looked_up) + 2 * has_intent + 2 * bool(entries)
    return requests, steps + one_by_one + trips_of_views


def _bound(plan: WritePlan, requests: _Requests, round_trips: int) -> Bound:
    table = plan.table
    totals = [sum(term.value for term in terms) for terms in requests]
    formula = " + ".join(str(total) for total, terms in zip(totals, requests, strict=True) if terms)
    operations = sum(totals)
    reads, counts, puts, deletes = totals
    written = plan.most_rows
    width = written * columns_bytes(table, (column.name for column in table.columns))
    rows = written if plan.returning else 0
    return Bound(
        operations=operations,
        round_trips=round_trips,
        rows=rows,
        bytes=width,
        formula=formula,
        rows_formula=str(rows),
        rows_fetched=reads,
        terms=tuple(term for terms in requests for term in terms),
        by_operator=(OperatorBound((), plan.kind.capitalize(), operations, formula, rows, str(rows), width),),
        puts=puts,
        deletes=deletes,
        reads=reads,
        counts=counts,
    )


def _one(reason: str) -> Term:
    return Term("1", 1, reason)


def _add_entries(plan: WritePlan, requests: _Requests) -> int:
    """Add the requests for index entries; return how many.

    New entries are put in doubt and then for good, stale ones are put in doubt and then deleted.
    """
    count = 0
    for index in plan.indexes:
        change, entries = change_of(plan, index), most_entries(plan.table, index)
        if change != "none" and plan.kind != "delete":
            reason = f"new entries of {index.name}, before the row is there and after"
            requests.puts.append(Term(str(2 * entries), 2 * entries, reason, index.span))
            count += 2 * entries
        if change == "replace":
            reason = f"stale entries of {index.name}"
            requests.puts.append(
                Term(str(entries), entries, f"{reason}, put in doubt before the row changes", index.span)
            )
            requests.deletes.append(Term(str(entries), entries, reason, index.span))
            count += 2 * entries
    return count


def _add_places(plan: WritePlan, requests: _Requests) -> int:
    """Add the requests for places under limits and UNIQUE: counted, taken and given back. Return how many."""
    count = 0
    for constraint in _entered(plan):
        groups = _groups(plan.table, constraint)
        symbol, most = str(groups.number), groups.number
        if groups.most_rows > 1:
            reason = f"how many {groups.described}"
            requests.counts.append(Term(symbol, most, reason, constraint.span))
            count += most
        reason = f"a place among the {groups.rows}"
        requests.puts.append(Term(symbol, most, reason, constraint.span))
        count += most
    for constraint in plan.left:
        groups = _groups(plan.table, constraint)
        symbol, most = str(groups.number), groups.number
        reason = f"the place among the {groups.rows} that is given back"
        requests.counts.append(Term(symbol, most, reason, constraint.span))
        requests.deletes.append(Term(symbol, most, reason, constraint.span))
        count += 2 * most
    return count


def _add_views(plan: WritePlan, requests: _Requests) -> int:
    """Add the requests for the groups of views that a row changes; return their round trips."""
    for upkeep in plan.views:
        groups, view = upkeep.groups, upkeep.view
        requests.gets.extend(
            Term(str(read.requests), read.requests, read.reason, read.span or view.name_span) for read in upkeep.reads
        )
        if not groups:
            continue
        reason = _which_groups(upkeep)
        requests.gets.append(Term(str(groups), groups, reason, view.name_span))
        requests.puts.append(Term(str(groups), groups, f"{reason}, with what is counted and summed", view.name_span))
        by_steps = upkeep.by_steps
        if upkeep.indexes and by_steps:
            about = f"of {reason}, so that interrupted entries are settled"
            requests.puts.append(Term(str(groups), groups, f"the intent {about}", view.name_span))
            requests.deletes.append(Term(str(groups), groups, f"the intent {about}", view.name_span))
        for index in upkeep.indexes:
            _add_entries_of_view(requests, index, groups * most_entries(view, index), reason, by_steps=by_steps)
    return sum(_trips_of_view(upkeep) for upkeep in plan.views)


def _which_groups(upkeep: ViewUpkeep) -> str:
    """Return which groups of a view a row changes."""
    view = upkeep.view
    assert view.view is not None
    if upkeep.groups == 1:
        part = f"one of the {view.view.stripes.count} stripes of " if view.view.stripes is not None else ""
        return f"{part}its group of {view.name}"
    if upkeep.groups == view.view.groups_of_row:
        return f"its groups of {view.name}, one for each of {upkeep.groups:,} windows"
    return f"the groups of {view.name} that the row leaves and enters"


def _add_entries_of_view(requests: _Requests, index: Index, entries: int, reason: str, *, by_steps: bool) -> None:
    """Add the entries of one index on a view; without transactions each is put in doubt first."""
    reason = f"entries of {index.name} for {reason}"
    new = 2 * entries if by_steps else entries
    requests.puts.append(Term(str(new), new, f"new {reason}", index.span))
    if by_steps:
        requests.puts.append(Term(str(entries), entries, f"stale {reason}, put in doubt", index.span))
    requests.deletes.append(Term(str(entries), entries, f"stale {reason}", index.span))


def _trips_of_view(upkeep: ViewUpkeep) -> int:
    of_group = 6 if upkeep.indexes and upkeep.by_steps else 2
    return of_group * upkeep.groups + sum(read.round_trips for read in upkeep.reads)


def _add_contribution(plan: WritePlan, requests: _Requests) -> int:
    """Add what makes groups count each write once where there are no transactions; return how many requests."""
    count = 0
    if plan.kind != "insert" or plan.may_replace:
        requests.gets.append(_one("whether all groups count what the row's last write adds"))
        count += 1
    if plan.kind == "delete":
        requests.deletes.append(_one(f"the row of {plan.table.name}, once no group counts it any more"))
        count += 1
    return count


class _Groups(NamedTuple):
    """The groups of one constraint that a row is in."""

    number: int
    most_rows: int  # of one group
    described: str  # after "how many": `subscriptions share this owner`, `rows are in kind`
    rows: str  # those of one group: `subscriptions with this owner`, `rows of kind`


def _entered(plan: WritePlan) -> Iterator[CardinalityLimit | UniqueKey]:
    """Yield the constraints under which the written row takes a place."""
    yield from (key for key, _ in plan.unique_checks)
    yield from (limit for limit, _ in plan.counted_limits)


def _groups(table: Table, constraint: CardinalityLimit | UniqueKey) -> _Groups:
    name, columns = table.name, ", ".join(constraint.columns)
    if not columns:
        most = 1 if isinstance(constraint, UniqueKey) else constraint.limit
        return _Groups(1, most, f"rows are in {name}", f"rows of {name}")
    shared, number, most = f"this {columns}", 1, 1
    if isinstance(constraint, CardinalityLimit):
        most = constraint.limit
        if constraint.is_token:
            shared, number = f"each word in {columns}", most_words(table, constraint.columns)
    return _Groups(number, most, f"{name} share {shared}", f"{name} with {shared}")


def _add_references(plan: WritePlan, requests: _Requests) -> int:
    """Add the reads that foreign keys make necessary, in both directions; return how many requests.

    A row that others may refer to is marked in the store before they are looked for.
    """
    count = 0
    for key in plan.references:
        columns = ", ".join(key.columns)
        if key in plan.unique_references:
            reason = f"which row of {key.table} has the value that {columns} names"
            requests.gets.append(Term("1", 1, reason, key.span))
            count += 1
        requests.gets.append(Term("1", 1, f"the row of {key.table} that {columns} names", key.span))
        count += 1
    if plan.referrers:
        requests.gets.extend(_reads_of_referrers.recall((plan.referrers,), lambda: tuple(map(_read, plan.referrers))))
        count += len(plan.referrers)
    if plan.referrers or plan.is_shown_first or any(upkeep.is_marked for upkeep in plan.views):
        requests.puts.append(_one(f"the row of {plan.table.name}, marked while references are looked for"))
        count += 1
    return count


def _read(referrer: tuple[Table, ForeignKey, Index]) -> Term:
    """Return the read of an index that tells whether another table still refers to the row."""
    referring, key, _ = referrer
    return Term("1", 1, f"whether {referring.name} still names the row by {', '.join(key.columns)}", key.span)


_reads_of_referrers: Cached[tuple[Term, ...]] = Cached(512)  # all writes of one table share them


def most_entries(table: Table, index: Index) -> int:
    """Return how many entries one row has in an index: one, or one for each word of its texts."""
    token = next((column for column in index.columns if column.token_of), None)
    return most_words(table, token.token_of) if token is not None else 1


def most_words(table: Table, names: tuple[str, ...]) -> int:
    """Return how many words the texts of some columns can hold.

    A word takes at least a letter and a space, so a text of n characters holds (n + 1) / 2 words at most.
    """
    count = 0
    for name in names:
        column = table.column(name)
        length = column.type.length if column is not None else None
        count += ((length if length is not None else UNSIZED_BYTES) + 1) // 2
    return count
