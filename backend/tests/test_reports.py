"""Reports of applications: what an application executed is what the workbench shows, once, also after a kill."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from time import time
from typing import Any

import httpx
import piql
import pytest
from piql.client.reported import ReportedDatabase
from piql.reporting.cells import Folded, bucket_of
from piql.reporting.shipment import shipments
from piql_backend.app import create_app
from piql_backend.database.connection import Database, now
from piql_backend.reports import service
from piql_backend.reports.repository import ReportedTable
from piql_backend.reports.schemas import Shipment
from piql_backend.reports.service import Reports
from piql_backend.settings import Settings

from .conftest import DEVELOPMENT

REPORTS = f"{DEVELOPMENT}/reports"
CLIENT = "0123456789abcdef" * 2
HEADERS = {"content-type": "application/json", "content-encoding": "gzip"}


class Executed:
    """A query as reports see it."""

    name, version, bound = "findUser", 1, 4


def shipment(count: int = 10, ms: float = 2.0, sequence: int = 0, minutes_ago: int = 0, size: int = 1) -> bytes:
    folded = Folded()
    execution = (Executed(), "ok", bucket_of(ms / 1000), size, size, 0, size)
    folded.fold([execution] * count, int(time() // 60) - minutes_ago)
    (packed,) = shipments(folded, CLIENT, sequence)
    return packed


def unpacked(packed: bytes) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(gzip.decompress(packed))
    return content


async def reported(client: httpx.AsyncClient, window_seconds: int = 3600) -> dict[str, Any]:
    answer = await client.get(REPORTS, params={"window_seconds": window_seconds})
    assert answer.status_code == 200, answer.text
    content: dict[str, Any] = answer.json()
    return content


def test_what_an_application_executes_is_what_the_workbench_counts(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIQL_REPORT_SPOOL", str(tmp_path / "spool"))
    store = f"embedded:{tmp_path / 'store'}"
    with piql.connect(store, report=f"{address}{REPORTS}") as db:
        db.deploy(
            piql.compile(
                "CREATE TABLE users (name VARCHAR(9) PRIMARY KEY);"
                "CREATE QUERY findThem AS SELECT name FROM users WHERE name IN ([1: names] MAX 8);"
            )
        )
        for number in range(1200):
            db.execute("findThem", {"names": [f"u{n}" for n in range(1 + number % 4)]})
        with pytest.raises(piql.InvalidParameter):
            db.execute("findThem")
        assert isinstance(db, ReportedDatabase)
        db.reporter.fold()
        assert db.reporter.ship(60)
    (query,) = httpx.get(f"{address}{REPORTS}").json()["queries"]
    assert (query["query"], query["executions"]) == ("findThem", 1201)
    assert query["outcomes"] == [
        {"outcome": "ok", "executions": 1200},
        {"outcome": "InvalidParameter", "executions": 1},
    ]
    assert [(size["least_requests"], size["most_requests"], size["executions"]) for size in query["sizes"]] == [
        (1, 1, 300),
        (2, 3, 600),
        (4, 4, 300),
    ]
    assert (query["requests"], query["most_requests"], query["over_bound"]) == (300 * 10, 4, 0)
    assert list((tmp_path / "spool").glob("*/*.gz")) == []


async def test_a_shipment_that_comes_again_is_not_counted_again(client: httpx.AsyncClient) -> None:
    for is_new in (True, False):
        answer = await client.post(REPORTS, content=shipment(), headers=HEADERS)
        assert answer.json() == {"is_new": is_new, "executions": 10}
    assert (await reported(client))["executions"] == 10


async def test_quantiles_are_those_of_the_counts_and_sizes_are_apart(client: httpx.AsyncClient) -> None:
    for sequence, (count, ms, size) in enumerate([(980, 2.0, 1), (20, 50.0, 4)]):
        content = shipment(count, ms, sequence, size=size)
        assert (await client.post(REPORTS, content=content, headers=HEADERS)).status_code == 200
    (query,) = (await reported(client))["queries"]
    assert query["p50_ms"] == pytest.approx(2.0, rel=0.023)
    assert query["p99_ms"] == pytest.approx(50.0, rel=0.023)
    assert [size["p99_ms"] for size in query["sizes"]] == [query["p50_ms"], query["p99_ms"]]


async def test_a_request_over_the_bound_is_counted(client: httpx.AsyncClient) -> None:
    await client.post(REPORTS, content=shipment(3, size=5), headers=HEADERS)
    (query,) = (await reported(client))["queries"]
    assert (query["over_bound"], query["bound_requests"], query["most_requests"]) == (3, 4, 5)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda sent: sent["cells"]["rows"].append(1), "different lengths"),
        (lambda sent: sent["cells"].update(query=[7]), "names a query"),
        (lambda sent: sent["cells"].update(outcome=[7]), "names an outcome"),
        (lambda sent: sent["cells"].update(minute=[1]), "older than 90 days"),
        (lambda sent: sent["cells"].update(minute=[2**31 - 1]), "counts from the future"),
        (lambda sent: sent["cells"].update(executions=[-1]), "must be at least 0"),
        (lambda sent: sent["cells"].update(executions=[2**53]), "may be at most 1,099,511,627,776"),
        (lambda sent: sent.update(client="../../x"), "client"),
    ],
)
async def test_a_shipment_that_cannot_be_right_is_refused_whole(
    client: httpx.AsyncClient, change: Any, complaint: str
) -> None:
    sent = unpacked(shipment())
    change(sent)
    answer = await client.post(REPORTS, json=sent)
    assert answer.status_code == 422
    assert complaint in answer.json()["message"]
    assert (await reported(client))["queries"] == []


@pytest.mark.parametrize(
    ("content", "status"), [(b"no gzip", 400), (gzip.compress(b"{"), 400), (gzip.compress(bytes(25_000_000)), 413)]
)
async def test_a_body_that_is_damaged_or_too_large_is_refused(
    client: httpx.AsyncClient, content: bytes, status: int
) -> None:
    assert (await client.post(REPORTS, content=content, headers=HEADERS)).status_code == status


async def test_pages_of_other_origins_and_other_machines_cannot_report(settings: Settings) -> None:
    app = create_app(settings)
    async with app.router.lifespan_context(app):
        for client, headers, code in (
            ("127.0.0.1", {"origin": "https://evil.example"}, "foreign-origin"),
            ("192.0.2.7", {}, "report-from-elsewhere"),
        ):
            transport = httpx.ASGITransport(app, client=(client, 1))
            async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as stranger:
                answer = await stranger.post(REPORTS, content=shipment(), headers={**HEADERS, **headers})
                assert (answer.status_code, answer.json()["code"]) == (403, code)


TAKE = """
import os, signal, sys
from pathlib import Path
from piql_backend.database.connection import Database
from piql_backend.reports.repository import ReportedTable
from piql_backend.reports.schemas import Shipment
from piql_backend.reports.service import Reports
Reports(ReportedTable(Database(Path(sys.argv[1])))).take(Shipment.model_validate_json(sys.stdin.read()))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_shipment_that_was_taken_is_there_after_a_kill(tmp_path: Path) -> None:
    file = tmp_path / "kept.duckdb"
    text = gzip.decompress(shipment())
    assert subprocess.run([sys.executable, "-c", TAKE, str(file)], input=text, check=False).returncode < 0
    reports = Reports(ReportedTable(Database(file)))
    assert not reports.take(Shipment.model_validate_json(text)).is_new
    assert reports.read(3600).executions == 10


