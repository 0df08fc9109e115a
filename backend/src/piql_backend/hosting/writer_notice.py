"""Says where the server is that has the data folder: the folder's lock decides which, the database tells the others."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import delete, insert, select

from piql_backend.people.clock import Clock, wall_clock
from piql_backend.people.database import PeopleDatabase
from piql_backend.people.tables import writer


@dataclass(frozen=True, slots=True)
class Writer:
    """A server that has, or had, the data folder; `folder` is the folder's id."""

    folder: str
    address: str


class WriterNotice:
    """The row of the writer."""

    def __init__(self, database: PeopleDatabase, clock: Clock = wall_clock) -> None:
        self._database = database
        self._clock = clock

    def read(self) -> Writer | None:
        """Who was the writer last; None before there was one."""
        with self._database.begin() as connection:
            row = connection.execute(select(writer.c.folder, writer.c.address)).first()
        return None if row is None else Writer(row.folder, row.address)

    def put_up(self, new: Writer) -> None:
        """Say who has the folder now; ValueError where the people are those of another folder."""
        row = {"id": 1, "folder": new.folder, "address": new.address, "began_at": self._clock()}
        with self._database.begin_alone() as connection:
            folder = connection.execute(select(writer.c.folder)).scalar()
            refuse_other_folder(folder, new.folder, self._database.name)
            connection.execute(delete(writer))
            connection.execute(insert(writer).values(row))


def refuse_other_folder(noted: str | None, present: str | None, database: str) -> None:
    """Raise ValueError where a database belongs to another data folder than the present one."""
    if noted is not None and noted != present:
        raise ValueError(
            f"the people in {database} belong to another data folder: all servers of a team share one folder."
            " Give that one with --data, or another database"
        )
