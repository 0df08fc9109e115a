"""What is asked of all versions is answered by the database: no request reads every version."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from piql_backend.database.opening import open_database
from piql_backend.deployments.repository import DeploymentTable

START = datetime(2026, 1, 1)


@pytest.fixture
def table(tmp_path: Path) -> Iterator[DeploymentTable]:
    """Versions 1 to 50, one a minute; the query q7 is in version 7 alone."""
    database, _ = open_database(tmp_path / "piql.duckdb")
    with database.write() as cursor:
        for version in range(1, 51):
            queries = json.dumps([{"name": name} for name in ("always", f'q{version}"é')])
            cursor.execute(
                "INSERT INTO deployments (version, workspace_id, created_at, files, queries, bounds, indexes) "
                "VALUES (?, 'w', ?, '[]', ?, '[]', '[]')",
                [version, START + timedelta(minutes=version), queries],
            )
    yield DeploymentTable(database)
    database.close()


def test_a_query_of_any_version_is_known_by_its_whole_name(table: DeploymentTable) -> None:
    assert table.has_query("always")
    assert table.has_query('q7"é')
    assert not table.has_query("q7")
    assert not table.has_query("%")
    assert not table.has_query("")


def test_versions_are_read_back_to_the_one_that_was_live_when_a_window_began(table: DeploymentTable) -> None:
    began = START + timedelta(minutes=40, seconds=30)
    times = table.times(45, began)
    assert [time.version for time in times] == [45, 44, 43, 42, 41, 40]
    assert [time.created_at.replace(tzinfo=None) for time in times][-1] == START + timedelta(minutes=40)
    assert [time.version for time in table.times(2, START - timedelta(days=1))] == [2, 1]
    assert [time.version for time in table.times(3, START + timedelta(days=1))] == [3]
