"""What a careful programmer writes with the ScyllaDB driver against the same tables, in each way that it offers.

Prepared statements, rows as tuples, token-aware; the rows leave as the same dicts that PIQL gives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC
from functools import partial
from heapq import nlargest
from operator import itemgetter
from threading import Event
from typing import Any

from cassandra import ConsistencyLevel
from cassandra.cluster import EXEC_PROFILE_DEFAULT, Cluster, ExecutionProfile
from cassandra.concurrent import execute_concurrent_with_args
from cassandra.policies import DCAwareRoundRobinPolicy, TokenAwarePolicy
from cassandra.query import tuple_factory
from sample import COUNT, friends

Rows = list[dict[str, Any]]
RowsByRequest = list[list[tuple[Any, ...]]]  # the rows of each request
FanOut = Callable[[Any, Sequence[tuple[Any, ...]]], RowsByRequest]


class ByHand:
    """One session of the driver. `gets`, `slices`, `fan_outs` and `thoughtstreams` return the ways to do each case.

    `ways` are the driver's ways to send several requests; the benchmark takes the cheapest.
    """

    def __init__(self, hosts: Sequence[str], keyspace: str) -> None:
        profile = ExecutionProfile(
            load_balancing_policy=TokenAwarePolicy(DCAwareRoundRobinPolicy()),
            consistency_level=ConsistencyLevel.LOCAL_QUORUM,
            row_factory=tuple_factory,
        )
        self.cluster = Cluster(list(hosts), protocol_version=4, execution_profiles={EXEC_PROFILE_DEFAULT: profile})
        self.session = self.cluster.connect(keyspace)
        prepare = self.session.prepare
        self.user = prepare('SELECT username, hometown FROM "users" WHERE username = ?')
        self.slice = prepare('SELECT owner, posted, text FROM "thoughts" WHERE owner = ? ORDER BY posted DESC LIMIT ?')
        self.follows = prepare('SELECT target, approved FROM "subscriptions" WHERE owner = ? LIMIT 100')
        for statement in (self.user, self.slice, self.follows):
            statement.is_idempotent = True
        self.ways: dict[str, FanOut] = {
            "execute_async": self.by_futures,
            "execute_async with callbacks": self.by_callbacks,
            "execute_concurrent": self.concurrently,
        }

    def close(self) -> None:
        self.cluster.shutdown()

    def by_futures(self, statement: Any, arguments: Sequence[tuple[Any, ...]]) -> RowsByRequest:
        futures = [self.session.execute_async(statement, argument) for argument in arguments]
        return [future.result().current_rows for future in futures]

    def by_callbacks(self, statement: Any, arguments: Sequence[tuple[Any, ...]]) -> RowsByRequest:
        results: RowsByRequest = [[] for _ in arguments]
        missing = list(range(len(arguments)))  # one item for each request without an answer; pop() needs no lock
        failures: list[BaseException] = []
        is_done = Event()

        def answered(rows: list[tuple[Any, ...]], at: int) -> None:
            results[at] = rows
            missing.pop()
            if not missing:
                is_done.set()

        def failed(failure: BaseException) -> None:
            failures.append(failure)
            is_done.set()

        for at, argument in enumerate(arguments):
            self.session.execute_async(statement, argument).add_callbacks(answered, failed, callback_args=(at,))
        is_done.wait()
        if failures:
            raise failures[0]
        return results

    def concurrently(self, statement: Any, arguments: Sequence[tuple[Any, ...]]) -> RowsByRequest:
        results = execute_concurrent_with_args(
            self.session, statement, arguments, concurrency=100, raise_on_first_error=True
        )
        return [result.current_rows for _, result in results]

    def gets(self) -> dict[str, Callable[[str], Rows]]:
        """Return the ways to get one row."""
        return {"execute": self._get, "execute_async": self._get_async}

    def _get(self, user: str) -> Rows:
        rows = self.session.execute(self.user, (user,)).current_rows
        return [{"username": name, "hometown": hometown} for name, hometown in rows]

    def _get_async(self, user: str) -> Rows:
        rows = self.session.execute_async(self.user, (user,)).result().current_rows
        return [{"username": name, "hometown": hometown} for name, hometown in rows]

    def slices(self) -> dict[str, Callable[[str], Rows]]:
        return {"execute": self._slice, "execute_async": self._slice_async}

    def _slice(self, user: str) -> Rows:
        return shown(self.session.execute(self.slice, (user, COUNT)).current_rows)

    def _slice_async(self, user: str) -> Rows:
        return shown(self.session.execute_async(self.slice, (user, COUNT)).result().current_rows)

    def fan_outs(self, count: int) -> dict[str, Callable[[str], Rows]]:
        return {label: partial(self._fan_out, way, count) for label, way in self.ways.items()}

    def _fan_out(self, way: FanOut, count: int, user: str) -> Rows:
        results = way(self.user, [(friend,) for friend in friends(user, count)])
        return [{"username": name, "hometown": hometown} for rows in results for name, hometown in rows]

    def thoughtstreams(self) -> dict[str, Callable[[str], Rows]]:
        return {label: partial(self._thoughtstream, way) for label, way in self.ways.items()}

    def _thoughtstream(self, way: FanOut, user: str) -> Rows:
        follows = self.session.execute(self.follows, (user,)).current_rows
        results = way(self.slice, [(target, COUNT) for target, approved in follows if approved])
        return shown(nlargest(COUNT, [row for rows in results for row in rows], key=itemgetter(1)))


def shown(rows: Sequence[tuple[Any, ...]]) -> Rows:
    return [{"owner": owner, "posted": posted.replace(tzinfo=UTC), "text": text} for owner, posted, text in rows]
