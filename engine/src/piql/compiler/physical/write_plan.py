"""The physical plan of a write of one record or of several: the checks, index entries and places of its steps."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from piql.compiler.logical.expressions import Expression
from piql.compiler.logical.operators import Assignment, GivenRows, OnConflict, Output, ValuesRow
from piql.compiler.physical.operators import PhysicalNode
from piql.schema.catalog import CardinalityLimit, ForeignKey, Index, Table, UniqueKey
from piql.text.source import Span
from piql.trees.node import Node


@dataclass(frozen=True, slots=True)
class ViewUpkeep:
    """A view that a write keeps up to date: how many of its groups one row changes, and the indexes on the view.

    Of a view of several tables, `reads` are what finds the rows that belong to the row, before the write and after it.
    Where rows may name this one, it `is_marked` while they are looked for. `by_steps` says whether stores without
    transactions keep the view.
    """

    view: Table
    groups: int
    indexes: tuple[Index, ...]
    reads: tuple[ViewRead, ...] = ()
    is_marked: bool = False
    by_steps: bool = True


@dataclass(frozen=True, slots=True)
class ViewRead:
    """Requests for rows of one table, or for one that shows that there are none: how many, and each with its reason.

    They are made one after the other, in `round_trips`.
    """

    requests: int
    round_trips: int
    reason: str
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class WritePlan(Node):
    """A write of one record, with all that its steps need (VLDB 2012, section 7.2).

    The steps, for stores with and without transactions (docs/glossary.md explains intents and places):

    1. a get of the old record (always: old index entries and the condition depend on it)
    2. a note of the intent, where entries or places may change
    3. a count and a conditional put for each limit in `counted_limits` whose group changes (a place among `limit`), a
       conditional put for each key in `unique_checks`
    4. puts of new index entries and of those that will be stale, in doubt; of the record, if it `is_shown_first`
    5. a get per foreign key in `references` whose value is set and has changed, two if it is in `unique_references`
    6. for each foreign key of another table that names this row (`referrers`) a read of at most two entries, after the
       record has been marked: in a DELETE, and where a UNIQUE value changes that another table references
    7. a put of the record, puts of the new entries for good, deletes of the stale ones
    8. for each group in `left`, a read of its places and a delete of the record's; the intent is deleted
    9. of a view of several tables, the rows that belong to the record, read before it changes and after; for each group
       that changes in a view (`views`), a get of its row, and a put or delete of it and of the entries that change: in
       the transaction of the write, or by steps that count it once

    An INSERT whose values are read first reads them before all steps (`given_by`), with transactions in the same one.
    An UPDATE or DELETE of a `section` first reads the primary keys of its rows, and then takes all steps for each.
    Where `found_by` is a UNIQUE key, the primary key of the row is looked up by it first. An INSERT with `conflict` and
    changes is one of two ways: this plan where there is no such row, the plan `otherwise`, an UPDATE, where there is.
    An INSERT that does nothing where any key exists looks for each UNIQUE value first, and for the row that has it: a
    store without transactions would have to take back what was written until then.

    `indexes` are the secondary indexes of the deployed set when the write was compiled; at run time the database uses
    all indexes that are live on the table, and deploying adds their cost to the bound.
    """

    kind: Literal["insert", "update", "delete"]
    table: Table
    values: tuple[Assignment, ...] = ()  # insert: every column; update: the changed columns
    key: tuple[Assignment, ...] = ()  # the whole primary key, or that of `found_by`; empty where there is a section
    where: Expression | None = None  # what a row must pass to be affected, beside the key
    section: PhysicalNode | None = None  # gives the primary keys of the rows, which are written one after another
    condition: Expression | None = None
    if_not_exists: bool = False
    conflict: OnConflict | None = None
    found_by: UniqueKey | None = None
    otherwise: WritePlan | None = None
    more: tuple[ValuesRow, ...] = ()  # insert: the values of the rows behind the first, each written like it
    rows: GivenRows | None = None  # insert: the list whose rows are written by `values`
    given_by: PhysicalNode | None = None  # insert: gives the one row of values that are read first
    returning: tuple[Output, ...] = ()  # columns of the row after the write, of a DELETE before it
    references: tuple[ForeignKey, ...] = ()
    counted_limits: tuple[tuple[CardinalityLimit, Index], ...] = ()
    unique_checks: tuple[tuple[UniqueKey, Index], ...] = ()
    referrers: tuple[tuple[Table, ForeignKey, Index], ...] = ()
    left: tuple[CardinalityLimit | UniqueKey, ...] = ()  # whose groups the record as it was may be in
    unique_references: tuple[ForeignKey, ...] = ()  # of `references`, those that name a UNIQUE key
    is_shown_first: bool = False  # who deletes a referenced row looks for new ones among the records themselves
    indexes: tuple[Index, ...] = ()
    views: tuple[ViewUpkeep, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)

    @property
    def most_rows(self) -> int:
        """How many rows a write without a section writes at most."""
        return self.rows.max if self.rows is not None else 1 + len(self.more)

    @property
    def reads(self) -> tuple[PhysicalNode, ...]:
        """The plan of the section, or of the values that are read first, where there is one."""
        return tuple(plan for plan in (self.section, self.given_by) if plan is not None)

    @property
    def looked_up(self) -> tuple[UniqueKey, ...]:
        """The UNIQUE keys whose values an INSERT looks for first: all, if it does nothing where any key exists."""
        does_nothing = self.conflict is not None and not self.conflict.key
        return tuple(key for key, _ in self.unique_checks) if does_nothing else ()

    @property
    def may_replace(self) -> bool:
        """Whether this is an INSERT that replaces a row with the same primary key."""
        return self.kind == "insert" and not self.if_not_exists and self.conflict is None
