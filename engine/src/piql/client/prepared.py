"""What a database keeps ready for one deployment: its prepared queries and statements, and the writers of its tables.

ClientContext    one for each database, whatever is deployed          store, identity, clock, key of cursors
Prepared         one for each deployment; replaced as a whole         queries by name, statements by text, writers
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from piql.compiler import compile_statement
from piql.compiler.physical.unit_plan import UnitPlan
from piql.compiler.physical.write_plan import WritePlan
from piql.compiler.result import CompiledQuery
from piql.errors import CompilationRefused, NotDeployed
from piql.runtime.deployment import Deployment
from piql.runtime.execution.prepared_query import PreparedQuery
from piql.runtime.execution.seals import signing_key
from piql.runtime.execution.settling import RecordsOf
from piql.runtime.execution.strategy import Clock
from piql.runtime.execution.supplied import Now, utc_now
from piql.runtime.writing.let import PreparedLet, names_of_lets
from piql.runtime.writing.stepped.held_records import held_records
from piql.runtime.writing.stepped.writer import SteppedWriter, group_writer
from piql.runtime.writing.stepped.writer_identity import WriterIdentity
from piql.runtime.writing.transactional import TableWriter
from piql.runtime.writing.unit import PreparedUnit
from piql.runtime.writing.unit_by_steps import UnitReads, UnitSteps
from piql.runtime.writing.write import PreparedWrite
from piql.schema.write_policies import WriteLevel
from piql.store.base import Store
from piql.versions.change.composition import reason_against_unit
from piql.versions.pinned import refuse_overtaken, refuse_overtaken_unit

AnyWrite = PreparedWrite | PreparedUnit
PreparedStatement = PreparedQuery | AnyWrite

_STATEMENTS_KEPT = 256  # bare statements; with one more, all are forgotten


@dataclass(slots=True)
class ClientContext:
    """What every query and writer of a database needs, whatever is deployed.

    `identity` is that of this process as a writer; None on a store with transactions, which needs none. `clock`
    measures how long executions take, `now` is the time that they see.
    """

    store: Store
    identity: WriterIdentity | None
    clock: Clock
    now: Now = utc_now
    _key: bytes | None = None
    _to_all_copies: WriterIdentity | None = None

    def writer_identity(self, level: WriteLevel | None) -> WriterIdentity | None:
        """Return who makes writes of a level: another writer for those to all copies, with a log of its own."""
        if level != "all" or self.identity is None:
            return self.identity
        if self._to_all_copies is None:
            row_writes = self.identity.row_writes.to_all_copies()
            self._to_all_copies = WriterIdentity(row_writes, None, self.identity.wait_policy)
            self._to_all_copies.units.writer_of = self.identity.units.writer_of
        return self._to_all_copies

    @property
    def cursor_key(self) -> bytes:
        """Return the key that seals cursors and tokens; a store that has none yet gets one."""
        if self._key is None:
            self._key = signing_key(self.store)
        return self._key


@dataclass(slots=True)
class Prepared:
    """The queries and writers of one deployment. A database replaces it as a whole when another version is in force.

    Writers follow `deployment`, the version in force. Queries are those of `queried`: the same version, unless the
    connection stays with another one (`versions.pinned`). `canary` is the version that is tried beside it on a `share`
    of the executions; its writers follow itself, and keep what the one in force needs.
    """

    context: ClientContext
    deployment: Deployment
    queried: Deployment
    canary: Prepared | None = None
    share: float = 0.0
    queries: dict[str, PreparedStatement] = field(default_factory=dict)  # by name
    _statements: dict[str, PreparedStatement] = field(default_factory=dict)  # by text
    _writers: dict[str, TableWriter] = field(default_factory=dict)
    _stepped: dict[tuple[str, bool], SteppedWriter] = field(default_factory=dict)  # by table, and whether to all copies

    def prepare(self, query: CompiledQuery) -> PreparedStatement:
        """Make a query ready to run; raise NotDeployed if an index or table that it needs is not there any more."""
        context, queried = self.context, self.queried
        if queried.version != self.deployment.version:
            refuse_overtaken(query, queried, self.deployment)
        if isinstance(query.plan, UnitPlan):
            reason = reason_against_unit(query, queried.tables) if context.identity is not None else None
            if reason is not None:
                raise NotDeployed(reason)
            if context.identity is not None and queried.version != self.deployment.version:
                refuse_overtaken_unit(query, queried, self.deployment)
            return self._unit(query)
        if isinstance(query.plan, WritePlan):
            return self._write(query, query.plan)
        key, clock, now = context.cursor_key, context.clock, context.now
        version = queried.version
        return PreparedQuery(query, context.store, queried.deployed, version, key, clock, now, self._records_of)

    @property
    def _records_of(self) -> RecordsOf:
        """Return what settles the records of tables that units write."""
        return held_records(self.context.store, self.deployment.by_units)

    def _unit(self, query: CompiledQuery) -> PreparedUnit:
        context, queried, lets = self.context, self.queried, names_of_lets(query)
        reads = UnitReads(context.store, queried.tables)
        is_by_steps = context.identity is not None
        slots = {name: at for at, name in enumerate((*(parameter.name for parameter in query.parameters), *lets))}
        statements = [
            self._write(statement, statement.plan, lets, reads if is_by_steps else None)
            if isinstance(statement.plan, WritePlan)
            else PreparedLet(statement, reads if is_by_steps else context.store, slots, queried.deployed)
            for statement in query.statements
        ]
        steps = UnitSteps(context.identity, self.stepped, reads) if context.identity is not None else None
        return PreparedUnit(query, context.store, statements, queried.version, context.clock, context.now, steps)

    def _write(
        self, query: CompiledQuery, plan: WritePlan, lets: Sequence[str] = (), reads: UnitReads | None = None
    ) -> PreparedWrite:
        """Make a write ready to run, or one statement of a unit with these LETs; `reads` finds its rows by steps."""
        context, queried, table = self.context, self.queried, plan.table.name
        stepped = self.stepped(table, query.write) if context.identity is not None else None
        writer, deployed, version = self.writer(table), queried.deployed, queried.version
        clock, now, records_of = context.clock, context.now, self._records_of
        store = reads or context.store
        return PreparedWrite(query, store, writer, deployed, version, stepped, clock, now, lets, records_of)

    def statement(self, text: str) -> PreparedStatement:
        """Return a bare statement, ready to run; raise CompilationRefused where it has errors or no bound."""
        statement = self._statements.get(text)
        if statement is not None:
            return statement
        query = compile_statement(text, self.queried.compilation)
        errors = [diagnostic for diagnostic in query.diagnostics if diagnostic.severity == "error"]
        if errors or query.plan is None or query.bound is None:
            message = errors[0].message if errors else "no bound was found"
            raise CompilationRefused(f"not run: {message}", query.diagnostics)
        try:
            statement = self.prepare(query)
        except NotDeployed as missing:
            raise CompilationRefused(f"not run: {missing}", query.diagnostics) from missing
        if len(self._statements) >= _STATEMENTS_KEPT:
            self._statements.clear()
        self._statements[text] = statement
        return statement

    def writer(self, table: str) -> TableWriter:
        """Return the writer of a table in one transaction."""
        writer = self._writers.get(table) if isinstance(table, str) else None
        if writer is None:
            writer = TableWriter(self.deployment.written_table(table), self.deployment, self.context.store)
            self._writers[table] = writer
        return writer

    def stepped(self, table: str, level: WriteLevel | None = None) -> SteppedWriter:
        """Return the writer of a table, or of the groups of a view, by single steps; only without transactions.

        The view may be of another version. With the `level` "all" its changes are in all copies when they are done.
        """
        writer = self._stepped.get((table, level == "all"))
        if writer is None:
            store, deployment = self.context.store, self.deployment
            identity = self.context.writer_identity(level)
            assert identity is not None
            other = next((view for view in deployment.other_views if view.table.name == table), None)
            if other is not None:
                writer = group_writer(other.table, other.deployment, store, identity)
            elif (view := deployment.table(table)).view is not None:
                writer = group_writer(view, deployment, store, identity)
            else:
                writer = SteppedWriter(self.writer(table), deployment, store, identity)
            self._stepped[table, level == "all"] = writer
        return writer


def is_write(prepared: PreparedStatement) -> bool:
    """Return whether a prepared statement changes rows."""
    return isinstance(prepared, AnyWrite)
