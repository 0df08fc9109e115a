"""Everything about people and their sessions once more, on a real PostgreSQL."""

from __future__ import annotations

from pathlib import Path

import pytest
from piql_backend.people.database import PeopleDatabase
from piql_backend.people.postgresql import PostgresqlAddress, address_of
from postgresql.fixture import postgresql
from postgresql.running import Postgresql

from .test_people import *  # noqa: F403

__all__ = ["postgresql"]
_OF_THE_FILE = ("test_a_team_without_an_administrator_is_not_served",)
for _name in _OF_THE_FILE:  # what the file alone promises
    del globals()[_name]


@pytest.fixture(autouse=True)
def in_place_of_files(postgresql: Postgresql, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each `people.db` is a database of its own on the server; the file is there, and empty."""
    databases: dict[Path, PostgresqlAddress] = {}
    opening = PeopleDatabase.__init__

    def opened(self: PeopleDatabase, place: Path | PostgresqlAddress) -> None:
        if isinstance(place, Path):
            place.parent.mkdir(parents=True, exist_ok=True)
            place.touch(mode=0o600)
            place = databases.setdefault(place, address_of(postgresql.new_database()))
        opening(self, place)

    monkeypatch.setattr(PeopleDatabase, "__init__", opened)
