"""The record of who did what: rows are added and read, and the database refuses everything else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

from sqlalchemy import insert, select

from piql_backend.people.clock import Clock
from piql_backend.people.database import PeopleDatabase
from piql_backend.people.schemas import AuditRead
from piql_backend.people.tables import audit
from piql_backend.web.pages import Listing, Page, PageWish
from piql_backend.web.visitor import Visitor

_SECONDS_OF_A_DAY = 86_400
_ENTRIES = Listing[AuditRead, int]("audit", int, lambda entry: entry.id, is_descending=True)


@dataclass(frozen=True, slots=True)
class Deed:
    """What was asked for: the operation, what it is about, from where, the status of the answer, and the wish."""

    operation: str
    path: str
    status: int
    application: str = ""
    address: str = ""
    wish: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """A deed, who did it, by which proof of who they are, and when, in seconds since 1970."""

    person: str | None
    by: str
    deed: Deed
    at: int


class Audit:
    """The record of one team."""

    def __init__(self, database: PeopleDatabase, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def note(self, visitor: Visitor | None, deed: Deed) -> None:
        """Add what somebody did, or tried to do."""
        self.add([self.entry(visitor, deed)])

    def entry(self, visitor: Visitor | None, deed: Deed) -> Entry:
        """What `add` takes, of something that was done now."""
        person, by = (None, "") if visitor is None else (visitor.name, visitor.by)
        return Entry(person, by, deed, self._clock())

    def note_of(self, person: str | None, by: str, deed: Deed) -> None:
        """Add what somebody did who is known otherwise, such as by their password."""
        self.add([Entry(person, by, deed, self._clock())])

    def add(self, entries: Sequence[Entry]) -> None:
        """Add all entries, or none where the database refuses one."""
        rows = [
            {
                "at": entry.at,
                "person": entry.person,
                "by": entry.by,
                "address": entry.deed.address[:60],
                "operation": entry.deed.operation,
                "application": entry.deed.application[:200],
                "path": entry.deed.path[:500],
                "status": entry.deed.status,
                "wish": entry.deed.wish[:500],
            }
            for entry in entries
        ]
        with self._database.begin() as connection:
            connection.execute(insert(audit), rows)

    def page(
        self, wish: PageWish, day: date | None = None, below: str | None = None, **wanted: str | None
    ) -> Page[AuditRead]:
        """A page of the rows of a day (in UTC) whose columns have the values that are wanted, the newest first.

        None wants none in particular. `below` is a path: of what was asked for there, or below it.
        """

        def fetch(after: int | None, count: int) -> Sequence[AuditRead]:
            rows = select(audit).order_by(audit.c.id.desc()).limit(count)
            if after is not None:
                rows = rows.where(audit.c.id < after)
            if day is not None:
                midnight = int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp())
                rows = rows.where(audit.c.at >= midnight, audit.c.at < midnight + _SECONDS_OF_A_DAY)
            if below is not None:
                rows = rows.where(
                    (audit.c.path == below) | audit.c.path.startswith(f"{below.rstrip('/')}/", autoescape=True)
                )
            for column, value in wanted.items():
                rows = rows if value is None else rows.where(audit.c[column] == value)
            with self._database.begin() as connection:
                return [
                    AuditRead(**dict(row) | {"at": datetime.fromtimestamp(row["at"], UTC)})
                    for row in connection.execute(rows).mappings()
                ]

        return _ENTRIES.page(wish, fetch)
