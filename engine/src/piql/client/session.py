"""A client's session over a database: each read is as fresh as what the client has seen and written demands.

What it remembers for that is in `tokens`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from piql.client.tokens import Guarantee, SessionMarks, either, read_token
from piql.errors import DeployedMeanwhile, InvalidParameter
from piql.runtime.arguments import names_in
from piql.runtime.execution.prepared_query import Page
from piql.runtime.execution.strategy import Strategy
from piql.runtime.writing.bulk import BATCH, Progress
from piql.schema.read_policies import ReadLevel
from piql.store.base import Consistency

if TYPE_CHECKING:
    from piql.client.database import Database


class StatementKind(NamedTuple):
    """Whether a statement is a write, and of a read what its WITH READ says."""

    is_write: bool
    read: ReadLevel | None


@dataclass(frozen=True, slots=True)
class Served:
    """What a session asks its database, beside the database's public methods."""

    key: Callable[[], bytes]  # the key that seals tokens
    version: Callable[[], int]  # the number of the deployment that the database has loaded
    look: Callable[[], object]  # loads a newer deployment, if there is one
    drawn: Callable[[str, str | None], int]  # the version that executes a query, by its name and cursor
    kind: Callable[[str, int], StatementKind]  # of a deployed query, by its name and version
    kind_of_text: Callable[[str], StatementKind]  # of a bare statement


class Session:
    """One client's view of a database: its reads see what it wrote, and never less than it has seen before.

    `token` is for the client to keep: on whatever server it is served next, `session(token)` goes on.
    """

    def __init__(self, database: Database, served: Served, token: str | None, guarantees: Iterable[Guarantee]) -> None:
        self.database = database
        self._served = served
        given = frozenset(names_in("guarantees", guarantees))
        known: tuple[Guarantee, ...] = get_args(Guarantee)
        self.guarantees = frozenset(guarantee for guarantee in known if guarantee in given)
        unknown = given - self.guarantees
        if unknown:
            raise InvalidParameter(f"a session guarantees {either(Guarantee)}, not {sorted(unknown)[0]!r}")
        self._marks = SessionMarks() if token is None else read_token(served.key(), token)

    @property
    def token(self) -> str:
        """Return what the session has met and done until now, as text for the client."""
        return self._marks.token(self._served.key())

    def execute(
        self,
        name: str,
        parameters: Mapping[str, object] | None = None,
        cursor: str | None = None,
        strategy: Strategy | None = None,
        snapshot: bool = False,
        version: int | None = None,
    ) -> Page:
        """Execute a deployed query as `Database.execute` does, as fresh as the session's guarantees need.

        The version is chosen before: what it says of its freshness counts, and not what another version says.
        """
        self._catch_up()
        while True:
            chosen = self._served.drawn(name, cursor) if version is None else version
            consistency = self._needed(self._served.kind(name, chosen))
            try:
                return self.database.execute(name, parameters, cursor, strategy, consistency, snapshot, chosen)
            except DeployedMeanwhile:
                if version is not None:
                    raise

    def run(
        self,
        text: str,
        parameters: Mapping[str, object] | None = None,
        cursor: str | None = None,
        snapshot: bool = False,
    ) -> Page:
        """Run one statement as `Database.run` does, as fresh as the session's guarantees need."""
        self._catch_up()
        consistency = self._needed(self._served.kind_of_text(text))
        return self.database.run(text, parameters, cursor, consistency, snapshot)

    def load(
        self,
        table: str,
        rows: Iterable[Mapping[str, Any]],
        progress: Progress | None = None,
        batch_rows: int = BATCH,
        resume: str | None = None,
    ) -> int:
        """Load rows as `Database.load` does; later reads of the session see them."""
        self._catch_up()
        self._mark(is_write=True)
        return self.database.load(table, rows, progress, batch_rows, resume)

    def _catch_up(self) -> None:
        """Load the deployment in force, where the session has met a newer one on another server."""
        if self._marks.version > self._served.version():
            self._served.look()

    def _needed(self, kind: StatementKind) -> Consistency | None:
        """Remember a statement, and return how fresh its rows have to be; None for as its policy says."""
        consistency = self._mark(kind.is_write)
        if consistency is None and kind.read == "session":
            return "eventual"  # the session has no need of more, and says so
        return consistency

    def _mark(self, is_write: bool) -> Consistency | None:
        """Remember the version and the write before they are used, and return how fresh a read has to be.

        A write counts before it is made, since one that fails may have reached the store.
        """
        needs_quorum = self._marks.needs_quorum(self.guarantees)
        version = max(self._marks.version, self._served.version())
        self._marks = SessionMarks(version, self._marks.has_written or is_write)
        return "quorum" if needs_quorum else None
