"""The steps of a change, each bounded, in one transaction, and safe to be the last before a crash.

`announce` begins a change, `SchemaSteps.advance` does one step, `withdraw` ends a change that does not come into force,
and `keep` writes down where it stands. All that a step needs is in the store, so any process can do the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from time import time
from typing import NamedTuple, TypeAlias

from piql.compiler.physical.indexes.reading_direction import read_from_their_end
from piql.compiler.physical.operators import IndexScan
from piql.compiler.result import Compilation
from piql.runtime.deployment import LOOK_SECONDS, Deployment, Origin, OtherIndex
from piql.runtime.writing.stepped.contributions import as_kept
from piql.schema.catalog import CardinalityLimit, Index, Table
from piql.schema.table_changes import added_constraints
from piql.schema.view_joins import walked_table
from piql.store.base import Store, Transaction
from piql.versions.change.checking import GroupsCheck, RowsCheck, limit_rule, refusal, unique_rule
from piql.versions.change.filling import Emptying, Filling, ViewCounting, ViewFilling
from piql.versions.change.left_views import left_views_of
from piql.versions.change.placing import Placing
from piql.versions.change.progress import SETTING as PROGRESS
from piql.versions.change.progress import Outcome, Progress, Task, read_progress
from piql.versions.change.state import SETTING as STATE
from piql.versions.change.state import (
    Canary,
    Change,
    Phase,
    SchemaState,
    Version,
    compiled,
    deployment_of,
    tables_of_units,
)
from piql.versions.change.units_before import end_units

GRACE_SECONDS = 2 * LOOK_SECONDS + 0.5
"""After so long every writer knows of a phase: each looks again, and a write under way has ended, or looks again."""

_FILLS = ("fill", "empty", "view")  # kinds of tasks that are done before existing rows are checked

Walker: TypeAlias = Filling | Emptying | ViewFilling | ViewCounting | GroupsCheck | RowsCheck | Placing

_MOST_NUMBERS = 100  # numbers of earlier versions with the same texts that a version remembers


class NextVersion(NamedTuple):
    """The version that a change makes: its texts by file, what they compile to, and who deploys it."""

    texts: Mapping[str, str]
    compilation: Compilation
    origin: Origin


@dataclass(slots=True)
class Stand:
    """Where a change stands, as one transaction sees it and leaves it."""

    state: SchemaState
    progress: Progress

    @property
    def is_tried(self) -> bool:
        """Whether executions go to the coming version, so that there is no step to do until somebody decides."""
        return self.state.change is not None and self.state.change.open_canary is not None


class SchemaSteps:
    """The steps of one change; made anew whenever the state of the schema has changed."""

    def __init__(self, store: Store, state: SchemaState) -> None:
        self._store = store
        self._change = state.change
        self._current = deployment_of(state, store)
        self._coming = compiled(state.change.version, state) if state.change is not None else self._current
        held_anew = tables_of_units(self._coming) - tables_of_units(self._current)
        self._is_held_anew = not held_anew.isdisjoint(state.tables)  # readers must know before the first unit runs
        self._walkers: dict[tuple[object, ...], Walker] = {}

    def advance(self, transaction: Transaction, stand: Stand, rows: int) -> Stand:
        """Do one step, `rows` rows of a task or the change to the next phase; return where the change stands then."""
        if stand.state.change is None:
            state = replace(stand.state, is_before_held=False, left_views=left_views_of(stand.state, self._store))
            return _ended(replace(stand, state=state), "in force")
        if stand.state.change.canary is not None and stand.state.change.canary.stage != "building":
            return self._advance_canary(stand, stand.state.change)
        phase = stand.state.change.phase
        reason = refusal(stand.progress)
        for number, task in enumerate(stand.progress.tasks):
            if not task.is_done and self._is_of(task, phase) and not (task.kind == "places" and reason):
                advanced = self._walker(task).advance(transaction, task, rows)
                return Stand(stand.state, stand.progress.with_task(number, advanced))
        if reason:
            return withdraw(stand, "refused", reason)
        if phase == "announced":
            return _passed(stand, "filling")
        if phase == "filling":
            progress = _to_do_again(stand.progress, self._is_done_twice)
            return _passed(replace(stand, progress=progress), "checking")
        if stand.state.change.canary is not None:
            return self._make_for_canary(transaction, stand, stand.state.change)
        return self._put_in_force(transaction, stand)

    def _make_for_canary(self, transaction: Transaction, stand: Stand, change: Change) -> Stand:
        """Create the tables that are new, so that every writer knows of them before the first execution has any."""
        tables, new_indexes = self._make_tables(transaction, stand.state)
        indexes = (*change.indexes, *new_indexes)
        assert change.canary is not None
        change = replace(change, canary=replace(change.canary, stage="made"), indexes=indexes)
        state = replace(stand.state, tables=tables, change=change)
        return Stand(state, replace(stand.progress, since=time()))

    def _advance_canary(self, stand: Stand, change: Change) -> Stand:
        """Open a canary whose tables every writer knows, or end one that was withdrawn."""
        assert change.canary is not None
        if change.is_closing:
            refused = refusal(stand.progress)
            return withdraw(stand, "refused" if refused else "cancelled", refused or change.canary.reason)
        canary = replace(change.canary, stage="open", since=datetime.now(UTC))
        state = replace(stand.state, change=replace(change, canary=canary), last_tried=change.version.number)
        return Stand(state, replace(stand.progress, driver=None))

    def _is_of(self, task: Task, phase: Phase) -> bool:
        """Return whether a task is done in a phase.

        Without transactions, writers enforce new constraints for seconds before rows are checked. So existing rows are
        checked once before that, too: a change that will be refused is refused before it hinders any writer. And what
        is left of a view is deleted before any writer counts rows in it again.
        """
        if phase == "announced":
            return task.kind == "empty"
        if phase == "checking" or task.kind in _FILLS:
            return True
        return self._store.row_writes is not None and task.kind != "places"

    def _is_done_twice(self, task: Task) -> bool:
        """Whether a task is done once more when every writer enforces the new constraints.

        Until then a view leaves out a row that it cannot hold, on a store without transactions.
        """
        return task.kind not in _FILLS or (task.kind == "view" and self._store.row_writes is not None)

    def needs_others(self, stand: Stand) -> bool:
        """Whether other processes must know of the phase before the next step, so that it is to be written down."""
        is_by_steps = self._store.row_writes is not None
        return bool(self.seconds_to_wait(stand)) or (
            is_by_steps and any(task.kind in _FILLS for task in stand.progress.tasks)
        )

    def seconds_to_wait(self, stand: Stand) -> float:
        """Return how long a phase must wait until all others know of it; 0 on a store with transactions."""
        change = stand.state.change
        canary = change.canary if change is not None else None
        if change is not None and change.is_closing:  # readers rely on its indexes until they look again
            return max(0.0, stand.progress.since + GRACE_SECONDS - time())
        if self._store.row_writes is None:
            return 0.0
        if change is not None and canary is None:
            is_checking = change.phase == "checking"
            if not (is_checking and self._is_held_anew) and not any(
                self._is_done_twice(task) if is_checking else task.kind in _FILLS for task in stand.progress.tasks
            ):
                return 0.0
        return max(0.0, stand.progress.since + GRACE_SECONDS - time())

    def _walker(self, task: Task) -> Walker:
        """Return the object that does a task; it is kept for the next steps of the task."""
        key = (task.kind, task.table, task.columns, task.is_token)
        walker = self._walkers.get(key)
        if walker is None:
            end_units(self._store, self._current, task.table)
            walker = self._walkers[key] = self._new_walker(task)
        return walker

    def _new_walker(self, task: Task) -> Walker:
        stored = self._current.kept_as_declared(task.table)
        if task.kind == "empty":
            return Emptying(self._store, self._coming.tables.get(task.table, stored))
        table = self._coming.tables[task.table]
        if task.kind == "fill":
            new = [
                OtherIndex(table, index)
                for index in self._coming.indexes_of(table)
                if self._change is not None and self._store.stored_name(table, index) in self._change.indexes
            ]
            return Filling(self._store, stored, new)
        if task.kind == "view":
            assert table.view is not None
            base = self._current.kept_as_declared(walked_table(table.view, self._coming.tables))
            if self._store.row_writes is not None:
                return ViewCounting(self._store, base, self._current)
            return ViewFilling(self._store, base, table, self._coming)
        added = added_constraints(stored, table)
        if task.kind == "places":
            return Placing(self._store, table, self._coming)
        if task.kind == "rows":
            return RowsCheck(self._store, stored, table, added, self._coming)
        for limit in added.limits:
            if (limit.columns, limit.is_token) == (task.columns, task.is_token):
                return GroupsCheck(self._store, table, limit, self._coming, limit_rule(table, limit))
        (key,) = (key for key in added.unique if key.columns == task.columns)
        return GroupsCheck(self._store, table, CardinalityLimit(1, key.columns), self._coming, unique_rule(table, key))

    def _put_in_force(self, transaction: Transaction, stand: Stand) -> Stand:
        """Create the tables that are new, with their indexes, and make the coming version the one in force."""
        state, coming, store = stand.state, self._coming, self._store
        assert self._change is not None
        tables, _ = self._make_tables(transaction, state)
        after = SchemaState(
            replace(self._change.version, deployed_at=datetime.now(UTC)),
            _before(state, self._change.version),
            None,
            tables,
            state.epoch,
            store.row_writes is not None and _is_held(coming, self._current),
            state.left_views if self._change.version.earlier_numbers else (),
            state.last_tried,
            state.counted_from,
            state.last_filling,
        )
        if after.is_before_held:
            return Stand(after, replace(stand.progress, since=time()))
        return _ended(replace(stand, state=after), "in force")

    def _make_tables(self, transaction: Transaction, state: SchemaState) -> tuple[Mapping[str, Table], Sequence[str]]:
        """Create the tables that are new, and their indexes; return all that are kept, and the indexes by name."""
        coming, tables = self._coming, dict(state.tables)
        in_order, backwards = _read_in_order(coming.compilation), _read_backwards(coming.compilation)
        for name, table in coming.tables.items():
            if name in state.tables:
                tables[name] = coming.record_of(table)
                continue
            tables[name] = _kept(self._store, table) if table.view is not None else coming.record_of(table)
            transaction.create_table(tables[name], name in in_order, table.primary_index() in backwards)
        existing, new_indexes = transaction.index_names(), []
        for index in coming.indexes.values():
            table = coming.tables[index.table]
            if (stored_name := self._store.stored_name(table, index)) not in existing:
                assert table.name not in state.tables
                transaction.create_index(table, index, index in backwards)
                new_indexes.append(stored_name)
        return tables, new_indexes


def announce(
    transaction: Transaction,
    store: Store,
    state: SchemaState,
    coming: NextVersion,
    *,
    is_background: bool,
    canary: Canary | None = None,
) -> Stand:
    """Begin a change: add its columns, create its indexes, still empty, and list its tasks."""
    texts, compilation, origin = coming
    version = Version(state.next_number, None, texts, origin, _numbers_of(state.in_force, texts))
    tables = dict(state.tables)
    for name in _read_in_order(compilation) & state.tables.keys():
        transaction.keep_in_order(state.tables[name])
    for name, stored in state.tables.items():
        table = compilation.tables.get(name)
        if table is not None:
            new = tuple(
                replace(column, nullable=True) for column in table.columns if stored.column(column.name) is None
            )
            transaction.add_columns(table, [column.name for column in new])
            tables[name] = replace(stored, columns=(*stored.columns, *new))
    new_views = _new_views(state, compilation)
    for view in new_views:
        if view.name not in tables:
            backwards = view.primary_index() in _read_backwards(compilation)
            tables[view.name] = _kept(store, view)
            transaction.create_table(tables[view.name], view.name in _read_in_order(compilation), backwards)
    with_views = _with_marks(replace(state, tables=tables), store, new_views)
    new_indexes = _make_indexes(transaction, store, with_views, compilation)
    last = read_progress(store)
    progress = Progress(
        origin.id,
        version.number,
        datetime.now(UTC).isoformat(),
        is_background,
        _tasks(store, with_views, compilation, new_indexes, new_views),
        since=time(),
        earlier=last.ended() if last else (),
    )
    phase: Phase = "filling" if store.row_writes is None else "announced"
    return Stand(replace(with_views, change=Change(version, phase, tuple(new_indexes), canary)), progress)


def _kept(store: Store, view: Table) -> Table:
    """Return a new view as a store keeps it."""
    return as_kept(view) if store.row_writes is not None else view


def _with_marks(state: SchemaState, store: Store, new_views: Sequence[Table]) -> SchemaState:
    """Return the state with a mark for views of tables that have rows, which no view has had before."""
    if store.row_writes is None or not new_views:
        return state
    mark = state.epoch + 1
    marks = dict.fromkeys((view.name for view in new_views), mark)
    return replace(state, counted_from={**state.counted_from, **marks}, last_filling=mark)


def _numbers_of(in_force: Version, texts: Mapping[str, str]) -> tuple[int, ...]:
    """Return the numbers of the versions up to the one in force that have the same texts as the next one."""
    if dict(in_force.texts) != dict(texts):
        return ()
    return (*in_force.earlier_numbers, in_force.number)[-_MOST_NUMBERS:]


def _before(state: SchemaState, coming: Version) -> Version | None:
    """Return what a rollback will return to: the last version with other texts than the coming one."""
    if coming.earlier_numbers:
        return state.before
    return state.in_force if state.in_force.number else None


def _is_held(coming: Deployment, current: Deployment) -> bool:
    """Return whether the version in force until now holds as long as somebody may read by it.

    Rows may come that it forbids, which its queries might read wrong, or it has a view of several tables that goes.
    """
    views = [(name, table.view) for name, table in current.tables.items() if table.view is not None]
    return any(view.joins and name not in coming.tables for name, view in views) or any(
        added_constraints(coming.record_of(coming.tables[name]), table)
        for name, table in current.tables.items()
        if name in coming.tables
    )


def _to_do_again(progress: Progress, is_done_twice: Callable[[Task], bool]) -> Progress:
    """Return the progress with some tasks to be done once more, now that every writer enforces the constraints."""
    tasks = [
        replace(task, place=None, run=None, is_done=False, estimate=2 * task.rows)
        if task.is_done and is_done_twice(task)
        else task
        for task in progress.tasks
    ]
    return replace(progress, tasks=tuple(tasks))


def _passed(stand: Stand, phase: Phase) -> Stand:
    """Return where a change stands at the beginning of the next phase; every writer has seen the one before by now."""
    assert stand.state.change is not None
    return Stand(
        replace(stand.state, change=replace(stand.state.change, phase=phase)), replace(stand.progress, since=time())
    )


def _read_in_order(compilation: Compilation) -> frozenset[str]:
    """Return the tables that some query walks in the order of their keys without fixing a part of it."""
    return frozenset(
        scan.table.name
        for query in compilation.queries.values()
        if query.plan is not None
        for scan in query.plan.find(IndexScan)
        if scan.index.is_primary and not scan.prefix
    )


def _read_backwards(compilation: Compilation) -> frozenset[Index]:
    return read_from_their_end(query.plan for query in compilation.queries.values())


def _new_views(state: SchemaState, compilation: Compilation) -> tuple[Table, ...]:
    """Return the views of existing tables that no writer has kept up to date: those of no living version."""
    kept = _kept_views(state)
    return tuple(
        table
        for name, table in compilation.tables.items()
        if table.view is not None and name not in kept and state.tables.keys() >= set(table.view.tables)
    )


def _kept_views(state: SchemaState) -> frozenset[str]:
    """Return the names of the views that writers keep up to date."""
    return frozenset(
        name
        for version in (state.in_force, state.before)
        if version is not None
        for name, table in compiled(version, state).tables.items()
        if table.view is not None and not (version is state.before and name in state.left_views)
    )


def _left_over(state: SchemaState, store: Store, compilation: Compilation) -> tuple[Table, ...]:
    """Return the views of no living version that still have rows: nothing can return to them."""
    kept = _kept_views(state)
    return tuple(
        table
        for name, table in state.tables.items()
        if table.view is not None and not (name in kept or name in compilation.tables) and store.estimate_rows(table)
    )


def _make_indexes(
    transaction: Transaction, store: Store, state: SchemaState, compilation: Compilation
) -> dict[str, str]:
    """Create the indexes that existing tables lack; return the table of each by the index's stored name."""
    existing, complete = transaction.index_names(), living_indexes(store, state)
    backwards = _read_backwards(compilation)
    tables: dict[str, str] = {}
    for index in compilation.indexes.values():
        table = compilation.tables[index.table]
        name = store.stored_name(table, index)
        if name in complete or table.name not in state.tables:
            continue
        if name in existing:
            transaction.drop_index(name)  # left by a version that is gone: no writer has kept it up to date
        transaction.create_index(table, index, index in backwards)
        tables[name] = table.name
    return tables


