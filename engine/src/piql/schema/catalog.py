"""What a schema declares: tables, columns, keys, limits and indexes. Data only; binding builds it from the DDL."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Literal

from piql.schema.thresholds import DEFAULT, Thresholds
from piql.schema.view_stripes import ViewStripes
from piql.schema.view_windows import ViewWindow
from piql.text.source import Span
from piql.trees.cached_property import cached_property
from piql.trees.node import Node

FEW = 8  # constraints of a table that are looked through one by one


class Kind(Enum):
    """The column types of the language."""

    INT = "INT"
    BIGINT = "BIGINT"
    DOUBLE = "DOUBLE"
    DECIMAL = "DECIMAL"
    BOOLEAN = "BOOLEAN"
    VARCHAR = "VARCHAR"
    TEXT = "TEXT"
    BLOB = "BLOB"
    TIMESTAMP = "TIMESTAMP"
    DATE = "DATE"
    TIME = "TIME"
    UUID = "UUID"
    TIMEUUID = "TIMEUUID"
    NULL = "NULL"  # the type of a bare NULL

    __hash__ = object.__hash__  # members are singletons; this hash is quick


@dataclass(frozen=True, slots=True)
class SqlType:
    """A type as declared: `VARCHAR(32)`, `DECIMAL(10, 2)`."""

    kind: Kind
    length: int | None = None
    precision: int | None = None
    scale: int | None = None

    def __str__(self) -> str:
        if self.length is not None:
            return f"{self.kind.value}({self.length})"
        if self.precision is not None:
            return f"{self.kind.value}({self.precision}, {self.scale or 0})"
        return self.kind.value

    @property
    def with_article(self) -> str:
        """The type as it stands in a sentence: `an INT`, `a VARCHAR(32)`."""
        return ("an " if self.kind.value[0] in "AEIO" else "a ") + str(self)


@dataclass(frozen=True, slots=True)
class RowType:
    """The type of a row that a parameter gives: its columns in their order, each with its type."""

    columns: tuple[tuple[str, SqlType], ...]

    def __str__(self) -> str:
        return f"ROW({', '.join(f'{name} {column_type}' for name, column_type in self.columns)})"


Supply = Literal["CURRENT_TIMESTAMP", "CURRENT_DATE", "UUID", "TIMEUUID"]
"""What an execution gives by itself: the time or the day at which it began, or a new id."""


@dataclass(frozen=True, slots=True)
class Default:
    """What a new row has in a column to which it gives no value: a value of its type, or what is `supplied`."""

    value: object = None
    supplied: Supply | None = None

    @property
    def may_be_null(self) -> bool:
        return self.value is None and self.supplied is None


@dataclass(frozen=True, slots=True)
class Column:
    """A column as declared; `nullable` is False for NOT NULL and for key columns."""

    name: str
    type: SqlType
    nullable: bool
    default: Default | None = None
    span: Span | None = field(default=None, compare=False, repr=False)

    @property
    def has_default(self) -> bool:
        """Whether a new row without a value for it holds something else than NULL."""
        return self.default is not None and not self.default.may_be_null


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """Columns whose values reference a row of another table: `columns[i]` equals its `referenced_columns[i]`."""

    columns: tuple[str, ...]
    table: str
    referenced_columns: tuple[str, ...]
    name: str | None = None
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class CardinalityLimit:
    """At most `limit` rows share one value of `columns` (or, with `is_token`, hold one word in them).

    Without columns, at most `limit` rows are in the table.
    """

    limit: int
    columns: tuple[str, ...]
    is_token: bool = False
    name: str | None = None
    span: Span | None = field(default=None, compare=False, repr=False)
    limit_span: Span | None = field(default=None, compare=False, repr=False)  # the number alone

    @property
    def counted(self) -> str:
        """What is limited, as it is declared: `owner, target`, or `TOKEN(title)`."""
        columns = ", ".join(self.columns)
        return f"TOKEN({columns})" if self.is_token else columns

    @property
    def declaration(self) -> str:
        """The limit as it is declared: `CARDINALITY LIMIT 100 (owner)`, `CARDINALITY LIMIT 40` of the whole table."""
        return f"CARDINALITY LIMIT {self.limit}" + (f" ({self.counted})" if self.columns else "")


@dataclass(frozen=True, slots=True)
class UniqueKey:
    """At most one row has the same values in `columns`; rows with a NULL among them do not count."""

    columns: tuple[str, ...]
    name: str | None = None
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class RowTest:
    """A test of one row by itself: its text as the compiler writes it, its constants, and the columns that it tests.

    Text and constants tell two apart: the text shortens long constants. `test` is the bound expression; None where only
    what a store keeps of it is known.
    """

    text: str
    constants: tuple[str, ...]
    columns: tuple[str, ...]
    test: Node | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Check:
    """A CHECK: `test` is never FALSE for a row; where a NULL makes it neither, the row is taken.

    `written` is the test as the user wrote it, for messages. `samples` are the constants that a column is compared
    with, column by column: rows that are made up are right sooner with a value at or beside one.
    """

    test: RowTest
    written: str = field(compare=False)
    name: str | None = None
    samples: tuple[tuple[str, tuple[object, ...]], ...] = field(default=(), compare=False, repr=False)
    span: Span | None = field(default=None, compare=False, repr=False)

    @property
    def declaration(self) -> str:
        """The constraint as it is declared: `CHECK (quantity > 0)`."""
        return f"CHECK ({self.written})"


@dataclass(frozen=True, slots=True)
class IndexColumn:
    """One key column of an index; `token_of` names the text columns whose words it holds (an inverted index)."""

    name: str
    ascending: bool = True
    token_of: tuple[str, ...] = ()


@dataclass(frozen=True)
class Index:
    """An ordered list of a table's rows by `columns`, completed by the primary key.

    ``columns`` always ends with the primary-key columns that it does not name already, so every entry is unique.
    ``covering`` are further columns stored beside the key. The primary index is the table itself: it holds every
    column, and ``is_primary`` is true.

    ``(owner, posted) → text`` reads as: key columns owner, posted; stored beside them text.
    """

    name: str
    table: str
    columns: tuple[IndexColumn, ...]
    covering: tuple[str, ...] = ()
    is_primary: bool = False
    is_unique: bool = False  # the declared columns alone are unique
    partition_columns: int = 1  # how many leading columns an equality always fixes; the CQL partition key
    buckets: int = 1
    reason: str = ""  # why covering, or why keys only
    span: Span | None = field(default=None, compare=False, repr=False)  # of a CREATE INDEX

    @cached_property
    def held_columns(self) -> frozenset[str]:
        """The columns that an index entry holds, so that they are read without the row itself."""
        return frozenset(column.name for column in self.columns if not column.token_of) | frozenset(self.covering)


@dataclass(frozen=True, slots=True)
class ViewAggregate:
    """A column of a view: COUNT, SUM or AVG of a column of its table; COUNT(*) has no `column`.

    `counted_by` is the column of the view that counts the values: a SUM or an AVG is NULL where this is 0. An AVG is
    what `summed_by` holds, divided by that.
    """

    name: str
    function: Literal["COUNT", "SUM", "AVG"]
    column: str | None
    counted_by: str | None = None
    summed_by: str | None = None


@dataclass(frozen=True, slots=True)
class StandIn:
    """The value that stands for NULL in a column that a view is grouped by: `'none'` of COALESCE(team, 'none').

    `shown` tells two apart. `value` is None where only what a store keeps of it is known.
    """

    column: str
    shown: str
    value: object = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class JoinedTable:
    """A further table of a view: its rows that belong to rows of the tables before it, where all `pairs` are equal.

    A pair has the number of a table before it (0 is the first), a column of that one, and a column of this one.
    Where `is_left`, all pairs are with one table, and this one's columns are its primary key. A row that finds none by
    it is in the view, too, with NULL in the place of each column.
    """

    table: str
    pairs: tuple[tuple[int, str, str], ...]
    is_left: bool = False


@dataclass(frozen=True, slots=True)
class View:
    """What a view holds: a row for each group of rows of `table`, which writes to that table keep up to date.

    `keys` pairs each key column of the view with the column of `table` that it is grouped by, of which some have
    `stand_ins`. Of the table, only rows count for which `condition` is true.

    With `joins` its rows are those of all its tables that belong together, and a column is called after the number of
    its table: `1.subject` (`column_of`). With a `window`, the key of its column holds when a window begins, and
    a row is in a group for each of its windows. With `stripes` a group has several rows, and a row of the
    table is in one of them (`schema.view_stripes`).
    """

    table: str
    keys: tuple[tuple[str, str], ...]
    aggregates: tuple[ViewAggregate, ...]
    condition: RowTest | None = None
    stand_ins: tuple[StandIn, ...] = ()
    joins: tuple[JoinedTable, ...] = ()
    window: ViewWindow | None = None
    stripes: ViewStripes | None = None

    @property
    def groups_of_row(self) -> int:
        """In how many groups a row is at most."""
        return self.window.count if self.window is not None else 1

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables that it is made of, in their order; one may be there several times."""
        return (self.table, *(join.table for join in self.joins))

    @property
    def key_columns(self) -> frozenset[str]:
        """The columns of the table that it is grouped by."""
        return frozenset(column for _, column in self.keys)

    @property
    def columns(self) -> frozenset[str]:
        """All columns of the table that it is made from, but for those by which tables are joined."""
        tested = self.condition.columns if self.condition is not None else ()
        return self.key_columns | {part.column for part in self.aggregates if part.column is not None} | {*tested}


