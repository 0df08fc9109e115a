"""What the compiler says of a set of files, as the browser gets it: diagnostics, plans, bounds, fixes."""

from __future__ import annotations

import statistics
import time

import httpx

Files = list[dict[str, str]]


def replaced(files: Files, path: str, old: str, new: str) -> Files:
    """The same files with a change in one of them."""
    changed = [file | {"text": file["text"].replace(old, new)} if file["path"] == path else file for file in files]
    assert changed != files, f"{old!r} is not in {path}"
    return changed


async def compiled(client: httpx.AsyncClient, files: Files) -> dict:
    answer = await client.post("/api/compilations", json={"files": files})
    assert answer.status_code == 200, answer.text
    return answer.json()


def named(items: list[dict], name: str) -> dict:
    return next(item for item in items if item["name"] == name)


async def test_the_sample_compiles_without_problems(client: httpx.AsyncClient, files: Files) -> None:
    found = await compiled(client, files)
    assert [diagnostic for diagnostic in found["diagnostics"] if diagnostic["severity"] == "error"] == []
    assert found["has_errors"] is False
    assert {table["name"] for table in found["tables"]} == {"users", "subscriptions", "thoughts"}
    assert len(found["queries"]) == len(files) - 1


async def test_thoughtstream_has_class_two_and_its_bound_with_the_reason(
    client: httpx.AsyncClient, files: Files
) -> None:
    found = await compiled(client, files)
    query = named(found["queries"], "thoughtstream")
    assert query["scaling_class"] == "II"
    assert query["bound"]["operations"] == 101
    assert query["bound"]["formula"] == "1 + subscriptions.owner"
    term = next(term for term in query["bound"]["terms"] if term["symbol"] == "subscriptions.owner")
    schema = next(file["text"] for file in files if file["path"] == "schema.piql")
    place = term["number_range"]
    assert place["file"] == "schema.piql"
    assert schema[place["start"] : place["end"]] == "100"


async def test_the_axes_of_a_query_are_the_numbers_that_may_be_changed(client: httpx.AsyncClient, files: Files) -> None:
    query = named((await compiled(client, files))["queries"], "thoughtstream")
    texts = {file["path"]: file["text"] for file in files}
    for axis in query["axes"]:
        assert axis["number_ranges"]
        for place in axis["number_ranges"]:
            assert texts[place["file"]][place["start"] : place["end"]] == str(axis["current"])
    assert {axis["symbol"] for axis in query["axes"]} == {"subscriptions.owner", "count"}


async def test_every_stage_of_a_plan_is_kept_with_ids_and_ranges(client: httpx.AsyncClient, files: Files) -> None:
    query = named((await compiled(client, files))["queries"], "thoughtstream")
    stages = query["stages"]
    assert stages[0]["name"] == "as written"
    assert [stage["name"] for stage in stages[-2:]] == ["Phase I", "physical"]
    assert len(stages) > 3
    root = stages[-1]["plan"]
    nodes = walk(root)
    assert root["id"] == "root"
    assert len({node["id"] for node in nodes}) == len(nodes)
    remote = [node for node in nodes if node["kind"] == "remote"]
    assert {node["operator"] for node in remote} == {"IndexScan", "SortedIndexJoin"}
    assert sum(node["operations"] for node in remote) == 101
    assert any(node["range"] is not None for node in nodes)


def walk(node: dict) -> list[dict]:
    return [node, *(inner for child in node["children"] for inner in walk(child))]


async def test_without_its_limit_the_segment_is_marked_everywhere(client: httpx.AsyncClient, files: Files) -> None:
    changed = replaced(files, "schema.piql", "  CARDINALITY LIMIT 100 (owner),\n", "")
    found = await compiled(client, changed)
    assert found["has_errors"]
    query = named(found["queries"], "thoughtstream")
    assert not query["is_bounded"]
    assert query["bound"] is None
    segment = query["unbounded"][0]
    assert segment["table"] == "subscriptions"
    assert segment["sentence"]
    assert segment["ranges"][0]["file"] == "queries/thoughtstream.piql"
    assert segment["table_range"]["file"] == "schema.piql"
    plan = next(stage["plan"] for stage in query["stages"] if stage["name"] == "Phase I")
    marked = [node["id"] for node in walk(plan) if node["is_unbounded"]]
    assert marked == [segment["path"]]


