"""Which version is in force in a store, and its queries, ready to run: the base of a `Database`.

Another process may deploy at any time. A database looks for that every `LOOK_SECONDS` (`_refresh`), and replaces all
that it has prepared. A write looks in its own transaction (`_check_version`): where another version is in force, it
raises `Redeployed`, and the database makes it again. Without transactions, `_may_be_cut` looks instead.

Beside it may be a version that is tried on a share of the executions (`canaries`).
"""

from __future__ import annotations

from math import inf
from time import monotonic

from piql.client.canaries import drawn_version, of_version
from piql.client.prepared import ClientContext, Prepared, PreparedStatement, is_write
from piql.client.session import StatementKind
from piql.errors import InvalidParameter, NotDeployed, StoreUnavailable, kind_of
from piql.runtime.deployment import LOOK_SECONDS, Deployment, Redeployed
from piql.runtime.execution.prepared_query import PreparedQuery
from piql.runtime.execution.strategy import Clock
from piql.runtime.execution.supplied import Now
from piql.runtime.writing.stepped.backoff import WaitPolicy
from piql.runtime.writing.stepped.stamps import Stamps
from piql.runtime.writing.stepped.writer import SteppedWriter
from piql.runtime.writing.stepped.writer_identity import WriterIdentity
from piql.store.base import Store, Transaction
from piql.versions.change.state import canary_of, deployment_of, read_state
from piql.versions.pinned import pinned_to


class VersionInForce:
    """A store with the version in force in it, prepared; or with the queries of `version`, where one is given.

    Raises StoreUnavailable where what is deployed cannot be read.
    """

    def __init__(
        self,
        store: Store,
        version: int | None,
        stamps: Stamps | None,
        wait_policy: WaitPolicy | None,
        clock: Clock,
        now: Now,
        canary: bool,
    ) -> None:
        self._store = store
        self._version = version
        self._takes_canary = canary and version is None
        self._identity = WriterIdentity(store.row_writes, stamps, wait_policy) if store.row_writes is not None else None
        try:
            self._context = ClientContext(store, self._identity, clock, now)
            self._prepared = self._load()
        except (ValueError, LookupError, TypeError) as damage:
            message = f"the deployment in the store cannot be read: {damage}"
            raise StoreUnavailable(message, "use the version of piql that deployed it, or put a copy back") from damage
        self._look_at = monotonic() + LOOK_SECONDS
        if self._identity is not None:
            self._identity.units.writer_of = self._writer_of

    def _writer_of(self, table: str) -> SteppedWriter:
        """Return who ends units of others that write a table: as it is deployed now; raise NotDeployed."""
        if monotonic() > self._look_at:
            self._refresh()
        return self._prepared.stepped(table)

    @property
    def tried(self) -> Deployment | None:
        """Return the version that is tried beside the one in force; None where there is none."""
        self._refresh()
        canary = self._prepared.canary
        return None if canary is None else canary.queried

    def drawn(self, name: str, cursor: str | None = None) -> int:
        """Return the version for an execution, as `execute` draws it with `canary`; execute it by its number.

        The version is the one that gave the page before, for a `cursor`.
        """
        if monotonic() > self._look_at:
            self._refresh()
        prepared = self._prepared
        return drawn_version(prepared, name, cursor, self._context.cursor_key if cursor is not None else b"")

    def _look_at_once(self) -> None:
        """Let the next call look whether another version is in force."""
        self._look_at = -inf

    def _may_be_cut(self, prepared: Prepared) -> bool:
        """Return whether a limit may have been raised, and rows written beyond it, before a read was done."""
        if self._identity is None or monotonic() > self._look_at:  # without transactions writers wait until all looked
            self._refresh()
        return not self._is_current(prepared)

    def _refuse_cut(self, prepared: Prepared) -> None:
        """Raise Redeployed where the rows that a write has read may be cut."""
        if self._may_be_cut(prepared):
            raise Redeployed

    def _check_version(self, prepared: Prepared, transaction: Transaction) -> None:
        """Raise Redeployed where a transaction sees another version than the one that was prepared."""
        if transaction.version() != prepared.deployment.epoch:
            raise Redeployed

    def _refresh(self) -> bool:
        """Load the version in force if another process has deployed; return whether it has."""
        self._look_at = monotonic() + LOOK_SECONDS
        if self._store.version() == self._prepared.deployment.epoch:
            return False
        self._prepared = self._load()
        return True

    def _load(self) -> Prepared:
        """Return the version in force, with the queries of the version that this connection keeps to."""
        state = read_state(self._store)
        deployment = deployment_of(state, self._store)
        queried = deployment if self._version is None else pinned_to(self._store, self._version)
        tried = canary_of(state, self._store)
        if tried is None or state.change is None or state.change.canary is None:
            return Prepared(self._context, deployment, queried)
        canary = Prepared(self._context, tried, tried)
        return Prepared(self._context, deployment, queried, canary, state.change.canary.share)

    def _is_current(self, prepared: Prepared) -> bool:
        """Return whether what was prepared is still of a version that is in force or tried."""
        return prepared is self._prepared or prepared is self._prepared.canary

    def _of_version(self, version: int | None) -> Prepared:
        """Return the version that is tried, where it has this number; else the one in force."""
        return of_version(self._prepared, version)

    def _version_for(self, name: str, cursor: str | None) -> int:
        """Return the version that an execution goes to where nobody names one: drawn only where canaries are taken."""
        return self.drawn(name, cursor) if self._takes_canary else self._prepared.queried.version

    def _kind(self, name: str, version: int) -> StatementKind:
        """Return what a deployed query of a version is; of one that is not loaded, what the one in force is.

        Such a version is neither in force nor tried, so that executing it raises DeployedMeanwhile.
        """
        statement = self._named(name, version)
        if statement.version != version and self._refresh():  # the caller has seen a newer one
            statement = self._named(name, version)
        return kind_of_statement(statement)

    def _named(self, name: str, version: int | None = None) -> PreparedStatement:
        """Return a deployed query, ready to run; raise NotDeployed where there is none of that name.

        It is that of the version in force, unless the number of the one that is tried is given.
        """
        return self._named_with_version(name, version)[1]

    def _named_with_version(self, name: str, version: int | None = None) -> tuple[Prepared, PreparedStatement]:
        """Return a deployed query, ready to run, and the prepared version that it is of."""
        prepared = self._of_version(version)
        is_name = isinstance(name, str)
        deployed_query = prepared.queries.get(name) if is_name else None
        if deployed_query is not None:
            return prepared, deployed_query
        query = prepared.queried.compilation.queries.get(name) if is_name else None
        if query is None and self._refresh():
            return self._named_with_version(name, version)
        if query is None or query.plan is None:
            names = ", ".join(sorted(prepared.queried.compilation.queries)) or "no queries"
            raise NotDeployed(f"no query {name!r} is deployed; there are {names}")
        prepared_query = prepared.prepare(query)
        prepared.queries[name] = prepared_query
        return prepared, prepared_query

    def _statement(self, text: str) -> tuple[PreparedStatement, Prepared]:
        """Return a bare statement, ready to run, and the deployment that it was compiled for."""
        if not isinstance(text, str):
            raise InvalidParameter(f"the statement is {kind_of(text)}: give its text")
        self._refresh()
        prepared = self._prepared
        return prepared.statement(text), prepared


def kind_of_statement(statement: PreparedStatement) -> StatementKind:
    """Return whether a prepared statement writes, and what a read of it says of its freshness."""
    return StatementKind(is_write(statement), statement.query.read if isinstance(statement, PreparedQuery) else None)