def _tasks(
    store: Store,
    state: SchemaState,
    compilation: Compilation,
    tables_of_indexes: Mapping[str, str],
    new_views: Sequence[Table],
) -> tuple[Task, ...]:
    """Return what is to be walked for a change: first the new indexes, then the new constraints of each table."""
    current = deployment_of(state, store)
    tasks = [Task("empty", view.name) for view in (*_left_over(state, store, compilation), *new_views)]
    tasks += [Task("fill", name) for name in dict.fromkeys(tables_of_indexes.values())]
    tasks += [Task("view", view.name) for view in new_views]
    for name in state.tables:
        if name not in compilation.tables:
            continue
        added = added_constraints(current.kept_as_declared(name), compilation.tables[name])
        tasks += [Task("groups", name, limit.columns, limit.is_token) for limit in added.limits]
        tasks += [Task("groups", name, key.columns) for key in added.unique]
        if added.are_of_rows:
            tasks.append(Task("rows", name))
        if store.row_writes is not None and (added.limits or added.unique):
            tasks.append(Task("places", name))
    walked = {view.name: walked_table(view.view, compilation.tables) for view in new_views if view.view is not None}
    names = [walked[task.table] if task.kind == "view" else task.table for task in tasks]
    estimates = {name: store.estimate_rows(state.tables[name]) for name in set(names)}
    return tuple(replace(task, estimate=estimates[name]) for task, name in zip(tasks, names, strict=True))