async def test_a_table_says_its_columns_keys_and_limits_and_where_they_stand(
    client: httpx.AsyncClient, files: Files
) -> None:
    table = named((await compiled(client, files))["tables"], "subscriptions")
    schema = next(file["text"] for file in files if file["path"] == "schema.piql")

    def text_of(place: dict) -> str:
        return schema[place["start"] : place["end"]]

    assert [(column["name"], column["type"], column["is_nullable"]) for column in table["columns"]] == [
        ("owner", "VARCHAR(32)", False),
        ("target", "VARCHAR(32)", False),
        ("approved", "BOOLEAN", True),
    ]
    assert text_of(table["columns"][2]["range"]) == "approved BOOLEAN"
    [limit] = table["limits"]
    assert (limit["columns"], limit["limit"], limit["is_token"]) == (["owner"], 100, False)
    assert text_of(limit["range"]) == "CARDINALITY LIMIT 100 (owner)"
    assert text_of(limit["number_range"]) == "100"
    keys = [(key["columns"], key["table"], key["referenced_columns"]) for key in table["foreign_keys"]]
    assert keys == [(["owner"], "users", ["username"]), (["target"], "users", ["username"])]
    assert {text_of(key["range"]) for key in table["foreign_keys"]} == {"REFERENCES users"}


async def test_a_view_says_which_tables_feed_it(client: httpx.AsyncClient, files: Files) -> None:
    view = "CREATE VIEW byOwner AS SELECT owner, COUNT(*) AS thoughts FROM thoughts GROUP BY owner;\n"
    tables = (
        await compiled(client, replaced(files, "schema.piql", "CREATE TABLE users", f"{view}CREATE TABLE users"))
    )["tables"]
    assert named(tables, "byOwner")["made_from"] == ["thoughts"]
    assert named(tables, "thoughts")["made_from"] == []


async def test_the_places_of_columns_move_with_the_text(client: httpx.AsyncClient, files: Files) -> None:
    await compiled(client, files)
    moved = replaced(files, "schema.piql", "CREATE TABLE users", "-- one more line\n\nCREATE TABLE users")
    schema = next(file["text"] for file in moved if file["path"] == "schema.piql")
    for table in (await compiled(client, moved))["tables"]:
        for column in table["columns"]:
            place = column["range"]
            assert schema[place["start"] : place["end"]].startswith(column["name"])


def sources(access: dict) -> list[str]:
    return [f"{source['table']}.{column}" for source in access["comes_from"] for column in source["columns"]]


def accesses(query: dict) -> list[tuple]:
    return [
        (access["kind"], access["table"], access["index"], sources(access), access["operations"])
        for access in query["accesses"]
    ]


async def test_a_query_says_which_tables_and_indexes_it_reads_with_its_bound_on_each(
    client: httpx.AsyncClient, files: Files
) -> None:
    found = await compiled(client, files)
    thoughtstream = named(found["queries"], "thoughtstream")
    assert accesses(thoughtstream) == [
        ("read", "subscriptions", None, [], 1),
        ("read", "thoughts", None, ["subscriptions.target"], 100),
    ]
    assert not any(access["is_unbounded"] for access in thoughtstream["accesses"])
    [followers] = named(found["queries"], "followersOf")["accesses"]
    index = named(found["indexes"], followers["index"])
    assert index["table"] == followers["table"] == "subscriptions"
    assert "followersOf" in index["used_by"]
    for query in found["queries"]:
        if query["kind"] == "select":
            assert sum(access["operations"] for access in query["accesses"]) == query["bound"]["operations"]


async def test_a_write_says_what_it_writes_and_which_rows_it_checks(client: httpx.AsyncClient, files: Files) -> None:
    subscribe = named((await compiled(client, files))["queries"], "subscribe")
    assert accesses(subscribe) == [
        ("write", "subscriptions", None, [], subscribe["bound"]["operations"]),
        ("check", "users", None, ["subscriptions.owner"], None),
        ("check", "users", None, ["subscriptions.target"], None),
    ]


