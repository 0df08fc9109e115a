"""The history of deployments in DuckDB: a row for each version, with its files, queries, bounds and indexes as JSON.

A row is found by its version or by the store's id of the deployment. `request` is the id of the deploy request that a
version came by: what is read has its number instead. Where a parameter `live` is asked for, it is the
version that is live, 0 for none: the table does not know it.
"""

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
from piql_backend.web.pages import Listing, Page, PageWish

_VERSIONS = Listing[DeploymentRead, int]("deployments", int, lambda read: read.version, is_descending=True)


class VersionTime(NamedTuple):
    """A version by its number, and when it came."""

    version: int
    created_at: datetime


class _Row(NamedTuple):
    """A row as it is stored: `workspace_id` is the application's id, '' for none; `files` to `indexes` are JSON."""

    version: int
    workspace_id: str
    created_at: datetime
    run_id: str | None
    model: str | None
    files: str
    queries: str
    bounds: str
    indexes: str
    deployment: str | None
    deployed_by: str | None
    request: str | None


_COLUMNS = ", ".join(_Row._fields)
_NUMBERED = f"{_COLUMNS}, (SELECT number FROM deploy_requests AS asked WHERE asked.id = deployments.request)"


class DeploymentTable:
    """The table `deployments`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def page(self, wish: PageWish, live: int) -> Page[DeploymentRead]:
        """A page of the versions, the newest first."""
        return _VERSIONS.page(wish, lambda version, count: self._older(version, count, live))

    def newest_of(self, count: int, live: int) -> Sequence[DeploymentRead]:
        """The `count` newest versions, the newest first."""
        return self._older(None, count, live)

    def times(self, version: int, since: datetime) -> Sequence[VersionTime]:
        """When a version and those before it were deployed, back to the one that was live at `since`; newest first."""
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
        """The `count` newest versions before `version`, or of all for None."""
        selection = f"SELECT {_NUMBERED} FROM deployments WHERE ? IS NULL OR version < ? ORDER BY version DESC LIMIT ?"
        with self._database.read() as cursor:
            rows = cursor.execute(selection, [version, version, count]).fetchall()
        return [DeploymentRead(**_fields(_Row(*row), live, number)) for *row, number in rows]

    def has_query(self, name: str) -> bool:
        """Whether any version has a query of that name; DuckDB searches its JSON, so no version is read here."""
        selection = """
            SELECT 1 FROM deployments WHERE list_contains(json_extract_string(queries, '$[*].name'), ?) LIMIT 1
        """
        with self._database.read() as cursor:
            return cursor.execute(selection, [name]).fetchone() is not None

    def read(self, version: int, live: int) -> DeploymentDetailRead | None:
        """One version, None where there is none of that number."""
        with self._database.read() as cursor:
            row = cursor.execute(f"SELECT {_NUMBERED} FROM deployments WHERE version = ?", [version]).fetchone()
        return None if row is None else _detail(_Row(*row[:-1]), live, row[-1])

    def texts(self, version: int) -> Mapping[str, str]:
        """All texts of a version by their names, also those of earlier deployments that stay live beside its own."""
        with self._database.read() as cursor:
            row = cursor.execute("SELECT files FROM deployments WHERE version = ?", [version]).fetchone()
        return {file["path"]: file["text"] for file in json.loads(row[0])} if row else {}

    def own_texts(self, version: int) -> Mapping[str, str]:
        """The texts that were deployed as a version, without those of earlier deployments beside them."""
        return {path: text for path, text in self.texts(version).items() if path != EARLIER}

    def numbers(self) -> Sequence[int]:
        """All versions by their numbers, the oldest first."""
        with self._database.read() as cursor:
            rows = cursor.execute("SELECT version FROM deployments ORDER BY version").fetchall()
        return [int(number) for (number,) in rows]

    def version_of(self, deployment: str) -> int | None:
        """The version of a deployment by its id in the store, None where the history does not have it yet."""
        with self._database.read() as cursor:
            row = cursor.execute("SELECT version FROM deployments WHERE deployment = ?", [deployment]).fetchone()
        return None if row is None else int(row[0])

    def version_without_id(self, texts: Mapping[str, str]) -> int | None:
        """The newest version with these texts that earlier formats stored without an id; None for no such version."""
        wanted = {path: text for path, text in texts.items() if path != EARLIER}
        with self._database.read() as cursor:
            rows = cursor.execute(
                "SELECT version, files FROM deployments WHERE deployment IS NULL ORDER BY version DESC"
            ).fetchall()
        for version, files in rows:
            if {file["path"]: file["text"] for file in json.loads(files)} == wanted:
                return int(version)
        return None

    def newest(self) -> int:
        """The highest version, 0 when there is none."""
        with self._database.read() as cursor:
            row = cursor.execute("SELECT max(version) FROM deployments").fetchone()
        return 0 if row is None or row[0] is None else int(row[0])

    def put(
        self, deployment: str, new: DeploymentDetailRead, texts: Mapping[str, str], request: str | None = None
    ) -> None:
        """Add a version with the texts that the store keeps of it, or replace the one of the same number."""
        files = [DeployedFileRead(path=path, text=text) for path, text in texts.items()]
        row = _Row(
            version=new.version,
            workspace_id=new.application_id or "",
            created_at=new.created_at.replace(tzinfo=None),
            run_id=new.run_id,
            model=new.model,
            files=_to_json(files),
            queries=_to_json(new.queries),
            bounds=_to_json(new.bounds),
            indexes=_to_json(new.indexes),
            deployment=deployment,
            deployed_by=new.deployed_by,
            request=request,
        )
        with self._database.write() as cursor:
            if _has(cursor, new.version):
                changes = ", ".join(f"{name} = ?" for name in _Row._fields[1:])
                cursor.execute(f"UPDATE deployments SET {changes} WHERE version = ?", [*row[1:], new.version])
            else:
                marks = ", ".join("?" for _ in row)
                cursor.execute(f"INSERT INTO deployments ({_COLUMNS}) VALUES ({marks})", list(row))


def _has(cursor: Cursor, version: int) -> bool:
    return cursor.execute("SELECT 1 FROM deployments WHERE version = ?", [version]).fetchone() is not None


def _to_json(values: Any) -> str:
    return json.dumps([value.model_dump(mode="json") for value in values])


def _fields(row: _Row, live: int, request: int | None) -> dict[str, Any]:
    """The fields of a `DeploymentRead`; before `deployed_by` was stored, only applications deployed."""
    return {
        "id": f"d{row.version}",
        "version": row.version,
        "application_id": row.workspace_id or None,
        "deployed_by": row.workspace_id if row.deployed_by is None else row.deployed_by,
        "created_at": aware(row.created_at),
        "is_live": row.version == live,
        "request": request,
        "run_id": row.run_id,
        "model": row.model,
        "queries": [DeployedQueryRead.model_validate(item) for item in json.loads(row.queries)],
    }


def _detail(row: _Row, live: int, request: int | None) -> DeploymentDetailRead:
    files = [DeployedFileRead.model_validate(item) for item in json.loads(row.files)]
    return DeploymentDetailRead(
        **_fields(row, live, request),
        files=[file for file in files if file.path != EARLIER],
        bounds=[QueryBoundRead.model_validate(item) for item in json.loads(row.bounds)],
        indexes=[IndexRead.model_validate(item) for item in json.loads(row.indexes)],
    )
