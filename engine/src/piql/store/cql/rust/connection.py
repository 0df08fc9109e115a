"""`?driver=rust`, experimental: the store on ScyllaDB's driver over its Rust core, `pip install piql[rust]`.

The driver does in its own threads what costs most in Python: routing, frames, speculative copies. It takes and returns
Python values, and describes failures in texts. It lacks three things that the default driver has:

- Statements for several keys go to any node, and not to one that has all of them.
- A node counts as up only while a connection to it is open.
- It does not tell which node was late. A silent node is left out once its connections have not answered for twice
  LATE_SECONDS.

A read is sent without the driver's policy of speculative copies, which costs a tenth of its time. One that has no
answer by the time of the first copy is sent again under that policy, as in session/direct.py.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from queue import Empty, SimpleQueue
from time import monotonic, sleep
from typing import Any, Literal, NamedTuple, TypeVar

from piql.errors import StoreUnavailable, WrongStoreAddress
from piql.forking import renew_in_children
from piql.store.base import Node
from piql.store.cql.address import Address
from piql.store.cql.forked import leave_to_parent
from piql.store.cql.link import Done, Reach, Reads
from piql.store.cql.reads.grouping import Values
from piql.store.cql.rust.driver_settings import AGREEMENT_SECONDS, driver_settings
from piql.store.cql.rust.failures import have_replicas_failed, unavailable, was_not_taken
from piql.store.cql.rust.reads import RustReads
from piql.store.cql.rust.values import SELECTED_AS, to_rows, to_values
from piql.store.cql.undecided import Undecided, seconds_of_one
from piql.store.rows import Row

T = TypeVar("T")
_FIRST_PAUSE = 0.05  # seconds; each further pause is twice as long
_MORE_PAUSES = 3  # where replicas failed: nodes take up to some seconds to learn of a change of the schema
_TURNS = 1024  # locks, of which each partition has one by its hash
_Manner = Literal["read", "any", "serial", "many serial", "if", "many if"]
"""How a statement is sent.

