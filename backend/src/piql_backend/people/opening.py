"""Opens the people of a team: in the data folder, or in the database of PostgreSQL that is named."""

from __future__ import annotations

from pathlib import Path

from piql_backend.data_folder.layout import PEOPLE_FILE
from piql_backend.people.postgresql import address_of
from piql_backend.people.service import People


def open_people(data: Path, metadata: str | None) -> People:
    """Open `people.db` of a data folder, or the database that the URL `metadata` names; ValueError as `People`."""
    return People(data / PEOPLE_FILE if metadata is None else address_of(metadata))
