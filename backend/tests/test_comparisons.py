"""Two sets of files beside each other: which tables, queries, indexes and bounds differ."""

from __future__ import annotations

import httpx

SCHEMA = "CREATE TABLE t (id INT PRIMARY KEY, owner INT NOT NULL, next INT, name VARCHAR(20){limit});\n"
OF_OWNER = "CREATE QUERY of_owner AS SELECT n.name FROM t JOIN t n ON n.id = t.next WHERE t.owner = [owner];\n"
ONE = "CREATE QUERY one AS SELECT name FROM t WHERE id = [id];\n"


def files(limit: int | None, *queries: str) -> list[dict[str, str]]:
    schema = SCHEMA.format(limit="" if limit is None else f", CARDINALITY LIMIT {limit} (owner)")
    return [{"path": "schema.piql", "text": schema}, {"path": "queries.piql", "text": "".join(queries)}]


async def compared(client: httpx.AsyncClient, before: list[dict[str, str]], after: list[dict[str, str]]) -> dict:
    answer = await client.post("/api/comparisons", json={"before": before, "after": after})
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_a_limit_changes_its_table_and_the_bounds_that_rest_on_it(client: httpx.AsyncClient) -> None:
    changes = await compared(client, files(10, OF_OWNER, ONE), files(30, OF_OWNER))
    assert [(table["table"], table["change"], table["details"]) for table in changes["tables"]] == [
        ("t", "changed", ["CARDINALITY LIMIT 10 (owner) → 30"])
    ]
    assert (changes["added"], changes["removed"]) == ([], ["one"])
    bound = changes["bounds_changed"]
    assert [change["query"] for change in bound] == ["of_owner"]
    assert bound[0]["before"]["operations"] < bound[0]["after"]["operations"]


async def test_a_query_that_loses_its_bound_is_named_with_none_after(client: httpx.AsyncClient) -> None:
    changes = await compared(client, files(10, OF_OWNER), files(None, OF_OWNER))
    change = changes["bounds_changed"][0]
    assert change["before"]["operations"] > 0
    assert change["after"] is None


async def test_the_same_texts_differ_in_nothing_and_no_text_is_an_empty_set(client: httpx.AsyncClient) -> None:
    same = await compared(client, files(10, ONE), files(10, ONE))
    assert same["unchanged"] == ["one"]
    assert not any(value for name, value in same.items() if name != "unchanged")
    new = await compared(client, [], files(10, ONE, OF_OWNER))
    assert new["added"] == ["one", "of_owner"]
    assert [table["change"] for table in new["tables"]] == ["added"]
    assert len(new["indexes_added"]) == 1
    gone = await compared(client, files(10, ONE, OF_OWNER), [])
    assert gone["removed"] == ["one", "of_owner"]
    assert len(gone["indexes_removed"]) == 1


async def test_texts_that_do_not_compile_are_compared_as_far_as_they_do(client: httpx.AsyncClient) -> None:
    changes = await compared(client, files(10, ONE), [{"path": "schema.piql", "text": "CREATE TABL"}])
    assert changes["removed"] == ["one"]
