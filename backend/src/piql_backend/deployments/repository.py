"""The history of deployments in DuckDB: made from what the store says, found again by the id of a deployment."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from piql.versions.change.composition import EARLIER

from piql_backend.compilations.schemas import IndexRead
from piql_backend.database.connection import Cursor, Database, aware
from piql_backend.deployments.schemas import (
    DeployedFileRead,
    DeployedQueryRead,
    DeploymentDetailRead,
    DeploymentRead,
    QueryBoundRead,
)
from piql_backend.pages import Listing, Page, PageWish

_COLUMNS = "version, workspace_id, created_at, run_id, model, files, queries, bounds, indexes, deployment, deployed_by"

_VERSIONS = Listing[DeploymentRead, int]("deployments", int, lambda read: read.version, is_descending=True)


class VersionTime(NamedTuple):
    """A version by its number, and when it came."""

    version: int
    created_at: datetime


class DeploymentTable:
    """The table `deployments`. Which of its versions is live is not among what it knows."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def page(self, wish: PageWish, live: int) -> Page[DeploymentRead]:
        """A page of the versions, the newest first; `live` is the number of the one that runs, 0 of none."""
        return _VERSIONS.page(wish, lambda version, count: self._older(version, count, live))

    def newest_of(self, count: int, live: int) -> Sequence[DeploymentRead]:
        """So many versions, the newest first."""
        return self._older(None, count, live)

    def times(self, version: int, since: datetime) -> Sequence[VersionTime]:
        """When a version and those before it came, back to the one that was live at a time, the newest first."""
        selection = """
            SELECT version, created_at FROM deployments
            WHERE version <= $version AND version >= coalesce(
                (SELECT max(version) FROM deployments WHERE version <= $version AND created_at <= $since), 0)
            ORDER BY version DESC
        """
        with self._database.read() as cursor:
            rows = cursor.execute(selection, {"version": version, "since": since}).fetchall()
        return [VersionTime(number, aware(at)) for number, at in rows]

    def _older(self, version: int | None, count: int, live: int) -> Sequence[DeploymentRead]:
        """The `count` newest versions before one, or of all."""
        selection = f"SELECT {_COLUMNS} FROM deployments WHERE ? IS NULL OR version < ? ORDER BY version DESC LIMIT ?"
        with self._database.read() as cursor:
            rows = cursor.execute(selection, [version, version, count]).fetchall()
        return [DeploymentRead(**_fields(row, live)) for row in rows]

    def has_query(self, name: str) -> bool:
        """Say whether any version has a query of that name; the database looks, so that no version is read here."""
        selection = """
            SELECT 1 FROM deployments WHERE list_contains(json_extract_string(queries, '$[*].name'), ?) LIMIT 1
        """
        with self._database.read() as cursor:
            return cursor.execute(selection, [name]).fetchone() is not None

    def read(self, version: int, live: int) -> DeploymentDetailRead | None:
        with self._database.read() as cursor:
            row = cursor.execute(f"SELECT {_COLUMNS} FROM deployments WHERE version = ?", [version]).fetchone()
        return None if row is None else _detail(row, live)

    def texts(self, version: int) -> Mapping[str, str]:
        """All texts of a version by their names, also those that were deployed earlier and stayed."""
        with self._database.read() as cursor:
            row = cursor.execute("SELECT files FROM deployments WHERE version = ?", [version]).fetchone()
        return {file["path"]: file["text"] for file in json.loads(row[0])} if row else {}

    def version_of(self, deployment: str) -> int | None:
        """The version of a deployment of the store, None where the history does not have it yet."""
        with self._database.read() as cursor:
            row = cursor.execute("SELECT version FROM deployments WHERE deployment = ?", [deployment]).fetchone()
        return None if row is None else int(row[0])

    def version_without_id(self, texts: Mapping[str, str]) -> int | None:
        """The newest version of a format without ids that has these texts, besides what was deployed earlier."""
        wanted = {path: text for path, text in texts.items() if path != EARLIER}
        with self._database.read() as cursor:
            rows = cursor.execute(
                "SELECT version, files FROM deployments WHERE deployment IS NULL ORDER BY version DESC"
            ).fetchall()
        found = (version for version, files in rows if {e["path"]: e["text"] for e in json.loads(files)} == wanted)
        return next(found, None)

    def newest(self) -> int:
        """The highest version, 0 when there is none."""
        with self._database.read() as cursor:
            row = cursor.execute("SELECT max(version) FROM deployments").fetchone()
        return 0 if row is None or row[0] is None else int(row[0])

    def put(self, deployment: str, new: DeploymentDetailRead, texts: Mapping[str, str]) -> None:
        """Add a version with the texts that the store keeps of it, or replace the one of the same number."""
        files = [DeployedFileRead(path=path, text=text) for path, text in texts.items()]
        with self._database.write() as cursor:
            values = [
                new.application_id or "",
                new.created_at.replace(tzinfo=None),
                new.run_id,
                new.model,
                _to_json(files),
                _to_json(new.queries),
                _to_json(new.bounds),
                _to_json(new.indexes),
                deployment,
                new.deployed_by,
            ]
            if _has(cursor, new.version):
                names = _COLUMNS.removeprefix("version, ").split(", ")
                changes = ", ".join(f"{name} = ?" for name in names)
                cursor.execute(f"UPDATE deployments SET {changes} WHERE version = ?", [*values, new.version])
            else:
                places = ", ".join("?" for _ in range(len(values) + 1))
                cursor.execute(f"INSERT INTO deployments ({_COLUMNS}) VALUES ({places})", [new.version, *values])


def _has(cursor: Cursor, version: int) -> bool:
    return cursor.execute("SELECT 1 FROM deployments WHERE version = ?", [version]).fetchone() is not None


def _to_json(values: Any) -> str:
    return json.dumps([value.model_dump(mode="json") for value in values])


def _fields(row: tuple[Any, ...], live: int) -> dict[str, Any]:
    version, application_id, created_at, run_id, model = row[:5]
    return {
        "id": f"d{version}",
        "version": version,
        "application_id": application_id or None,
        "deployed_by": application_id if row[10] is None else row[10],
        "created_at": aware(created_at),
        "is_live": version == live,
        "run_id": run_id,
        "model": model,
        "queries": [DeployedQueryRead.model_validate(item) for item in json.loads(row[6])],
    }


def _detail(row: tuple[Any, ...], live: int) -> DeploymentDetailRead:
    files = [DeployedFileRead.model_validate(item) for item in json.loads(row[5])]
    return DeploymentDetailRead(
        **_fields(row, live),
        files=[file for file in files if file.path != EARLIER],
        bounds=[QueryBoundRead.model_validate(item) for item in json.loads(row[7])],
        indexes=[IndexRead.model_validate(item) for item in json.loads(row[8])],
    )
