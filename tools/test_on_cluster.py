"""The conformance cases and the journeys of a browser, on a real cluster instead of the embedded store."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from cluster.fixture import cluster, cluster_keyspace
from cluster.running import Cluster

__all__ = ["cluster", "cluster_keyspace"]

PORT = "8441"  # the end-to-end suite may run beside this one, from its own port on
OF_THE_STORE = (  # what such a journey asks of the store; how screens look is the same on every store
    "is deployed as a new version",
    "a refusal of the data",
    "a new index is built",
    "is rolled back",
    "thoughtstream runs",
    "page by page",
    "a thought that is posted",
    "the 101st subscription",
    "bytes and whole numbers",
)
ROOT = Path(__file__).resolve().parent.parent
pytestmark = pytest.mark.cluster


@pytest.mark.parametrize(
    ("driver", "every"),
    [("scylla", 3), *(pytest.param(driver, 1, marks=pytest.mark.long) for driver in ("scylla", "rust"))],
)
def test_every_conformance_case_passes(
    cluster: Cluster, cluster_keyspace: str, driver: str, every: int, tmp_path: Path
) -> None:
    """Every third one; the long tests run all. Each has tables of its own, which take the nodes three seconds."""
    report = tmp_path / "conformance.json"
    url = cluster.url(cluster_keyspace, f"prefix={driver[0]}{every}_{{n}}_&timeout=30&driver={driver}")
    command = [sys.executable, str(ROOT / "tools" / "conformance.py"), str(report), "--url", url]
    command += ["--every", str(every)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    print(run.stdout, run.stderr)
    results = json.loads(report.read_text())
    if results["found"]:  # the cases stand beside some repositories only; the conformance suite says so
        assert results["passing"] == results["cases"], run.stdout


def test_what_is_deployed_to_a_cluster_is_run_in_a_browser(
    cluster: Cluster, cluster_keyspace: str, tmp_path: Path
) -> None:
    url = cluster.url(cluster_keyspace, "timeout=30")
    hold_journeys(("3-deploy-and-run",), url, tmp_path / "journeys.json", OF_THE_STORE)


@pytest.mark.long
def test_whole_journeys_go_over_a_cluster_in_a_browser(cluster: Cluster, cluster_keyspace: str, tmp_path: Path) -> None:
    url = cluster.url(cluster_keyspace, "timeout=30")
    journeys = ("2-predict", "3-deploy-and-run", "4-compare", "17-side-by-side", "23-change")
    hold_journeys(journeys, url, tmp_path / "journeys.json")


def hold_journeys(names: Sequence[str], store: str, report: Path, titles: Sequence[str] = ()) -> None:
    """Run journeys of the end-to-end suite on a store, of which none may fail, at the first attempt.

    `titles` holds parts of titles: only tests with one of them are run, and each has to be there.
    """
    assert (ROOT / "frontend/dist/index.html").exists(), "build the front end first: make frontend/dist/index.html"
    subprocess.run([str(ROOT / "tools" / "setup-chromium.sh")], check=True)
    here = {"PIQL_E2E_STORE": store, "SAMPLE_USERS": "150", "PLAYWRIGHT_JSON_OUTPUT_FILE": str(report)}
    here |= {"PIQL_E2E_PORT": PORT}
    command = ["npx", "--no-install", "playwright", "test", "--workers=1", "--reporter=list,json", *names]
    command += [f"--grep={'|'.join(map(re.escape, titles))}"] if titles else []
    command += [f"--output={ROOT / '.test-results' / 'journeys-on-cluster'}"]
    run = subprocess.run(command, cwd=ROOT / "e2e", env=os.environ | here, capture_output=True, text=True, check=False)
    print(run.stdout, run.stderr)
    statistics = json.loads(report.read_text())["stats"]
    assert statistics["unexpected"] == statistics["flaky"] == 0, run.stdout
    assert statistics["expected"] >= max(len(names), len(titles))
