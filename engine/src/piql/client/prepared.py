"""All that has been made ready for one deployment: its queries, the writers of its tables."""

from __future__ import annotations

from dataclasses import dataclass, field

from piql.compiler.physical.operators import WritePlan
from piql.compiler.result import CompiledQuery
from piql.runtime.deployment import Deployment
from piql.runtime.execution.prepared_query import PreparedQuery
from piql.runtime.execution.seals import signing_key
from piql.runtime.execution.strategy import Clock
from piql.runtime.writing.stepped.writer import SteppedWriter
from piql.runtime.writing.stepped.writer_identity import WriterIdentity
from piql.runtime.writing.transactional import TableWriter
from piql.runtime.writing.write import PreparedWrite
from piql.store.base import Store
from piql.versions.pinned import refuse_overtaken

PreparedStatement = PreparedQuery | PreparedWrite


@dataclass(slots=True)
class Making:
    """What a database makes its queries and writers with, whatever is deployed."""

    store: Store
    identity: WriterIdentity | None
    clock: Clock
    _key: bytes | None = None

    @property
    def cursor_key(self) -> bytes:
        """Return what seals cursors and tokens; a store gets one when it is deployed to, or when it is first needed."""
        if self._key is None:
            self._key = signing_key(self.store)
        return self._key


@dataclass(slots=True)
class Prepared:
    """Replaced as a whole when another deployment is in force."""

    making: Making
    deployment: Deployment
    asked: Deployment  # whose queries are run: the same, unless the connection stays with another version
    queries: dict[str, PreparedStatement] = field(default_factory=dict)
    statements: dict[str, PreparedStatement] = field(default_factory=dict)
    _writers: dict[str, TableWriter] = field(default_factory=dict)
    _stepped: dict[str, SteppedWriter] = field(default_factory=dict)

    def prepare(self, query: CompiledQuery) -> PreparedStatement:
        """Make a query ready to run; NotDeployed where what it counts on is not there any more."""
        making, asked = self.making, self.asked
        if asked.version != self.deployment.version:
            refuse_overtaken(query, asked, self.deployment)
        if isinstance(query.plan, WritePlan):
            table = query.plan.table.name
            stepped = self.stepped(table) if making.identity is not None else None
            return PreparedWrite(query, making.store, self.writer(table), asked.version, stepped, making.clock)
        return PreparedQuery(query, making.store, asked.deployed, asked.version, making.cursor_key, making.clock)

    def writer(self, table: str) -> TableWriter:
        """Return what writes a table."""
        writer = self._writers.get(table)
        if writer is None:
            writer = TableWriter(self.deployment.table(table), self.deployment, self.making.store)
            self._writers[table] = writer
        return writer

    def stepped(self, table: str) -> SteppedWriter:
        """Return what writes a table of a store without transactions."""
        writer = self._stepped.get(table)
        if writer is None:
            assert self.making.identity is not None
            writer = SteppedWriter(self.writer(table), self.deployment, self.making.store, self.making.identity)
            self._stepped[table] = writer
        return writer


def is_write(prepared: PreparedStatement) -> bool:
    return isinstance(prepared, PreparedWrite)
