"""How many requests of each kind one client may make: buckets that fill at a steady rate, and lose one a request.

A bucket is kept as the moment at which it is full again: the generic cell rate algorithm (GCRA). One that is full by
now refuses nothing, and is not kept.

rate 200 a second, `BURST_SECONDS` 10  →  2,000 at once, and 200 a second after them
"""

from __future__ import annotations

import re
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from typing import Literal, get_args

Kind = Literal["executions", "compiles", "deployments", "others"]  # of requests, each with a rate of its own

KINDS: tuple[Kind, ...] = get_args(Kind)
BURST_SECONDS = 10.0  # a full bucket holds what this long a time fills
MOST_BUCKETS = 20_000
_IPV6_NETWORK_BITS = 64  # of an address that one client has to itself

_ENVIRONMENT = "/api/applications/[^/]+/environments/[^/]+"
_PATTERNS: Mapping[Kind, re.Pattern[str]] = {  # of "METHOD /path"; what none of them fits is of the kind `others`
    "executions": re.compile(rf"(GET|POST) {_ENVIRONMENT}/deployments/.+/(executions|sample-parameters)"),
    "compiles": re.compile(
        r"POST /api/(compilations|schema-imports|language/.+)"
        rf"|POST {_ENVIRONMENT}/(predictions|prediction-sets|page-predictions|heatmaps|safe-limits"
        r"|deployments/preview|selects)"
    ),
    "deployments": re.compile(
        r"POST /api/applications(/[^/]+/duplicates)?|GET /api/applications/[^/]+/archive"
        r"|POST /api/application-imports/(archives|files|folders|repositories|keyspaces|[^/]+/applications)"
        rf"|POST {_ENVIRONMENT}/(deployments|deployments/(rollback|builds)(/.+)?|profile-runs(/.+)?|bursts)"
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
    """The buckets of all clients; beyond MOST_BUCKETS the one that was not used for the longest time is dropped."""

    def __init__(self, rates: Rates, clock: Callable[[], float] = time.monotonic) -> None:
        self._rates = rates
        self._clock = clock
        self._full_at: OrderedDict[tuple[str, Kind], float] = OrderedDict()

    def __len__(self) -> int:
        return len(self._full_at)

    def take(self, client: str, kind: Kind) -> float:
        """Take one from the client's bucket: returns 0, or, when it is empty, the seconds until there is one again."""
        rate = self._rates.of(kind)
        if not rate:
            return 0.0
        now, key = self._clock(), (client, kind)
        full_at = max(self._full_at.get(key, now), now) + 1 / rate
        wait = full_at - now - max(BURST_SECONDS, 1 / rate)
        if wait > 1e-9:
            return wait
        self._full_at[key] = full_at
        self._full_at.move_to_end(key)
        while self._full_at and (len(self._full_at) > MOST_BUCKETS or self._oldest_is_full(now)):
            self._full_at.popitem(last=False)
        return 0.0

    def _oldest_is_full(self, now: float) -> bool:
        return next(iter(self._full_at.values())) <= now