def living_indexes(store: Store, state: SchemaState) -> frozenset[str]:
    """Return the stored names of the indexes that writers keep up to date: those of all living versions.

    Those of the version before stay right also on a table that the version in force does not know: nobody writes to it.
    """
    names = set(state.change.indexes) if state.change else set()
    for version in (state.in_force, state.before):
        deployment = compiled(version, state) if version else None
        for index in deployment.indexes.values() if deployment else ():
            assert deployment is not None
            if version is state.before and index.table in state.left_views:
                continue
            names.add(store.stored_name(deployment.tables[index.table], index))
    return frozenset(names)


def withdraw(stand: Stand, outcome: Outcome, reason: str | None = None) -> Stand:
    """End a change that does not come into force; its indexes belong to no version then, and `collect` drops them."""
    return _ended(replace(stand, state=replace(stand.state, change=None)), outcome, reason)


def given_up(stand: Stand, reason: str | None) -> Stand:
    """End a change that nobody wants any more; one that executions go to ends once they have ended, a moment later."""
    change = stand.state.change
    if change is None or change.open_canary is None:
        return withdraw(stand, "cancelled", reason)
    state = replace(stand.state, change=change.closing(reason))
    return Stand(state, replace(stand.progress, since=time()))


def promoted(stand: Stand) -> Stand:
    """Have a canary come into force with the next step, as any change that is ready."""
    assert stand.state.change is not None
    state = replace(stand.state, change=replace(stand.state.change, canary=None))
    return Stand(state, replace(stand.progress, since=time()))


def _ended(stand: Stand, outcome: Outcome, reason: str | None = None) -> Stand:
    return replace(stand, progress=replace(stand.progress, outcome=outcome, reason=reason, driver=None))


def keep(transaction: Transaction, before: SchemaState, stand: Stand) -> Stand:
    """Write down where a change stands, and return it; a change of the schema's state begins a new epoch."""
    state, progress = stand.state, replace(stand.progress, beat=time())
    if state != before:
        state = replace(state, epoch=before.epoch + 1)
        transaction.set_setting(STATE, state.as_text())
        transaction.set_version(state.epoch)
    transaction.set_setting(PROGRESS, progress.as_text())
    return Stand(state, progress)
