"""SLOs as rules for Prometheus: they speak of what is exported, and fire when a budget burns, as promtool runs them."""

from __future__ import annotations

import io
import re
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.request import OpenerDirector, Request

import httpx
import piql
import pytest
import yaml
from piql_backend.commands.serve import slo as slo_command
from piql_backend.prometheus_rules.rules import Metrics, Scraped, rules_of
from piql_backend.slos.schemas import SloRead
from prometheus_client.parser import text_string_to_metric_families

from .conftest import DEVELOPMENT
from .test_reports import HEADERS, REPORTS, shipment

ROOT = Path(__file__).resolve().parents[2]
RULES = f"{DEVELOPMENT}/prometheus-rules"
SELECTOR = re.compile(r"(piql_\w+)\{([^}]*)\}")


def slo(query: str = "findUser", quantile: float = 0.99, threshold_ms: float = 500.0) -> SloRead:
    return SloRead(
        query=query,
        quantile=quantile,
        threshold_ms=threshold_ms,
        interval_seconds=600,
        updated_at=datetime(2026, 1, 1, tzinfo=UTC),
    )


def rules(text: str) -> list[dict[str, Any]]:
    return [rule for group in yaml.safe_load(text)["groups"] for rule in group["rules"]]


def unmatched(text: str, exported: str) -> set[str]:
    """The selectors of rules that select no sample of what is exported."""
    samples = [sample for family in text_string_to_metric_families(exported) for sample in family.samples]
    missing = set()
    for rule in rules(text):
        for name, matchers in SELECTOR.findall(rule["expr"]):
            labels = dict(re.findall(r'(\w+)="([^"]*)"', matchers))
            if not any(sample.name == name and labels.items() <= sample.labels.items() for sample in samples):
                missing.add(f"{name}{{{matchers}}}")
    return missing


async def test_they_speak_of_what_the_workbench_exports(client: httpx.AsyncClient) -> None:
    for query, threshold in (("findUser", 3.7), ("thoughtstream", 1000)):
        body = {"quantile": 0.99, "threshold_ms": threshold, "interval_seconds": 600}
        assert (await client.put(f"{DEVELOPMENT}/slos/{query}", json=body)).status_code == 200
    await client.post(REPORTS, content=shipment(), headers=HEADERS)
    answer = await client.get(RULES)
    missing = unmatched(answer.text, (await client.get("/metrics")).text)
    assert missing  # nothing was reported of thoughtstream
    assert all('query="thoughtstream"' in selector for selector in missing)
    assert 'le="0.0037"' in answer.text


def test_they_speak_of_what_an_application_exports() -> None:
    exporter = piql.PrometheusExporter({"findUser": 1000})
    with piql.connect("embedded:", report="", exporter=exporter) as db:
        text = "CREATE TABLE users (name VARCHAR(9) PRIMARY KEY);"
        db.deploy(piql.compile(f"{text}CREATE QUERY findUser AS SELECT name FROM users WHERE name = [1: n];"))
        db.execute("findUser", {"n": "ada"})
    written = rules_of([slo(threshold_ms=1000)], Scraped("scadr", "production", "client"))
    assert unmatched(written, exporter.text()) == set()
    assert unmatched(rules_of([slo(threshold_ms=999)], Scraped("scadr", "production", "client")), exporter.text())


@pytest.mark.parametrize(("quantile", "windows"), [(0.99, "1h 6h 1d 3d"), (0.9, "6h 1d 3d"), (0.5, "3d")])
def test_a_factor_that_no_query_can_reach_has_no_alert(quantile: float, windows: str) -> None:
    written = rules(rules_of([slo(quantile=quantile)], Scraped("scadr", "production")))
    alerts = [rule for rule in written if rule.get("alert") == "PiqlBudgetBurning"]
    assert [alert["labels"]["window"] for alert in alerts] == windows.split()
    assert all(rule.keys() <= {"record", "alert", "expr", "for", "labels", "annotations"} for rule in written)


async def test_a_job_is_asked_for_and_written_so_that_it_stays_one(client: httpx.AsyncClient) -> None:
    body = {"quantile": 0.99, "threshold_ms": 50, "interval_seconds": 600}
    await client.put(f"{DEVELOPMENT}/slos/findUser", json=body)
    answer = await client.get(RULES, params={"metrics": "client", "job": 'a"} or vector(1) #\\'})
    assert answer.headers["content-type"].startswith("text/plain")
    assert 'job="a\\"} or vector(1) #\\\\", le="0.05"}' in rules(answer.text)[0]["expr"]
    assert (await client.get(RULES, params={"metrics": "others"})).status_code == 422


