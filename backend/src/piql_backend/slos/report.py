"""`piql slo`: asks a running workbench how its queries did, and prints one line for each query with an SLO.

✓  findUser: 99 % within 500 ms in each 600 s; kept in 6 of 6 intervals, p99 2.1 ms; 99.43 % of ≈ 99.2 % predicted

Exit codes: 0 every SLO that can be judged is kept, 2 the workbench does not answer, 99 some interval broke an SLO.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import HTTPRedirectHandler, Request, build_opener

from piql.reporting.hosts import is_loopback
from piql.text.web_addresses import web_address_of

TOKEN_VARIABLE = "PIQL_WORKBENCH_TOKEN"  # of the environment: other users of the machine can read arguments
UNREACHABLE = 2
SLO_FAILED = 99


def report(url: str, application: str, environment: str, deployment: str, window_seconds: float, output: str) -> int:
    """Print the report as `table` or `json`, and return the exit code."""
    path = f"{_path_of(application, environment)}/latency/{quote(deployment, safe='')}"
    answer = _answer(url, f"{path}?window_seconds={window_seconds:g}", json.load)
    if answer is None:
        return UNREACHABLE
    queries = [query for query in answer["queries"] if query["slo"] is not None]
    if output == "json":
        print(json.dumps(queries, indent=2))
    elif not queries:
        print("No query has an SLO.")
    for query in queries if output == "table" else ():
        print(_line(query))
    return SLO_FAILED if any(_is_broken(query) for query in queries) else 0


def print_rules(url: str, application: str, environment: str, metrics: str, job: str | None) -> int:
    """Print the SLOs as a rule file for Prometheus, and return the exit code."""
    wish = urlencode({"metrics": metrics} | ({} if job is None else {"job": job}))
    path = f"{_path_of(application, environment)}/prometheus-rules?{wish}"
    rules = _answer(url, path, lambda answer: answer.read().decode())
    if rules is None:
        return UNREACHABLE
    print(rules, end="")
    return 0


def _path_of(application: str, environment: str) -> str:
    return f"/api/applications/{quote(application, safe='')}/environments/{quote(environment, safe='')}"


def _answer(url: str, path: str, read: Callable[[Any], Any]) -> Any:
    """What `read` makes of the answer of a workbench; None after a line on stderr where it refuses or none answers."""
    token = os.environ.get(TOKEN_VARIABLE) or None
    if token is not None and not is_safe(url):
        print(f"piql slo: {TOKEN_VARIABLE} could be read on its way: give an https address in --url", file=sys.stderr)
        return None
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    try:
        request = Request(f"{url.rstrip('/')}{path}", headers=headers)
        with build_opener(NoRedirects).open(request, timeout=30) as answer:
            return read(answer)
    except HTTPError as error:
        print(f"piql slo: {_message(error)}", file=sys.stderr)
    except (OSError, ValueError, HTTPException) as error:
        print(f"piql slo: no workbench answers at {url}: {error}", file=sys.stderr)
    return None


class NoRedirects(HTTPRedirectHandler):
    """Takes a redirect for a refusal: a token is for the workbench at the address that was given, and nobody else."""

    def redirect_request(self, *_redirect: Any) -> None:
        return None


def is_safe(url: str) -> bool:
    """Whether a token may be sent there: over https, or to this machine."""
    address = web_address_of(url)
    return address is not None and (address.scheme == "https" or is_loopback(address.host))


def _is_broken(query: dict[str, Any]) -> bool:
    return bool(query["compliance"]["kept"] < query["compliance"]["judged"])


def _line(query: dict[str, Any]) -> str:
    slo, compliance = query["slo"], query["compliance"]
    objective = f"{100 * slo['quantile']:.4g} % within {slo['threshold_ms']:g} ms in each {slo['interval_seconds']:g} s"
    if not compliance["judged"]:
        return (
            f"?  {query['query']}: {objective}; no interval has the {compliance['samples_needed']} executions it takes"
        )
    mark = "✗" if _is_broken(query) else "✓"
    p99 = f", p99 {query['observed']['p99_ms']:.3g} ms" if query["observed"] else ""
    return (
        f"{mark}  {query['query']}: {objective}; kept in {compliance['kept']} of {compliance['judged']} intervals{p99}"
        f"{_beside_predicted(query)}"
    )


def _beside_predicted(query: dict[str, Any]) -> str:
    """The share of executions within the threshold, and the one that is predicted of the same executions, if it is."""
    compliance = query["predicted_compliance"]
    if compliance is None or compliance["agreement"] is None:
        return ""
    agreement = compliance["agreement"]
    ends = (f"{round(agreement[end] * 100, 2):g}" for end in ("predicted", "predicted_most"))
    observed = 10_000 * agreement["within"] // agreement["executions"] / 100  # rounded down: only all are 100 %
    return f"; {observed:g} % of ≈ {' to '.join(dict.fromkeys(ends))} % predicted"


def _message(error: HTTPError) -> str:
    try:
        return str(json.load(error)["message"])
    except (ValueError, KeyError, TypeError):
        return str(error)
