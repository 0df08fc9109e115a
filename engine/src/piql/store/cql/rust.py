"""`?driver=rust`, experimental: the store on ScyllaDB's driver over its Rust core, `pip install piql[rust]`.

The driver does in its own threads what costs most in Python: routing, frames, retries, speculative copies. It takes and
gives Python values, and tells failures as texts. What it lacks beside the default driver: statements for several keys
go to any node and not to one that has all of them, and nodes are said to be up only where a connection is open.
"""

from __future__ import annotations

import re
import threading
from collections import deque
from collections.abc import Callable, Sequence
from importlib.metadata import version
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

from piql.errors import StoreUnavailable
from piql.store.base import Consistency, Node, Row
from piql.store.cql.address import Address
from piql.store.cql.failures import Undecided
from piql.store.cql.grouping import Sent, Values
from piql.store.cql.link import Done
from piql.store.cql.rust_values import to_rows, to_values

_SPECULATIVE_COPIES = 2
_AGREEMENT_SECONDS = 60
_TURNS = 1024
PART_OF_AN_ANSWER = "the cluster gave a part of an answer only"
_LEVELS = {
    "ONE": "One",
    "LOCAL_ONE": "LocalOne",
    "TWO": "Two",
    "THREE": "Three",
    "QUORUM": "Quorum",
    "LOCAL_QUORUM": "LocalQuorum",
    "EACH_QUORUM": "EachQuorum",
    "ALL": "All",
}
_UNDECIDED = re.compile(r"write_type: \"?cas|consistency: (local)?serial", re.IGNORECASE)
_Manner = tuple["Consistency | None", bool, bool]


class _Prepared(NamedTuple):
    """A statement as it is to be sent, what makes values of its parameters, and rows of its answers."""

    statement: Any
    values: Callable[[Sequence[bytes | None]], list[Any]]
    rows: Callable[[Any], list[Row]]


