"""A database with another observer for one execution: it looks for deployments no more often than any other."""

from __future__ import annotations

from pathlib import Path

import piql
import pytest
from piql.client.database import Observation

TABLE = "CREATE TABLE users (name VARCHAR(32) PRIMARY KEY, town VARCHAR(64) NULL);\n"
QUERY = "CREATE QUERY findUser AS SELECT name FROM users WHERE name = [1: name];\n"


def test_executions_with_observers_of_their_own_load_a_new_version_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"embedded:{tmp_path / 'a.db'}"
    observed: list[Observation] = []
    with piql.connect(address) as db, piql.connect(address) as other:
        db.deploy(piql.compile({"a": TABLE + QUERY}))
        other.deploy(piql.compile({"a": TABLE + QUERY.replace("SELECT name", "SELECT name, town")}))
        loads, load = [], db._load
        monkeypatch.setattr(db, "_load", lambda: loads.append(1) or load())
        monkeypatch.setattr(db, "_look_at", 0.0)
        for _ in range(3):
            db.observed_by(observed.append).execute("findUser", {"name": "ada"})
    assert len(loads) == 1
    assert [observation.deployment for observation in observed] == [2, 2, 2]
