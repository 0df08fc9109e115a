"""One execution as those see it who watch a database: how long it took, and its page or what went wrong."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from piql.compiler.result import CompiledQuery
from piql.reporting.cells import MOST_OUTCOME, OK
from piql.runtime.execution.prepared_query import Page


class Prepared(Protocol):
    """A query or write that is ready to run, as far as it is watched."""

    name: str
    version: int
    bound: int
    query: CompiledQuery


class Executed(NamedTuple):
    """One execution of `query`, None where none of that name is deployed; it has a page or a failure."""

    query: Prepared | None
    seconds: float
    page: Page | None
    failure: BaseException | None

    @property
    def outcome(self) -> str:
        """`ok`, the kind of the first incident, or the name of the error, as reports have it."""
        if self.page is None:
            return type(self.failure).__name__[:MOST_OUTCOME]
        return self.page.incidents[0].kind if self.page.incidents else OK


def operation_of(query: Prepared) -> str:
    """What a query does, in SQL's word: SELECT, INSERT, UPDATE or DELETE; UNIT for several of these."""
    return query.query.kind.upper()
