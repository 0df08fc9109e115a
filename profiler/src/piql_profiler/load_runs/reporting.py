"""Reports a load run to a workbench while it goes on: its seconds for live charts, and what came of it.

    begin  ──▶  seconds, sent by a thread: the run waits for none of them  ──▶  end, with the result

A run that cannot be listed does not begin. After that, a workbench that does not answer costs nothing but its charts:
the result is sent at the end, a few times.
"""

from __future__ import annotations

import gzip
import json
import queue
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path
from typing import Any

from piql.reporting.hosts import is_loopback
from piql.text.web_addresses import web_address_of

from piql_profiler.load_runs.result import LoadRun, Second
from piql_profiler.load_runs.result_file import as_json
from piql_profiler.load_runs.run import Plan

TOKEN_VARIABLE = "PIQL_WORKBENCH_TOKEN"
EXAMPLE = "http://127.0.0.1:8400/api/applications/scadr/environments/production/load-runs"
_PORTS = {"http": 80, "https": 443}
_TIMEOUT_SECONDS = 10.0
_TRIES = 4  # of the result
_MOST_ANSWER_BYTES = 200_000


class NotReported(Exception):
    """The workbench does not take the run; the message says why."""


@dataclass(frozen=True, slots=True)
class Workbench:
    """The address of an environment's load runs, and the token of somebody who may start some."""

    scheme: str
    host: str
    port: int
    path: str
    token: str | None = field(default=None, repr=False)

    def __str__(self) -> str:
        return f"{self.scheme}://{self.host}:{self.port}{self.path}"

    def post(self, path: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """Post to a path below the address; NotReported for any answer that is no success."""
        kind = HTTPSConnection if self.scheme == "https" else HTTPConnection
        connection = kind(self.host, self.port, timeout=_TIMEOUT_SECONDS)
        headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
        if self.token is not None:
            headers["Authorization"] = f"Bearer {self.token}"
        try:
            connection.request("POST", self.path + path, gzip.compress(json.dumps(body).encode()), headers)
            response = connection.getresponse()
            text = response.read(_MOST_ANSWER_BYTES)
        except (OSError, HTTPException) as error:
            raise NotReported(f"{self} does not answer: {str(error) or type(error).__name__}") from None
        finally:
            connection.close()
        try:
            answer = json.loads(text)
        except ValueError:
            answer = None
        if not 200 <= response.status < 300 or not isinstance(answer, dict):
            said = f": {answer['message']}" if isinstance(answer, dict) and "message" in answer else ""
            raise NotReported(f"{self} answers {response.status}{said}")
        return answer


def workbench_of(url: str, token_file: Path | None, environment: Mapping[str, str]) -> Workbench:
    """The workbench to report to; ValueError for an address that is none, or a token that would be read on its way."""
    parts = web_address_of(url)
    if parts is None or parts.scheme not in _PORTS or not parts.host or not parts.path.endswith("/load-runs"):
        raise ValueError(f"--report is not the address of an environment's load runs: write one like {EXAMPLE}")
    if parts.query or parts.has_login:
        raise ValueError(f"--report has a query or a password in it: put a token into a file, or into {TOKEN_VARIABLE}")
    try:
        token = token_file.read_text(encoding="utf-8").strip() if token_file else environment.get(TOKEN_VARIABLE)
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"--token-file: {token_file} cannot be read: {error}") from None
    if token and not (token.isascii() and token.isprintable() and " " not in token):
        raise ValueError("the token has characters that no token has: copy it again")
    if token and parts.scheme == "http" and not is_loopback(parts.host):
        raise ValueError("over http the token could be read on its way: report to an https address")
    return Workbench(parts.scheme, parts.host, parts.port or _PORTS[parts.scheme], parts.path, token or None)


class RunReporter:
    """Reports one run. Making one begins it; NotReported where the workbench does not take it.

    `interrupted` is set when somebody cancels the run in the workbench.
    """

    def __init__(
        self,
        workbench: Workbench,
        plan: Plan,
        label: str | None,
        interrupted: threading.Event,
        complain: Callable[[str], None],
    ) -> None:
        self._workbench = workbench
        self._interrupted = interrupted
        self._complain = complain
        self._seconds: queue.SimpleQueue[Second | None] = queue.SimpleQueue()
        self._run_path = f"/{workbench.post('/reported', _begin(plan, label))['id']}"
        self._thread = threading.Thread(target=self._send_seconds, name="report", daemon=True)
        self._thread.start()

    def add(self, second: Second) -> None:
        """Report a second; returns at once."""
        self._seconds.put(second)

    def end(self, run: LoadRun | None) -> None:
        """Report what came of the run; None where it came to nothing, and the workbench finds out by itself."""
        self._seconds.put(None)
        self._thread.join()
        for number in range(_TRIES if run is not None else 0):
            try:
                self._workbench.post(f"{self._run_path}/reported-result", {"result": as_json(run)})  # type: ignore[arg-type]
                return
            except NotReported as error:
                if number + 1 == _TRIES:
                    self._complain(f"the result was not reported: {error}")
                time.sleep(0.5 * 2**number)

    def _send_seconds(self) -> None:
        """Send what has come, all at once; a second that cannot be sent comes with the next ones."""
        waiting: list[Second] = []
        is_last, last_complaint = False, ""
        while not is_last:
            arrived = [self._seconds.get()]
            while not self._seconds.empty():
                arrived.append(self._seconds.get())
            is_last = None in arrived
            waiting += [second for second in arrived if second is not None]
            if not waiting:
                continue
            try:
                answer = self._workbench.post(f"{self._run_path}/seconds", {"seconds": [asdict(s) for s in waiting]})
                waiting.clear()
                if answer.get("state") == "cancelling":
                    self._interrupted.set()
            except NotReported as error:
                if str(error) != last_complaint:
                    last_complaint = str(error)
                    self._complain(f"seconds wait: {error}")


def _begin(plan: Plan, label: str | None) -> Mapping[str, Any]:
    setting = plan.setting
    rates = [step.rate for step in setting.steps]
    return {
        "label": label,
        "queries": [{"name": query.name, "weight": query.weight} for query in setting.queries],
        "rates": None if setting.is_closed else rates,
        "seconds": setting.steps[0].seconds,
        "seconds_total": sum(step.seconds for step in setting.steps),
        "connections": setting.connections,
        "clients": setting.clients,
        "seed": setting.seed,
        "stop_if": [threshold.text for threshold in plan.thresholds],
    }
