"""The thresholds above which the bound of a query is called expensive, and a warning is given.

An application sets them in its text; the others have the defaults of `Thresholds`:

    SET expensive_requests = 5000;
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from piql.trees.caches import Cached


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The largest numbers of one execution that give no warning."""

    requests: int = 1_000
    rows: int = 10_000  # fetched
    bytes: int = 1_000_000  # fetched


DEFAULT = Thresholds()
SETTINGS = {"expensive_requests": "requests", "expensive_rows": "rows", "expensive_bytes": "bytes"}
"""Each setting of the language, with the field of `Thresholds` that it sets."""


_thresholds: Cached[Thresholds] = Cached(128, is_by_value=True)


def thresholds_of(settings: Mapping[str, int]) -> Thresholds:
    """Return the thresholds of settings: for equal settings the same object, because caches go by identity."""
    values = {field: settings[name] for name, field in SETTINGS.items() if name in settings}
    return _thresholds.recall(tuple(sorted(values.items())), lambda: Thresholds(**values))
