"""How the rows of a view of several tables are found from one row of any of them, and the proof that this is bounded.

    FROM order_line l JOIN item i ON i.i_id = l.ol_i_id         from l:  i by its primary key, one row
                                                                 from i:  l by CARDINALITY LIMIT 20 (ol_i_id), 20 rows

A write of a row changes the groups of the rows that are found from it. Where no limit bounds them, a foreign key may
still tell that there are none to change: `l` names `i`, so a new item has no lines, and one with lines stays. Then only
an UPDATE of `i` could move lines, and it is refused while there are any (`Start.guard`). A row behind LEFT JOIN changes
rows of the view when it comes and goes, too, if no foreign key names it: it takes the place of NULL. They are found by
its primary key, whether it is there or not. `binding` refuses a view that has neither limit nor key, `physical` counts
the lookups, and `runtime.writing` makes them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import prod

from piql.schema.catalog import CardinalityLimit, ForeignKey, Table, View

Place = tuple[int, str]
"""A column of a view's tables: the number of the table, and its name there."""


@dataclass(frozen=True, slots=True)
class Lookup:
    """Finds the rows of table `number` by `columns`, which have the values of `sources`: at most `most` rows.

    `rest` are further pairs that must be equal. `limit` is what bounds the rows; None for a key. Where it `is_optional`
    and finds no row, there is one of NULLs.
    """

    number: int
    columns: tuple[str, ...]
    sources: tuple[Place, ...]
    most: int
    limit: CardinalityLimit | None = None
    rest: tuple[tuple[Place, Place], ...] = ()
    is_optional: bool = False


@dataclass(frozen=True, slots=True)
class Guard:
    """The foreign key of table `number` by which its rows name a row that a view joins to them."""

    number: int
    key: ForeignKey


@dataclass(frozen=True, slots=True)
class Start:
    """What a write of a row of table `number` takes, to know the rows of the view that it is in.

    `lookups` are None where nothing bounds them. `guard` is None where no row of another table needs to name this row.
    Without a row of an optional table, that table and those `below` it have NULLs in the rows of the view.
    """

    number: int
    table: str
    lookups: tuple[Lookup, ...] | None
    guard: Guard | None
    below: frozenset[int] = frozenset()
    is_optional: bool = False

    @property
    def is_bounded(self) -> bool:
        """Whether a write of any row is bounded."""
        return self.lookups is not None or self.guard is not None

    @property
    def most_rows(self) -> int:
        """How many rows of the view a row is in; 0 where nothing bounds it."""
        return prod(lookup.most for lookup in self.lookups) if self.lookups is not None else 0


@dataclass(frozen=True, slots=True)
class MissingLimit:
    """The columns of table `number` whose groups need a CARDINALITY LIMIT."""

    number: int
    table: str
    columns: tuple[str, ...]


def starts_of(view: View, tables: Mapping[str, Table]) -> tuple[Start, ...]:
    """Return what a write of a row takes, for each table of a view."""
    equalities = _equalities(view)
    starts: list[Start] = []
    for number, name in enumerate(view.tables):
        lookups, is_whole = _lookups(view, tables, number, equalities)
        guard = _guard(view, tables, number, equalities)
        below, is_optional = _below(view, number), is_left(view, number)
        starts.append(Start(number, name, lookups if is_whole else None, guard, below, is_optional))
    return tuple(starts)


def is_left(view: View, number: int) -> bool:
    """Return whether a table of a view stands behind LEFT JOIN."""
    return number > 0 and view.joins[number - 1].is_left


def _below(view: View, number: int) -> frozenset[int]:
    """Return the tables behind LEFT JOIN that are found from a table, directly or through others."""
    below: set[int] = set()
    for further, join in enumerate(view.joins, 1):
        if join.is_left and join.pairs[0][0] in {number, *below}:
            below.add(further)
    return frozenset(below)


def walked_start(view: View, tables: Mapping[str, Table]) -> Start:
    """Return the table whose rows, one after the other, give all rows of a view: that which finds the fewest each."""
    starts = [start for start in starts_of(view, tables) if start.lookups is not None and not start.is_optional]
    return min(starts, key=lambda start: start.most_rows)


