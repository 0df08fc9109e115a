"""Alerts: told once when something goes wrong and once when it is over, signed, and only to hosts that are listed."""

from __future__ import annotations

import hashlib
import hmac
import json
import threading
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from piql_backend.alerts import service
from piql_backend.alerts.destination import destination_of
from piql_backend.alerts.mailbox import Mailbox, MailSettings, mailbox_of
from piql_backend.alerts.repository import MOST_SILENCES, AlertTable
from piql_backend.alerts.schemas import SilenceWrite
from piql_backend.alerts.service import Alerts, Target
from piql_backend.database.connection import Database
from piql_backend.latency.budgets import budget_of
from piql_backend.latency.repository import SloInterval
from piql_backend.latency.schemas import (
    AgreementRead,
    AnomalyRead,
    ComplianceAgreementRead,
    IncidentRead,
    LatencyRead,
    PredictedComplianceRead,
    QueryLatencyRead,
    UnusualQueriesRead,
    UnusualQueryRead,
)
from piql_backend.slos.schemas import SloRead
from piql_backend.web.errors import ApiError

from .mail_receiver import MailReceiver
from .test_latency_budgets import in_all_windows
from .test_latency_table import database

__all__ = ["database"]
SECRET = "only these two know it"


class Receiver:
    """Takes alerts by HTTP, and answers `statuses` one after the other, the last one for ever."""

    def __init__(self) -> None:
        self.statuses = [200]
        self.taken: list[tuple[dict[str, Any], dict[str, str], bytes]] = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.taken.append((json.loads(body), dict(self.headers), body))
                status = receiver.statuses.pop(0) if len(receiver.statuses) > 1 else receiver.statuses[0]
                self.send_response(status)
                self.send_header("Location", "http://127.0.0.1:1/elsewhere")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *args: object) -> None: ...

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}).start()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    started = Receiver()
    yield started
    started.server.shutdown()
    started.server.server_close()


def dashboard(
    over_bound: int = 0,
    kept: int = 1000,
    agreement: str = "agrees",
    incidents: list[IncidentRead] | None = None,
    compliance: str | None = None,
) -> LatencyRead:
    """The dashboard of one query, as far as alerts read it."""
    slo = SloRead(query="q", quantile=0.99, threshold_ms=10, interval_seconds=600, updated_at=datetime(2026, 6, 5))
    shares = ComplianceAgreementRead.model_construct(
        outcome=compliance, executions=900, within=850, least=0.985, error=0.05
    )
    query = QueryLatencyRead.model_construct(
        query="q",
        requests_over_bound=over_bound,
        incidents=incidents or [],
        bound_operations=4,
        slo=slo,
        budget=budget_of(0.99, SloInterval(1000, kept), in_all_windows(1000, kept)),
        agreement=AgreementRead.model_construct(outcome=agreement, executions=900, needed=None, error=0.05),
        predicted_compliance=PredictedComplianceRead.model_construct(agreement=shares if compliance else None),
    )
    return LatencyRead.model_construct(queries=[query])


def nothing_unusual() -> UnusualQueriesRead:
    return UnusualQueriesRead(until=datetime(2026, 6, 5, 12), queries=[])


def slower_than_usual() -> UnusualQueriesRead:
    """The query took longer than 40 ms five times as often as it does at these hours."""
    anomaly = AnomalyRead.model_construct(
        measure="p99", hours=6, observed=0.05, usual=0.01, executions=900, limit_ms=40.0
    )
    return UnusualQueriesRead(
        until=datetime(2026, 6, 5, 12), queries=[UnusualQueryRead(query="q", anomalies=[anomaly])]
    )


