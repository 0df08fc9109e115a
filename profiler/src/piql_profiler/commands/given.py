"""What several commands are given as text: limits and SLOs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from piql_profiler.predictor.openslo import ALL_QUERIES, Objective, UnreadableSlo, read_openslo


def limits_in(texts: Sequence[str]) -> dict[str, int]:
    """The limits in texts `LIMIT=N`, by their symbols; ValueError for anything else."""
    values = {name: int(number) for name, _, number in (text.partition("=") for text in texts)}
    if any(number < 1 for number in values.values()):
        raise ValueError("a limit is at least 1")
    return values


def slos_in(text: str | None, quantile: float, interval_seconds: float) -> dict[str, Objective]:
    """The SLOs by query: from a threshold in ms, which is that of ALL_QUERIES, or a file of OpenSLO documents.

    Raises UnreadableSlo for a threshold or documents that cannot be used, OSError where there is no such file.
    """
    if text is None:
        return {}
    try:
        threshold_ms = float(text)
    except ValueError:
        try:
            documents = Path(text).read_text(encoding="utf-8")
        except FileNotFoundError:
            raise UnreadableSlo(f"{text} is neither a number of ms nor a file of OpenSLO documents") from None
        except UnicodeDecodeError:
            raise UnreadableSlo(f"{text} is not a text in UTF-8") from None
        return {objective.query: objective for objective in read_openslo(documents)}
    if not 0.0 < threshold_ms < math.inf:
        raise UnreadableSlo(f"a threshold is a number of ms above 0, not {text}")
    return {ALL_QUERIES: Objective(ALL_QUERIES, quantile, threshold_ms, interval_seconds)}
