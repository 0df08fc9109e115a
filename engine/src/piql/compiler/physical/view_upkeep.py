"""What a write adds for the views of its table: the groups that one row changes, and what finds the rows of a join.

    INSERT INTO order_line, with a view of order_line JOIN item:    1 group, after the item was read
    UPDATE item SET i_subject, 20 lines an item at most:            40 groups, after the 20 lines were read twice

Of a view of several tables, a row that no row can name yet changes nothing, and so does one that none names any more.
Next: `bounds` counts all this, `runtime.writing.kept_view` does it.
"""

from __future__ import annotations

from collections.abc import Mapping

from piql.compiler.physical.indexes.secondary_index import group_index
from piql.compiler.physical.write_plan import ViewRead, ViewUpkeep
from piql.schema.catalog import Catalog, Index, Table
from piql.schema.view_joins import (
    Lookup,
    Start,
    grouped_by,
    joined_by,
    made_from,
    reason_against_steps,
    restricted,
    starts_of,
)


def upkeep_of_views(
    table: Table, catalog: Catalog, indexes: Mapping[str, Index], changed: set[str] | None, *, may_move: bool
) -> tuple[ViewUpkeep, ...]:
    """Return the views that a write may change, each with how many groups one row changes.

    `changed` are the columns of an UPDATE, None where a row comes or goes. With `may_move` there may be a row before
    and one after, of different groups: both change.
    """
    upkeep: list[ViewUpkeep] = []
    for view in catalog.views_of(table.name):
        assert view.view is not None
        of_view = tuple(index for index in indexes.values() if index.table == view.name)
        if view.view.joins:
            kept = _Joined(view, table, catalog, indexes, changed, may_move).upkeep(of_view)
            upkeep += [kept] if kept is not None else []
            continue
        if changed is not None and changed.isdisjoint(view.view.columns):
            continue
        of_row = view.view.key_columns.difference(table.primary_key)
        moves = may_move and bool(of_row if changed is None else of_row & changed)
        upkeep.append(ViewUpkeep(view, (2 if moves else 1) * view.view.groups_of_row, of_view))
    return tuple(upkeep)


class _Joined:
    """The upkeep of one view of several tables by one write of a row of `table`."""

    def __init__(
        self,
        view: Table,
        table: Table,
        catalog: Catalog,
        indexes: Mapping[str, Index],
        changed: set[str] | None,
        may_move: bool,
    ) -> None:
        assert view.view is not None
        self._view, self._definition = view, view.view
        self._table = table
        self._tables = catalog.tables
        self._indexes = indexes
        self._changed = changed
        self._may_move = may_move

    def upkeep(self, of_view: tuple[Index, ...]) -> ViewUpkeep | None:
        """Return what the write takes; None where it cannot change the view."""
        groups = 0
        reads: list[ViewRead] = []
        is_marked = False
        by_steps = reason_against_steps(self._definition, self._tables) is None
        for start in starts_of(self._definition, self._tables):
            if start.table != self._table.name:
                continue
            if start.guard is not None and self._changed is None and not self._may_move:
                continue  # a row that comes or goes is named by no other
            if start.lookups is None:
                looks = self._look_for_names(start)
                is_marked |= by_steps and bool(looks)
                reads += looks
            elif self._changes(made_from(self._definition, start.number)):
                if self._fills(start):
                    reads += self._reads(start.lookups, 2 if self._may_move or self._joins_itself(start) else 1)
                    groups += (2 if self._groups_by_filled(start) else 1) * start.most_rows
                    continue
                times = 2 if self._has_both(start) else 1
                if times == 1 and start.guard is not None:
                    continue
                reads += self._reads(start.lookups, times if self._reads_others(start, start.lookups) else 1)
                reads += self._reads_again(start, start.lookups) if by_steps else []
                groups += (2 if times == 2 and self._moves(start) else 1) * start.most_rows
        groups *= self._definition.groups_of_row
        if not groups and not reads:
            return None
        return ViewUpkeep(self._view, groups, of_view, tuple(reads), is_marked, by_steps)

    def _reads_again(self, start: Start, lookups: tuple[Lookup, ...]) -> list[ViewRead]:
        """Return the second reads of rows that the row names through others; its foreign keys read the others again."""
        if not self._changes(joined_by(self._definition, start.number)):
            return []
        names = self._definition.tables
        return [
            ViewRead(1, 1, f"whether the row of {names[lookup.number]} is still as {self._view.name} takes it")
            for lookup in lookups
            if any(number != start.number for number, _ in lookup.sources)
        ]

    def _changes(self, columns: frozenset[str]) -> bool:
        return self._changed is None or not self._changed.isdisjoint(columns)

    def _has_both(self, start: Start) -> bool:
        """Whether there may be a row before and one after that the view tells apart."""
        of_row = made_from(self._definition, start.number).difference(self._table.primary_key)
        return self._may_move and bool(of_row)

    def _fills(self, start: Start) -> bool:
        """Whether the row may take the place of NULLs that LEFT JOIN gives, or leave them."""
        return start.is_optional and start.guard is None and self._changed is None

    def _groups_by_filled(self, start: Start) -> bool:
        return any(grouped_by(self._definition, number) for number in (start.number, *start.below))

    def _joins_itself(self, start: Start) -> bool:
        assert start.lookups is not None
        return self._table.name in {self._definition.tables[lookup.number] for lookup in start.lookups}

    def _moves(self, start: Start) -> bool:
        of_row = grouped_by(self._definition, start.number).difference(self._table.primary_key)
        return bool(of_row) and self._changes(of_row)

    def _reads_others(self, start: Start, lookups: tuple[Lookup, ...]) -> bool:
        """Whether other rows may belong to the row before the write than after it."""
        names = {self._definition.tables[lookup.number] for lookup in lookups}
        return self._table.name in names or self._changes(joined_by(self._definition, start.number))

    def _look_for_names(self, start: Start) -> list[ViewRead]:
        assert start.guard is not None
        columns = restricted(self._definition, self._tables, start)
        if not columns or not self._changes(columns):
            return []
        naming = self._definition.tables[start.guard.number]
        reason = f"whether rows of {naming} name the row: then {self._view.name} keeps it as it is"
        return [ViewRead(1, 1, reason, start.guard.key.span)]

    def _reads(self, lookups: tuple[Lookup, ...], times: int) -> list[ViewRead]:
        """Return the reads of all lookups, one after the other; rows that an index names are read by their keys."""
        reads: list[ViewRead] = []
        rows = times
        for lookup in lookups:
            table = self._tables[self._definition.tables[lookup.number]]
            of_table = [index for index in self._indexes.values() if index.table == table.name]
            index = group_index(table, lookup.columns, of_table)
            of_index = 0 if index is not None and index.is_primary else lookup.most
            what = f"the row of {table.name}" if lookup.most == 1 else f"at most {lookup.most:,} rows of {table.name}"
            reason = f"{what} that {self._view.name} joins by {', '.join(lookup.columns)}"
            if times > 1:
                reason += ", before the write and after it"
            span = lookup.limit.span if lookup.limit is not None else self._view.name_span
            reads.append(ViewRead(rows * (1 + of_index), rows * (1 + bool(of_index)), reason, span))
            rows *= lookup.most
        return reads