async def test_a_write_says_which_views_it_keeps(client: httpx.AsyncClient, files: Files) -> None:
    view = "CREATE VIEW followed AS SELECT target, COUNT(*) AS followers FROM subscriptions GROUP BY target;\n"
    with_view = [*files, {"path": "views.piql", "text": view}]
    subscribe = named((await compiled(client, with_view))["queries"], "subscribe")
    assert [access["kind"] for access in subscribe["accesses"]] == ["write", "check", "check", "keep"]
    kept = subscribe["accesses"][-1]
    assert (kept["table"], kept["operations"]) == ("followed", None)
    assert kept["comes_from"] == [{"table": "subscriptions", "columns": []}]


async def test_an_unbounded_query_says_which_of_its_tables_nothing_bounds(
    client: httpx.AsyncClient, files: Files
) -> None:
    changed = replaced(files, "schema.piql", "  CARDINALITY LIMIT 100 (owner),\n", "")
    query = named((await compiled(client, changed))["queries"], "thoughtstream")
    assert [(access["table"], sources(access), access["is_unbounded"]) for access in query["accesses"]] == [
        ("subscriptions", [], True),
        ("thoughts", ["subscriptions.target"], False),
    ]
    assert {access["operations"] for access in query["accesses"]} == {None}


async def test_an_offered_fix_leaves_no_problem(client: httpx.AsyncClient, files: Files) -> None:
    changed = replaced(files, "schema.piql", "  CARDINALITY LIMIT 100 (owner),\n", "")
    found = await compiled(client, changed)
    problem = next(
        diagnostic
        for diagnostic in found["diagnostics"]
        if diagnostic["query"] == "thoughtstream" and diagnostic["fixes"]
    )
    fix = problem["fixes"][0]
    texts = {file["path"]: file["text"] for file in changed}
    for edit in sorted(fix["edits"], key=lambda edit: -edit["range"]["start"]):
        place = edit["range"]
        text = texts[place["file"]]
        texts[place["file"]] = text[: place["start"]] + edit["text"] + text[place["end"] :]
    fixed = await compiled(client, [{"path": path, "text": text} for path, text in texts.items()])
    assert named(fixed["queries"], "thoughtstream")["is_bounded"]


async def test_columns_count_utf16_units(client: httpx.AsyncClient, files: Files) -> None:
    text = "CREATE QUERY q AS SELECT '😀', nothing FROM users WHERE username = [1: u];"
    found = await compiled(client, [*files, {"path": "q.piql", "text": text}])
    place = next(diagnostic["range"] for diagnostic in found["diagnostics"] if diagnostic["range"]["file"] == "q.piql")
    assert place["start"] == text.index("nothing")
    assert place["start_column"] == text.index("nothing") + 2


async def test_broken_text_gives_problems_never_a_fault(client: httpx.AsyncClient) -> None:
    for text in (
        "CREATE",
        "\0",
        "SELECT '",
        "CREATE QUERY q AS SELECT",
        ")" * 5000,
        "(" * 5000,
        "CREATE QUERY q AS SELECT a FROM t WHERE " + "NOT (" * 5000,
        "é😀" * 2000,
        ";" * 999,
    ):
        answer = await client.post("/api/compilations", json={"files": [{"path": "a.piql", "text": text}]})
        assert answer.status_code == 200, (text[:20], answer.text)


async def test_no_files_are_an_empty_compilation(client: httpx.AsyncClient) -> None:
    assert (await compiled(client, []))["queries"] == []


async def test_a_compilation_takes_milliseconds(client: httpx.AsyncClient, files: Files) -> None:
    took = []
    for number in range(20):
        changed = [*files, {"path": "more.piql", "text": f"-- {number}"}]
        started = time.process_time()
        await compiled(client, changed)
        took.append((time.process_time() - started) * 1000)
    assert statistics.median(took) < 250


async def test_stages_are_sent_of_the_query_that_is_looked_at_and_all_else_of_the_others_too(
    client: httpx.AsyncClient, files: Files
) -> None:
    whole = await compiled(client, files)
    answer = await client.post("/api/compilations", json={"files": files, "stages_of": "thoughtstream"})
    one = answer.json()
    assert named(one["queries"], "thoughtstream") == named(whole["queries"], "thoughtstream")
    assert [query | {"stages": []} for query in one["queries"]] == [
        query | {"stages": []} for query in whole["queries"]
    ]
    assert [query["name"] for query in one["queries"] if query["stages"]] == ["thoughtstream"]
    assert {name: one[name] for name in ("tables", "diagnostics")} == {
        name: whole[name] for name in ("tables", "diagnostics")
    }
