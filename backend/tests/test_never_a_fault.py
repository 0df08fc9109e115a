"""Whatever is sent to whichever endpoint, the answer is never a fault of the backend, and is declared in the API."""

from __future__ import annotations

import copy
import json
import random
from urllib.parse import quote

import httpx
import pytest
from piql_backend.reports.schemas import CellColumns

ENVIRONMENT = "/api/applications/{application}/environments/{environment}"
MUTANTS = 40
FILE = {
    "path": "a.piql",
    "text": "CREATE TABLE t (a INT PRIMARY KEY); CREATE QUERY q AS SELECT a FROM t WHERE a = [a];",
}
SLO = {"quantile": 0.99, "threshold_ms": 500, "interval_seconds": 600}
SHIPMENT = {
    "client": "0" * 32,
    "sequence": 0,
    "lost": 0,
    "queries": ["q"],
    "outcomes": ["ok"],
    "cells": {name: [0] for name in CellColumns.model_fields},
}
BODIES: dict[tuple[str, str], object] = {
    ("post", "/api/compilations"): {"files": [FILE]},
    **{
        ("post", f"/api/language/{asked}"): {"files": [FILE], "file": "a.piql", "line": 1, "column": 14}
        for asked in ("completions", "signatures", "hovers", "definitions", "references", "names")
    },
    ("post", "/api/language/renames"): {
        "files": [FILE],
        "file": "a.piql",
        "line": 1,
        "column": 14,
        "new_name": "b",
    },
    ("post", "/api/language/tokens"): {"files": [FILE], "file": "a.piql"},
    ("post", "/api/language/outlines"): FILE,
    ("post", "/api/language/folds"): FILE,
    ("post", "/api/language/formats"): FILE,
    ("post", "/api/applications"): {"title": "x", "id": None, "template": None, "files": [FILE]},
    ("patch", "/api/applications/{application}"): {"title": "x", "is_archived": None},
    ("post", "/api/applications/{application}/duplicates"): {"title": "x"},
    ("post", "/api/applications/{application}/files"): {"path": "b.piql", "text": ""},
    ("put", "/api/applications/{application}/files/{path}"): {"text": "", "base_revision": "none"},
    ("post", "/api/applications/{application}/parameter-sets"): {"query": "q", "name": "x", "parameters": {"a": 1}},
    ("put", "/api/applications/{application}/parameter-sets/{set_id}"): {
        "name": "x",
        "parameters": {"a": [1]},
        "base_revision": "none",
    },
    ("post", "/api/applications/{application}/threads"): {
        "anchor": {"kind": "line", "path": "a.piql", "line": 1, "quote": ""},
        "text": "x",
    },
    ("post", "/api/applications/{application}/threads/{number}/comments"): {"text": "x"},
    ("put", "/api/applications/{application}/threads/{number}/comments/{comment}"): {"text": "x", "revision": 1},
    ("post", f"{ENVIRONMENT}/profile-runs"): {"grid": {"row_bytes": [0]}, "interval_seconds": 1, "intervals": 1},
    ("post", f"{ENVIRONMENT}/predictions"): {"files": [FILE], "query": "q", "run_id": "none", "slo": SLO},
    ("post", f"{ENVIRONMENT}/prediction-sets"): {"files": [FILE], "queries": ["q"], "run_id": "none", "slo": SLO},
    ("post", f"{ENVIRONMENT}/heatmaps"): {
        "files": [FILE],
        "query": "q",
        "run_id": "none",
        "x": {"symbol": "a", "values": [1]},
        "y": {"symbol": "b", "values": None},
        "slo": SLO,
        "values": {"b": 1},
    },
    ("post", f"{ENVIRONMENT}/capacity-reports"): {
        "files": [FILE],
        "run_id": "none",
        "rates": {"q": {"low": 1, "mid": 2, "high": 3}},
        "slo": SLO,
        "slos": {"q": SLO},
        "limits": {"a": 1},
        "users": 1000,
        "shown_users": [1000],
        "rows_of_user": {"t": 1},
        "unbounded": {"q": 1},
        "busy": 0.5,
    },
    ("post", f"{ENVIRONMENT}/stripe-dials"): {
        "files": [FILE],
        "run_id": "none",
        "view": "v",
        "per_second": 10,
        "also": [3],
    },
    ("post", f"{ENVIRONMENT}/page-predictions"): {"files": [FILE], "page": "q, q | q", "run_id": "none", "slo": SLO},
    ("post", f"{ENVIRONMENT}/deployments/preview"): {"files": [FILE]},
    ("post", f"{ENVIRONMENT}/deployments"): {
        "files": [FILE],
        "run_id": None,
        "base_version": 1,
        "base_revisions": {"a.piql": "none"},
        "removes": ["q"],
    },
    ("post", f"{ENVIRONMENT}/deployments/rollback"): {"base_version": 1},
    ("post", f"{ENVIRONMENT}/deployments/{{deployment_id}}/queries/{{name}}/executions"): {
        "parameters": {"me": "a", "count": 1},
        "cursor": None,
    },
    ("post", f"{ENVIRONMENT}/selects"): {
        "text": "SELECT username FROM users WHERE username = [1: me]",
        "parameters": {"me": "a"},
        "cursor": None,
    },
    ("post", f"{ENVIRONMENT}/bursts"): {"deployment_id": "live", "query": "none", "executions": 1, "concurrency": 1},
    ("put", f"{ENVIRONMENT}/slos/{{query}}"): SLO,
    ("post", f"{ENVIRONMENT}/reports"): SHIPMENT,
    ("post", f"{ENVIRONMENT}/alerts/silences"): {"minutes": 60, "reason": "a test", "kind": None, "query": "none"},
    ("post", f"{ENVIRONMENT}/slos/openslo"): {"text": "kind: SLO"},
}
VALUES: list[object] = [
    None,
    True,
    0,
    -1,
    1.5,
    2**70,
    1e308,
    "",
    "x",
    "\0",
    "é😀",
    "../..",
    [],
    {},
    [None],
    {"$base64": 1},
]
NAMES = [
    "live",
    "scadr",
    "thoughtstream",
    "none",
    "\0",
    "é😀",
    "..",
    "a/b",
    "%",
    "'; DROP TABLE slos",
    "x" * 300,
    "d1",
    "-",
]


