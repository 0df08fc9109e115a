"""Deployments in DuckDB: inserted once, never changed."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from piql_backend.compilations.schemas import IndexRead
from piql_backend.database.connection import Cursor, Database, aware, now
from piql_backend.deployments.schemas import (
    DeployedFileRead,
    DeployedQueryRead,
    DeploymentDetailRead,
    DeploymentRead,
    QueryBoundRead,
)

_COLUMNS = "version, workspace_id, created_at, run_id, model, files, queries, bounds, indexes"


class DeploymentTable:
    """The table `deployments`; the version with the highest number is the live one."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def list(self) -> list[DeploymentRead]:
        with self._database.read() as cursor:
            rows = cursor.execute(f"SELECT {_COLUMNS} FROM deployments ORDER BY version DESC").fetchall()
        return [_deployment(row, rows[0][0]) for row in rows]

    def read(self, version: int) -> DeploymentDetailRead | None:
        with self._database.read() as cursor:
            row = cursor.execute(f"SELECT {_COLUMNS} FROM deployments WHERE version = ?", [version]).fetchone()
            newest = _newest(cursor)
        return None if row is None else _detail(row, newest)

    def read_live(self) -> DeploymentDetailRead | None:
        with self._database.read() as cursor:
            newest = _newest(cursor)
        return self.read(newest) if newest else None

    def insert(self, deployment: DeploymentDetailRead, deploy: Callable[[], object]) -> DeploymentDetailRead:
        """Add the next version, and call `deploy` before it is committed: if that fails there is no new version."""
        with self._database.write() as cursor:
            version = _newest(cursor) + 1
            new = deployment.model_copy(update={"id": f"d{version}", "version": version})
            cursor.execute(
                f"INSERT INTO deployments ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    version,
                    new.workspace_id,
                    now(),
                    new.run_id,
                    new.model,
                    _to_json(new.files),
                    _to_json(new.queries),
                    _to_json(new.bounds),
                    _to_json(new.indexes),
                ],
            )
            deploy()
        return new

    def keep_coming(self, deployment: DeploymentDetailRead) -> None:
        """Remember the version on its way, in the place of any other."""
        with self._database.write() as cursor:
            cursor.execute("DELETE FROM deployment_on_its_way")
            cursor.execute("INSERT INTO deployment_on_its_way VALUES (?)", [deployment.model_dump_json()])

    def read_coming(self) -> DeploymentDetailRead | None:
        with self._database.read() as cursor:
            row = cursor.execute("SELECT deployment FROM deployment_on_its_way").fetchone()
        return None if row is None else DeploymentDetailRead.model_validate_json(row[0])

    def forget_coming(self) -> None:
        with self._database.write() as cursor:
            cursor.execute("DELETE FROM deployment_on_its_way")


def _newest(cursor: Cursor) -> int:
    row = cursor.execute("SELECT max(version) FROM deployments").fetchone()
    return 0 if row is None or row[0] is None else int(row[0])


def _to_json(values: Any) -> str:
    return json.dumps([each.model_dump(mode="json") for each in values])


def _fields(row: tuple[Any, ...], newest: int) -> dict[str, Any]:
    version, workspace_id, created_at, run_id, model = row[:5]
    return {
        "id": f"d{version}",
        "version": version,
        "workspace_id": workspace_id,
        "created_at": aware(created_at),
        "is_live": version == newest,
        "run_id": run_id,
        "model": model,
        "queries": [DeployedQueryRead.model_validate(each) for each in json.loads(row[6])],
    }


def _deployment(row: tuple[Any, ...], newest: int) -> DeploymentRead:
    return DeploymentRead(**_fields(row, newest))


def _detail(row: tuple[Any, ...], newest: int) -> DeploymentDetailRead:
    return DeploymentDetailRead(
        **_fields(row, newest),
        files=[DeployedFileRead.model_validate(each) for each in json.loads(row[5])],
        bounds=[QueryBoundRead.model_validate(each) for each in json.loads(row[7])],
        indexes=[IndexRead.model_validate(each) for each in json.loads(row[8])],
    )