class RustConnection:
    """A session of the Rust driver; may be used from any number of threads."""

    def __init__(self, address: Address) -> None:
        try:
            from scylla import enums
            from scylla.execution_profile import ExecutionProfile
            from scylla.policies.load_balancing import DefaultPolicy, NodeLocationPreference
            from scylla.policies.speculative_execution import SimpleSpeculativeExecutionPolicy
            from scylla.session_builder import SessionBuilder
        except ImportError as missing:
            raise StoreUnavailable(
                "driver=rust needs a package that is not installed: pip install piql[rust]"
            ) from missing
        self.address = address
        is_local = address.consistency.startswith("LOCAL")
        consistency = getattr(enums.Consistency, _LEVELS[address.consistency])
        self._levels: dict[Consistency, Any] = {
            "eventual": enums.Consistency.LocalOne if is_local else enums.Consistency.One,
            "quorum": enums.Consistency.LocalQuorum if is_local else enums.Consistency.Quorum,
        }
        self._serial = enums.Consistency.LocalSerial if is_local else enums.Consistency.Serial
        where = NodeLocationPreference.datacenter(address.datacenter) if address.datacenter else None
        profile = ExecutionProfile(
            timeout=address.timeout,
            consistency=consistency,
            serial_consistency=enums.SerialConsistency.LocalSerial if is_local else enums.SerialConsistency.Serial,
            load_balancing_policy=DefaultPolicy(node_location_preference=where),
            speculative_execution_policy=(
                SimpleSpeculativeExecutionPolicy(address.speculative / 1000, _SPECULATIVE_COPIES)
                if address.speculative
                else None
            ),
        )
        builder = (
            SessionBuilder()
            .contact_points([(each, address.port) for each in address.hosts])
            .execution_profile(profile)
            .connection_timeout(address.timeout)
            .schema_agreement_timeout(max(address.timeout, _AGREEMENT_SECONDS))
            .auto_await_schema_agreement(False)
            .write_coalescing(None)
        )
        if address.user:
            builder = builder.user(address.user, address.password or "")
        self._prepared: dict[tuple[str, _Manner], _Prepared] = {}
        self._turns = [threading.Lock() for _ in range(_TURNS)]
        self.slots: SimpleQueue[None] = SimpleQueue()  # one for each request that may be under way
        for _ in range(address.in_flight * max(1, len(address.hosts))):
            self.slots.put(None)
        try:
            self.session = builder.connect().result()
        except Exception as failure:
            raise _unavailable(failure, address) from failure

    def reads(self) -> RustReads:
        return RustReads(self)

    def know_keyspace(self) -> None:
        """Do nothing: the driver follows the changes of keyspaces itself."""

    def execute(self, cql: str) -> list[Row]:
        try:
            page = self.session.execute(cql, None, paged=False).result().iter_current_page()
            return [tuple(row.values()) for row in page]
        except Exception as failure:
            raise _unavailable(failure, self.address) from failure

    def change_schema(self, statements: Sequence[str]) -> None:
        if not statements:
            return
        from scylla.statement import Statement

        seconds = max(self.address.timeout, float(_AGREEMENT_SECONDS))
        try:
            node = next((each for each in self.session.cluster_state.nodes_info.values() if each.connected), None)
            for each in statements:
                self.session.execute(Statement(each).with_request_timeout(seconds), target=node).result()
            self.session.await_schema_agreement().result()
        except Exception as failure:
            raise _unavailable(failure, self.address) from failure

    def known(self, cql: str, manner: _Manner) -> _Prepared:
        found = self._prepared.get((cql, manner))
        if found is None:
            consistency, is_serial, is_idempotent = manner
            made = self.session.prepare(cql).result().set_is_idempotent(is_idempotent)
            if is_serial:
                made = made.with_consistency(self._serial)
            elif consistency is not None:
                made = made.with_consistency(self._levels[consistency])
            found = _Prepared(made, to_values(made.bind_columns), to_rows(made.result_columns))
            self._prepared[cql, manner] = found
        return found

    def answer(
        self,
        cql: str,
        values: Values,
        consistency: Consistency | None = None,
        *,
        is_serial: bool = False,
        is_idempotent: bool = True,
    ) -> list[Row]:
        try:
            known = self.known(cql, (consistency, is_serial, is_idempotent))
            if is_idempotent and not is_serial:
                slot = self.slots.get()
                try:
                    return self._begun(known, values).rows()
                finally:
                    self.slots.put(slot)
            partition = tuple([values[at] for at in known.statement.partition_key_indexes])
            with self._turns[hash(partition) % _TURNS]:
                return self._begun(known, values).rows()
        except Exception as failure:
            raise _unavailable(failure, self.address) from failure

    def change_if(self, cql: str, values: Values) -> tuple[bool, bool]:
        """Send a conditional change once: the driver repeats only what is idempotent."""
        return bool(self.answer(cql, values, is_idempotent=False)[0][0]), True

    def answer_many(
        self, requests: Sequence[tuple[str, Values]], consistency: Consistency | None = None
    ) -> list[list[Row]]:
        """Send requests at the same time; where too many are under way, earlier ones of this call are awaited first."""
        answers: list[list[Row]] = []
        begun: deque[_Begun] = deque()
        manner: _Manner = (consistency, False, True)
        try:
            for cql, values in requests:
                while not self._has_slot(is_waiting=not begun):
                    answers.append(self._ended(begun.popleft()))
                try:
                    begun.append(self._begun(self.known(cql, manner), values, is_many=True))
                except BaseException:
                    self.slots.put(None)
                    raise
            while begun:
                answers.append(self._ended(begun.popleft()))
            return answers
        except Exception as failure:
            raise _unavailable(failure, self.address) from failure
        finally:
            for _ in begun:
                self.slots.put(None)

    def _has_slot(self, *, is_waiting: bool) -> bool:
        try:
            self.slots.get(is_waiting)
        except Empty:
            return False
        return True

    def each_serially(
        self, requests: Sequence[tuple[str, Values]], most: int, *, is_change: bool
    ) -> list[list[Row] | None]:
        manner: _Manner = (None, not is_change, not is_change)
        answers: list[list[Row] | None] = [None] * len(requests)
        begun: deque[tuple[int, _Begun]] = deque()
        failures: list[StoreUnavailable] = []

        def take() -> None:
            at, first = begun.popleft()
            try:
                answers[at] = first.rows()
            except Exception as problem:
                said = _unavailable(problem, self.address)
                if not isinstance(said, Undecided):
                    failures.append(said)

        for at, (cql, values) in enumerate(requests):
            if len(begun) == most:
                take()
            if failures:
                break
            try:
                begun.append((at, self._begun(self.known(cql, manner), values, is_many=True)))
            except Exception as problem:
                failures.append(_unavailable(problem, self.address))
        while begun:
            take()
        if failures:
            raise failures[0]
        return answers

    def _begun(self, known: _Prepared, values: Values, *, is_many: bool = False) -> _Begun:
        future = self.session.execute(known.statement, known.values(values), paged=False)
        return _Begun(future.start() if is_many else future, known)

    def _ended(self, begun: _Begun) -> list[Row]:
        try:
            return begun.rows()
        finally:
            self.slots.put(None)

    def start(self, requests: Sequence[tuple[str, Values]], done: Done, consistency: Consistency | None = None) -> None:
        """Wait in a thread of its own: nothing that waits for its own rows calls this."""

        def run() -> None:
            try:
                found: list[list[Row]] | StoreUnavailable = self.answer_many(requests, consistency)
            except StoreUnavailable as failure:
                found = failure
            done(found)

        threading.Thread(target=run, daemon=True).start()

    @property
    def driver(self) -> str:
        return f"scylladb-rs-driver {version('scylladb-rs-driver')}"

    def nodes(self) -> tuple[Node, ...]:
        known = self.session.cluster_state.nodes_info.values()
        return tuple(
            Node(str(each.address[0]), each.connected, "?", each.datacenter or "?", each.rack or "?")
            for each in sorted(known, key=lambda each: str(each.address[0]))
        )

    def close(self) -> None:
        """Let the session go: the driver closes its connections when nobody holds it."""
        self._prepared.clear()
        del self.session


