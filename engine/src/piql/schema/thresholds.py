"""Above which bound a query is called expensive: what an application sets, or else the defaults.

SET expensive_requests = 5000;
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from piql.trees.caches import Cached


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The most of one execution that nothing is said about."""

    requests: int = 1_000
    rows: int = 10_000  # fetched
    bytes: int = 1_000_000  # fetched


DEFAULT = Thresholds()
SETTINGS = {"expensive_requests": "requests", "expensive_rows": "rows", "expensive_bytes": "bytes"}
"""The settings, with the fields that they set."""


_thresholds: Cached[Thresholds] = Cached(128, is_by_value=True)


def thresholds_of(settings: Mapping[str, int]) -> Thresholds:
    """Return the thresholds of these settings; of equal ones the same object, because caches go by identity."""
    values = {field: settings[name] for name, field in SETTINGS.items() if name in settings}
    return _thresholds.recall(tuple(sorted(values.items())), lambda: Thresholds(**values))
