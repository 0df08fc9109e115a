"""A database: deploy a compiled set on its store, load rows, execute queries by name. `connecting` opens one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from time import monotonic, perf_counter
from types import TracebackType
from typing import Any, Self, TypeVar

from piql.client.deploying import Deploying
from piql.client.prepared import AnyWrite, Prepared, PreparedStatement
from piql.client.session import Served, Session
from piql.client.tokens import Guarantee, known_consistency, known_strategy
from piql.client.version_in_force import kind_of_statement
from piql.errors import (
    DeployedMeanwhile,
    InvalidCursor,
    InvalidParameter,
    NumberOutOfRange,
    RepairPending,
    SnapshotUnavailable,
    StoreSilent,
    StoreUnavailable,
    kind_of,
)
from piql.runtime.arguments import count_in, names_in, number_in, rate_in, refuse_uncallable
from piql.runtime.deployment import Deployment, Redeployed
from piql.runtime.execution.observation import Observation, Observer, OperatorTiming
from piql.runtime.execution.prepared_query import Page, PreparedQuery
from piql.runtime.execution.strategy import Clock, Strategy
from piql.runtime.execution.supplied import Now, Occasion, utc_now
from piql.runtime.writing.bulk import BATCH, Progress, batches, load_by_steps, put_batch
from piql.runtime.writing.resumed_load import ResumedLoad
from piql.runtime.writing.stepped.backoff import WaitPolicy
from piql.runtime.writing.stepped.grouped_load import GroupedLoad, chunks
from piql.runtime.writing.stepped.leftovers import Leftovers
from piql.runtime.writing.stepped.stamps import Stamps
from piql.runtime.writing.stepped.sweep import SweepReport, sweep, sweep_slots
from piql.runtime.writing.table_rules.headroom import Headroom, limit_on
from piql.runtime.writing.write import PreparedWrite
from piql.store.base import Consistency, Store
from piql.store.rows import Row
from piql.store.scan import some_rows

__all__ = [
    "Database",
    "Deployment",
    "Observation",
    "OperatorTiming",
    "Page",
    "Progress",
    "Session",
    "Strategy",
]

T = TypeVar("T")


class Database(Deploying):
    """A store with what is deployed in it; may be used from any number of threads. `connect` makes one."""

    def __init__(
        self,
        store: Store,
        observer: Observer | None = None,
        strategy: Strategy = "parallel",
        consistency: Consistency | None = None,
        stamps: Stamps | None = None,
        wait_policy: WaitPolicy | None = None,
        version: int | None = None,
        clock: Clock = perf_counter,
        now: Now = utc_now,
        canary: bool = False,
    ) -> None:
        super().__init__(store, version, stamps, wait_policy, clock, now, canary)
        self.observer = observer
        self.strategy: Strategy = known_strategy(strategy)
        self.consistency: Consistency | None = known_consistency(consistency)
        self._leftovers = Leftovers(None if self._identity is None else self._identity.wait_policy, self.sweep)
        if self._identity is not None:
            self.sweep(older_than=self._identity.wait_policy.patience)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, failure: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def observed_by(self, observer: Observer) -> Self:
        """Return this database with another observer: it shares the store, and all that is deployed and known now.

        It is for one execution, or a few: for what is deployed later, this database looks when it is asked for another.
        InvalidParameter if the observer cannot be called.
        """
        refuse_uncallable("observer", observer)
        if monotonic() > self._look_at:
            with suppress(StoreUnavailable):  # the execution will say so
                self._refresh()
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.observer = observer
        return twin

    def close(self) -> None:
        """Close the store; a temporary one is removed. A build that runs here rests until somebody resumes it."""
        self._stop_build()
        self._store.close()

    @property
    def store(self) -> Store:
        return self._store

    @property
    def deployment(self) -> Deployment:
        """Return the version that is in force, whichever process deployed it."""
        self._refresh()
        return self._prepared.deployment

    def load(
        self,
        table: str,
        rows: Iterable[Mapping[str, Any]],
        progress: Progress | None = None,
        batch_rows: int = BATCH,
        resume: str | None = None,
    ) -> int:
        """Put many rows into a table, `batch_rows` at a time, and return how many were put.

        A row is a value for each column by its name; one not named gets its DEFAULT, else NULL. A batch with a row that
        breaks a constraint is left out whole, and its error raised. `progress` is called with the rows put so far. With
        a name in `resume` the store remembers how far the load has come: the same call goes on behind those there.
        """
        count_in("batch_rows", batch_rows, least=1)
        refuse_uncallable("progress", progress)
        self._prepared.deployment.table(table)
        if not isinstance(rows, Iterable):
            raise InvalidParameter(f"the rows of {table} are given as {kind_of(rows)}: give a list of rows")
        resumed = ResumedLoad(self._store, table, resume) if resume is not None else None
        loaded = resumed.loaded if resumed is not None else 0
        for batch in batches(resumed.left(iter(rows)) if resumed is not None else rows, batch_rows):
            self._in_force(partial(self._load_batch, table, batch, resumed))
            loaded += len(batch)
            if progress is not None:
                progress(loaded)
        if resumed is not None:
            resumed.forget(self._store)
        return loaded

    def sweep(self, older_than: float = 10.0, per_second: float | None = None, places: bool = False) -> SweepReport:
        """Settle the writes of any client process that were interrupted `older_than` seconds ago, and count them.

        Only stores without transactions keep interrupted writes; nothing waits for a sweep, and it is safe at any
        time. A negative `older_than` takes in writers whose clocks are ahead of this one's. `per_second` limits how
        many it settles in a second. With `places`, it also looks through all groups under limits for slots that are
        held for no row.
        """
        number_in("older_than", older_than)
        rate_in("per_second", per_second)
        if self._identity is None:
            return SweepReport()
        prepared = self._prepared
        report = sweep(self._identity, prepared.stepped, older_than, per_second)
        if not places:
            return report
        all_slots = [slots for table in prepared.deployment.tables for slots in prepared.stepped(table).slots]
        groups, returned = sweep_slots(self._identity, all_slots, older_than, per_second)
        return replace(report, groups=groups, places_returned=returned)

    def _load_batch(
        self, table: str, rows: list[Mapping[str, Any]], resumed: ResumedLoad | None, occasion: Occasion
    ) -> None:
        """Put one batch with what is deployed; raise Redeployed where another version is in force meanwhile."""
        prepared = self._prepared
        writer = prepared.writer(table)
        completed = writer.completed(rows, occasion)
        if self._identity is not None:
            stepped = prepared.stepped(table)
            records = {writer.key_of(record): record for record in map(writer.make, completed)}
            load = GroupedLoad(stepped, self._identity).load

            def look() -> None:
                if monotonic() > self._look_at:
                    self._refresh()
                if self._prepared is not prepared:
                    raise Redeployed

            def load_group(group: Mapping[Row, Row]) -> list[Row]:
                look()
                return load(group)

            def write(key: Row) -> None:
                look()
                stepped.load(records[key])

            groups = chunks(records, writer.record.index.partition_columns)
            load_by_steps(groups, load_group, write, self._identity.row_writes.writers)
        with self._store.transaction() as transaction:
            if self._identity is None:
                self._check_version(prepared, transaction)
                put_batch(transaction, writer, completed)
            if resumed is not None:
                resumed.keep(transaction, rows)

    def execute(
        self,
        name: str,
        parameters: Mapping[str, object] | None = None,
        cursor: str | None = None,
        strategy: Strategy | None = None,
        consistency: Consistency | None = None,
        snapshot: bool = False,
        version: int | None = None,
    ) -> Page:
        """Execute a deployed query, write or unit with a value for each parameter, and return its page of rows.

        With the `cursor` of a page, return the next one. `consistency="eventual"` takes what any replica has,
        `"quorum"` sees every acknowledged write. With `snapshot`, all rows are of one moment, or SnapshotUnavailable
        is raised. With a `version`, the query is that of this version: once it is neither in force nor tried, nothing
        is done and DeployedMeanwhile is raised.

        Raises NotDeployed, InvalidParameter, InvalidCursor, and for writes that a constraint or a condition refuses
        ConstraintViolation, CardinalityViolation, DuplicateKey, ForeignKeyViolation or ConditionFailed.
        """
        self._refuse_without(snapshot)
        if strategy is not None:
            known_strategy(strategy)
        if monotonic() > self._look_at:
            self._refresh()
        prepared = self._prepared
        if prepared.canary is not None:
            if version is None and self._takes_canary:
                return self._execute_drawn(name, parameters, cursor, strategy, consistency)
            prepared = self._of_version(version)
        query = prepared.queries.get(name) if isinstance(name, str) else None
        if query is None:
            query = self._named(name, version)
        if version is not None and query.version != version:
            if self._refresh():  # the caller has seen a version that this database has not loaded yet
                return self._execute_again(name, parameters, cursor, strategy, consistency, version)
            raise _another_version(query, version)
        if isinstance(query, PreparedQuery):
            try:
                page = self._read(query, parameters, cursor, strategy or self.strategy, consistency)
            except StoreSilent:
                raise
            except StoreUnavailable:
                if not self._refresh() and self._is_current(prepared):
                    raise
                return self._execute_again(name, parameters, cursor, strategy, consistency, version)
            if query.is_shaped_by_data and self._may_be_cut(prepared):
                return self._execute_again(name, parameters, cursor, strategy, consistency, version)
            return page
        if cursor is not None:
            raise _no_pages(name)

        def attempt(occasion: Occasion) -> Page:
            prepared, query = self._named_with_version(name, version)
            if version is not None and query.version != version:
                raise _another_version(query, version)
            if isinstance(query, PreparedQuery):  # a SELECT has been deployed under this name meanwhile
                return self._execute_again(name, parameters, None, strategy, consistency, version)
            return self._write(prepared, query, parameters, occasion)

        return self._in_force(attempt)

    def _execute_drawn(
        self,
        name: str,
        parameters: Mapping[str, object] | None,
        cursor: str | None,
        strategy: Strategy | None,
        consistency: Consistency | None,
    ) -> Page:
        """Execute in one of the two versions, and draw again where it is neither in force nor tried by then."""
        while True:
            try:
                return self.execute(name, parameters, cursor, strategy, consistency, version=self.drawn(name, cursor))
            except DeployedMeanwhile:
                continue

    def _execute_again(
        self,
        name: str,
        parameters: Mapping[str, object] | None,
        cursor: str | None,
        strategy: Strategy | None,
        consistency: Consistency | None,
        version: int | None,
    ) -> Page:
        """Begin an execution anew with what is deployed now; a subclass counts it once."""
        return Database.execute(self, name, parameters, cursor, strategy, consistency, version=version)

    def run(
        self,
        text: str,
        parameters: Mapping[str, object] | None = None,
        cursor: str | None = None,
        consistency: Consistency | None = None,
        snapshot: bool = False,
    ) -> Page:
        """Compile one statement without CREATE QUERY against what is deployed, and execute it if it is bounded.

        Raises CompilationRefused where it is not; everything else is as in `execute`.
        """
        self._refuse_without(snapshot)
        query, prepared = self._statement(text)
        if isinstance(query, PreparedQuery):
            page = self._read(query, parameters, cursor, self.strategy, consistency)
            if query.is_shaped_by_data and self._may_be_cut(prepared):
                return self.run(text, parameters, cursor, consistency)
            return page
        if cursor is not None:
            raise _no_pages("the statement")

        def attempt(occasion: Occasion) -> Page:
            query, prepared = self._statement(text)
            assert isinstance(query, PreparedWrite)
            return self._write(prepared, query, parameters, occasion)

        return self._in_force(attempt)

    def _read(
        self,
        query: PreparedQuery,
        parameters: Mapping[str, object] | None,
        cursor: str | None,
        strategy: Strategy,
        consistency: Consistency | None,
    ) -> Page:
        """Execute a read; where interrupted writes are in the way, settle them and execute it again."""
        freshness = query.freshness(known_consistency(consistency), self.consistency)
        try:
            return query.execute(parameters, cursor, strategy, self.observer, freshness)
        except RepairPending as pending:
            return self._leftovers.settled(
                pending, lambda: query.execute(parameters, cursor, strategy, self.observer, freshness)
            )

    def _refuse_without(self, snapshot: bool) -> None:
        """Refuse a read of one moment on a store without transactions: elsewhere every read is one."""
        if snapshot and self._identity is not None:
            raise SnapshotUnavailable(
                "this store has no transactions, so it cannot answer several requests as of one moment: "
                "read without a snapshot"
            )

    def headroom(self, table: str, group: Mapping[str, object], consistency: Consistency | None = None) -> int:
        """Return how many more rows a group may take: `headroom("subscriptions", {"owner": "ada"})`.

        The columns are those of a CARDINALITY LIMIT; of a limit on words, the first column stands for the word. Raises
        InvalidParameter where the table has no limit on these columns.
        """
        self._refresh()
        if not isinstance(group, Mapping):
            raise InvalidParameter(f"group is {kind_of(group)}: give the value of each column by its name")
        columns = frozenset(names_in("group", group))
        limit = limit_on(self._prepared.writer(table).limits, table, columns)
        return Headroom(limit, self._store).of(
            group, self.consistency if consistency is None else known_consistency(consistency)
        )

    def some_rows(self, table: str, columns: Iterable[str], most: int) -> list[tuple[Any, ...]]:
        """Return the columns' values of the first rows in the store, `most` at most, in no order: examples of data."""
        self._refresh()
        known, wanted = self._prepared.deployment.table(table), names_in("columns", columns)
        return some_rows(self._store, known, wanted, count_in("most", most, least=0))

    def session(
        self, token: str | None = None, guarantees: Iterable[Guarantee] = ("read-your-writes", "monotonic-reads")
    ) -> Session:
        """Begin a session, or go on with the one whose `token` was kept, also if another server gave it.

        Raises InvalidSession for a token that is damaged or of another store.
        """
        served = Served(
            lambda: self._context.cursor_key,
            lambda: self._prepared.deployment.version,
            self._refresh,
            self._version_for,
            self._kind,
            lambda text: kind_of_statement(self._statement(text)[0]),
        )
        return Session(self, served, token, guarantees)

    def _write(
        self, prepared: Prepared, query: AnyWrite, parameters: Mapping[str, object] | None, occasion: Occasion
    ) -> Page:
        """Execute a write of what is prepared; raise Redeployed where another version is in force by then."""
        try:
            check, look = partial(self._check_version, prepared), partial(self._refuse_cut, prepared)
            return query.execute(parameters, self.observer, check, occasion, look)
        except ArithmeticError:
            raise NumberOutOfRange(f"{query.name or 'the statement'}: a number that it computes is too large") from None

    def _in_force(self, attempt: Callable[[Occasion], T]) -> T:
        """Write with what is deployed. Where somebody deploys meanwhile, load that version and write again.

        Where interrupted writes are in the way, they are swept once, and the write is made again.
        """
        has_swept, occasion = False, Occasion(self._context.now)
        while True:
            try:
                return attempt(occasion)
            except Redeployed:
                self._refresh()
            except RepairPending as pending:
                if has_swept:
                    raise
                has_swept = True
                self._leftovers.sweep(pending)


def _another_version(query: PreparedStatement, version: int) -> DeployedMeanwhile:
    return DeployedMeanwhile(
        f"version {query.version} is deployed, and {query.name} was asked for of version {version}: look again"
    )


def _no_pages(name: str) -> InvalidCursor:
    return InvalidCursor(f"{name} is a write and has no pages")