def test_old_counts_are_put_together_by_the_hour_and_lose_none(tmp_path: Path) -> None:
    database = Database(tmp_path / "kept.duckdb")
    reports = Reports(ReportedTable(database))
    ago = int(timedelta(days=3).total_seconds() // 60)
    for sequence in range(90):
        reports.take(Shipment.model_validate(unpacked(shipment(2, sequence=sequence, minutes_ago=ago + sequence))))
    before = reports.read(7 * 86_400)
    reports.tidy()
    after = reports.read(7 * 86_400)
    assert after.queries == before.queries
    assert after.executions == 180
    with database.read() as cursor:
        for table, most in (("reported_hours", 3), ("reported_days", 2)):
            rows = cursor.execute(f"SELECT count(*) <= {most}, sum(executions)::INT FROM {table}").fetchall()
            assert rows == [(True, 180)]
        assert cursor.execute("SELECT count(*) FROM reported").fetchall() == [(0,)]
        assert cursor.execute("SELECT max(taken_at) <= ? FROM shipments_taken", [now()]).fetchall() == [(True,)]


def test_an_answer_has_the_busiest_queries_and_says_how_many_others_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "MOST_QUERIES", 2)
    database = Database(tmp_path / "workbench.duckdb")
    reports = Reports(ReportedTable(database))
    folded = Folded()
    for number, name in enumerate(("seldom", "often", "now and then")):
        query = Executed()
        query.name = name
        folded.fold([(query, "ok", bucket_of(0.001), 1, 1, 0, 1)] * (1, 9, 3)[number], int(time() // 60))
    (packed,) = shipments(folded, CLIENT, 0)
    reports.take(Shipment.model_validate(unpacked(packed)))
    answer = reports.read(3600)
    assert ([query.query for query in answer.queries], answer.queries_left_out) == (["often", "now and then"], 1)
    assert answer.executions == 13
    database.close()
