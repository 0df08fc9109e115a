"""Reads sent over the driver's own connections, without a future, a timer and a query plan for each.

A request goes to a replica that is up. If rows come back, that is the answer. In all other cases the request is sent
again in the driver's ordinary way (`connection.py`), with its retries, speculative copies, timeouts and errors: after
an error of any kind, a lost connection, for a host without a free stream, and without an answer in the time after which
another node is asked. Reads may be repeated, so a request may go both ways.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any
from zlib import crc32

from cassandra.protocol import RESULT_KIND_ROWS, ResultMessage

from piql.forking import renew_in_children
from piql.store.base import Consistency, Reader
from piql.store.cql.forked import leave_to_parent
from piql.store.cql.reads.grouping import Sent, single
from piql.store.cql.reads.listing import Lister, Listing, RowsByKey, all_rows_of_keys, listed, rows_of_keys
from piql.store.cql.reads.reads import CqlRead
from piql.store.cql.session.frames import Execute, decode, encode
from piql.store.cql.session.replicas import Replicas
from piql.store.rows import Row

if TYPE_CHECKING:
    from piql.store.cql.session.connection import Connection

_BORROW_SECONDS = 0.0


class Direct:
    """The `Reads` of a session; may be used from any number of threads.

    `_known` has the frames of statements by their CQL and consistency; `_turn` numbers requests, so that replicas take
    turns.
    """

    def __init__(self, connection: Connection) -> None:
        address = connection.address
        self._connection = connection
        self._session = connection.session
        self._seconds = min(address.speculative / 1000 or address.timeout, address.timeout)
        self._in_flight = address.in_flight
        self._replicas = Replicas(self._session, address.keyspace)
        self._silent = connection.silent
        self._gate = connection.routing.gate
        self._known: dict[tuple[str, Consistency | None], Execute] = {}
        self._turn = count()
        renew_in_children(self, leave_to_parent)

    def reader(self, read: CqlRead, consistency: Consistency | None, more: Reader) -> Reader:
        statement, finish, is_get = read.statements[0], read.finish, read.is_get
        bind, answer_one = statement.bind, self.answer

        def answer(arguments: Row) -> tuple[list[Row], int]:
            values = bind(arguments)
            if values is None:
                return [], 0
            rows = answer_one(single((statement, values), (0,)), consistency)
            if finish is None:
                return rows, 1
            shown = finish(rows)
            if is_get or len(shown) == len(rows) or len(rows) < arguments[-1]:
                return shown, 1
            return more(arguments)

        return answer

    def answer(self, sent: Sent, consistency: Consistency | None) -> list[Row]:
        """Send one statement and wait for its rows."""
        call = _Call(1)
        if self._send(call, 0, sent, consistency):
            call.wait(self._seconds)
            rows = call.answers[0]
            if rows is not None:
                return rows
            self._leave(call)
        return self._connection.answer(sent.cql, sent.values, consistency)

    def answer_many(self, sent: Sequence[Sent], consistency: Consistency | None) -> list[list[Row]]:
        """Send statements at the same time and wait for the rows of all."""
        if len(sent) == 1:
            return [self.answer(sent[0], consistency)]
        call = _Call(len(sent))
        for at, statement in enumerate(sent):
            if not self._send(call, at, statement, consistency):
                call.has_ended()
        call.wait(self._seconds)
        answers = list(call.answers)
        left = [at for at, rows in enumerate(answers) if rows is None]
        if left:
            self._leave(call)
            requests = [(sent[at].cql, sent[at].values) for at in left]
            for at, rows in zip(left, self._connection.answer_many(requests, consistency), strict=True):
                answers[at] = rows
        return answers  # type: ignore[return-value]

    def spread(self, partitions: list[bytes]) -> list[tuple[Any, list[int]]]:
        """Return a few nodes that together hold all partitions, each with the positions of those it answers."""
        return self._replicas.spread(partitions)

    def lister(self, read: CqlRead, listing: Listing, consistency: Consistency | None) -> Lister:
        bind, spread, is_get = read.statements[0].bind, self._replicas.spread, read.is_get

        def answer(arguments: Row, keys: Sequence[Any]) -> tuple[RowsByKey, bool, int]:
            values = bind(arguments)
            assert values is not None
            limit = None if is_get else arguments[-1]
            sent = listed(listing, read.statements[0], values, keys, limit, spread)
            answers = self.answer_many(sent, consistency)
            rows_by_key = rows_of_keys(listing, keys, answers)
            if rows_by_key is None:
                return all_rows_of_keys(listing, keys, answers), False, len(sent)
            return rows_by_key, True, len(sent)

        return answer

    def _send(self, call: _Call, at: int, sent: Sent, consistency: Consistency | None) -> bool:
        """Send a statement as request `at` of a call; return False if it was not sent."""
        execute = self._known.get((sent.cql, consistency)) or self._learn(sent.cql, consistency)
        token = self._replicas.token(sent.partition)
        host = self._host(sent, token, execute.table)
        pool = self._session._pools.get(host)
        if pool is None or pool.is_shutdown:
            return False
        try:
            connection, stream = pool.borrow_connection(
                timeout=_BORROW_SECONDS,
                routing_key=sent.partition,
                keyspace=execute.keyspace,
                table=execute.table,
                routing_token=token,
            )
        except Exception:  # the host does not take a request, for any reason: the ordinary way tries others
            return False
        if connection.in_flight > self._in_flight or not self._gate.try_enter():
            _put_back(pool, connection, stream)
            return False
        call.open[at] = (connection, stream, pool)
        done = partial(self._answered, call, at, execute)
        try:
            connection.send_msg((execute, sent.values), stream, done, encode, decode, execute)
        except Exception:
            if call.open.pop(at, None) is None:
                return True  # the connection was lost, and the driver has said so to `done`
            connection._requests.pop(stream, None)
            _put_back(pool, connection, stream)
            self._gate.leave()
            return False
        return True

    def _learn(self, cql: str, consistency: Consistency | None) -> Execute:
        """Prepare a statement and keep its frame."""
        execute = Execute.of(self._connection.prepared(cql), self._connection.level(consistency))
        self._known[cql, consistency] = execute
        return execute

    def _host(self, sent: Sent, token: Any, table: str | None) -> Any:
        """Return the node to ask: the one of the statement, or a replica by turns; None if there is none."""
        if sent.node is not None and sent.node not in self._silent:
            return sent.node
        hosts = self._replicas.of(token, table)
        if len(hosts) == 1:
            return hosts[0]
        hosts = self._silent.others(hosts)
        turn = crc32(sent.partition) if sent.stays and sent.partition is not None else next(self._turn)
        return hosts[turn % len(hosts)] if hosts else None

    def _answered(self, call: _Call, at: int, execute: Execute, response: Any) -> None:
        """Take the answer to a request; the driver's thread calls this."""
        sent_request = call.open.pop(at, None)
        if sent_request is None:  # the request was left to the ordinary way
            return
        connection, _, pool = sent_request
        if not pool.is_shutdown:
            pool.return_connection(connection)
        self._gate.leave()
        if response.__class__ is list:
            call.answers[at] = response
        elif isinstance(response, ResultMessage) and response.kind == RESULT_KIND_ROWS and not response.paging_state:
            call.answers[at] = response.parsed_rows
            if response.custom_payload:
                self._replicas.learn(response.custom_payload, execute.keyspace, execute.table, connection)
        else:
            self._known.clear()  # a statement may have to be prepared anew
        call.has_ended()

    def _leave(self, call: _Call) -> None:
        """Give up the requests without an answer: note their nodes as silent, release streams as the driver does."""
        for at in list(call.open):
            sent_request = call.open.pop(at, None)
            if sent_request is None:  # it was answered just now
                continue
            connection, stream, pool = sent_request
            self._gate.leave()
            self._silent.note(pool.host)
            if connection._requests.pop(stream, None) is None:  # its answer is being read, and will find no taker
                pool.return_connection(connection)
                continue
            with connection.lock:
                connection.orphaned_request_ids.add(stream)
                if len(connection.orphaned_request_ids) >= connection.orphaned_threshold:
                    connection.orphaned_threshold_reached = True
            pool.return_connection(connection, stream_was_orphaned=True)


def _put_back(pool: Any, connection: Any, stream: int) -> None:
    """Put a stream back on which nothing was sent."""
    with connection.lock:
        connection.request_ids.append(stream)
    pool.return_connection(connection)


class _Call:
    """The requests of one call: counted down as they end, with rows or without.

    answers    the rows of each request; None for one without an answer yet
    open       connection, stream and pool of each request under way; whoever ends a request first takes it out
    """

    __slots__ = ("_ended", "_lock", "_missing", "answers", "open")

    def __init__(self, requests: int) -> None:
        self.answers: list[list[Row] | None] = [None] * requests
        self.open: dict[int, tuple[Any, int, Any]] = {}
        self._missing = requests
        self._lock = threading.Lock()
        self._ended = threading.Lock()
        self._ended.acquire()

    def has_ended(self) -> None:
        """Count the end of one request."""
        with self._lock:
            self._missing -= 1
            if self._missing:
                return
        self._ended.release()

    def wait(self, seconds: float) -> None:
        """Wait until all requests have ended, for so long at most."""
        self._ended.acquire(timeout=seconds)
