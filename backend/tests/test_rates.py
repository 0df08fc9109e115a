"""One client's runaway script is refused for a moment; nobody else hears of it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace

import httpx
import pytest
from piql_backend.app import create_app
from piql_backend.settings import Settings
from piql_backend.web.allowances import MOST_KEYS
from piql_backend.web.rate_limit import RateLimit
from piql_backend.web.rates import BURST_SECONDS, KINDS, Buckets, Kind, Rates, client_of, kind_of
from starlette.responses import PlainTextResponse

from .conftest import DEVELOPMENT

Running = Callable[[Settings], AbstractAsyncContextManager[httpx.AsyncClient]]

RATES = Rates(executions=2, compiles=1, deployments=0.5, others=4)


@dataclass
class Clock:
    """Time that passes when the test says so."""

    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize("kind", KINDS)
def test_a_client_may_make_as_many_as_a_full_bucket_holds_and_is_then_told_when_the_next(kind: Kind) -> None:
    clock = Clock()
    buckets = Buckets(RATES, clock)
    rate = RATES.of(kind)
    for _ in range(int(rate * BURST_SECONDS)):
        assert buckets.take("a", kind) == 0.0
    wait = buckets.take("a", kind)
    assert wait == pytest.approx(1 / rate)
    assert buckets.take("b", kind) == 0.0
    clock.now += wait
    assert buckets.take("a", kind) == 0.0
    assert buckets.take("a", kind) > 0


def test_who_goes_on_asking_gets_the_rate_and_no_more_however_often_it_is_refused() -> None:
    clock = Clock()
    buckets = Buckets(RATES, clock)
    taken = 0
    for _ in range(60_000):
        taken += buckets.take("a", "executions") == 0.0
        clock.now += 0.01
    assert taken == pytest.approx(2 * (600 + BURST_SECONDS), abs=1)


def test_one_kind_of_request_takes_nothing_from_another() -> None:
    buckets = Buckets(RATES, Clock())
    while buckets.take("a", "compiles") == 0.0:
        pass
    assert buckets.take("a", "executions") == 0.0


def test_a_rate_of_zero_is_no_limit() -> None:
    buckets = Buckets(Rates(executions=0), Clock())
    assert {buckets.take("a", "executions") for _ in range(10_000)} == {0.0}
    assert len(buckets) == 0


def test_a_rate_of_less_than_one_in_a_burst_still_lets_one_through() -> None:
    buckets = Buckets(Rates(deployments=0.01), Clock())
    assert [buckets.take("a", "deployments") for _ in range(2)] == [0.0, pytest.approx(100)]


def test_full_buckets_are_forgotten_and_no_more_are_kept_than_there_may_be() -> None:
    clock = Clock()
    buckets = Buckets(RATES, clock)
    for number in range(MOST_KEYS + 500):
        buckets.take(str(number), "others")
    assert len(buckets) == MOST_KEYS
    clock.now += 60
    buckets.take("last", "others")
    assert len(buckets) == 1


@pytest.mark.parametrize(
    ("address", "other", "is_same"),
    [
        ("10.0.0.1", "10.0.0.2", False),
        ("2001:db8::1", "2001:db8::ffff:2", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("fe80::1%eth0", "fe80::2%eth1", True),
        ("::ffff:10.0.0.1", "10.0.0.1", True),
        ("", "testclient", False),
    ],
)
def test_a_client_is_an_address_or_the_network_of_one(address: str, other: str, is_same: bool) -> None:
    assert (client_of(address) == client_of(other)) == is_same


def test_whatever_runs_compiles_or_deploys_has_a_limit_of_its_own() -> None:
    document = create_app().openapi()["paths"]
    kinds = {
        operation["operationId"]: kind_of(method.upper(), path)
        for path, operations in document.items()
        for method, operation in operations.items()
    }
    by_kind = {kind: {name for name, of in kinds.items() if of == kind} for kind in KINDS}
    assert by_kind["executions"] == {"create_execution", "read_sample_parameters"}
    language = {operation["operationId"] for path in document.values() for operation in path.values()
                if operation.get("tags") == ["language"]}  # fmt: skip
    assert by_kind["compiles"] == language | {
        "create_compilation", "create_compilation_in_parts", "create_prediction", "create_prediction_set",
        "create_page_prediction",
        "create_heatmap", "create_safe_limits", "preview_deployment", "create_schema_import", "run_select",
    }  # fmt: skip
    assert by_kind["deployments"] == {
        "create_deployment", "roll_back", "create_build", "pause_build", "resume_build", "cancel_build",
        "create_profile_run", "cancel_profile_run", "resume_profile_run", "look_at_profile_run", "create_burst",
        "import_profile_run", "load_sample", "create_load_run", "cancel_load_run", "run_experiment",
        "begin_reported_load_run", "report_load_seconds", "report_load_result",
        "create_application", "duplicate_application", "export_application", "announce_archive", "import_files",
        "import_folder", "import_repository", "import_keyspace", "make_imported_application",
    }  # fmt: skip


async def test_the_refusal_says_in_words_and_in_a_header_when_to_ask_again() -> None:
    clock, rates = Clock(), Rates(others=0.2)
    application = RateLimit(PlainTextResponse("done"), rates, Buckets(rates, clock))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(application), base_url="http://127.0.0.1") as client:
        answers = [await client.get(f"{DEVELOPMENT}/slos") for _ in range(3)]
        assert [answer.status_code for answer in answers] == [200, 200, 429]
        refused = answers[-1]
        assert refused.headers["retry-after"] == "5"
        body = refused.json()
        assert body["code"] == "too-many-requests"
        assert body["message"].startswith(
            "Too many requests from one address: at most 0.2 a second are allowed, and 2 at once"
        )
        assert body["help"] == "Try again in 5 s."
        clock.now += 5
        assert (await client.get(f"{DEVELOPMENT}/slos")).status_code == 200


async def test_a_workbench_keeps_the_rates_of_its_settings(settings: Settings, running: Running) -> None:
    async with running(replace(settings, rates=Rates(compiles=0.1))) as client:
        body = {"files": []}
        first, second = [await client.post("/api/compilations", json=body) for _ in range(2)]
        assert (first.status_code, second.status_code) == (200, 429)
        assert second.headers["x-content-type-options"] == "nosniff"
        assert (await client.get(f"{DEVELOPMENT}/slos")).status_code == 200
        metrics = (await client.get("/metrics")).text
        assert 'piql_http_requests_total{method="POST",status="429"} 1' in metrics


def test_rates_are_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RATE_EXECUTIONS", "7.5")
    monkeypatch.setenv("RATE_OTHERS", "0")
    assert Settings.from_environment().rates == replace(Rates(), executions=7.5, others=0.0)
    for text in ("-1", "nan", "inf"):
        monkeypatch.setenv("RATE_OTHERS", text)
        with pytest.raises(ValueError, match="RATE_OTHERS"):
            Settings.from_environment()
