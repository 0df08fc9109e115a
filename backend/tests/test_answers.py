"""The JSON of a compilation, whose queries may come from the answer before, is that of a fresh one."""

from __future__ import annotations

import json

import piql
import pytest
from piql.compiler import Compiler
from piql_backend.compilations import answers
from piql_backend.compilations.answers import Answers
from piql_backend.compilations.reading import read_query

FILES = {
    "schema.piql": "CREATE TABLE users (name VARCHAR(20) PRIMARY KEY, town VARCHAR(20));\n"
    "CREATE TABLE follows (owner VARCHAR(20) REFERENCES users, target VARCHAR(20) REFERENCES users,\n"
    "  PRIMARY KEY (owner, target), CARDINALITY LIMIT 100 (owner));\n",
    "a.piql": "CREATE QUERY a AS SELECT target FROM follows WHERE owner = [me];\n"
    "CREATE QUERY b AS SELECT town FROM users WHERE name = [name];\n",
    "c.piql": "CREATE QUERY c AS SELECT name FROM users WHERE town = [town];\n",
    "d.piql": "CREATE QUERY d AS SELECT f.owner FROM follows f WHERE f.target = [me] LIMIT 5;\n",
}
EDITS = {
    "nothing": lambda files: files,
    "a comment above a query": lambda files: files | {"a.piql": "-- é\n" + files["a.piql"]},
    "a letter between two queries": lambda files: (
        files | {"a.piql": files["a.piql"].replace("CREATE QUERY b", " CREATE QUERY b")}
    ),
    "a comment above the schema": lambda files: files | {"schema.piql": "-- of all\n" + files["schema.piql"]},
    "another limit": lambda files: files | {"schema.piql": files["schema.piql"].replace("100", "70")},
    "a limit for a refused query": lambda files: (
        files
        | {
            "schema.piql": files["schema.piql"].replace(
                "town VARCHAR(20)", "town VARCHAR(20), CARDINALITY LIMIT 9 (town)"
            )
        }
    ),
    "a second query of one name": lambda files: (
        files | {"e.piql": "CREATE QUERY b AS SELECT name FROM users LIMIT 3;\n"}
    ),
    "the schema in another file": lambda files: (
        {"0.piql": files["schema.piql"]} | {name: text for name, text in files.items() if name != "schema.piql"}
    ),
    "a broken schema": lambda files: files | {"schema.piql": files["schema.piql"].replace("PRIMARY KEY,", "PRIMARY,")},
}


@pytest.mark.parametrize("stages_of", [None, "", "b"])
def test_an_answer_after_any_edit_is_that_of_texts_that_nobody_compiled_before(stages_of: str | None) -> None:
    compiler, kept = Compiler(), Answers()
    for edit in (*EDITS.values(), *reversed(EDITS.values())):
        files = edit(FILES)
        fresh = json.loads(Answers().json_of(Compiler().compile(files), 1.0, stages_of))
        assert json.loads(kept.json_of(compiler.compile(files), 1.0, stages_of)) == fresh


def test_a_key_in_one_file_has_its_own_query_read_again_and_refused_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    compiler, kept, names = Compiler(), Answers(), []
    monkeypatch.setattr(
        answers, "read_query", lambda query, **how: names.append(query.name) or read_query(query, **how)
    )
    kept.json_of(compiler.compile(FILES), 1.0, "")
    assert sorted(names) == ["a", "b", "c", "d"]
    names.clear()
    kept.json_of(compiler.compile(FILES | {"d.piql": FILES["d.piql"].replace("LIMIT 5", "LIMIT 6")}), 1.0, "")
    assert names == ["c", "d"]  # what would bound a refused query may have changed


def test_a_compilation_without_pieces_has_an_answer_too() -> None:
    answer = json.loads(Answers().json_of(piql.compile(FILES["schema.piql"] + FILES["a.piql"]), 1.0))
    assert [query["name"] for query in answer["queries"]] == ["a", "b"]
