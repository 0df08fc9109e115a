"""A schema of another database becomes PIQL, with a list of what changed; what cannot be read is refused."""

from __future__ import annotations

import httpx
import pytest

SCHEMA = (
    "CREATE TABLE users (\n  id SMALLINT PRIMARY KEY,\n  name VARCHAR(20)\n);\nCREATE VIEW v AS SELECT id FROM users;\n"
)


async def test_a_schema_becomes_piql_that_compiles(client: httpx.AsyncClient) -> None:
    answer = await client.post(
        "/api/schema-imports", json={"text": SCHEMA, "queries": "\nSELECT name FROM users WHERE id = ?"}
    )
    assert answer.status_code == 200
    imported = answer.json()
    assert (imported["tables"], imported["queries"]) == (["users"], ["selectUsers"])
    assert (imported["statements"], imported["taken"]) == (3, 2)
    files = [{"path": "schema.piql", "text": imported["text"]}]
    compilation = (await client.post("/api/compilations", json={"files": files})).json()
    assert not compilation["has_errors"]


async def test_each_change_and_omission_has_its_line(client: httpx.AsyncClient) -> None:
    body = {
        "text": SCHEMA,
        "queries": "SELECT id FROM users WHERE id = 1;\nSELECT nothing FROM users",
        "dialect": "postgres",
    }
    notes = (await client.post("/api/schema-imports", json=body)).json()["notes"]
    assert [(note["line"], note["is_query"], note["outcome"], note["subject"]) for note in notes] == [
        (2, False, "changed", "users.id"),
        (5, False, "left out", "CREATE VIEW v AS SELECT id FROM users"),
        (2, True, "left out", "selectUsers2"),
    ]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"text": "CREATE TABLE t (id INT);\nCREATE TABLE u ("}, "Line 2 of the schema: the bracket ("),
        ({"text": SCHEMA, "queries": "SELECT 'a"}, "Line 1 of the queries: the quote '"),
        ({"text": "Dear reader"}, "Line 1 of the schema: this is not SQL"),
    ],
)
async def test_what_cannot_be_read_is_refused_with_its_line(
    client: httpx.AsyncClient, body: dict[str, str], message: str
) -> None:
    answer = await client.post("/api/schema-imports", json=body)
    assert (answer.status_code, answer.json()["code"]) == (422, "import-refused")
    assert answer.json()["message"].startswith(message)


async def test_a_text_that_is_too_long_is_refused(client: httpx.AsyncClient) -> None:
    answer = await client.post("/api/schema-imports", json={"text": "-" * 4_000_001})
    assert answer.status_code == 422
