"""The store of an environment: connected when it is first needed, and tried again when that failed."""

from __future__ import annotations

import logging
import threading

import piql
from piql.errors import PiqlError, StoreReplaced, StoreUnavailable, WrongStoreAddress
from piql.runtime.execution.seals import store_id
from piql.store.open import capabilities_of
from piql.store.schemes import CQL, EMBEDDED, StoreKind
from piql_profiler.measure.store_urls import without_password

from piql_backend.stores.known import KnownStore
from piql_backend.stores.schemas import ClusterRead, NodeRead, StoreRead
from piql_backend.web.errors import from_engine

log = logging.getLogger(__name__)


class StoreConnection:
    """One connected `piql` database, shared by all threads; `url` may have a password, `shown_url` has none."""

    def __init__(self, url: str, known: KnownStore | None = None) -> None:
        self.url = url
        self._known = known
        self.advice: str | None = None  # one thing to do, where it did not answer when it was last asked
        self._database: piql.Database | None = None
        self._connecting = threading.Lock()

    @property
    def kind(self) -> StoreKind:
        return CQL if capabilities_of(self.url).is_cluster else EMBEDDED

    @property
    def shown_url(self) -> str:
        return without_password(self.url)

    def database(self) -> piql.Database:
        """The connection to the store; StoreUnavailable while it does not answer, WrongStoreAddress for no store's."""
        if self._database is None:
            with self._connecting:
                if self._database is None:
                    database = self._connect()
                    try:
                        self._refuse_other(database)
                    except BaseException:
                        database.close()
                        raise
                    self._database = database
        return self._database

    @property
    def was_known(self) -> bool:
        """Whether an environment had a store here in which something was live."""
        return self._known is not None and self._known.id is not None

    def refuse_other(self) -> None:
        """Raise StoreReplaced where another store is in the place of the one that the environment had."""
        self._refuse_other(self.database())

    def remember(self) -> None:
        """Take the store that is there now for the one of the environment."""
        there = store_id(self.database().store)
        if self._known is not None and there is not None:
            self._known.remember(there)

    def forget(self) -> None:
        """Let the store that comes next be any: the one that was there is empty, and is begun anew."""
        if self._known is not None:
            self._known.forget()

    def _refuse_other(self, database: piql.Database) -> None:
        known = None if self._known is None else self._known.id
        there = None if known is None else store_id(database.store)
        if there not in (None, known):
            raise StoreReplaced(
                f"{self.shown_url} holds another store than the one that this environment had: nothing is read or "
                "written there"
            )

    def read_health(self) -> StoreRead:
        """Whether the store answers now."""
        message = self.advice = None
        try:
            _ = self.database().deployment  # reads its version from the store
        except PiqlError as error:
            refusal = from_engine(error).body
            message, self.advice = refusal.message, refusal.help
        return StoreRead(
            url=self.shown_url, kind=self.kind, healthy=message is None, message=message, cluster=self._cluster()
        )

    def _cluster(self) -> ClusterRead | None:
        """The cluster as the driver last saw it; None for an embedded store, or before the first connection."""
        topology = self._database.store.topology() if self._database is not None else None
        if topology is None:
            return None
        nodes = [NodeRead(**node._asdict()) for node in topology.nodes]
        return ClusterRead(**(topology._asdict() | {"nodes": nodes}))

    def close(self) -> None:
        with self._connecting:
            if self._database is not None:
                self._database.close()
                self._database = None

    def _connect(self) -> piql.Database:
        try:
            return piql.connect(self.url, report="", otel=False)
        except PiqlError:
            raise
        except ValueError as error:
            raise WrongStoreAddress(f"{self.shown_url} names no store: {error}") from error
        except OSError as error:
            raise StoreUnavailable(f"{self.shown_url} cannot be opened: {error.strerror or error}.") from error