def column_of(number: int, column: str) -> str:
    """Return what a view of several tables calls a column of one of them."""
    return f"{number}.{column}"


@dataclass(frozen=True)
class Table:
    """A table as declared, or the rows of a `view`.

    `implied_keys` are foreign keys that nobody checks, since the rows of a view follow from those of its tables.
    It has no slots, so that properties asked for often can be cached on it.
    """

    name: str
    columns: tuple[Column, ...]
    primary_key: tuple[str, ...]
    unique_keys: tuple[UniqueKey, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    limits: tuple[CardinalityLimit, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)
    name_span: Span | None = field(default=None, compare=False, repr=False)
    key_span: Span | None = field(default=None, compare=False, repr=False)
    view: View | None = None
    checks: tuple[Check, ...] = ()
    implied_keys: tuple[ForeignKey, ...] = ()

    @property
    def references(self) -> tuple[ForeignKey, ...]:
        """All that rows name: by foreign keys that are declared, and by those that follow from what a view is."""
        return self.foreign_keys + self.implied_keys if self.implied_keys else self.foreign_keys

    def column(self, name: str) -> Column | None:
        """Return the column of that name, or None."""
        return self._column_by_name.get(name)

    def in_order(self, names: Collection[str]) -> tuple[str, ...]:
        """Return those of `names` that are columns, in the order of their declaration."""
        by_name = self._column_by_name
        if len(names) < 2:
            return tuple(name for name in names if name in by_name)
        positions = self._position_by_name
        return tuple(sorted((name for name in names if name in positions), key=positions.__getitem__))

    @cached_property
    def _position_by_name(self) -> Mapping[str, int]:
        return {column.name: at for at, column in enumerate(self.columns)}

    @cached_property
    def _column_by_name(self) -> Mapping[str, Column]:
        return {column.name: column for column in reversed(self.columns)}  # of two of one name, the first

    def constraints_near(self, names: Collection[str]) -> Sequence[UniqueKey | CardinalityLimit]:
        """Return the UNIQUE keys and limits that may be on these columns alone, and all limits on words.

        A superset: the caller compares the columns.
        """
        if len(self._constraints) <= FEW:
            return self._constraints
        positions = {at for name in ("", *names) for at in self._positions_by_column.get(name, ())}
        return [self._constraints[at] for at in sorted(positions)]

    @cached_property
    def _constraints(self) -> tuple[UniqueKey | CardinalityLimit, ...]:
        return (*self.unique_keys, *self.limits)

    @cached_property
    def _positions_by_column(self) -> Mapping[str, list[int]]:
        """Positions in `_constraints` by the first column of each; limits on words or the table have the key ""."""
        positions: dict[str, list[int]] = {}
        for at, constraint in enumerate(self._constraints):
            is_token = isinstance(constraint, CardinalityLimit) and constraint.is_token
            positions.setdefault("" if is_token or not constraint.columns else constraint.columns[0], []).append(at)
        return positions

    def primary_index(self) -> Index:
        """Return the table itself as an index in primary-key order."""
        return self._primary_index

    @cached_property
    def _primary_index(self) -> Index:
        key = tuple(IndexColumn(name) for name in self.primary_key)
        covering = tuple([column.name for column in self.columns if column.name not in self.primary_key])
        is_striped = self.view is not None and self.view.stripes is not None
        partition = len(key) if is_striped else 1
        return Index(self.name, self.name, key, covering, is_primary=True, is_unique=True, partition_columns=partition)


def word_column(texts: Iterable[str], ascending: bool = True) -> IndexColumn:
    """Return the index column of the words of these text columns; the order of `texts` does not matter."""
    names = tuple(sorted(texts))
    return IndexColumn(f"token({','.join(names)})", ascending, token_of=names)


def completed_by_key(table: Table, columns: Sequence[IndexColumn]) -> tuple[IndexColumn, ...]:
    """Return the key columns of an index, completed by those of the primary key in the direction of the last column."""
    ascending = columns[-1].ascending if columns else True
    named = {column.name for column in columns}
    return (*columns, *(IndexColumn(name, ascending) for name in table.primary_key if name not in named))


@dataclass(frozen=True, slots=True)
class Catalog:
    """All tables by name, the indexes declared by CREATE INDEX by name, and above which bound a query is expensive."""

    tables: Mapping[str, Table] = field(default_factory=dict)
    indexes: Mapping[str, Index] = field(default_factory=dict)
    thresholds: Thresholds = DEFAULT

    def views_of(self, table: str) -> tuple[Table, ...]:
        """Return the views that writes to a table keep up to date."""
        return views_of(self.tables, table)


def views_of(tables: Mapping[str, Table], name: str) -> tuple[Table, ...]:
    """Return those of `tables` that are views of a table, or of several with this one among them."""
    return tuple(table for table in tables.values() if table.view is not None and name in table.view.tables)
