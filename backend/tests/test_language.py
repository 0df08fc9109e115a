"""What an editor asks: positions are Monaco's, lines and columns from 1, columns in UTF-16 units."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

Files = list[dict[str, str]]

QUERY = """CREATE QUERY mine AS
SELECT '😀' AS face, s.target FROM subscriptions s WHERE s.owner = [me] LIMIT 5;
"""


@pytest.fixture
def texts(files: Files) -> Files:
    return [*files, {"path": "queries/mine.piql", "text": QUERY}]


def at(files: Files, words: str, plus: int = 0) -> dict[str, Any]:
    before = QUERY[: QUERY.index(words) + plus].split("\n")
    column = len(before[-1].encode("utf-16-le")) // 2 + 1
    return {"files": files, "file": "queries/mine.piql", "line": len(before), "column": column}


async def asked(client: httpx.AsyncClient, what: str, body: object) -> Any:
    answer = await client.post(f"/api/language/{what}", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def text_at(files: Files, found: dict[str, Any]) -> str:
    text = next(file["text"] for file in files if file["path"] == found["file"])
    return text[found["start"] : found["end"]]


async def test_completion_knows_the_tables(client: httpx.AsyncClient, texts: Files) -> None:
    found = await asked(client, "completions", at(texts, "subscriptions"))
    assert {"users", "subscriptions", "thoughts"} <= {completion["label"] for completion in found}


async def test_a_name_leads_to_its_declaration_and_its_uses(client: httpx.AsyncClient, texts: Files) -> None:
    place = at(texts, "target", 1)
    found = await asked(client, "definitions", place)
    assert (found["file"], text_at(texts, found)) == ("schema.piql", "target")
    uses = await asked(client, "references", place)
    assert {text_at(texts, use["range"]) for use in uses} == {"target"}
    assert len({use["range"]["file"] for use in uses}) > 2
    assert [use["range"]["file"] for use in uses if use["is_definition"]] == ["schema.piql"]
    (own,) = (use["range"] for use in uses if use["range"]["file"] == "queries/mine.piql")
    assert own["start_column"] == place["column"] - 1


async def test_a_rename_changes_all_files_and_still_compiles(client: httpx.AsyncClient, texts: Files) -> None:
    place = at(texts, "target", 1)
    name = await asked(client, "names", place)
    assert name["text"] == "target"
    edits = await asked(client, "renames", place | {"new_name": "followee"})
    after = []
    for file in texts:
        text = file["text"]
        for edit in sorted(edits, key=lambda edit: -edit["range"]["start"]):
            if edit["range"]["file"] == file["path"]:
                text = text[: edit["range"]["start"]] + edit["text"] + text[edit["range"]["end"] :]
        after.append(file | {"text": text})
    answer = await client.post("/api/compilations", json={"files": after})
    assert not answer.json()["has_errors"]


@pytest.mark.parametrize(("name", "why"), [("owner", "There is a column owner already."), ("", "empty")])
async def test_a_rename_that_would_break_something_is_refused(
    client: httpx.AsyncClient, texts: Files, name: str, why: str
) -> None:
    answer = await client.post("/api/language/renames", json=at(texts, "target", 1) | {"new_name": name})
    assert (answer.status_code, answer.json()["code"]) == (422, "rename-refused")
    assert why in answer.json()["message"]


async def test_hovering_tells_the_bound(client: httpx.AsyncClient, texts: Files) -> None:
    found = await asked(client, "hovers", at(texts, "mine", 1))
    assert "at most **1 operation**" in found["markdown"]
    assert text_at(texts, found["range"]) == "mine"
    assert await asked(client, "hovers", at(texts, "SELECT")) is None


async def test_parentheses_tell_what_they_expect(client: httpx.AsyncClient, files: Files) -> None:
    text = "CREATE QUERY q AS SELECT SUBSTR('😀', "
    body = {"files": [*files, {"path": "q.piql", "text": text}], "file": "q.piql", "line": 1, "column": 99}
    found = await asked(client, "signatures", body)
    part = found["parameters"][found["active"]]
    assert found["label"][part["start"] : part["end"]] == "from"


async def test_a_file_is_shown_by_its_tokens_outline_and_folds(client: httpx.AsyncClient, texts: Files) -> None:
    found = await asked(client, "tokens", {"files": texts, "file": "queries/mine.piql"})
    kinds = [found["types"][index] for index in found["data"][3::5]]
    assert kinds[:4] == ["keyword", "keyword", "query", "keyword"]
    file = texts[-1]
    (query,) = await asked(client, "outlines", file)
    assert (query["name"], query["kind"], query["name_range"]["start_column"]) == ("mine", "query", 14)
    assert await asked(client, "folds", file) == [{"start_line": 1, "end_line": 2, "kind": "region"}] == found["folds"]


async def test_formatting_gives_edits_or_says_what_is_wrong(client: httpx.AsyncClient, texts: Files) -> None:
    edits = await asked(client, "formats", texts[-1])
    assert edits[0]["text"].startswith("SELECT '😀' AS face, s.target\nFROM subscriptions s\n")
    answer = await client.post(
        "/api/language/formats", json={"path": "a.piql", "text": "CREATE QUERY q AS SELECT FROM;"}
    )
    assert (answer.status_code, answer.json()["code"]) == (422, "format-refused")
    assert answer.json()["message"].startswith("a.piql is not formatted: line 1 must be corrected first: ")
    assert answer.json()["diagnostics"][0]["range"]["start_line"] == 1


async def test_an_unknown_file_is_not_found(client: httpx.AsyncClient, texts: Files) -> None:
    body = at(texts, "mine") | {"file": "none.piql"}
    answer = await client.post("/api/language/completions", json=body)
    assert (answer.status_code, answer.json()["code"]) == (404, "unknown-file")


async def test_a_change_of_the_schema_comes_as_edits_with_what_it_means_for_the_queries(
    client: httpx.AsyncClient, files: Files
) -> None:
    change = {"kind": "set-limit", "table": "subscriptions", "columns": ["owner"], "limit": None}
    answer = await asked(client, "schema-edits", {"files": files, "change": change})
    (edit,) = (edit for edit in answer["edits"] if "LIMIT" in text_at(files, edit["range"]))
    assert edit["text"] == ""
    assert "thoughtstream" in answer["now_refused"]
    assert {error["query"] for error in answer["new_errors"]} >= {"thoughtstream"}
    refused = await client.post(
        "/api/language/schema-edits",
        json={"files": files, "change": {"kind": "drop-column", "table": "users", "column": "username"}},
    )
    assert (refused.status_code, refused.json()["code"]) == (422, "schema-edit-refused")
    assert "primary key of users" in refused.json()["message"]
