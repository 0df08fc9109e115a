"""Turns the shape of a read into CQL: one SELECT within one partition, in clustering order or its reverse.

    subscriptions, owner fixed, behind a target     SELECT target FROM … WHERE owner = ? AND target > ? LIMIT ?
    thoughts, owner fixed, newest first             SELECT … WHERE owner = ? ORDER BY posted DESC LIMIT ?

A resumed page is one range of tuples if all columns go in one direction, else some ranges after each other. Requests of
one statement that differ in one column of the key may be sent as one (see grouping.py and listing.py):

    users, each username                            SELECT … WHERE username IN ?
    the newest thoughts of each owner               SELECT … WHERE owner IN ? ORDER BY posted DESC PER PARTITION LIMIT ?
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from piql.errors import NotDeployed
from piql.schema.catalog import Kind
from piql.store.base import Consistency, Reader, ReadShape
from piql.store.cql.layout import BUCKET, FALSE, TRUE, Bind, KeyColumn, Layout, quoted
from piql.store.cql.reads.grouping import Group
from piql.store.cql.reads.listing import Listing
from piql.store.cql.reads.range_ends import end_of, in_bytes, number_end
from piql.store.cql.reads.selection import Selection
from piql.store.cql.reads.shown import Shown
from piql.store.cql.stored_values import STORED, pack_int
from piql.store.rows import Row

LARGEST_LIMIT = 2**31 - 1  # a LIMIT is an int in CQL


class PythonSource(NamedTuple):
    """Source, and the objects that it refers to, by name."""

    source: str
    names: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Statement:
    """One SELECT.

    bind                from a read's arguments to the bytes of the parameters; None where no row can match
    python              the same with Python values, for drivers that take those, as source over the arguments `a`
    partition_length    how many of the parameters, the first ones, are the partition key
    groups              the ways to send several requests as one
    is_further          it resumes a page
    """

    cql: str
    bind: Bind
    python: PythonSource
    partition_length: int = 0
    groups: tuple[Group, ...] = ()
    is_further: bool = False


@dataclass(frozen=True, slots=True)
class CqlRead:
    """A prepared read.

    statements    one, or several ranges to be read one after another until there are enough rows
    finish        from the selected rows to those that the read returns; None where they are the same
    shown         the source of `finish`
    listings      the ways to send a batch of requests as one statement; none for a read of several statements
    readers       the functions that answer single requests, one for each consistency; made by the driver
    """

    statements: tuple[Statement, ...]
    is_get: bool
    finish: Callable[[list[Row]], list[Row]] | None
    shown: Shown
    listings: tuple[Listing, ...] = ()
    readers: dict[Consistency | None, Reader] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class _Bound:
    """A clustering column that a resumed page is compared by, and the source of the bytes of its value."""

    name: str
    ascending: bool
    source: str


def plan_read(shape: ReadShape, layout: Layout, selected_as: Mapping[str, str] | None = None) -> CqlRead:
    """Return the statements of a read; `selected_as` as in `Link`. Raises NotDeployed if the layout cannot serve it."""
    functions = {name: (selected_as or {}).get(cql_type, "{}") for name, cql_type in layout.cql_types().items()}
    if layout.is_backwards and not shape.in_any_order:
        shape = replace(shape, is_ascending=not shape.is_ascending)
    if shape.in_any_order and shape.prefix_length == 0 and layout.partition:
        return _WalkPlan(shape, layout, functions).plan()
    return _ReadPlan(shape, layout, functions).plan()


class _ReadPlan:
    """Plans the reads of one shape.

    where       the conditions that all statements have; `fixed` is the number of those on the prefix
    sources     the sources of their parameters, over the read's arguments `a`
    names       what the sources refer to, so that they make bytes; `python` the same, so that they make Python values
    in_place    for Python values: calls in the sources that are mostly superfluous, and the sources that replace them
    next        the position of the first argument behind the prefix
    """

    def __init__(self, shape: ReadShape, layout: Layout, functions: Mapping[str, str]) -> None:
        if shape.prefix_length < len(layout.partition) and not shape.in_any_order:
            raise NotDeployed(
                f"{shape.table.name} is not kept in the order that is read: deploy a query that reads it so"
            )
        self.shape, self.layout, self.functions = shape, layout, functions
        self.names: dict[str, Any] = {"ALL": FALSE, "TRUE": TRUE, "FALSE": FALSE, "limit": _limit}
        self.python: dict[str, Any] = {"ALL": 0, "TRUE": True, "FALSE": False, "limit": _most}
        self.in_place: dict[str, str] = {}
        self.where: list[str] = []
        self.sources: list[str] = []
        at = 0
        if layout.leading:
            self.where.append(f"{quoted(layout.leading)} = ?")
            self.sources.append("int4(a[0])" if layout.has_bucket else "ALL")
            self.names["int4"], self.python["int4"] = pack_int, _itself
            at = int(layout.has_bucket)
        for position, key_column in enumerate(layout.key[: shape.prefix_length], start=at):
            is_null = key_column.name in shape.nulls
            if key_column.flag:
                self.where.append(f"{quoted(key_column.flag)} = ?")
                self.sources.append("FALSE" if is_null else "TRUE")
            self.where.append(f"{quoted(key_column.name)} = ?")
            self.sources.append(
                self._stand_in(key_column, position) if is_null else self._encoded(key_column, position)
            )
        self.next = at + shape.prefix_length
        self.fixed = len(self.where)
        self.rest = layout.key[shape.prefix_length :]
        self.leaves_nulls = shape.skips_nulls or shape.has_low or shape.has_high
        self.selection = Selection(shape, layout, leaves_nulls=self.leaves_nulls)
        if self.leaves_nulls and self.rest and self.rest[0].flag:
            self.where.append(f"{quoted(self.rest[0].flag)} = ?")
            self.sources.append("TRUE")

    def _encoded(self, column: KeyColumn, position: int) -> str:
        """Return the source of an argument's value for a key column."""
        self.names[f"e{position}"] = column.to_bytes()
        self.python[f"e{position}"] = column.as_python() or _itself
        call, value = f"e{position}(a[{position}])", f"a[{position}]"
        if not column.as_python():
            self.in_place[call] = value
        elif column.is_escaped and column.kind is not Kind.BLOB:
            self.in_place[call] = f"({value} if {value} and {value}[0] != '\\0' else {call})"
        return call

    def _stand_in(self, column: KeyColumn, position: int) -> str:
        """Return the source of what a key column holds for NULL."""
        stand_in, as_python = STORED[column.kind].stand_in_for_null, column.as_python()
        self.names[f"d{position}"] = STORED[column.kind].to_bytes(stand_in)
        self.python[f"d{position}"] = as_python(stand_in) if as_python else stand_in
        return f"d{position}"

    def plan(self) -> CqlRead:
        """Return the read."""
        shape = self.shape
        if shape.after_length:
            statements = self._resumed()
        else:
            ends, sources, guards = self._ends(self.next)
            statements = (self._statement([*self.where, *ends], [*self.sources, *sources], guards),)
        listings = self._listings(statements[0]) if len(statements) == 1 else ()
        return self._read(statements, shape.is_get, listings)

    def _read(
        self, statements: tuple[Statement, ...], is_get: bool = False, listings: tuple[Listing, ...] = ()
    ) -> CqlRead:
        shown = self.selection.shown
        return CqlRead(statements, is_get, shown.rows() if shown.is_changed else None, shown, listings)

    def _ends(self, at: int, *, as_tuple: bool = False) -> tuple[list[str], list[str], list[str]]:
        """Return the conditions of the range's ends, the sources of their values, and sources that must not be None."""
        shape = self.shape
        conditions: list[str] = []
        sources: list[str] = []
        guards: list[str] = []
        for has, sign, is_included, is_low in (
            (shape.has_low, ">", shape.is_low_included, True),
            (shape.has_high, "<", shape.is_high_included, False),
        ):
            if not has:
                continue
            column = self.rest[0]
            name = f"({quoted(column.name)})" if as_tuple else quoted(column.name)
            mark = "(?)" if as_tuple else "?"
            end_of_range = end_of(column.kind)
            if end_of_range is None:
                conditions.append(f"{name} {sign}{'=' if is_included else ''} {mark}")
                sources.append(self._encoded(column, at))
            else:
                end = self.python[f"n{at}"] = number_end(end_of_range, is_low, is_included)
                self.names[f"n{at}"] = in_bytes(end, STORED[column.kind].to_bytes)
                conditions.append(f"{name} {sign}= {mark}")
                guards.append(f"(v{at} := n{at}(a[{at}]))")
                sources.append(f"v{at}")
            at += 1
        return conditions, sources, guards

    def _resumed(self) -> tuple[Statement, ...]:
        """Split what follows a position into ranges that are each one slice, as few as the directions allow.

        after (a, b), both ascending   →  (a, b) > (?, ?)
        after (a, b), b descending     →  a = ? AND b < ?   then   a > ?
        """
        shape = self.shape
        bounds: list[_Bound] = []
        for position, key_column in enumerate(self.rest[: shape.after_length], start=self.next):
            encoded = self._encoded(key_column, position)
            if not key_column.flag:
                bounds.append(_Bound(key_column.name, key_column.ascending, encoded))
                continue
            stand_in = self._stand_in(key_column, position)
            if position > self.next or not self.leaves_nulls:
                bounds.append(
                    _Bound(key_column.flag, key_column.ascending, f"FALSE if a[{position}] is None else TRUE")
                )
            bounds.append(
                _Bound(key_column.name, key_column.ascending, f"{stand_in} if a[{position}] is None else {encoded}")
            )
        ends_at = self.next + shape.after_length
        directions = {bound.ascending == shape.is_ascending for bound in bounds}
        if len(directions) == 1:
            sign = (">" if directions == {True} else "<") + ("=" if shape.is_after_included else "")
            names = ", ".join(quoted(bound.name) for bound in bounds)
            condition = f"({names}) {sign} ({', '.join('?' * len(bounds))})"
            ends, sources, guards = self._ends(ends_at, as_tuple=True)
            where = [*self.where, condition, *ends]
            return (self._statement(where, [*self.sources, *(bound.source for bound in bounds), *sources], guards),)
        statements: list[Statement] = []
        for count in range(len(bounds), 0, -1):
            last = bounds[count - 1]
            sign = ">" if last.ascending == shape.is_ascending else "<"
            included = "=" if count == len(bounds) and shape.is_after_included else ""
            ends, sources, guards = self._ends(ends_at)
            if count > 1:  # the range's column is fixed here: whether it lies within the far end is known before
                ends, sources, guards = [], [], self._position_within_end(ends_at)
            where = [
                *self.where,
                *(f"{quoted(bound.name)} = ?" for bound in bounds[: count - 1]),
                f"{quoted(last.name)} {sign}{included} ?",
                *ends,
            ]
            statements.append(
                self._statement(where, [*self.sources, *(bound.source for bound in bounds[:count]), *sources], guards)
            )
        return tuple(statements)

    def _position_within_end(self, at: int) -> list[str]:
        """Return the source that is None if the position's first column lies beyond the end, which is argument `at`."""
        shape = self.shape
        if not (shape.has_low or shape.has_high):
            return []
        is_included = shape.is_low_included if shape.has_low else shape.is_high_included
        sign = (">" if shape.has_low else "<") + ("=" if is_included else "")
        return [f"(a[{self.next}] {sign} a[{at}] or None)"]

    def _statement(self, where: list[str], sources: list[str], guards: list[str]) -> Statement:
        """Return a statement of these conditions; it is not sent if one of the guards is None."""
        names = self.selection.names
        cql = self._select(names, where, "LIMIT")
        groups = tuple(self._group(names, where, position, name) for position, name in self._columns_of_groups())
        if not self.shape.is_get:
            sources = [*sources, "limit(a[-1])"]
        body = f"[{', '.join(sources)}]"
        if guards:
            body = f"None if {' or '.join(f'{guard} is None' for guard in guards)} else {body}"
        bind: Bind = eval(f"lambda a: {body}", dict(self.names))
        for call, value in self.in_place.items():
            body = body.replace(call, value)
        python = PythonSource(body, dict(self.python))
        length = len(self.layout.partition_names()) if self.fixed else 0
        return Statement(cql, bind, python, length, groups, self.shape.after_length > 0)

    def _select(self, names: list[str], where: list[str], limit: str) -> str:
        """Return the SELECT of columns; `limit` are the words before its limit."""
        cql = f"SELECT {', '.join(map(self._selected_as, names))} FROM {self.layout.table}"
        if where:
            cql += f" WHERE {' AND '.join(where)}"
        return cql if self.shape.is_get else f"{cql}{self._order()} {limit} ?"

    def _selected_as(self, name: str) -> str:
        function = self.functions.get(name, "{}")
        return quoted(name) if function == "{}" else f"{function.format(quoted(name))} AS {quoted(name)}"

    def _columns_of_groups(self) -> list[tuple[int, str]]:
        """Return the columns in which requests sent together may differ, each with its position among the parameters.

        They are the columns of the partition and, for a get, the last column of the key.
        """
        names = self.layout.key_names()
        partition = len(self.layout.partition_names())
        if self.fixed < partition or self.shape.in_any_order:
            return []
        positions = list(range(partition))
        if self.shape.is_get and len(names) > partition and names[-1] not in self.shape.nulls:
            positions.append(len(names) - 1)
        kinds = {column.name: column.kind for column in self.layout.key} | {BUCKET: Kind.INT}
        return [
            (position, names[position])
            for position in positions
            if (kind := kinds.get(names[position])) is not None and STORED[kind].as_read is not None
        ]

    def _group(self, names: list[str], where: list[str], position: int, name: str) -> Group:
        """Return the statement in which one column is compared with a list."""
        kinds = {column.name: column.kind for column in self.layout.key} | {BUCKET: Kind.INT}
        is_added = name not in names
        condition = f"{quoted(name)} IN ?"
        cql = self._select(
            [*names, name] if is_added else names,
            [*where[:position], condition, *where[position + 1 :]],
            "PER PARTITION LIMIT",
        )
        at = len(names) if is_added else names.index(name)
        is_partition = position < len(self.layout.partition_names())
        as_read = STORED[kinds[name]].as_read
        assert as_read is not None, "only keys of which each value has one form are grouped"
        return Group(cql, position, at, is_added, is_partition, not self.shape.is_get, as_read)

    def _listings(self, statement: Statement) -> tuple[Listing, ...]:
        """Return a listing for each group, if requests with equal arguments have equal bytes and the reverse."""
        key = {column.name: column for column in self.layout.key}
        if statement.partition_length > 1 or any(column.kind is Kind.DOUBLE for column in key.values()):
            return ()  # -0.0 equals 0.0, and has other bytes
        if self.shape.has_low or self.shape.has_high or self.shape.nulls:  # their arguments are converted
            return ()
        names = self.layout.key_names()
        return tuple(self._listing(group, key.get(names[group.parameter])) for group in statement.groups)

    def _listing(self, group: Group, column: KeyColumn | None) -> Listing:
        """Compile the listing of a group; `column` is None for a bucket."""
        at = 0 if column is None else self.layout.has_bucket + self.layout.key.index(column)
        count = self.next + self.shape.after_length + (not self.shape.is_get)
        other_arguments = "".join(f"a[{position}], " for position in range(count) if position != at)
        as_kept = column.as_kept() if column is not None else None
        key = f"a[{at}]"
        if as_kept is not None and column is not None:
            escape_byte = "b'\\x01'" if column.kind is Kind.BLOB else "'\\x01'"
            key = f"{key} if {key} >= {escape_byte} else kept({key})"
        shown = self.selection.shown
        return Listing(
            group,
            "int" if column is None else column.cql,
            eval(f"lambda arguments: [{key} for a in arguments]", {"kept": as_kept}),
            eval(
                f"lambda arguments: len({{({other_arguments}) for a in arguments}}) == 1"
                if other_arguments
                else "lambda _: True"
            ),
            pack_int if column is None else STORED[column.kind].to_bytes,
            shown,
            shown.row_by_key(group.at) if self.shape.is_get else None,
            shown.rows() if not self.shape.is_get else None,
        )

    def _order(self) -> str:
        """Return the ORDER BY of a read against the table's order; nothing for one in its order."""
        if self.shape.is_ascending or not self.layout.clustering:
            return ""
        order: list[str] = []
        for column in self.layout.clustering:
            direction = "DESC" if column.ascending else "ASC"
            order.extend(f"{quoted(name)} {direction}" for name in (column.flag, column.name) if name)
        return f" ORDER BY {', '.join(order)}"