def walked_table(view: View, tables: Mapping[str, Table]) -> str:
    """Return the table whose rows are walked to fill a view, or to count it again."""
    return walked_start(view, tables).table if view.joins else view.table


def reason_against_steps(view: View, tables: Mapping[str, Table]) -> str | None:
    """Return why a store without transactions cannot keep a view of several tables, in words; None where it can.

    There one record has to decide which rows of the view there are: that of the table from which each other one is
    found by a foreign key, and those rows must not change while they are named.
    """
    walked = walked_start(view, tables)
    if view.tables.count(walked.table) > 1:
        return f"joins {walked.table} to itself"
    assert walked.lookups is not None
    for lookup in walked.lookups:
        if lookup.is_optional and naming_key(view, tables, lookup) is None:
            return (
                f"keeps rows that find none of {view.tables[lookup.number]}, which no foreign key promises to be there"
            )
    for lookup in walked.lookups:
        if lookup.limit is not None:
            return f"finds rows of {view.tables[lookup.number]} by a limit, not by a foreign key"
    for start in starts_of(view, tables):
        if start.number != walked.number and start.lookups is not None:
            return f"follows a change of {start.table} to at most {start.most_rows:,} rows, by a limit"
    for lookup in walked.lookups:
        if naming_key(view, tables, lookup) is None:
            return f"finds {view.tables[lookup.number]} by other columns than those of a foreign key to its primary key"
    return None


def naming_key(view: View, tables: Mapping[str, Table], lookup: Lookup) -> Guard | None:
    """Return the foreign key along which a lookup finds a row by its primary key; None where it is another one."""
    name = view.tables[lookup.number]
    guard = _guard(view, tables, lookup.number, _equalities(view))
    if guard is None or set(lookup.columns) != set(tables[name].primary_key):
        return None
    named = {
        (theirs, (guard.number, ours))
        for ours, theirs in zip(guard.key.columns, guard.key.referenced_columns, strict=True)
    }
    return guard if named == set(zip(lookup.columns, lookup.sources, strict=True)) else None


def missing_limits(view: View, tables: Mapping[str, Table], number: int) -> tuple[MissingLimit, ...]:
    """Return the limits without which a write of a row of a table is not bounded; those of what is found next last."""
    equalities = _equalities(view)
    assumed: dict[int, MissingLimit] = {}
    while True:
        lookups, is_whole = _lookups(view, tables, number, equalities, assumed)
        if is_whole:
            return tuple(assumed.values())
        reached = {number, *(lookup.number for lookup in lookups)}
        further = next(at for at in range(len(view.tables)) if at not in reached and any(_by(at, reached, equalities)))
        columns = tuple(dict.fromkeys(column for column, _ in _by(further, reached, equalities)))
        assumed[further] = MissingLimit(further, view.tables[further], columns)


def read_columns(view: View, tables: Mapping[str, Table], number: int) -> tuple[str, ...]:
    """Return the columns of a table that the rows of a view hold: its primary key first, then all that is used."""
    table = tables[view.tables[number]]
    used = made_from(view, number)
    return (*table.primary_key, *(name for name in table.in_order(used) if name not in table.primary_key))


def made_from(view: View, number: int) -> frozenset[str]:
    """Return the columns of a table that a view of several tables is made from, those that join it included."""
    return _named(view.columns, number) | joined_by(view, number)


def restricted(view: View, tables: Mapping[str, Table], start: Start) -> frozenset[str]:
    """Return the columns of a row that cannot change while rows name it by the guard's foreign key."""
    if start.guard is None or start.lookups is not None:
        return frozenset()
    table = tables[start.table]
    return made_from(view, start.number).difference(table.primary_key, start.guard.key.referenced_columns)


def grouped_by(view: View, number: int) -> frozenset[str]:
    """Return the columns of a table by which a view of several tables is grouped or joined."""
    return _named(view.key_columns, number) | joined_by(view, number)


