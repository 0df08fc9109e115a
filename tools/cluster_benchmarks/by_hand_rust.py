"""The program of `by_hand` with the Rust driver: prepared statements, the driver's dicts, futures started together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from heapq import nlargest
from operator import itemgetter
from typing import Any

from sample import COUNT, friends
from scylla.session_builder import SessionBuilder

Rows = list[dict[str, Any]]


class ByHandRust:
    """One session of the driver, with the methods of `by_hand.ByHand`; it has one way to do each case."""

    def __init__(self, hosts: Sequence[str], keyspace: str) -> None:
        builder = SessionBuilder().contact_points([(host, 9042) for host in hosts]).use_keyspace(keyspace, False)
        self.session = builder.connect().result()

        def prepared(cql: str) -> Any:
            return self.session.prepare(cql).result().set_is_idempotent(True)

        self.user = prepared('SELECT username, hometown FROM "users" WHERE username = ?')
        self.slice = prepared('SELECT owner, posted, text FROM "thoughts" WHERE owner = ? ORDER BY posted DESC LIMIT ?')
        self.follows = prepared('SELECT target, approved FROM "subscriptions" WHERE owner = ? LIMIT 100')

    def close(self) -> None:
        """Let the session go: the driver closes its connections when nobody holds it."""
        del self.session

    def _one(self, statement: Any, values: list[Any]) -> Rows:
        return list(self.session.execute(statement, values, paged=False).result().iter_current_page())

    def _many(self, statement: Any, arguments: Sequence[list[Any]]) -> list[Rows]:
        futures = [self.session.execute(statement, argument, paged=False).start() for argument in arguments]
        return [list(future.result().iter_current_page()) for future in futures]

    def gets(self) -> dict[str, Callable[[str], Rows]]:
        return {"the Rust driver": lambda user: self._one(self.user, [user])}

    def slices(self) -> dict[str, Callable[[str], Rows]]:
        return {"the Rust driver": lambda user: self._one(self.slice, [user, COUNT])}

    def fan_outs(self, count: int) -> dict[str, Callable[[str], Rows]]:
        return {"the Rust driver": partial(self._fan_out, count)}

    def _fan_out(self, count: int, user: str) -> Rows:
        return [row for rows in self._many(self.user, [[friend] for friend in friends(user, count)]) for row in rows]

    def thoughtstreams(self) -> dict[str, Callable[[str], Rows]]:
        return {"the Rust driver": self._thoughtstream}

    def _thoughtstream(self, user: str) -> Rows:
        follows = self._one(self.follows, [user])
        results = self._many(self.slice, [[follow["target"], COUNT] for follow in follows if follow["approved"]])
        return nlargest(COUNT, [row for rows in results for row in rows], key=itemgetter("posted"))