class _WalkPlan(_ReadPlan):
    """Plans a walk of a whole table, partition by partition in the order of their tokens; no query makes one.

    after a row   →  the rest of its partition   then   token(partition) > token(?)
    """

    def plan(self) -> CqlRead:
        """Return the read; raise NotDeployed for a table in buckets, which is never walked."""
        layout, shape = self.layout, self.shape
        if layout.leading:
            raise NotDeployed(f"{layout.name} is spread over buckets, and is not walked")
        if not shape.after_length:
            return self._read((self._statement([], [], []),))
        names = ", ".join(map(quoted, layout.partition_names()))
        count = len(layout.partition)
        sources = [self._encoded(key_column, at) for at, key_column in enumerate(layout.partition)]
        further = self._statement([f"token({names}) > token({', '.join('?' * count)})"], sources, [])
        if not layout.clustering:
            return self._read((further,))
        rest = replace(shape, prefix_length=count, after_length=len(layout.clustering), in_any_order=False)
        return self._read((*_ReadPlan(rest, layout, self.functions).plan().statements, further))


def _most(rows: int) -> int:
    """Return the LIMIT of a read of so many rows."""
    return min(rows, LARGEST_LIMIT)


def _limit(rows: int) -> bytes:
    """Return the bytes of the LIMIT of a read of so many rows."""
    return pack_int(min(rows, LARGEST_LIMIT))


def _itself(value: Any) -> Any:
    return value