def test_the_command_prints_them(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    asked = []

    def answer(_opener: OpenerDirector, request: Request, timeout: float) -> io.BytesIO:
        asked.append(request.full_url)
        return io.BytesIO(b"groups: []\n")

    monkeypatch.setattr(OpenerDirector, "open", answer)
    arguments = ["--output", "rules", "--metrics", "client", "--job", "shop & more", "--environment", "production"]
    assert slo_command(arguments) == 0
    assert capsys.readouterr().out == "groups: []\n"
    path = "/api/applications/scadr/environments/production/prometheus-rules?metrics=client&job=shop+%26+more"
    assert asked == [f"http://127.0.0.1:8400{path}"]


@pytest.fixture(scope="session")
def promtool() -> str:
    command = [str(ROOT / "tools" / "setup-promtool.sh")]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=300).stdout.strip()


def series(metrics: Metrics, name: str, values: str, **labels: str) -> dict[str, str]:
    place = {"application": "scadr", "environment": "production"} if metrics == "reported" else {"job": "scadr"}
    shown = ", ".join(f'{label}="{value}"' for label, value in {**place, "query": "findUser", **labels}.items())
    return {"series": f"piql_{metrics}_{name}{{{shown}}}", "values": values}


def firing(promtool: str, folder: Path, metrics: Metrics, counted: dict[str, str], at: str, windows: str) -> str:
    """What promtool says to alerts that fire for these windows at a time, of counters sampled once a minute."""
    (folder / "rules.yaml").write_text(rules_of([slo()], Scraped("scadr", "production", metrics)))
    inputs = [
        series(metrics, "execution_seconds_bucket", counted["within"], le="0.5"),
        series(metrics, "execution_seconds_count", counted["all"]),
        series(metrics, "failed_total", counted.get("failed", "0x10000")),
    ]
    alerts = 'count by (window) (ALERTS{alertname="PiqlBudgetBurning", alertstate="firing"})'
    expected = [{"labels": f'{{window="{window}"}}', "value": 1} for window in sorted(windows.split())]
    checked = {"expr": alerts, "eval_time": at, "exp_samples": expected}
    test = {"interval": "1m", "input_series": inputs, "promql_expr_test": [checked]}
    document = {"rule_files": ["rules.yaml"], "evaluation_interval": "1m", "tests": [test]}
    (folder / "test.yaml").write_text(yaml.safe_dump(document))
    for command in (["check", "rules", "rules.yaml"], ["test", "rules", "test.yaml"]):
        run = subprocess.run([promtool, *command], cwd=folder, capture_output=True, text=True, timeout=300, check=False)
        if run.returncode:
            return run.stdout + run.stderr
    return ""


@pytest.mark.long
@pytest.mark.parametrize("metrics", ["reported", "client"])
@pytest.mark.parametrize(
    ("counted", "at", "windows"),
    [
        ({"within": "0+80x200", "all": "0+100x200"}, "2h", "1h 6h 1d 3d"),  # 20 % break it: all pairs see it
        ({"within": "0+90x200", "all": "0+100x200"}, "2h", "6h 1d 3d"),  # 10 %: too slow for 14.4
        ({"within": "0+980x4400", "all": "0+1000x4400"}, "73h", "3d"),  # 2 % for three days
        ({"within": "0+995x4400", "all": "0+1000x4400"}, "73h", ""),  # 0.5 %: kept
        ({"within": "0+100x200", "all": "0+100x200", "failed": "0+25x200"}, "2h", "1h 6h 1d 3d"),  # failures break it
        ({"within": "0x60", "all": "0+1x60"}, "59m", ""),  # 59 executions show no p99
        ({"within": "0x200", "all": "0+1x200"}, "3h", "6h 1d 3d"),  # 180 do, and the last hour has 60
        ({"within": "0+80x60 4900+100x20", "all": "0+100x80"}, "70m", "6h 1d 3d"),  # it is over since ten minutes
        ({"within": "0x200", "all": "0x200"}, "2h", ""),  # nothing runs
    ],
)
def test_promtool_fires_what_burns_and_nothing_else(
    promtool: str, tmp_path: Path, metrics: Metrics, counted: dict[str, str], at: str, windows: str
) -> None:
    assert firing(promtool, tmp_path, metrics, counted, at, windows) == ""


@pytest.mark.long
def test_promtool_fires_where_no_bucket_ends_at_the_threshold(promtool: str, tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text(rules_of([slo(threshold_ms=300)], Scraped("scadr", "production", "client")))
    inputs = [
        series("client", "execution_seconds_bucket", "0+1x60", le="0.5"),
        series("client", "execution_seconds_count", "0+1x60"),
    ]
    alerts = 'count(ALERTS{alertname="PiqlSloBucketMissing", alertstate="firing"})'
    checks = [
        {"expr": alerts, "eval_time": "10m", "exp_samples": []},
        {"expr": alerts, "eval_time": "30m", "exp_samples": [{"labels": "{}", "value": 1}]},
    ]
    test = {"interval": "1m", "input_series": inputs, "promql_expr_test": checks}
    document = {"rule_files": ["rules.yaml"], "evaluation_interval": "1m", "tests": [test]}
    (tmp_path / "test.yaml").write_text(yaml.safe_dump(document))
    command = [promtool, "test", "rules", "test.yaml"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
