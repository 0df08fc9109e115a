"""SCADr's queries keep the bounds that its README promises."""

from __future__ import annotations

from pathlib import Path

import piql
import pytest

HERE = Path(__file__).resolve().parent.parent
BOUNDS = {
    "findUser": ("I", 1, "1"),
    "findSubscription": ("I", 1, "1"),
    "myThoughts": ("I", 1, "1"),
    "thoughtstream": ("II", 101, "1 + subscriptions.owner"),
    "usersFollowedBy": ("II", 101, "1 + subscriptions.owner"),
    "followersOf": ("I", 1, "1"),
}
WRITES = {"addUser", "subscribe", "approve", "unsubscribe", "postThought", "deleteThought"}


def test_no_query_is_refused(compilation: piql.Compilation) -> None:
    assert [diagnostic.message for diagnostic in compilation.diagnostics if diagnostic.severity == "error"] == []


def test_every_query_stands_here(compilation: piql.Compilation) -> None:
    assert set(compilation.queries) == BOUNDS.keys() | WRITES
    assert {path.stem for path in (HERE / "queries").glob("*.piql")} == set(compilation.queries)


@pytest.mark.parametrize("name", BOUNDS)
def test_a_read_keeps_its_bound(compilation: piql.Compilation, name: str) -> None:
    query = compilation.queries[name]
    assert query.bound is not None
    assert (query.scaling_class, query.bound.operations, query.bound.formula) == BOUNDS[name]


@pytest.mark.parametrize("name", sorted(WRITES))
def test_a_write_is_bounded(compilation: piql.Compilation, name: str) -> None:
    assert compilation.queries[name].is_bounded


def test_without_the_cardinality_limit_the_stream_has_no_bound() -> None:
    files = {path.name: path.read_text() for path in HERE.rglob("*.piql")}
    lines = files["schema.piql"].splitlines(keepends=True)
    files["schema.piql"] = "".join(line for line in lines if "CARDINALITY LIMIT 100 (owner)" not in line)
    compilation = piql.compile(files)
    refused = {name for name, query in compilation.queries.items() if not query.is_bounded}
    assert refused == {"thoughtstream", "usersFollowedBy"}
    assert any("CARDINALITY LIMIT" in fix.title for diagnostic in compilation.diagnostics for fix in diagnostic.fixes)
