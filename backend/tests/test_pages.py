"""No list is given whole: each has a limit and a cursor, or a bound that is proved below."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import httpx
import pytest
from piql_backend.app import create_app
from piql_backend.latency.repository import BIN_RATIO
from piql_backend.latency.service import MOST_MARKERS, STEPS
from piql_backend.operator_times.reading import MOST_CELLS
from piql_backend.settings import Settings
from piql_backend.web.errors import ApiError
from piql_backend.web.pages import MOST, Listing, Page, PageWish
from piql_backend.web.request_limit import MAX_BODY_BYTES
from piql_backend.web.schemas import ProblemRead, SourceFile, SourceFiles

from .conftest import DEVELOPMENT

ENVIRONMENT = "/api/applications/{application}/environments/{environment}"
DOCUMENT = create_app().openapi()
ONE_VERSION = (
    "What one version holds. It grows with the text that somebody wrote, not with time or use: a version deployed here "
    "came in one body of at most 5 MB, with at most 1,000 files."
)
ONE_OF_A_KIND = "One for each kind of problem, or for each part that is asked; the kinds are an enumeration."
EXEMPT = {
    "/healthz problems": ONE_OF_A_KIND,
    "/readyz problems": ONE_OF_A_KIND,
    "/api/health problems": ONE_OF_A_KIND,
    f"{ENVIRONMENT}/health problems": ONE_OF_A_KIND,
    f"{ENVIRONMENT}/profile-runs/{{run_id}} operators_summary": (
        "One for each operator that can be measured, an enumeration."
    ),
    f"{ENVIRONMENT}/bursts/{{burst_id}} errors": (
        "One for each code that the engine's errors have, a table in the code."
    ),
    f"{ENVIRONMENT}/bursts/{{burst_id}} parameter_sources": (
        "One for each parameter of one query: a statement has ≤ 50,000 words."
    ),
    **{
        f"{ENVIRONMENT}/deployments/{{deployment_id}} {field}": ONE_VERSION
        for field in ("queries", "files", "bounds", "indexes")
    },
    **{
        f"{ENVIRONMENT}/deployments/rollback/preview {field}": f"{ONE_VERSION} Here it is two of them."
        for field in (
            *("tables", "added", "changed", "removed", "unchanged"),
            *("indexes_added", "indexes_removed", "bounds_changed"),
        )
    },
    **{
        f"{ENVIRONMENT}/deploy-requests/{{number}} {field}": ONE_VERSION.replace("version", "revision")
        for field in ("files", "removes", "limits")
    },
    f"{ENVIRONMENT}/deploy-requests/{{number}} checks": "One for each check, an enumeration.",
    f"{ENVIRONMENT}/deploy-requests/{{number}} missing": "One for each check, and one for the status.",
    f"{ENVIRONMENT}/deploy-requests/{{number}} reviews": "The newest 100, of one revision.",
    f"{ENVIRONMENT}/deploy-requests/{{number}} authors": "At most one for each person of the team.",
    f"{ENVIRONMENT}/deploy-requests/{{number}} between": "The newest 20.",
    f"{ENVIRONMENT}/deploy-requests/{{number}} canaries": "The newest 100 decisions about its versions.",
    f"{ENVIRONMENT}/canary events": "The newest 100 decisions about the version that is tried.",
    f"{ENVIRONMENT}/canary queries": f"{ONE_VERSION} Here it is two of them.",
    f"{ENVIRONMENT}/tables items": ONE_VERSION,
    f"{ENVIRONMENT}/tables/{{name}}/rows columns": ONE_VERSION,
    f"{ENVIRONMENT}/tables/{{name}}/rows rows": "A page of them: `limit`, `cursor` and `next`, beside the columns.",
    **{
        f"{ENVIRONMENT}/imports/{{import_id}} {field}": "Of the columns of one file, which does not grow."
        for field in ("columns", "suggested", "sample")
    },
    f"{ENVIRONMENT}/imports/{{import_id}} problems": "The first of one file; `is_more` says that there are others.",
    f"{ENVIRONMENT}/generations/{{generation_id}} tables": ONE_VERSION,
    f"{ENVIRONMENT}/headroom limits": ONE_VERSION,
    f"{ENVIRONMENT}/alerts alerts": "The newest 100.",
    f"{ENVIRONMENT}/alerts firing": f"Five kinds of each query. {ONE_VERSION}",
    f"{ENVIRONMENT}/alerts destinations": "A webhook and a mailbox.",
    f"{ENVIRONMENT}/alerts silences": "At most 100 that are not over: where there are so many, no other is taken.",
    f"{ENVIRONMENT}/reports queries": "The busiest 1,000; `queries_left_out` says how many others there are.",
    "/api/application-imports/{import_id} files": "At most 1,000 files, as in an application.",
    "/api/application-imports/{import_id} environments": "At most 50: an archive with more is refused.",
    "/api/application-imports/{import_id} notes": "At most 202; the last says how many more there are.",
    "/api/tokens": "At most 100 of one person: who has so many makes no other.",
    f"{ENVIRONMENT}/latency/{{deployment_id}} queries": ONE_VERSION,
    "/api/applications/{application}/saves/{number} files": ONE_VERSION.replace("version", "save"),
    "/api/applications/{application}/saves/{number} changes": "At most one for each file of two saves.",
    "/api/applications/{application}/saves/{number} deployments": (
        "One for each deployment of these very texts: a version is deployed anew only where something differs."
    ),
    f"{ENVIRONMENT}/latency/{{deployment_id}} markers": "The newest 100 are given.",
    f"{ENVIRONMENT}/latency/{{deployment_id}}/charts/{{query}} series": "A point for each of the 60 steps of a window.",
    f"{ENVIRONMENT}/latency/{{deployment_id}}/charts/{{query}} histogram": (
        "Bins that grow by a quarter from a microsecond on: 113 of them reach a day."
    ),
    f"{ENVIRONMENT}/latency/{{deployment_id}}/unusual/{{query}} anomalies": (
        "For each of 3 windows: errors, executions, and two times of 6 classes of sizes."
    ),
    f"{ENVIRONMENT}/latency/{{deployment_id}}/unusual queries": ONE_VERSION,
    f"{ENVIRONMENT}/latency/{{deployment_id}}/load/{{query}} hours": "At most those of 4 weeks: 672.",
    f"{ENVIRONMENT}/latency/{{deployment_id}}/size/{{query}} classes": "The 40 classes of sizes that ran most.",
    f"{ENVIRONMENT}/operator-times/{{deployment_id}} blame": ONE_VERSION,
    f"{ENVIRONMENT}/operator-times/{{deployment_id}} kinds": (
        "One for each kind of operator and power of two of its requests, which the bounds of one version limit."
    ),
    f"{ENVIRONMENT}/operator-times/{{deployment_id}} cells": (
        "The 100 that are farthest from their predictions; `cells_in_all` says how many there are."
    ),
    "/api/experiments": "One for each experiment, a table in the code.",
    "/api/experiments/{name} claims": "One for each claim of a paper, a table in the code.",
    "/api/experiments/{name}/result columns": "Those of the rows of one experiment, a table in the code.",
    "/api/experiments/{name}/result rows": "One for each point that an experiment measures, a table in the code.",
    f"{ENVIRONMENT}/load-runs/options mixes": "One for each mix of the samples, an enumeration.",
    **{
        f"{ENVIRONMENT}/load-runs/{{run_id}} {field}": f"As it was asked for: at most 200, or all. {ONE_VERSION}"
        for field in ("queries", "rates", "stop_if")
    },
    f"{ENVIRONMENT}/load-runs/{{run_id}}/result timeline": "A second each: a run takes at most an hour.",
    **{
        f"{ENVIRONMENT}/load-runs/{{run_id}}/{of}": "One for each step (20), threshold (20), column or query."
        for of in (
            *("result steps", "result thresholds", "result columns", "result endings"),
            *(f"comparisons/{{other_id}} {field}" for field in ("columns", "rows", "differences")),
        )
    },
}


def resolved(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What a schema may be, without references and alternatives."""
    if "$ref" in schema:
        yield from resolved(DOCUMENT["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]])
    elif alternatives := [*schema.get("anyOf", ()), *schema.get("oneOf", ()), *schema.get("allOf", ())]:
        for alternative in alternatives:
            yield from resolved(alternative)
    else:
        yield schema


def is_array(schema: dict[str, Any]) -> bool:
    return any(alternative.get("type") == "array" for alternative in resolved(schema))


def lists_without_pages(document: dict[str, Any]) -> set[str]:
    """Path and field of each array at the top of an answer to GET that has no `limit`, `cursor` and `next`."""
    unbounded = set()
    for path, operations in document["paths"].items():
        operation = operations.get("get", {"responses": {}})
        answer = operation["responses"].get("200", {})  # a page that leads elsewhere gives none
        schema = answer.get("content", {}).get("application/json", {}).get("schema", {})
        asked = {parameter["name"]: parameter for parameter in operation.get("parameters", ())}
        fields = {name: field for answer in resolved(schema) for name, field in answer.get("properties", {}).items()}
        is_paged = {"limit", "cursor"} <= asked.keys() and "next" in fields
        is_paged = is_paged and {"maximum", "default"} <= asked["limit"]["schema"].keys()
        arrays = [name for name, field in fields.items() if is_array(field)]
        if is_array(schema):
            unbounded.add(path)
        elif not is_paged or len(arrays) > 1:
            unbounded |= {f"{path} {name}" for name in arrays}
    return unbounded


def test_every_list_has_pages_or_a_proved_bound() -> None:
    assert lists_without_pages(DOCUMENT) == EXEMPT.keys()


def test_a_list_without_pages_would_be_seen() -> None:
    array = {"type": "array", "items": {"type": "string"}}
    whole = {"properties": {"names": {"anyOf": [array, {"type": "null"}]}}, "type": "object"}

    def document(schema: dict[str, Any]) -> dict[str, Any]:
        answer = {"200": {"content": {"application/json": {"schema": schema}}}}
        return {"paths": {"/list": {"get": {"responses": answer}}}}

    assert lists_without_pages(document(array)) == {"/list"}
    assert lists_without_pages(document(whole)) == {"/list names"}


def test_the_numbers_of_the_proofs_are_those_of_the_code() -> None:
    most_files = next(part.max_length for part in get_args(SourceFiles)[1].metadata if hasattr(part, "max_length"))
    assert get_args(SourceFiles)[0] == list[SourceFile]
    assert (most_files, MAX_BODY_BYTES, MOST_MARKERS) == (1000, 5_000_000, 100)
    assert len(get_args(ProblemRead.model_fields["what"].annotation)) == 10
    assert MOST_CELLS == 100
    assert (STEPS, math.ceil(math.log(86_400_000 / 0.001, BIN_RATIO))) == (60, 113)


NUMBERS = Listing[int, int]("numbers", int, lambda number: number)
DOWN = Listing[int, int]("down", int, lambda number: number, is_descending=True)


def pages(listing: Listing[int, int], items: list[int], limit: int) -> Iterator[Page[int]]:
    page = listing.page_of(PageWish(limit), items)
    yield page
    while page.next is not None:
        page = listing.page_of(PageWish(limit, page.next), items)
        yield page


@pytest.mark.parametrize("listing", [NUMBERS, DOWN])
@pytest.mark.parametrize("count", range(8))
@pytest.mark.parametrize("limit", [1, 2, 3, 7, 8])
def test_pages_together_are_the_list(listing: Listing[int, int], count: int, limit: int) -> None:
    items = list(range(count))
    given = [page.items for page in pages(listing, items, limit)]
    assert [item for page in given for item in page] == sorted(items, reverse=listing.is_descending)
    assert all(len(page) == limit for page in given[:-1])
    assert given[-1] or not items  # no page is empty but that of an empty list


def test_what_comes_and_goes_between_pages_neither_repeats_nor_hides_another() -> None:
    first = NUMBERS.page_of(PageWish(2), [0, 10, 20, 30, 40])
    second = NUMBERS.page_of(PageWish(2, first.next), [-1, 0, 20, 30, 40, 50])
    third = NUMBERS.page_of(PageWish(2, second.next), [-1, 0, 20, 40, 50])
    assert (first.items, second.items, third.items) == ([0, 10], [20, 30], [40, 50])


def cursor_of(content: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(content).encode()).decode().rstrip("=")


FOREIGN = [
    "",
    "x",
    "é",
    "\0",
    "====",
    "A" * 2000,
    cursor_of(3),
    cursor_of({}),
    cursor_of(["numbers"]),
    cursor_of(["down", 3]),
    cursor_of(["numbers", "3"]),
    cursor_of(["numbers", True]),
    cursor_of(["numbers", 3, 4]),
    cursor_of(["numbers", 2**64]),
    cursor_of(["numbers", 1.5]),
    cursor_of(["numbers", None]),
    base64.urlsafe_b64encode(b'["numbers", ' + b"[" * 100_000).decode(),
]


@pytest.mark.parametrize("cursor", FOREIGN)
def test_a_cursor_of_no_page_of_the_list_is_refused(cursor: str) -> None:
    with pytest.raises(ApiError) as refused:
        NUMBERS.page_of(PageWish(3, cursor), range(9))
    assert (refused.value.status, refused.value.code) == (422, "invalid-cursor")


LISTS = {
    **{name: f"{DEVELOPMENT}/{name}" for name in ("deployments", "profile-runs", "slos", "bursts")},
    "applications": "/api/applications",
    "files": "/api/applications/scadr",
    "overview": "/api/overview",
}


@pytest.mark.parametrize("name", LISTS)
async def test_a_page_is_refused_where_it_is_none(client: httpx.AsyncClient, name: str) -> None:
    for limit in (0, -1, MOST + 1, "all"):
        refused = await client.get(LISTS[name], params={"limit": limit})
        assert (refused.status_code, refused.json()["code"]) == (422, "invalid-request")
    for cursor in ("x", cursor_of([name, 2**70]), cursor_of([name, "\ud800"]), cursor_of(["none", 1])):
        refused = await client.get(LISTS[name], params={"cursor": cursor})
        assert (refused.status_code, refused.json()["code"]) == (422, "invalid-cursor")


async def by_ones(client: httpx.AsyncClient, path: str, field: str = "items") -> list[Any]:
    """Walk a list by pages of one."""
    items, cursor = [], None
    while True:
        asked = {"limit": 1} if cursor is None else {"limit": 1, "cursor": cursor}
        answer = (await client.get(path, params=asked)).json()
        assert len(answer[field]) <= 1
        items += answer[field]
        cursor = answer["next"]
        if cursor is None:
            return items


async def test_the_lists_of_a_workbench_are_the_same_by_pages_of_one(
    client: httpx.AsyncClient, files: list[dict[str, str]], settings: Settings
) -> None:
    for query in ("findUser", "thoughtstream", "usersFollowedBy"):
        await client.put(f"{DEVELOPMENT}/slos/{query}", json={"threshold_ms": 5})
    for live, text in enumerate(("one", "two"), start=1):
        changed = [*files, {"path": "z.piql", "text": f"CREATE QUERY {text} AS SELECT username FROM users LIMIT 1;"}]
        body = {"files": changed, "base_version": live}
        made = await client.post(f"{DEVELOPMENT}/deployments", json=body)
        assert made.status_code == 201, made.text
    for name in ("a", "é", "Z"):
        (Path(settings.data) / "applications" / name).mkdir()
    counts = {}
    for name in ("deployments", "slos", "applications"):
        whole = (await client.get(LISTS[name])).json()
        assert whole["next"] is None
        assert await by_ones(client, LISTS[name]) == whole["items"]
        counts[name] = len(whole["items"])
    assert counts == {"deployments": 3, "slos": 3, "applications": 4}
    application = (await client.get("/api/applications/scadr")).json()
    assert len(application["files"]) > 1
    assert await by_ones(client, "/api/applications/scadr", "files") == application["files"]