read          a read, without speculative copies
any           any statement that may be repeated
serial        a serial read: its answer is waited for as long as that of a conditional change
many serial   serial reads, several at a time
if            a conditional change: without an answer after `seconds_of_one`, its outcome is looked up
many if       conditional changes, several at a time: without copies, since they take long
"""

Page = list[dict[str, Any]]
"""The rows of an answer, as the driver returns them."""


class _Prepared(NamedTuple):
    """A statement, and the functions from bytes to the values of its parameters and from its answers to rows."""

    statement: Any
    values: Callable[[Values], list[Any]]
    rows: Callable[[Any], list[Row]]


class RustConnection:
    """A `Link` over the Rust driver; may be used from any number of threads.

    slots     one for each request that may be under way; whoever sends one takes a slot
    _turns    see `_turn`
    _known    statements by their CQL, the manner and the consistency they are sent with
    """

    selected_as: Mapping[str, str] = SELECTED_AS

    def __init__(self, address: Address) -> None:
        if address.is_encrypted:
            raise WrongStoreAddress(f"{address.shown()}: driver=rust connects without TLS: remove it from the address")
        settings = driver_settings(address)
        self.address = address
        self._levels, self._serial, self._profiles = settings.levels, settings.serial, settings.profiles
        self._patience = settings.patience
        self._prepared: dict[str, Any] = {}
        self._known: dict[tuple[str, _Manner, Reach | None], _Prepared] = {}
        more = _MORE_PAUSES if address.retries else 0
        self._pauses = tuple(_FIRST_PAUSE * 2**number for number in range(address.retries + more))
        self._turns = [threading.Lock() for _ in range(_TURNS)]
        self.slots: SimpleQueue[None] = SimpleQueue()
        for _ in range(address.in_flight * max(1, len(address.hosts))):
            self.slots.put(None)
        try:
            self.session = settings.builder.connect().result()
        except Exception as failure:
            raise unavailable(failure, address) from failure
        renew_in_children(self, RustConnection._leave_to_parent)

    def _leave_to_parent(self) -> None:
        """Refuse all requests in a forked process, and free the slots of the parent's requests, so that none waits."""
        for _ in range(self.address.in_flight * max(1, len(self.address.hosts))):
            self.slots.put(None)
        leave_to_parent(self)

    def reads(self) -> Reads:
        return RustReads(self)

    def know_keyspace(self) -> None:
        """Do nothing: the driver follows the changes of keyspaces itself."""

    def execute(self, cql: str) -> list[Row]:
        try:
            page = self.session.execute(cql, None, paged=False).result().iter_current_page()
            return [tuple(row.values()) for row in page]
        except Exception as failure:
            raise unavailable(failure, self.address) from failure

    def change_schema(self, statements: Sequence[str]) -> None:
        if not statements:
            return
        from scylla.statement import Statement

        seconds = max(self.address.timeout, float(AGREEMENT_SECONDS))
        try:
            node = next(
                (candidate for candidate in self.session.cluster_state.nodes_info.values() if candidate.connected), None
            )
            for statement in statements:
                self.session.execute(Statement(statement).with_request_timeout(seconds), target=node).result()
            self.session.await_schema_agreement().result()
        except Exception as failure:
            raise unavailable(failure, self.address) from failure

    def known(self, cql: str, manner: _Manner, consistency: Reach | None = None) -> _Prepared:
        """Return a statement for a manner of sending; it is prepared at its first use in any manner."""
        sendable = self._known.get((cql, manner, consistency))
        if sendable is None:
            prepared = self._prepared.get(cql)
            if prepared is None:
                prepared = self._prepared[cql] = self.session.prepare(cql).result(self.address.timeout)
            sent = prepared.set_is_idempotent(manner != "many if")  # many rows take long: copies would double the work
            if manner in self._profiles:
                sent = sent.with_execution_profile(self._profiles[manner])
            if manner in ("serial", "if"):
                sent = sent.with_request_timeout(seconds_of_one(self.address))
            if manner in ("serial", "many serial"):
                sent = sent.with_consistency(self._serial)
            elif consistency is not None:
                sent = sent.with_consistency(self._levels[consistency])
            sendable = _Prepared(sent, to_values(prepared.bind_columns), to_rows(prepared.result_columns))
            self._known[cql, manner, consistency] = sendable
        return sendable

    def prepared_for_reads(self, cql: str, consistency: Reach | None) -> Any:
        """Return the driver's statement for the manner "read"; preparing it is tried again where it fails."""
        began = monotonic()
        try:
            return self.known(cql, "read", consistency).statement
        except Exception as failure:
            return self._tried_again(lambda _: self.known(cql, "read", consistency).statement, failure, began)

    def answer(
        self, cql: str, values: Values, consistency: Reach | None = None, *, is_serial: bool = False
    ) -> list[Row]:
        if not is_serial:
            return self.rows(cql, self._page(cql, values, consistency))
        began = monotonic()
        try:
            prepared = self.known(cql, "serial")
            with self._turn(prepared, values):
                page = self.begun(prepared, values).page()
        except Exception as failure:
            page = self._page_later(cql, values, "serial", None, failure, began)
        return self.rows(cql, page)

    def rows(self, cql: str, page: Page) -> list[Row]:
        """Return the rows of stored values of a statement's answer."""
        return self.known(cql, "any").rows(page)

    def _page(self, cql: str, values: Values, consistency: Reach | None) -> Page:
        """Send a statement that may be repeated, again where it fails, and wait for its answer."""
        began = monotonic()
        try:
            prepared = self.known(cql, "any", consistency)
            slot = self.slots.get()
            try:
                return self.begun(prepared, values).page()
            finally:
                self.slots.put(slot)
        except Exception as failure:
            return self._page_later(cql, values, "any", consistency, failure, began)

    def change_if(self, cql: str, values: Values, reach: Reach | None = None) -> tuple[bool, bool]:
        """Send a conditional change; an answer that came before the time of the first copy is certain."""
        began = monotonic()
        try:
            prepared = self.known(cql, "if", reach)
            with self._turn(prepared, values):
                began = monotonic()
                page = self.begun(prepared, values).page()
            was_sent_once = not self._patience or monotonic() - began < self._patience
        except Exception as failure:
            page = self._page_later(cql, values, "if", reach, failure, began)
            was_sent_once = False
        is_made = bool(self.rows(cql, page)[0][0])
        return is_made, is_made or was_sent_once

    def _turn(self, prepared: _Prepared, values: Values) -> threading.Lock:
        """Return the lock of a partition: its conditional changes and serial reads hinder each other, so take turns."""
        partition = tuple([values[at] for at in prepared.statement.partition_key_indexes])
        return self._turns[hash(partition) % _TURNS]

    def _page_later(
        self,
        cql: str,
        values: Values,
        manner: _Manner,
        consistency: Reach | None,
        failure: Exception,
        began: float,
    ) -> Page:
        """Send a request that failed once more.

        A conditional change or serial read is not sent again where replicas failed: the caller finds out first whether
        it was made.
        """

        def send(seconds: float) -> Page:
            prepared = self.known(cql, manner, consistency)
            return self.begun(
                prepared._replace(statement=prepared.statement.with_request_timeout(seconds)), values
            ).page()

        return self._tried_again(send, failure, began, is_conditional=manner in ("if", "serial"))

    def _tried_again(
        self, attempt: Callable[[float], T], failure: Exception, began: float, *, is_conditional: bool = False
    ) -> T:
        """Call `attempt` with the seconds left, after each pause, while that may help; then raise the last error."""
        until = began + self.address.timeout
        for number, pause in enumerate(self._pauses):
            left = until - monotonic() - pause
            if left <= 0 or not self._may_be_sent_again(failure, number, is_conditional=is_conditional):
                break
            sleep(pause)
            try:
                return attempt(left)
            except Exception as next_failure:
                failure = next_failure
        seconds = seconds_of_one(self.address) if is_conditional else None
        raise unavailable(failure, self.address, is_conditional=is_conditional, seconds=seconds) from failure

    def _may_be_sent_again(self, failure: Exception, number: int, *, is_conditional: bool) -> bool:
        """Return whether a request that failed is sent again, after `number` pauses already."""
        if have_replicas_failed(failure):
            return not is_conditional
        return number < self.address.retries and was_not_taken(failure)

    def answer_many(self, requests: Sequence[tuple[str, Values]], consistency: Reach | None = None) -> list[list[Row]]:
        pages = self.pages(requests, consistency)
        return [self.rows(cql, page) for (cql, _), page in zip(requests, pages, strict=True)]

    def pages(self, requests: Sequence[tuple[str, Values]], consistency: Reach | None) -> list[Page]:
        """Send requests at the same time, and those that failed once more; return the answer of each."""
        began = monotonic()
        pages, failures = self.sent_together(requests, "any", consistency, None)
        for at, failure in failures.items():
            pages[at] = self._page_later(*requests[at], "any", consistency, failure, began)
        return pages

    def sent_together(
        self,
        requests: Sequence[tuple[str, Values]],
        manner: _Manner,
        consistency: Reach | None,
        seconds: float | None,
    ) -> tuple[list[Page], dict[int, Exception]]:
        """Send requests at the same time; where no slot is free, wait for the earliest answer before the next is sent.

        Return the answers, and by position the failures of those that failed or took longer than `seconds`.
        """
        pages: list[Page] = [[] for _ in requests]
        failures: dict[int, Exception] = {}
        under_way: deque[tuple[int, _Begun]] = deque()
        until = None if seconds is None else monotonic() + seconds

        def take() -> None:
            number, request = under_way.popleft()
            try:
                pages[number] = request.page(None if until is None else max(0.0, until - monotonic()))
            except Exception as failure:
                failures[number] = failure
            finally:
                self.slots.put(None)

        try:
            for at, (cql, values) in enumerate(requests):
                while not self._has_slot(is_waiting=not under_way):
                    take()
                try:
                    prepared = self.known(cql, manner, consistency)
                    under_way.append((at, self.begun(prepared, values, is_many=len(requests) > 1)))
                except Exception as failure:
                    failures[at] = failure
                    self.slots.put(None)
            while under_way:
                take()
        finally:
            for _ in under_way:
                self.slots.put(None)
        return pages, failures

    def _has_slot(self, *, is_waiting: bool) -> bool:
        """Take a slot; wait for one with `is_waiting`. Return whether one was taken."""
        try:
            self.slots.get(is_waiting)
        except Empty:
            return False
        return True

    def answer_serially(
        self, requests: Sequence[tuple[str, Values]], most: int, *, is_change: bool
    ) -> list[list[Row] | None]:
        manner: _Manner = "many if" if is_change else "many serial"
        answers: list[list[Row] | None] = [None] * len(requests)
        under_way: deque[tuple[int, _Begun]] = deque()
        failures: list[StoreUnavailable] = []

        def take() -> None:
            number, request = under_way.popleft()
            try:
                answers[number] = request.known.rows(request.page())
            except Exception as problem:
                error = unavailable(problem, self.address, is_conditional=True)
                if not isinstance(error, Undecided) and not (self.address.retries and was_not_taken(problem)):
                    failures.append(error)

        for at, (cql, values) in enumerate(requests):
            if len(under_way) == most:
                take()
            if failures:
                break
            try:
                under_way.append((at, self.begun(self.known(cql, manner), values, is_many=True)))
            except Exception as problem:
                failures.append(unavailable(problem, self.address))
        while under_way:
            take()
        if failures:
            raise failures[0]
        return answers

    def begun(self, prepared: _Prepared, values: Values, *, is_many: bool = False) -> _Begun:
        """Send a request; one of many starts now, a single one when its answer is asked for."""
        future = self.session.execute(prepared.statement, prepared.values(values), paged=False)
        return _Begun(future.start() if is_many else future, prepared)

    def start(self, requests: Sequence[tuple[str, Values]], done: Done, consistency: Reach | None = None) -> None:
        """Send requests and wait for them in a thread of its own, which calls `done`."""

        def run() -> None:
            try:
                outcome: list[list[Row]] | StoreUnavailable = self.answer_many(requests, consistency)
            except StoreUnavailable as failure:
                outcome = failure
            done(outcome)

        threading.Thread(target=run, daemon=True).start()

    @property
    def driver(self) -> str:
        return f"scylladb-rs-driver {version('scylladb-rs-driver')}"

    def nodes(self) -> tuple[Node, ...]:
        peers = self.session.cluster_state.nodes_info.values()
        return tuple(
            Node(str(peer.address[0]), peer.connected, "?", peer.datacenter or "?", peer.rack or "?")
            for peer in sorted(peers, key=lambda peer: str(peer.address[0]))
        )

    def close(self) -> None:
        """Drop all references to the session: the driver then closes its connections."""
        self._known.clear()
        self._prepared.clear()
        del self.session


class _Begun(NamedTuple):
    """A request under way."""

    future: Any
    known: _Prepared

    def page(self, seconds: float | None = None) -> Page:
        """Wait for the answer; after `seconds`, or another failure, cancel the request and raise what happened."""
        try:
            return list(self.future.result(seconds).iter_current_page())
        except BaseException:
            self.future.cancel()
            raise
