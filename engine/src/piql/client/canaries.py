"""Which of two versions an execution goes to, while one is tried beside the one in force.

a later page                     the version that gave the page before, so that its cursor fits
a query that one of them has     that version
any other execution              drawn at random by the share: each by itself, whoever calls

Independent draws make the two samples alike in callers and time, which a comparison of their latencies relies on. A
share of a few calls in a hundred exists also where only three servers call. Both versions read the same rows and give
the same columns, so a caller may meet both.
"""

from __future__ import annotations

from collections.abc import Callable
from random import random

from piql.client.prepared import Prepared
from piql.runtime.execution.cursors import version_of_cursor


def drawn_version(
    prepared: Prepared, name: object, cursor: object, key: bytes, draw: Callable[[], float] = random
) -> int:
    """Return the number of the version that executes a query; `key` opens cursors, `draw` gives numbers from 0 to 1."""
    in_force, canary = prepared.queried, prepared.canary
    if canary is None or not isinstance(name, str) or name not in canary.queried.compilation.queries:
        return in_force.version
    if cursor is not None:
        is_tried = version_of_cursor(key, cursor) == canary.queried.version
    else:
        is_only_there = name not in in_force.compilation.queries
        is_tried = prepared.share > 0 and (is_only_there or draw() < prepared.share)
    return canary.queried.version if is_tried else in_force.version


def of_version(prepared: Prepared, version: int | None) -> Prepared:
    """Return the version that is tried, where it has this number; else the one in force."""
    canary = prepared.canary
    return canary if canary is not None and canary.queried.version == version else prepared