def _in_development(path: str) -> str:
    return path.replace("{application}", "scadr").replace("{environment}", "development")


def places(value: object) -> list[tuple[object, ...]]:
    """The path of every value inside a JSON value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [(), *((key, *rest) for key, child in inner for rest in places(child))]


def mutant(body: object, chance: random.Random) -> object:
    """The body with one value replaced, or a key added or removed."""
    changed: object = [copy.deepcopy(body)]
    *way, last = (0, *chance.choice(places(body)))
    target = changed
    for key in way:
        target = target[key]  # type: ignore[index]
    match chance.randrange(4):
        case 0 if isinstance(target, dict):
            del target[last]
        case 1 if isinstance(target, dict):
            target[chance.choice(["", "extra", "\0"])] = chance.choice(VALUES)
        case _:
            target[last] = chance.choice(VALUES)  # type: ignore[index]
    return changed[0]  # type: ignore[index]


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(1, 10))])
async def test_no_request_ends_in_a_fault(client: httpx.AsyncClient, seed: int) -> None:
    chance = random.Random(seed)
    document = (await client.get("/api/openapi.json")).json()
    asked = 0
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            for _ in range(MUTANTS if (method, path) in BODIES else 6):
                url = path if chance.random() < 0.1 else _in_development(path)
                for parameter in operation.get("parameters", ()):
                    value = quote(chance.choice(NAMES), safe="")
                    url = url.replace(f"{{{parameter['name']}}}", value)
                    if parameter["in"] == "query":
                        url += f"?{parameter['name']}={value}"
                body = BODIES.get((method, path))
                content = None if body is None else json.dumps(mutant(body, chance))
                headers = {"content-type": "application/json"}
                answer = await client.request(method, url, content=content, headers=headers)
                asked += 1
                what = (method, url, content, answer.status_code, answer.text[:300])
                assert answer.status_code < 500, what
                is_declared = str(answer.status_code) in operation["responses"]
                assert is_declared or answer.status_code in (404, 405), what
                if answer.status_code >= 400:
                    assert answer.json()["message"], what
    assert asked > 500