class RustReads:
    """Reads over the driver, which repeats them and asks other nodes by itself."""

    def __init__(self, connection: RustConnection) -> None:
        self._connection = connection

    def answer(self, sent: Sent, consistency: Consistency | None) -> list[Row]:
        """Send one statement and wait for its rows; the most frequent call, and so all in one place."""
        connection = self._connection
        try:
            statement, to_values, to_rows = connection.known(sent.cql, (consistency, False, True))
            slot = connection.slots.get()
            try:
                result = connection.session.execute(statement, to_values(sent.values), paged=False).result()
            finally:
                connection.slots.put(slot)
            if result.has_more_pages():
                raise StoreUnavailable(PART_OF_AN_ANSWER)
            return to_rows(result.iter_current_page())
        except Exception as failure:
            raise _unavailable(failure, connection.address) from failure

    def answer_many(self, sent: Sequence[Sent], consistency: Consistency | None) -> list[list[Row]]:
        if len(sent) == 1:
            return [self.answer(sent[0], consistency)]
        return self._connection.answer_many([(each.cql, each.values) for each in sent], consistency)

    def spread(self, partitions: list[bytes]) -> list[tuple[Any, list[int]]]:
        return [(None, list(range(len(partitions))))]


class _Begun(NamedTuple):
    """A request under way."""

    future: Any
    known: _Prepared

    def rows(self) -> list[Row]:
        result = self.future.result()
        if result.has_more_pages():
            raise StoreUnavailable(PART_OF_AN_ANSWER)
        return self.known.rows(result.iter_current_page())


def _unavailable(failure: BaseException, address: Address) -> StoreUnavailable:
    """Say in PIQL's words why the cluster gave no answer; of the driver's failures there are texts only."""
    if isinstance(failure, StoreUnavailable):
        return failure
    said = " ".join(str(failure).split())[:300] or type(failure).__name__
    kind = Undecided if _UNDECIDED.search(said) else StoreUnavailable
    if "client timeout" in said:
        said = f"did not answer within {address.timeout:g} s"
    return kind(f"the cluster {address.shown()} does not answer: {said}")
