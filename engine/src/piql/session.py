"""A client's session over a database: each read is as fresh as what the client has seen and written demands.

What it remembers for that is in `session_marks`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, get_args

from piql.errors import InvalidParameter
from piql.execution.executor import Page
from piql.execution.strategy import Strategy
from piql.session_marks import Guarantee, SessionMarks, either, read_token
from piql.store.base import Consistency
from piql.writing.bulk import BATCH, Progress
from piql.writing.write import PreparedWrite

if TYPE_CHECKING:
    from piql.database import Database


class Session:
    """A client's view of a database: it never misses what it wrote, nor sees less than it has seen.

    `token` is for the client to keep: whatever server serves it next, `session(token)` goes on there.
    """

    def __init__(self, database: Database, token: str | None, guarantees: Iterable[Guarantee]) -> None:
        self.database = database
        self.guarantees = frozenset(guarantees)
        unknown = self.guarantees - set(get_args(Guarantee))
        if unknown:
            raise InvalidParameter(f"a session guarantees {either(Guarantee)}, not {sorted(unknown)[0]!r}")
        self._marks = SessionMarks() if token is None else read_token(database._cursor_key, token)

    @property
    def token(self) -> str:
        return self._marks.token(self.database._cursor_key)

    def execute(
        self,
        name: str,
        parameters: Mapping[str, object] | None = None,
        cursor: str | None = None,
        strategy: Strategy | None = None,
    ) -> Page:
        """Execute a deployed query within the session."""
        self._catch_up()
        is_write = isinstance(self.database._named(name), PreparedWrite)
        consistency = self._mark(is_write)
        return self.database.execute(name, parameters, cursor, strategy, consistency)

    def run(self, text: str, parameters: Mapping[str, object] | None = None, cursor: str | None = None) -> Page:
        """Run one bare statement within the session."""
        self._catch_up()
        is_write = isinstance(self.database._statement(text), PreparedWrite)
        consistency = self._mark(is_write)
        return self.database.run(text, parameters, cursor, consistency)

    def load(
        self,
        table: str,
        rows: Iterable[Mapping[str, Any]],
        progress: Progress | None = None,
        batch_rows: int = BATCH,
        resume: str | None = None,
    ) -> int:
        """Load rows within the session."""
        self._catch_up()
        self._mark(is_write=True)
        return self.database.load(table, rows, progress, batch_rows, resume)

    def _catch_up(self) -> None:
        """See the deployments that the session has met elsewhere."""
        if self._marks.version > self.database._prepared.deployment.version:
            self.database._refresh()

    def _mark(self, is_write: bool) -> Consistency | None:
        """Note what is about to be done, and give how fresh a read has to be; a write that fails may be there, too."""
        needs_quorum = self._marks.needs_quorum(self.guarantees)
        version = max(self._marks.version, self.database._prepared.deployment.version)
        self._marks = SessionMarks(version, self._marks.has_written or is_write)
        return "quorum" if needs_quorum else None