class Watched:
    """Alerts over a dashboard that a test changes, at a time that it moves."""

    def __init__(self, database: Database, receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
        self.latency = dashboard()
        self.unusual = nothing_unusual()
        self.now = datetime(2026, 6, 5, 12)
        self._database = database
        monkeypatch.setattr(service, "now", lambda: self.now)
        webhook = f"http://127.0.0.1:{receiver.server.server_port}/hook?team=shop"
        destination = destination_of(webhook, ["127.0.0.1"], SECRET)
        assert destination is not None
        self.targets: list[Target] = [destination]

    def look(self, minutes: float = 1) -> Alerts:
        """Let time pass, and look, as a process does that was started just now."""
        self.now += timedelta(minutes=minutes)
        alerts = self.alerts()
        alerts.look()
        alerts.tell()
        return alerts

    def alerts(self) -> Alerts:
        return Alerts(
            ("shop", "production"), AlertTable(self._database), lambda: self.latency, lambda: self.unusual, self.targets
        )


def test_what_goes_wrong_is_told_once_and_what_is_over_too_also_by_a_process_that_was_started_anew(
    database: Database, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched = Watched(database, receiver, monkeypatch)
    watched.look()
    assert receiver.taken == []
    watched.latency = dashboard(over_bound=3, kept=500, agreement="slower")
    for _ in range(3):
        watched.look()
    watched.latency = dashboard(agreement="slower")
    for _ in range(2):
        watched.look()
    told = [(alert["kind"], alert["state"]) for alert, _, _ in receiver.taken]
    assert told == [
        ("burning", "firing"),
        ("over-bound", "firing"),
        ("slower", "firing"),
        ("burning", "resolved"),
        ("over-bound", "resolved"),
    ]
    burning, over_bound, _ = [alert for alert, _, _ in receiver.taken][:3]
    assert (burning["application"], burning["environment"], burning["query"]) == ("shop", "production", "q")
    assert (
        "over the last 1 h, 50.0 times as many executions broke 10 ms as the SLO of 99 % allows" in burning["message"]
    )
    assert over_bound["message"] == "q: 3 executions made more requests than the bound of 4"
    assert len({alert["id"] for alert, _, _ in receiver.taken}) == 5


def test_what_is_unlike_its_past_is_told_and_when_it_is_over(
    database: Database, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched = Watched(database, receiver, monkeypatch)
    for unusual in (slower_than_usual(), slower_than_usual(), nothing_unusual()):
        watched.unusual = unusual
        watched.look()
    assert deeds(receiver) == [("unusual", "firing"), ("unusual", "resolved")]
    assert receiver.taken[0][0]["message"] == (
        "q: 5 % of 900 executions in the last 6 hours took longer than 40 ms, where 1 % are usual at these hours of "
        "the week"
    )


def test_an_slo_that_is_kept_less_than_predicted_is_told_and_one_that_is_kept_as_predicted_is_not(
    database: Database, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched = Watched(database, receiver, monkeypatch)
    for outcome in ("agrees", "better", "too few", "undecided", "worse", "agrees"):
        watched.latency = dashboard(compliance=outcome)
        watched.look()
    assert deeds(receiver) == [("kept-less", "firing"), ("kept-less", "resolved")]
    assert receiver.taken[0][0]["message"] == (
        "q: 850 of 900 executions took 10 ms or less, where at least 98.5 % count as predicted; "
        "such a verdict errs in at most 5 % of cases"
    )


def test_what_is_wrong_with_the_store_is_told_by_its_kind(
    database: Database, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    def incident(kind: str, relied_on: str) -> IncidentRead:
        return IncidentRead.model_construct(kind=kind, relied_on=[relied_on], executions=2)

    watched = Watched(database, receiver, monkeypatch)
    limit = "CARDINALITY LIMIT 3 (owner) of follows"
    watched.latency = dashboard(incidents=[incident("limit-passed", limit), incident("dangling-entry", "users")])
    watched.look()
    assert {alert["kind"]: alert["message"] for alert, _, _ in receiver.taken} == {
        "limit-passed": f"q: 2 executions found more rows than {limit} allows",
        "dangling-entry": "q: 2 executions found an index entry of users without its record",
    }


def test_an_alert_that_is_not_taken_is_sent_again_later_each_time_and_after_a_day_no_more(
    database: Database, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched = Watched(database, receiver, monkeypatch)
    watched.latency = dashboard(over_bound=1)
    receiver.statuses = [503, 302, 200]  # a redirect is no answer: it might lead anywhere
    assert (watched.look().problem or "").endswith("answers 503")
    watched.look(0.1)
    assert len(receiver.taken) == 1  # it waits for 30 seconds
    watched.look(0.5)
    watched.look(0.5)
    assert len(receiver.taken) == 2  # and now for a minute
    assert watched.look(0.6).problem is None
    assert len({alert["id"] for alert, _, _ in receiver.taken}) == 1
    watched.look(100)
    assert len(receiver.taken) == 3

    watched.latency = dashboard()
    receiver.statuses = [500]
    for _ in range(60):
        watched.look(60)
    tries = len(receiver.taken)
    watched.look(6000)
    assert tries == len(receiver.taken) < 40


def test_that_something_is_over_is_never_told_before_it_was_told_that_it_is_wrong(
    database: Database, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched = Watched(database, receiver, monkeypatch)
    receiver.statuses = [503, 503, 503, 200]
    watched.latency = dashboard(over_bound=1)
    for _ in range(3):  # refused after 0, 0.5 and 1.5 minutes
        watched.look()
    watched.latency = dashboard()
    watched.look(0.6)
    assert deeds(receiver) == [("over-bound", "firing")] * 3  # it waits for two minutes, and what is over with it
    watched.look(2)
    assert deeds(receiver)[3:] == [("over-bound", "firing"), ("over-bound", "resolved")]
    assert watched.look().is_settled()


@pytest.mark.parametrize("minutes", [-2, -600, -600_000])
def test_a_clock_that_is_set_back_makes_no_alert_come_again_and_keeps_none(
    database: Database, receiver: Receiver, monkeypatch: pytest.MonkeyPatch, minutes: float
) -> None:
    watched = Watched(database, receiver, monkeypatch)
    watched.latency = dashboard(over_bound=1)
    watched.look()
    receiver.statuses = [503, 200]
    watched.latency = dashboard(over_bound=1, agreement="slower")
    watched.look()
    watched.latency = dashboard(agreement="slower")
    for _ in range(5):
        watched.look(minutes)
        minutes = 1
    told = [("over-bound", "firing"), ("slower", "firing"), ("slower", "firing"), ("over-bound", "resolved")]
    assert sorted(deeds(receiver)) == sorted(told)
    assert [alert.kind for alert in watched.alerts().read().firing] == ["slower"]


def test_an_alert_that_a_long_silence_kept_is_tried_for_a_day_too(
    database: Database, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched = Watched(database, receiver, monkeypatch)
    watched.alerts().silence(SilenceWrite(minutes=3 * 24 * 60, reason="a move"), None)
    watched.latency = dashboard(over_bound=1)
    watched.look()
    receiver.statuses = [503, 200]
    watched.look(3 * 24 * 60 + 1)
    watched.look()
    assert deeds(receiver) == [("over-bound", "firing")] * 2


def test_what_executions_do_not_decide_is_not_over(
    database: Database, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched = Watched(database, receiver, monkeypatch)
    for outcome in ("worse", "undecided", "worse", "too few", "worse"):
        slower = "slower" if outcome == "worse" else outcome
        watched.latency = dashboard(compliance=outcome, agreement=slower)
        watched.look()
    assert deeds(receiver) == [("kept-less", "firing"), ("slower", "firing")]
    watched.latency = LatencyRead.model_construct(queries=[])  # the query was removed
    watched.look()
    assert deeds(receiver)[2:] == [("kept-less", "resolved"), ("slower", "resolved")]


def test_what_waits_is_told_though_the_dashboard_cannot_be_read(
    database: Database, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away() -> LatencyRead:
        raise ApiError(503, "store-unavailable", "It does not answer.")

    watched = Watched(database, receiver, monkeypatch)
    receiver.statuses = [503, 200]
    watched.latency = dashboard(over_bound=1)
    watched.look()
    watched.now += timedelta(minutes=1)
    monkeypatch.setattr(service, "_SECONDS_BETWEEN_LOOKS", 0.01)
    alerts = Alerts(("shop", "production"), AlertTable(database), away, nothing_unusual, watched.targets)
    alerts.open()
    while len(receiver.taken) < 2 or alerts.problem != "It does not answer.":
        time.sleep(0.01)
    alerts.close()
    assert deeds(receiver) == [("over-bound", "firing")] * 2


def test_an_alert_is_signed_so_that_nobody_else_can_send_one(
    database: Database, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched = Watched(database, receiver, monkeypatch)
    watched.latency = dashboard(over_bound=1)
    watched.look()
    ((_, headers, body),) = receiver.taken
    signed = headers["Piql-Timestamp"].encode() + b"." + body
    assert headers["Piql-Signature"] == f"sha256={hmac.new(SECRET.encode(), signed, hashlib.sha256).hexdigest()}"


def test_where_nothing_is_deployed_nothing_is_wrong(database: Database) -> None:
    def read() -> LatencyRead:
        raise ApiError(404, "nothing-deployed", "Nothing is deployed.")

    alerts = Alerts(("shop", "production"), AlertTable(database), read, nothing_unusual, [])
    alerts.look()
    alerts.tell()
    assert AlertTable(database).due(datetime(2100, 1, 1)) == []
    alerts.close()


def deeds(receiver: Receiver) -> list[tuple[str, str]]:
    return [(alert["kind"], alert["state"]) for alert, _, _ in receiver.taken]


def test_a_silence_keeps_what_it_covers_until_it_is_over_and_the_history_has_it_all(
    database: Database, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched = Watched(database, receiver, monkeypatch)
    silence = watched.alerts().silence(SilenceWrite(minutes=30, reason="a move", kind="over-bound"), "ada")
    watched.latency = dashboard(over_bound=3, agreement="slower")
    watched.look()
    assert deeds(receiver) == [("slower", "firing")]
    read = watched.alerts().read()
    assert [(alert.kind, alert.is_silenced, alert.delivered_to) for alert in read.alerts] == [
        ("over-bound", True, []),
        ("slower", False, ["webhook"]),
    ]
    assert [(active.id, active.reason, active.person) for active in read.silences] == [(silence.id, "a move", "ada")]
    watched.look(31)  # it is over, and the bound is still passed
    assert deeds(receiver)[1:] == [("over-bound", "firing")]
    assert watched.alerts().read().silences == []

    watched.latency = dashboard()
    watched.look()
    assert sorted(deeds(receiver)[2:]) == [("over-bound", "resolved"), ("slower", "resolved")]


def test_what_begins_and_ends_in_a_silence_is_never_told_and_a_silence_can_be_ended(
    database: Database, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched = Watched(database, receiver, monkeypatch)
    silence = watched.alerts().silence(SilenceWrite(minutes=60, reason="a load test", query="q"), None)
    watched.alerts().silence(SilenceWrite(minutes=60, reason="another query", query="r"), None)
    watched.latency = dashboard(over_bound=1)
    watched.look()
    watched.latency = dashboard()
    watched.look()
    assert deeds(receiver) == []
    assert [alert.state for alert in watched.alerts().read().alerts] == ["resolved", "firing"]
    watched.alerts().end_silence(silence.id)
    watched.latency = dashboard(over_bound=1)
    watched.look()
    assert deeds(receiver) == [("over-bound", "firing")]
    with pytest.raises(ApiError, match="is over"):
        watched.alerts().end_silence(silence.id)


def test_where_there_are_a_hundred_silences_no_other_is_taken_until_one_is_ended(
    database: Database, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    alerts = Watched(database, receiver, monkeypatch).alerts()
    wish = SilenceWrite(minutes=60, reason="a load test")
    silences = [alerts.silence(wish, None) for _ in range(MOST_SILENCES)]
    with pytest.raises(ApiError, match="There are 100 silences"):
        alerts.silence(wish, None)
    alerts.end_silence(silences[0].id)
    alerts.silence(wish, None)


def test_what_has_been_wrong_for_long_is_listed_however_much_began_and_ended_since(
    database: Database, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "MOST_SHOWN", 4)
    watched = Watched(database, receiver, monkeypatch)
    watched.alerts().silence(SilenceWrite(minutes=300, reason="known", kind="slower"), None)
    watched.latency = dashboard(over_bound=1)
    watched.look()
    for _ in range(4):
        watched.latency = dashboard(over_bound=1, agreement="slower")
        watched.look()
        watched.latency = dashboard(over_bound=1)
        watched.look()
    watched.latency = dashboard(over_bound=1, agreement="slower")
    read = watched.look().read()
    assert [(alert.kind, alert.is_silenced) for alert in read.firing] == [("over-bound", False), ("slower", True)]
    assert {alert.kind for alert in read.alerts} == {"slower"}
    watched.latency = dashboard()
    assert watched.look().read().firing == []


def mailbox(port: int, user: str | None = None, password: str | None = None) -> Mailbox:
    settings = MailSettings(
        f"smtp://127.0.0.1:{port}", "piql@shop.example", ("ops@shop.example", "b@shop.example"), user, password
    )
    opened = mailbox_of(settings, ["127.0.0.1"])
    assert opened is not None
    return opened


def test_an_alert_is_mailed_beside_the_webhook_and_each_is_tried_by_itself(
    database: Database, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    with MailReceiver("ops", "a word") as mails:
        watched = Watched(database, receiver, monkeypatch)
        watched.targets.append(mailbox(mails.port, "ops", "a word"))
        watched.latency = dashboard(over_bound=3)
        mails.answers = ["451 later"]
        assert (watched.look().problem or "").endswith("answers 451")
        assert (len(receiver.taken), len(mails.taken)) == (1, 0)
        (waiting,) = watched.alerts().read().alerts
        assert (waiting.delivered_to, waiting.waits_for) == (["webhook"], ["mail"])
        assert watched.look().problem is None
        assert (len(receiver.taken), len(mails.taken)) == (1, 1)
        (mail,) = mails.taken
        assert mail.recipients == ["ops@shop.example", "b@shop.example"]
        assert mail.message["Subject"] == (
            "[shop/production] firing: q: 3 executions made more requests than the bound of 4"
        )
        assert mail.message["Message-ID"] == f"<{receiver.taken[0][0]['id']}@piql-workbench>"
        assert "kind: over-bound" in mail.message.get_content()

        watched.targets[1] = mailbox(mails.port, "ops", "a wrong word")
        webhook, wrong = watched.alerts().test()
        assert (webhook.problem, (wrong.problem or "").endswith("answers 535")) == (None, True)
        assert deeds(receiver)[-1] == ("test", "test")
        assert len(mails.taken) == 1


@pytest.mark.parametrize(
    ("webhook", "complaint"),
    [
        ("alerts.example/x", "is not an address"),
        ("https://alerts.example:99999/x", "is not an address"),
        ("ftp://alerts.example/x", "is not an address"),
        ("https://elsewhere.example/path-that-is-secret", "goes to elsewhere.example, which ALERT_HOSTS does not list"),
        ("https://alerts.example.evil.example/x", "does not list"),
        ("https://user:word@alerts.example/x", "name or password"),
        ("http://alerts.example/x", "use https"),
    ],
)
def test_a_webhook_that_may_not_be_used_is_refused_at_the_start(webhook: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint) as refusal:
        destination_of(webhook, ["alerts.example"], None)
    assert "path-that-is-secret" not in str(refusal.value)


def test_neither_the_path_nor_the_secret_of_a_webhook_is_shown() -> None:
    destination = destination_of("https://alerts.example/hidden", ["alerts.example"], SECRET)
    assert (str(destination), "hidden" in repr(destination), SECRET in repr(destination)) == (
        "https://alerts.example:443",
        False,
        False,
    )
    assert destination_of(None, [], None) is None