def joined_by(view: View, number: int) -> frozenset[str]:
    """Return the columns by which a table is joined to others."""
    return frozenset(column for pair in _equalities(view) for at, column in pair if at == number)


def _named(columns: frozenset[str], number: int) -> frozenset[str]:
    start = f"{number}."
    return frozenset(name.removeprefix(start) for name in columns if name.startswith(start))


def _equalities(view: View) -> tuple[tuple[Place, Place], ...]:
    return tuple(
        ((before, theirs), (number, ours))
        for number, join in enumerate(view.joins, 1)
        for before, theirs, ours in join.pairs
    )


def _by(number: int, reached: set[int], equalities: tuple[tuple[Place, Place], ...]) -> Iterator[tuple[str, Place]]:
    """Yield the columns of a table whose values are known, each with where its value stands."""
    for left, right in equalities:
        for here, there in ((left, right), (right, left)):
            if here[0] == number and there[0] in reached:
                yield here[1], there


def _lookups(
    view: View,
    tables: Mapping[str, Table],
    start: int,
    equalities: tuple[tuple[Place, Place], ...],
    assumed: Mapping[int, MissingLimit] | None = None,
) -> tuple[tuple[Lookup, ...], bool]:
    """Return the lookups that are bounded, the smallest next, and whether they reach all tables."""
    reached, lookups = {start}, list[Lookup]()
    while len(reached) < len(view.tables):
        possible = [
            lookup
            for number in range(len(view.tables))
            if number not in reached
            if (lookup := _lookup(view, tables, number, dict(_by(number, reached, equalities)), assumed or {}))
        ]
        if not possible:
            return tuple(lookups), False
        smallest = min(possible, key=lambda lookup: lookup.most)
        used = {
            ((smallest.number, column), source)
            for column, source in zip(smallest.columns, smallest.sources, strict=True)
        }
        reached.add(smallest.number)
        rest = tuple(
            pair
            for pair in equalities
            if smallest.number in (pair[0][0], pair[1][0])
            and {pair[0][0], pair[1][0]} <= reached
            and pair not in used
            and pair[::-1] not in used
        )
        number = smallest.number
        is_optional = is_left(view, number) and view.joins[number - 1].pairs[0][0] in reached
        lookups.append(replace(smallest, rest=rest, is_optional=is_optional))
    return tuple(lookups), True


def _lookup(
    view: View,
    tables: Mapping[str, Table],
    number: int,
    known: Mapping[str, Place],
    assumed: Mapping[int, MissingLimit],
) -> Lookup | None:
    """Return how few rows of a table are found by columns with known values; None where nothing limits them."""
    table = tables[view.tables[number]]
    for key in (table.primary_key, *(key.columns for key in table.unique_keys)):
        if known.keys() >= set(key):
            return Lookup(number, tuple(key), tuple(known[name] for name in key), 1)
    limits = [limit for limit in table.limits if limit.columns and not limit.is_token]
    served = [limit for limit in limits if known.keys() >= set(limit.columns)]
    if served:
        limit = min(served, key=lambda limit: limit.limit)
        return Lookup(number, limit.columns, tuple(known[name] for name in limit.columns), limit.limit, limit)
    if number in assumed and known.keys() >= set(assumed[number].columns):
        columns = assumed[number].columns
        return Lookup(number, columns, tuple(known[name] for name in columns), 1)
    return None


def _guard(
    view: View, tables: Mapping[str, Table], number: int, equalities: tuple[tuple[Place, Place], ...]
) -> Guard | None:
    """Return the foreign key by which a row of another table names each row of this one that is in the view.

    A row behind LEFT JOIN names none of those that are there without it.
    """
    pairs = {*equalities, *((right, left) for left, right in equalities)}
    for naming, name in enumerate(view.tables):
        if naming == number or (is_left(view, naming) and number not in _below(view, naming)):
            continue
        for key in tables[name].foreign_keys:
            named = zip(key.columns, key.referenced_columns, strict=True)
            is_joined = key.table == view.tables[number] and all(
                ((naming, ours), (number, theirs)) in pairs for ours, theirs in named
            )
            if is_joined:
                return Guard(naming, key)
    return None
