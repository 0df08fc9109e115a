"""Thresholds that stop a run: `p99 > 50ms`, `errors > 1%`, `backlog > 200`, each also of one query.

    [QUERY] p50 | p95 | p99 | p99.9 … > TIME      of the latencies in the window; TIME in us, ms or s
    [QUERY] errors > N%                           of the calls that ended in the window
    backlog > N                                   calls that are due and wait for a connection, now

They are checked each second over the last seconds (the window), where it holds enough calls. A call that has not ended
yet counts as soon as it is older than the threshold, or a store that stops would pass every check.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

Measure = Literal["latency", "errors", "backlog"]
_WORD = re.compile(r"[^\s<>=]+|[<>=]+")
_NUMBER = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(\D*)")
_UNITS_US = {"us": 1.0, "µs": 1.0, "ms": 1e3, "s": 1e6}
_EXAMPLES = "write for example 'p99 > 50ms', 'errors > 1%', 'backlog > 200' or 'findUser p95 > 10ms'"


@dataclass(frozen=True, slots=True)
class Threshold:
    """What stops a run. `limit` is in µs of a latency, a share of errors, and calls of a backlog.

    `text` is as the user wrote it, `query` None for all of them; `quantile` is of a latency.
    """

    text: str
    measure: Measure
    limit: float
    query: str | None = None
    quantile: float = 0.0


class UnreadableThreshold(Exception):
    """A text that is no threshold; the message has its words, and what to write."""


def threshold_of(text: str, queries: Collection[str]) -> Threshold:
    """Read a threshold on one of these queries, or on all; UnreadableThreshold for anything else."""
    words = _WORD.findall(text)
    query = words.pop(0) if len(words) == 4 or (len(words) > 1 and words[0] in queries) else None
    if query is not None and query not in queries:
        close = get_close_matches(query, queries, n=1)
        hint = f"did you mean {close[0]}?" if close else f"the run calls {', '.join(queries)}"
        raise UnreadableThreshold(f"{text!r}: {query} is no query of this run: {hint}")
    if len(words) != 3:
        raise UnreadableThreshold(f"{text!r} is no threshold: {_EXAMPLES}")
    name, sign, number = words
    if sign not in (">", ">="):
        raise UnreadableThreshold(f"{text!r}: {sign!r} is not known here: a run stops above a number, write >")
    if name == "errors":
        return Threshold(text, "errors", _share(text, number), query)
    if name == "backlog":
        if query is not None:
            raise UnreadableThreshold(f"{text!r}: the backlog is that of all queries: write 'backlog > {number}'")
        return Threshold(text, "backlog", _calls(text, number))
    return Threshold(text, "latency", _time_us(text, number), query, _quantile(text, name))


def _quantile(text: str, name: str) -> float:
    percent = re.fullmatch(r"p(\d+(?:\.\d+)?)", name)
    if percent is None:
        raise UnreadableThreshold(f"{text!r}: {name!r} is not known here: {_EXAMPLES}")
    quantile = round(float(percent[1]) / 100, 9)
    if not 0.0 < quantile < 1.0:
        raise UnreadableThreshold(f"{text!r}: {name} is no percentile: write one between p0 and p100, such as p99")
    return quantile


def _time_us(text: str, word: str) -> float:
    number, unit = _split(text, word)
    if unit not in _UNITS_US or number <= 0.0:
        raise UnreadableThreshold(f"{text!r}: {word!r} is no time: write one above 0 in us, ms or s, as 50ms")
    return number * _UNITS_US[unit]


def _share(text: str, word: str) -> float:
    number, unit = _split(text, word)
    if unit != "%" or number >= 100.0:
        raise UnreadableThreshold(f"{text!r}: {word!r} is no share: write percent below 100, as 1%")
    return number / 100


def _calls(text: str, word: str) -> float:
    number, unit = _split(text, word)
    if unit:
        raise UnreadableThreshold(f"{text!r}: a backlog is a number of calls: write 'backlog > {number:g}'")
    return number


def _split(text: str, word: str) -> tuple[float, str]:
    match = _NUMBER.fullmatch(word)
    if match is None:
        raise UnreadableThreshold(f"{text!r}: {word!r} is no number: {_EXAMPLES}")
    return float(match[1]), match[2]
