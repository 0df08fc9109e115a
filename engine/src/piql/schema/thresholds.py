"""Above which bound a query is called expensive: what an application sets, or else the defaults.

SET expensive_requests = 5000;
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The most of one execution that nothing is said about."""

    requests: int = 1_000
    rows: int = 10_000  # fetched
    bytes: int = 1_000_000  # fetched


@lru_cache(128)
def _interned(requests: int, rows: int, bytes: int) -> Thresholds:
    return Thresholds(requests, rows, bytes)


DEFAULT = _interned(1_000, 10_000, 1_000_000)
SETTINGS = {"expensive_requests": "requests", "expensive_rows": "rows", "expensive_bytes": "bytes"}
"""The settings, with the fields that they set."""


def thresholds_of(settings: Mapping[str, int]) -> Thresholds:
    """Return the thresholds of these settings; of equal ones the same object, because caches go by identity."""
    chosen = {field: settings[name] for name, field in SETTINGS.items() if name in settings}
    return _interned(
        chosen.get("requests", DEFAULT.requests), chosen.get("rows", DEFAULT.rows), chosen.get("bytes", DEFAULT.bytes)
    )
