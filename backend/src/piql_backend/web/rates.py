"""How many requests of each kind one client may make: buckets that fill at a steady rate, and lose one a request.

rate 200 a second, `BURST_SECONDS` 10  →  2,000 at once, and 200 a second after them
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from typing import Literal, get_args

from piql_backend.web.allowances import Allowance, Allowances

Kind = Literal["executions", "compiles", "deployments", "others"]  # of requests, each with a rate of its own

KINDS: tuple[Kind, ...] = get_args(Kind)
BURST_SECONDS = 10.0  # a full bucket holds what this long a time fills
_IPV6_NETWORK_BITS = 64  # of an address that one client has to itself

_ENVIRONMENT = "/api/applications/[^/]+/environments/[^/]+"
_PATTERNS: Mapping[Kind, re.Pattern[str]] = {  # of "METHOD /path"; what none of them fits is of the kind `others`
    "executions": re.compile(rf"(GET|POST) {_ENVIRONMENT}/deployments/.+/(executions|sample-parameters)"),
    "compiles": re.compile(
        r"POST /api/(compilations(/parts)?|schema-imports|language/.+)"
        rf"|POST {_ENVIRONMENT}/(predictions|prediction-sets|page-predictions|heatmaps|safe-limits"
        r"|deployments/preview|selects)"
    ),
    "deployments": re.compile(
        r"POST /api/applications(/[^/]+/duplicates)?|GET /api/applications/[^/]+/archive"
        r"|POST /api/application-imports/(archives|files|folders|repositories|keyspaces|[^/]+/applications)"
        r"|POST /api/experiments/[^/]+/runs"
        rf"|POST {_ENVIRONMENT}/(deployments|deployments/(rollback|builds)(/.+)?|profile-runs(/.+)?"
        r"|load-runs(/.+)?|bursts|sample/attempts)"
    ),
}


@dataclass(frozen=True, slots=True)
class Rates:
    """Requests a second of each kind that one client may make; 0 for no limit."""

    executions: float = 200.0
    compiles: float = 50.0
    deployments: float = 10.0
    others: float = 200.0

    def of(self, kind: Kind) -> float:
        rate: float = getattr(self, kind)
        return rate


def kind_of(method: str, path: str) -> Kind:
    """The kind of a request, by what it costs."""
    request = f"{method} {path}"
    return next((kind for kind, pattern in _PATTERNS.items() if pattern.fullmatch(request)), "others")


def client_of(address: str) -> str:
    """The client that an address stands for: with IPv6 its /64 network, since one client has all of that."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return address
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return f"{int(parsed) >> (128 - _IPV6_NETWORK_BITS):x}::"


class Buckets:
    """The buckets of all clients."""

    def __init__(self, rates: Rates, clock: Callable[[], float] = time.monotonic) -> None:
        self._rates = rates
        self._allowances = Allowances[tuple[str, Kind]](clock)

    def __len__(self) -> int:
        return len(self._allowances)

    def take(self, client: str, kind: Kind) -> float:
        """Take one from the client's bucket: returns 0, or, when it is empty, the seconds until there is one again."""
        rate = self._rates.of(kind)
        if not rate:
            return 0.0
        return self._allowances.take({(client, kind): Allowance(max(BURST_SECONDS * rate, 1.0), 1 / rate)})
