"""A small schema with every kind of constraint, on a store with transactions and on one without."""

from collections.abc import Callable, Iterator
from pathlib import Path

import piql
import pytest
from piql.files.formats import format_of
from piql.files.loading import FileLoad
from piql.files.mapping import map_columns
from piql.files.source import open_source

SCHEMA = """
CREATE TABLE users (username VARCHAR(32) PRIMARY KEY, hometown VARCHAR(64), email TEXT, UNIQUE (email));
CREATE TABLE thoughts (
  owner VARCHAR(32) REFERENCES users, posted TIMESTAMP, text VARCHAR(140), stars INT, seal BLOB,
  PRIMARY KEY (owner, posted), CARDINALITY LIMIT 5 (owner));
CREATE TABLE parts (id INT PRIMARY KEY, whole INT NULL REFERENCES parts, name TEXT NOT NULL);
CREATE QUERY theirThoughts AS SELECT posted, text FROM thoughts WHERE owner = [1: owner];
"""

Loader = Callable[..., FileLoad]


@pytest.fixture(scope="session")
def compilation() -> piql.Compilation:
    return piql.compile(SCHEMA)


@pytest.fixture(params=["embedded:", "stepwise:"])
def db(request: pytest.FixtureRequest, compilation: piql.Compilation) -> Iterator[piql.Database]:
    with piql.connect(request.param) as db:
        db.deploy(compilation)
        db.load("users", [{"username": "ada", "email": "ada@example.org"}, {"username": "bob"}])
        yield db


@pytest.fixture
def loader(db: piql.Database, tmp_path: Path) -> Loader:
    """Return a function that writes a file and makes it ready to be loaded into a table."""

    def make(
        table: str, name: str, text: str | bytes, renamed: dict[str, str] | None = None, batch_rows: int | None = 100
    ) -> FileLoad:
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        source = open_source(path, format_of(path))
        mapping = map_columns(db.deployment.table(table), source.columns, renamed)
        return FileLoad(db, source, mapping, f"file {name}", batch_rows=batch_rows)

    return make
