"""The session over the Python driver: connects, prepares, and sends requests, whose values are bytes already.

The driver decodes results directly to PIQL's stored values (see protocol.py). Most reads do not go through here but
through `direct.py`, which falls back to this.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import cassandra
from cassandra import ConsistencyLevel, OperationTimedOut
from cassandra.auth import PlainTextAuthProvider
from cassandra.cluster import EXEC_PROFILE_DEFAULT, Cluster, ExecutionProfile, NoHostAvailable, Session
from cassandra.policies import (
    ConstantSpeculativeExecutionPolicy,
    ExponentialReconnectionPolicy,
    FallthroughRetryPolicy,
)
from cassandra.query import BoundStatement, PreparedStatement, SimpleStatement, tuple_factory

from piql.errors import StoreUnavailable
from piql.forking import renew_in_children
from piql.store.base import Node
from piql.store.cql.address import Address
from piql.store.cql.credentials import tls_context
from piql.store.cql.forked import leave_to_parent
from piql.store.cql.levels import levels_of
from piql.store.cql.link import Done, Reach, Reads
from piql.store.cql.reads.grouping import Values
from piql.store.cql.session.direct import Direct
from piql.store.cql.session.failures import REPLICAS_FAILED, unavailable
from piql.store.cql.session.flight import Flight
from piql.store.cql.session.gate import Gate
from piql.store.cql.session.probe import DriverProbe
from piql.store.cql.session.protocol import PROTOCOL, StoredProtocol
from piql.store.cql.session.routing import NextNode, Routing
from piql.store.cql.session.silent_nodes import SilentNodes
from piql.store.cql.undecided import Undecided, seconds_of_one
from piql.store.rows import Row

AGREEMENT_SECONDS = 60
_SPECULATIVE_COPIES = 2
_CONDITIONAL = "conditional"  # the driver's profile for conditional changes and serial reads
_CONDITIONAL_PATIENCE = 5  # times as long before a copy: copies of a conditional change hinder each other
_FIRST_PAUSE = 0.05  # seconds; each further pause is twice as long
_MORE_PAUSES = 3  # where replicas failed: nodes take up to some seconds to learn of a change of the schema
_SENT_AGAIN = (NoHostAvailable, *REPLICAS_FAILED)
_TURNS = 1024  # locks, of which each partition has one by its hash


class Connection:
    """A `Link` over the Python driver; may be used from any number of threads.

    gate       limits the requests under way
    silent     the nodes that do not answer
    pauses     seconds before a failed request is sent again, one for each time
    """

    selected_as: Mapping[str, str] = {}

    def __init__(self, address: Address) -> None:
        self.address = address
        levels = levels_of(address)
        self._levels: dict[Reach, int] = {
            "all": ConsistencyLevel.ALL,
            "eventual": getattr(ConsistencyLevel, levels.eventual),
            "quorum": getattr(ConsistencyLevel, levels.quorum),
        }
        self._write_level: int = getattr(ConsistencyLevel, levels.write)
        self._serial: int = getattr(ConsistencyLevel, levels.serial)
        self.gate = Gate(address.in_flight * max(1, len(address.hosts)))
        self.silent = SilentNodes(address.speculative / 1000 or address.timeout)
        self.routing = Routing(address.datacenter, address.in_flight, self.gate, self.silent)
        more = _MORE_PAUSES if address.retries else 0
        self.pauses = tuple(_FIRST_PAUSE * 2**number for number in range(address.retries + more))
        first, later = (self._profile(times) for times in (1, _CONDITIONAL_PATIENCE))
        self._driver = self._new_driver((first, later))
        self._prepared: dict[str, PreparedStatement] = {}
        self._turns = [threading.Lock() for _ in range(_TURNS)]
        self._lock = threading.Lock()
        try:
            self._session: Session = self._driver.connect()
            self._session.client_protocol_handler = StoredProtocol
            self.routing.session = self._session
            self.silent.prober = DriverProbe(self._session)
            patience = address.speculative * _CONDITIONAL_PATIENCE / 1000 or address.timeout
            self._session._default_timeout = min(patience, address.timeout)  # of preparing alone
        except Exception as failure:
            self._driver.shutdown()
            raise unavailable(failure, address) from failure
        renew_in_children(self, leave_to_parent)

    def _new_driver(self, profiles: tuple[ExecutionProfile, ExecutionProfile]) -> Cluster:
        """Return the driver, which looks for the addresses of the hosts; StoreUnavailable where none has one."""
        address = self.address
        login = PlainTextAuthProvider(address.user, address.password or "") if address.user else None
        try:
            return Cluster(
                list(address.hosts),
                address.port,
                auth_provider=login,
                ssl_context=tls_context(address),
                protocol_version=PROTOCOL,
                execution_profiles=dict(zip((EXEC_PROFILE_DEFAULT, _CONDITIONAL), profiles, strict=True)),
                connect_timeout=address.timeout,
                control_connection_timeout=address.timeout,
                reconnection_policy=ExponentialReconnectionPolicy(0.5, 5.0),
                max_schema_agreement_wait=0,
                schema_metadata_enabled=False,
                prepare_on_all_hosts=False,  # a silent one would be waited for; others prepare when they are asked
            )
        except cassandra.UnresolvableContactPoints as failure:
            raise unavailable(failure, address) from failure

    def _profile(self, times: int) -> ExecutionProfile:
        """Return how the driver sends requests; copies go out after `times` as long as the address says."""
        address = self.address
        copies = ConstantSpeculativeExecutionPolicy(address.speculative * times / 1000, _SPECULATIVE_COPIES)
        return ExecutionProfile(
            load_balancing_policy=self.routing,
            retry_policy=NextNode() if address.retries else FallthroughRetryPolicy(),
            consistency_level=self._write_level,
            serial_consistency_level=self._serial,
            request_timeout=address.timeout,
            row_factory=tuple_factory,
            speculative_execution_policy=copies if address.speculative else None,
        )

    def reads(self) -> Reads:
        return Direct(self)

    def know_keyspace(self) -> None:
        """Learn on which nodes the keyspace has its rows."""
        try:
            self._driver.refresh_keyspace_metadata(self.address.keyspace, max_schema_agreement_wait=0)
        except Exception as failure:
            raise unavailable(failure, self.address) from failure
        self.gate.widen(self.address.in_flight * max(1, len(self.nodes())))

    def execute(self, cql: str) -> list[Row]:
        """Send one read that is not worth preparing and wait for its rows."""
        try:
            return list(self._session.execute(SimpleStatement(cql, is_idempotent=True, fetch_size=None)).current_rows)
        except Exception as failure:
            raise unavailable(failure, self.address) from failure

    def change_schema(self, statements: Sequence[str]) -> None:
        """Execute definitions one after another on one node, and return when every node knows them."""
        if not statements:
            return
        seconds = max(self.address.timeout, AGREEMENT_SECONDS)
        try:
            for statement in statements:
                self._define(statement, seconds)
            if not self._agree(seconds):
                raise StoreUnavailable(
                    f"the nodes of {self.address.shown()} did not agree on their schema within {seconds:g} s"
                )
        except Exception as failure:
            raise unavailable(failure, self.address) from failure

    def _define(self, cql: str, seconds: float) -> None:
        """Execute a definition on the first node that is up, or on the next one if that cannot be reached."""
        failure: Exception | None = None
        for host in self._hosts_up():
            try:
                self._session.execute(SimpleStatement(cql), timeout=seconds, host=host)
                return
            except NoHostAvailable as gone:
                failure = gone
        raise failure or StoreUnavailable(f"the cluster {self.address.shown()} cannot be reached")

    def _hosts_up(self) -> list[Any]:
        """Return the nodes that are up, in the order of their addresses; raise StoreUnavailable if there are none."""
        hosts = [host for host in self._driver.metadata.all_hosts() if host.is_up]
        ordered = sorted(hosts, key=lambda host: str(host.endpoint))
        if not ordered:
            raise StoreUnavailable(f"the cluster {self.address.shown()} cannot be reached")
        return ordered

    def _agree(self, seconds: float) -> bool:
        """Ask each node for its version of the schema until all are the same; return whether they are in time.

        Each node is asked for its own, because nodes learn late of those of the others.
        """
        until = time.monotonic() + seconds
        ask = SimpleStatement("SELECT schema_version FROM system.local", consistency_level=ConsistencyLevel.ONE)
        while time.monotonic() < until:
            futures = [self._session.execute_async(ask, host=host) for host in self._hosts_up()]
            try:
                if len({future.result().current_rows[0] for future in futures}) == 1:
                    return True
            except NoHostAvailable:  # a node went down: the others are asked again
                time.sleep(0.1)
            time.sleep(0.01)
        return False

    def prepared(self, cql: str) -> PreparedStatement:
        """Return a statement, prepared at its first use."""
        statement = self._prepared.get(cql)
        if statement is None:
            with self._lock:
                statement = self._prepared.get(cql)
                if statement is None:
                    statement = self._prepare(cql)
                    statement.is_idempotent = True
                    statement.fetch_size = None
                    self._prepared[cql] = statement
        return statement

    def _prepare(self, cql: str) -> PreparedStatement:
        """Prepare on the first node that answers; the driver itself sends no copies of this."""
        until = time.monotonic() + self.address.timeout
        while True:
            try:
                return self._session.prepare(cql)
            except OperationTimedOut as silent:
                if time.monotonic() > until:
                    raise unavailable(silent, self.address) from silent
                self.silent.note(silent.last_host)
            except Exception as failure:
                raise unavailable(failure, self.address) from failure

    @property
    def session(self) -> Session:
        """Return the driver's session."""
        return self._session

    def level(self, consistency: Reach | None) -> int:
        """Return the driver's number of a consistency; None is that of writes."""
        return self._write_level if consistency is None else self._levels[consistency]

    def bound(self, cql: str, values: Values, consistency: Reach | None = None) -> BoundStatement:
        """Return a statement with its values, as the driver sends it."""
        statement = BoundStatement(self.prepared(cql))
        statement.values = values
        if consistency is not None:
            statement.consistency_level = self._levels[consistency]
        return statement

    def answer(
        self, cql: str, values: Values, consistency: Reach | None = None, *, is_serial: bool = False
    ) -> list[Row]:
        """Send one prepared request and wait for its rows."""
        try:
            statement = self.bound(cql, values, consistency)
            if not is_serial:
                return self._rows(statement)[0]
            statement.consistency_level = self._serial
            with self._turn(statement):
                return self._rows(statement, _CONDITIONAL)[0]
        except Exception as failure:
            seconds = seconds_of_one(self.address) if is_serial else None
            raise unavailable(failure, self.address, is_conditional=is_serial, seconds=seconds) from failure

    def change_if(self, cql: str, values: Values, reach: Reach | None = None) -> tuple[bool, bool]:
        try:
            statement = self.bound(cql, values, reach)
            with self._turn(statement):
                rows, was_sent_once = self._rows(statement, _CONDITIONAL)
            is_made = bool(rows[0][0])
            return is_made, is_made or was_sent_once
        except Exception as failure:
            seconds = seconds_of_one(self.address)
            raise unavailable(failure, self.address, is_conditional=True, seconds=seconds) from failure

    def _turn(self, statement: BoundStatement) -> threading.Lock:
        """Return the lock of a partition: its conditional changes and serial reads hinder each other, so take turns."""
        return self._turns[hash(statement.routing_key) % _TURNS]

    def _rows(self, statement: BoundStatement, profile: object = EXEC_PROFILE_DEFAULT) -> tuple[list[Row], bool]:
        """Send a request, again where it failed, and return its rows and whether it was sent only once.

        A conditional change or serial read is not sent again where replicas failed: the caller finds out first whether
        it was made.
        """
        seconds = seconds_of_one(self.address) if profile == _CONDITIONAL else self.address.timeout
        future = self._session.execute_async(statement, execution_profile=profile, timeout=seconds)
        if not self.pauses:
            rows = future.result().current_rows
        else:
            try:
                rows = future.result().current_rows
            except NoHostAvailable as failure:
                return self._rows_later(statement, profile, failure), False
            except REPLICAS_FAILED as failure:
                if profile == _CONDITIONAL:
                    raise
                return self._rows_later(statement, profile, failure), False
        self.routing.answered(future)
        return rows or [], len(future.attempted_hosts) == 1

    def _rows_later(self, statement: BoundStatement, profile: object, failure: Exception) -> list[Row]:
        """Send a failed request again after pauses, within the timeout; raise the last failure."""
        until = time.monotonic() + self.address.timeout
        for number, pause in enumerate(self.pauses):
            left = until - time.monotonic() - pause
            if left <= 0 or not self.may_be_sent_again(failure, number):
                break
            time.sleep(pause)
            try:
                future = self._session.execute_async(statement, execution_profile=profile, timeout=left)
                rows: list[Row] | None = future.result().current_rows
                return rows or []
            except _SENT_AGAIN as again:
                failure = again
                if profile == _CONDITIONAL and isinstance(again, REPLICAS_FAILED):
                    break
        raise failure

    def may_be_sent_again(self, failure: BaseException, number: int) -> bool:
        """Return whether a failed request is sent again, after `number` repetitions already."""
        if isinstance(failure, REPLICAS_FAILED):
            return number < len(self.pauses)
        return isinstance(failure, NoHostAvailable) and number < self.address.retries

    def answer_serially(
        self, requests: Sequence[tuple[str, Values]], most: int, *, is_change: bool
    ) -> list[list[Row] | None]:
        """Send conditional changes or serial reads of different partitions, `most` at once; None where undecided."""
        answers: list[list[Row] | None] = [None] * len(requests)
        sent: deque[tuple[int, Any]] = deque()
        failure: StoreUnavailable | None = None

        def take() -> None:
            nonlocal failure
            at, future = sent.popleft()
            try:
                answers[at] = list(future.result().current_rows or [])
            except Exception as problem:
                error = unavailable(problem, self.address, is_conditional=True)
                if not isinstance(error, Undecided):
                    failure = error

        for at, (cql, values) in enumerate(requests):
            if len(sent) == most:
                take()
            if failure is not None:
                break
            statement = self.bound(cql, values)
            statement.is_idempotent = not is_change  # many rows together take long: copies would double the work
            if not is_change:
                statement.consistency_level = self._serial
            try:
                sent.append((at, self._session.execute_async(statement, execution_profile=_CONDITIONAL)))
            except Exception as problem:
                failure = unavailable(problem, self.address)
        while sent:
            take()
        if failure is not None:
            raise failure
        return answers

    def start(self, requests: Sequence[tuple[str, Values]], done: Done, consistency: Reach | None = None) -> None:
        """Send prepared requests, as many at once as the gate lets through; `done` gets all rows or a failure."""
        Flight(self, requests, done, consistency).start()

    def answer_many(self, requests: Sequence[tuple[str, Values]], consistency: Reach | None = None) -> list[list[Row]]:
        """Send prepared requests at the same time and wait for the rows of all."""
        answers: list[list[list[Row]] | StoreUnavailable] = []
        is_done = threading.Event()

        def done(outcome: list[list[Row]] | StoreUnavailable) -> None:
            answers.append(outcome)
            is_done.set()

        self.start(requests, done, consistency)
        is_done.wait()
        outcome = answers[0]
        if isinstance(outcome, StoreUnavailable):
            raise outcome
        return outcome

    @property
    def driver(self) -> str:
        return f"scylla-driver {cassandra.__version__}"

    def nodes(self) -> tuple[Node, ...]:
        """Return the nodes of the cluster and whether they are up."""
        return tuple(
            Node(
                str(host.endpoint.address),
                bool(host.is_up),
                str(host.release_version or "?"),
                host.datacenter or "?",
                host.rack or "?",
            )
            for host in sorted(self._driver.metadata.all_hosts(), key=lambda host: str(host.endpoint))
        )

    def after(self, seconds: float, call: Callable[[], None]) -> None:
        """Call something a little later, in the driver's own thread."""
        self._driver.connection_class.create_timer(seconds, call)

    def close(self) -> None:
        self.silent.close()
        self._driver.shutdown()
