"""Single-row writes on a cluster: a record by a lightweight transaction, an entry by its timestamp.

A conditional change may be sent twice, or be made though its answer is lost. Then the record tells: its `#write` names
the write that left it and the last ones before, newest first, each of which replaced the next.

    #write    0005f2c9a1b3c4d8-9f3a11c2-1f 0005f2c9a1b1c0a4-77b1c3d0-4a        the write, the one that it replaced
    #write    0005f2c9a1b1c0a4-77b1c3d0-4a                                     a write that found no record
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import TypeVar

from piql.errors import StoreSilent
from piql.store.cql.layout import quoted
from piql.store.cql.link import Link, Reach
from piql.store.cql.reads.grouping import Values
from piql.store.cql.schema.tables import CELLS
from piql.store.cql.stored_values import pack_int, pack_long
from piql.store.cql.undecided import Undecided
from piql.store.cql.writes.entries import CqlEntries
from piql.store.cql.writes.together import MOST_ROWS, SERIALLY_AT_ONCE, Change, decide, in_list, together
from piql.store.row_writes import Cell, EntryChange, RecordChange, StoredRecord, Swap
from piql.store.rows import FORGOTTEN, HOLDS, KEPT_SECONDS, Row, State

T = TypeVar("T")

_WRITERS = 24  # records that a load writes at the same time
_NAMED_BEFORE = 8  # writes that `#write` names besides the last
_REMEMBERED = 10_000  # writes whose predecessors this process remembers
_PATIENCE = 2  # times the timeout of one request, where others contend for a partition or replicas fail
_FIRST_PAUSE, _LONGEST_PAUSE = 0.02, 0.32  # seconds
_FOREVER = pack_int(0)  # times to live, in seconds
_FOR_A_WHILE = pack_int(KEPT_SECONDS)


class CqlRowWrites:
    """`SingleRowWrites` on a cluster: each call is one CQL statement, and more only where its outcome is not known.

    `_before` has, for writes that were read from records, the names of the writes before them. With `reach` changes of
    records and entries are done once so many copies have them; None is as the address says.
    """

    def __init__(self, connection: Link, reach: Reach | None = None) -> None:
        self._connection = connection
        self._reach = reach
        self._before: dict[str, str] = {}
        cells, self._prefix = f"{quoted(connection.address.keyspace)}.{CELLS}", connection.address.prefix
        self._cells = f'SELECT key, value FROM {cells} WHERE "group" = ? AND key > ? LIMIT ?'
        self._groups = f'SELECT DISTINCT "group" FROM {cells}{{}} LIMIT ?'
        self._cell = f'SELECT value FROM {cells} WHERE "group" = ? AND key = ?'
        self._insert = f'INSERT INTO {cells} ("group", key, value) VALUES (?, ?, ?) IF NOT EXISTS'
        self._update = f'UPDATE {cells} SET value = ? WHERE "group" = ? AND key = ? IF value = ?'
        self._remove = f'DELETE FROM {cells} WHERE "group" = ? AND key = ? IF value = ?'
        self._note = f'INSERT INTO {cells} ("group", key, value) VALUES (?, ?, ?)'
        self._forget = f'DELETE FROM {cells} WHERE "group" = ? AND key = ?'

    @property
    def writers(self) -> int:
        return _WRITERS

    def to_all_copies(self) -> CqlRowWrites:
        return CqlRowWrites(self._connection, "all")

    def confirm(self, records: CqlEntries, key: Row) -> None:
        """Read a record from all copies, if changes have to reach these: what one of them lacks it is given meanwhile.

        Such a read waits for that (`read_repair` BLOCKING, as tables are made).
        """
        if self._reach is not None:
            self._connection.answer(records.find, _key_bytes(records, key), self._reach)

    def find(self, records: CqlEntries, key: Row, is_serial: bool = False) -> StoredRecord | None:
        values = records.key(key)
        assert values is not None
        rows = self._serially(records.find, values) if is_serial else self._connection.answer(records.find, values)
        return self._record(key, rows)[0]

    def _record(self, key: Row, rows: list[Row]) -> tuple[StoredRecord | None, list[str | None]]:
        """Return a record from the row that was read, and the names of the writes before its last one.

        A None at the end of these: no record was there.
        """
        if not rows:
            return None, []
        writes, state, *values = rows[0]
        write, space, before = (writes or "").partition(" ")
        self._remember(write, before)
        replaced: list[str | None] = list(before.split(" ")) if space else [None]
        return StoredRecord(write, State(state or 0), (*key, *values)), replaced

    def _remember(self, write: str, before: str) -> None:
        """Remember the writes before a write; without them a lost answer may only take an error more to clear up."""
        if len(self._before) >= _REMEMBERED:
            self._before.clear()
        self._before[write] = before

    def _writes_text(self, write: str, known: str | None) -> str:
        """Return the `#write` of a record that a write leaves: its name, and those of the writes before."""
        if known is None:
            return write
        before = self._before.get(known, "").split(" ")[: _NAMED_BEFORE - 1]
        return " ".join([write, known, *filter(None, before)])

    def change(
        self, records: CqlEntries, row: Row, state: State, write: str, known: str | None
    ) -> tuple[bool, StoredRecord | None]:
        """Put a record if its last write is the known one; where the outcome is unknown, read it, and try again.

        A change that is found to be made may have reached fewer copies than it has to: then it is confirmed.
        """
        key = row[: records.key_length]
        patience = self._patience()
        while True:
            is_certain = False
            with patience.absorbing():
                is_made, is_certain = self._changed(records, row, state, write, known)
                if is_made:
                    return True, None
            record, before = self._found(records, key, patience)
            last_write = record.write if record is not None else None
            if write == last_write or write in before:
                self.confirm(records, key)
                return True, None
            if is_certain:
                return False, record
            if last_write != known:
                if last_write is None or known in before or None in before:  # another write replaced the known one
                    return False, record
                raise self._unknown("and others have changed the record since")
            if patience.is_over:
                raise self._unknown("again and again")

    def _found(
        self, records: CqlEntries, key: Row, patience: _Patience
    ) -> tuple[StoredRecord | None, list[str | None]]:
        """Return the record that a change has left, as `_record` does."""
        values = records.key(key)
        assert values is not None
        return self._record(key, self._serially(records.find, values, patience))

    def _changed(self, records: CqlEntries, row: Row, state: State, write: str, known: str | None) -> tuple[bool, bool]:
        """Send a change; return whether it was made, and whether that is certain."""
        key = records.key(row)
        assert key is not None
        new = [*records.values(row), *records.hidden(state, self._writes_text(write, known))]
        lifetime = _lifetime(state, write)
        if known is None:
            return self._connection.change_if(records.insert, [*key, *new, lifetime], self._reach)
        values = [lifetime, *new, *key, *_names(known)]
        is_made, is_certain = self._connection.change_if(records.change, values, self._reach)
        if known != "" or is_made or not is_certain:
            return is_made, is_certain
        # the `#write` of a row that another client wrote is NULL
        return self._connection.change_if(records.adopt, [lifetime, *new, *key], self._reach)

    def find_many(self, records: CqlEntries, keys: Sequence[Row], is_serial: bool = False) -> list[StoredRecord | None]:
        """Return the record of each key; records of one partition are read by one statement."""
        if not records.find_some:
            requests = [(records.find, _key_bytes(records, key)) for key in keys]
            return [
                self._record(key, rows)[0] for key, rows in zip(keys, self._read_all(requests, is_serial), strict=True)
            ]
        length = records.layout.has_bucket + len(records.layout.partition)
        by_partition: dict[tuple[bytes | None, ...], dict[Row, tuple[int, list[bytes]]]] = {}
        for at, key in enumerate(keys):
            values = _key_bytes(records, key)
            clustering = [value for value in values[records.partition_length :] if value is not None]
            by_partition.setdefault(tuple(values[: records.partition_length]), {})[key[length:]] = at, clustering
        groups = [
            (partition, dict(batch))
            for partition, by_clustering in by_partition.items()
            for batch in _batched(by_clustering.items())
        ]
        requests = [
            (records.find_some, [*partition, in_list([clustering for _, clustering in by_clustering.values()])])
            for partition, by_clustering in groups
        ]
        records_found: list[StoredRecord | None] = [None] * len(keys)
        width = records.key_length - length
        for (_, by_clustering), rows in zip(groups, self._read_all(requests, is_serial), strict=True):
            for row in rows:
                at = by_clustering[row[:width]][0]
                records_found[at] = self._record(keys[at], [row[width:]])[0]
        return records_found

    def change_many(self, records: CqlEntries, changes: Sequence[RecordChange]) -> list[bool]:
        return decide(self._connection, [self._conditional(records, change) for change in changes])

    def _conditional(self, records: CqlEntries, change: RecordChange) -> Change:
        """Return the statement of a change."""
        key = _key_bytes(records, change.row)
        writes = self._writes_text(change.write, change.known)
        new = [*records.values(change.row), *records.hidden(change.state, writes)]
        lifetime = _lifetime(change.state, change.write)
        partition = tuple(key[: records.partition_length])
        if change.known is None:
            return Change(records.insert, [*key, *new, lifetime], partition)
        return Change(records.change, [lifetime, *new, *key, *_names(change.known)], partition)

    def change_entries(self, changes: Sequence[EntryChange]) -> None:
        requests: list[Change] = []
        for change in changes:
            entries, at = change.entries, pack_long(change.at)
            key = entries.key(change.row)
            if key is None:
                continue
            partition = tuple(key[: entries.partition_length])
            if change.state is State.GONE:
                requests.append(Change(entries.delete, [at, *key], partition))
            else:
                values = [*key, *entries.values(change.row), *entries.hidden(change.state), at]
                requests.append(Change(entries.put, values, partition))
        self._connection.answer_many(together(requests), self._reach)

    def cells(self, group: str, limit: int, after: str = "") -> list[Cell]:
        values: Values = [self._group(group), after.encode(), pack_int(limit)]
        return [Cell(*row) for row in self._serially(self._cells, values)]

    def groups(self, limit: int, after: str | None = None) -> list[str]:
        own_prefix = f"{self._prefix}|"
        last = None if after is None else self._group(after)
        while True:
            values: Values = [pack_int(limit)] if last is None else [last, pack_int(limit)]
            behind = "" if last is None else ' WHERE token("group") > token(?)'
            names: list[str] = [row[0] for row in self._connection.answer(self._groups.format(behind), values)]
            groups = [name.removeprefix(own_prefix) for name in names if name.startswith(own_prefix)]
            if groups or not names:
                return groups
            last = names[-1].encode()  # all of these were of other prefixes: go on behind them

    def cell(self, group: str, key: str) -> str | None:
        return self._value(group, key, self._patience())

    def swap(self, group: str, key: str, known: str | None, value: str | None) -> tuple[bool, str | None]:
        """Set a cell if it holds what is known; where the outcome is unknown, read it, and try again.

        A value names its write, so a cell that holds it was set by this call.
        """
        patience = self._patience()
        while True:
            is_certain = known == value
            with patience.absorbing():
                if known != value:
                    is_made, is_certain = self._swapped(group, key, known, value)
                    if is_made:
                        return True, known
            value_now = self._value(group, key, patience)
            if is_certain:
                return known == value == value_now, value_now
            if value_now == value:
                return True, known
            if value_now != known:
                return False, value_now
            if patience.is_over:
                raise self._unknown("again and again")

    def _value(self, group: str, key: str, patience: _Patience) -> str | None:
        """Return what a cell holds."""
        rows = self._serially(self._cell, [self._group(group), key.encode()], patience)
        return rows[0][0] if rows else None

    def _swapped(self, group: str, key: str, known: str | None, value: str | None) -> tuple[bool, bool]:
        return self._connection.change_if(*self._swap_of(group, key, known, value))

    def _swap_of(self, group: str, key: str, known: str | None, value: str | None) -> tuple[str, Values]:
        """Return the statement of a swap, and its values."""
        cell_key: Values = [self._group(group), key.encode()]
        if known is None:
            assert value is not None
            return self._insert, [*cell_key, value.encode()]
        if value is None:
            return self._remove, [*cell_key, known.encode()]
        return self._update, [value.encode(), *cell_key, known.encode()]

    def cells_many(self, groups: Sequence[str], limit: int) -> list[list[Cell]]:
        requests: list[tuple[str, Values]] = [
            (self._cells, [self._group(group), b"", pack_int(limit)]) for group in groups
        ]
        return [[Cell(*row) for row in rows] for rows in self._read_all(requests, is_serial=True)]

    def swap_many(self, swaps: Sequence[Swap]) -> list[bool]:
        changes: list[Change] = []
        for swap in swaps:
            cql, values = self._swap_of(*swap)
            changes.append(Change(cql, values, swap.group))
        return decide(self._connection, changes)

    def note_many(self, group: str, values: Mapping[str, str | None]) -> None:
        changes: list[Change] = []
        for key, value in values.items():
            cell_key: Values = [self._group(group), key.encode()]
            if value is None:
                changes.append(Change(self._forget, cell_key, group))
            else:
                changes.append(Change(self._note, [*cell_key, value.encode()], group))
        self._connection.answer_many(together(changes))

    def _read_all(self, requests: Sequence[tuple[str, Values]], is_serial: bool) -> list[list[Row]]:
        """Send reads at the same time, and serial ones again where other requests contended for the partition."""
        if not is_serial:
            return self._connection.answer_many(requests)
        answers = self._connection.answer_serially(requests, SERIALLY_AT_ONCE, is_change=False)
        return [
            self._serially(*request) if rows is None else rows for request, rows in zip(requests, answers, strict=True)
        ]

    def note(self, group: str, key: str, value: str | None) -> None:
        cell_key: Values = [self._group(group), key.encode()]
        if value is None:
            self._connection.answer(self._forget, cell_key)
        else:
            self._connection.answer(self._note, [*cell_key, value.encode()])

    def _group(self, group: str) -> bytes:
        """Return the key of a group in the table of cells, which all prefixes share."""
        return f"{self._prefix}|{group}".encode()

    def _serially(self, cql: str, values: Values, patience: _Patience | None = None) -> list[Row]:
        """Send a serial read, again while other requests contend for the partition and the caller is patient."""
        patience = patience or self._patience()
        while True:
            with patience.absorbing():
                return self._connection.answer(cql, values, is_serial=True)

    def _patience(self) -> _Patience:
        return _Patience(_PATIENCE * self._connection.address.timeout)

    def _unknown(self, why: str) -> Undecided:
        """Return the error of a change whose outcome stays unknown."""
        shown = self._connection.address.shown()
        return Undecided(f"the cluster {shown} did not say whether it made a change, {why}")


class _Patience:
    """Absorbs `Undecided` for some seconds, so that its caller tries again; after a silence it is tried once more.

    Where replicas failed it pauses, longer each time. Where other requests contend for the partition it does not: they
    change the record meanwhile, which names only its last writes.
    """

    def __init__(self, seconds: float) -> None:
        self._until = time.monotonic() + seconds
        self._pause = _FIRST_PAUSE
        self._was_silent = False

    @property
    def is_over(self) -> bool:
        """Return whether the seconds have passed."""
        return time.monotonic() > self._until

    @contextmanager
    def absorbing(self) -> Iterator[None]:
        """Absorb an Undecided that is raised inside the context, unless the seconds have passed."""
        try:
            yield
        except Undecided as undecided:
            if undecided.is_silent and (self._was_silent or self.is_over):
                raise StoreSilent(str(undecided)) from undecided
            if self.is_over:
                raise
            self._was_silent |= undecided.is_silent
            if undecided.have_replicas_failed:
                time.sleep(self._pause)
                self._pause = min(2 * self._pause, _LONGEST_PAUSE)


def _key_bytes(records: CqlEntries, key: Row) -> Values:
    """Return the bytes of a record's key, in which there is no NULL."""
    values = records.key(key)
    assert values is not None
    return values


def _names(write: str) -> Values:
    """Return the ends of the range in which `#write` is, if it names this write first: `!` sorts after a space."""
    return [write.encode(), f"{write}!".encode()]


def _lifetime(state: State, write: str) -> bytes:
    """Return the time to live of a record in a state: COMING and GONE ones vanish, unless a unit holds them."""
    return _FOR_A_WHILE if state in FORGOTTEN and HOLDS not in write else _FOREVER


def _batched(items: Iterable[T], size: int = MOST_ROWS) -> Iterator[list[T]]:
    """Divide items into lists of `size`; the last may be shorter."""
    source = iter(items)
    while batch := list(islice(source, size)):
        yield batch
