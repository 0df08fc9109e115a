"""The SLOs of an environment as a rule file for Prometheus: how fast each budget burns, and alerts when it is too fast.

    piql:slo_broken:ratio_rate1h   the share of executions that broke the threshold or failed, for each window
    piql:slo_executions:increase1h how many there were
    PiqlBudgetBurning              both windows of a pair are over its factor, and the longer one can show the quantile
    PiqlSloBucketMissing           no bucket ends at the threshold: the shares above are of nothing

The pairs of windows are those of the dashboard (`latency/budgets.py`). It also tests whether a rate is high by chance;
a rule does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import yaml
from piql.telemetry.exposition import edge_text, escaped
from piql_profiler.validation.compliance import samples_needed

from piql_backend.latency.budgets import PAIRS, WINDOWS, BurnWindows
from piql_backend.slos.schemas import SloRead

Metrics = Literal["reported", "client"]
_UNITS = ((86_400, "d"), (3_600, "h"), (60, "m"))
_PAGED_FROM = 6.0  # a budget of 30 days that burns so fast is used up in five days


@dataclass(frozen=True, slots=True)
class Scraped:
    """Where the metrics of rules come from: `reported` are the workbench's own, `client` those of an application.

    Only the metrics of the workbench say which application and environment they are of. `job` is Prometheus' name for
    where it scrapes; None for any.
    """

    application: str
    environment: str
    metrics: Metrics = "reported"
    job: str | None = None

    @property
    def place(self) -> Mapping[str, str]:
        """The labels of the environment."""
        return {"application": self.application, "environment": self.environment}


def rules_of(slos: Iterable[SloRead], scraped: Scraped) -> str:
    """Write the rule file (YAML)."""
    groups = [
        {"name": f"piql/{scraped.application}/{scraped.environment}/{slo.query}", "rules": [*_rules(slo, scraped)]}
        for slo in slos
    ]
    return yaml.safe_dump({"groups": groups}, sort_keys=False, allow_unicode=True, width=1_000)


def _rules(slo: SloRead, scraped: Scraped) -> Iterator[dict[str, Any]]:
    series = _Series(slo, scraped)
    for seconds in WINDOWS:
        window = _window(seconds)
        yield _recorded(f"piql:slo_broken:ratio_rate{window}", series.broken(window), series.labels)
    for seconds in sorted({pair.long_seconds for pair in PAIRS}):
        window = _window(seconds)
        yield _recorded(f"piql:slo_executions:increase{window}", series.executions("increase", window), series.labels)
    for pair in PAIRS:
        if pair.factor * (1 - slo.quantile) <= 1:  # else not even a query that always breaks it burns so fast
            yield _burning(slo, pair, series.labels)
    yield series.missing_bucket()


@dataclass(frozen=True, slots=True)
class _Series:
    """Expressions over the metrics of one query."""

    slo: SloRead
    scraped: Scraped

    @property
    def labels(self) -> dict[str, str]:
        return {**self.scraped.place, "query": self.slo.query}

    @property
    def _prefix(self) -> str:
        return f"piql_{self.scraped.metrics}"

    def _selected(self, name: str, **more: str) -> str:
        labels = self.labels if self.scraped.metrics == "reported" else {"query": self.slo.query}
        if self.scraped.job is not None:
            labels["job"] = self.scraped.job
        return f"{self._prefix}_{name}{_matchers(labels | more)}"

    @property
    def _within(self) -> str:
        return self._selected("execution_seconds_bucket", le=edge_text(self.slo.threshold_ms / 1000))

    def executions(self, function: str, window: str) -> str:
        """All executions of a window: those that gave their rows, and those that failed."""
        gave_rows = f"sum({function}({self._selected('execution_seconds_count')}[{window}]))"
        return f"{gave_rows} + sum({function}({self._selected('failed_total')}[{window}]))"

    def broken(self, window: str) -> str:
        """The share of a window's executions that failed, or took longer than the threshold."""
        return f"1 - sum(rate({self._within}[{window}])) / ({self.executions('rate', window)})"

    def missing_bucket(self) -> dict[str, Any]:
        """An alert where no bucket ends at the threshold, as after a change of the SLO."""
        count = self._selected("execution_seconds_count")
        edge = edge_text(self.slo.threshold_ms / 1000)
        return {
            "alert": "PiqlSloBucketMissing",
            "expr": f"sum({count}) unless sum({self._within})",
            "for": "15m",
            "labels": {**self.labels, "severity": "ticket"},
            "annotations": {
                "summary": f"No bucket of {self.slo.query} ends at {edge} s",
                "description": "Its SLO is not watched. Load the rules anew, and give an exporter the same threshold.",
            },
        }


def _recorded(name: str, expression: str, labels: Mapping[str, str]) -> dict[str, Any]:
    return {"record": name, "expr": expression, "labels": dict(labels)}


def _burning(slo: SloRead, pair: BurnWindows, labels: Mapping[str, str]) -> dict[str, Any]:
    long, short = _window(pair.long_seconds), _window(pair.short_seconds)
    matchers = _matchers(labels)
    most = f"{pair.factor * (1 - slo.quantile):.10g}"
    conditions = (
        f"piql:slo_broken:ratio_rate{long}{matchers} >= {most}",
        f"piql:slo_broken:ratio_rate{short}{matchers} >= {most}",
        f"piql:slo_executions:increase{long}{matchers} >= {samples_needed(slo.quantile)}",
    )
    objective = f"{100 * slo.quantile:.6g} % within {slo.threshold_ms:g} ms"
    return {
        "alert": "PiqlBudgetBurning",
        "expr": " and ".join(conditions),
        "labels": {**labels, "severity": "page" if pair.factor >= _PAGED_FROM else "ticket", "window": long},
        "annotations": {
            "summary": f"{slo.query} burns its error budget at least {pair.factor:g} times as fast as allowed",
            "description": f"{{{{ $value | humanizePercentage }}}} broke the SLO ({objective}) in the last {long}, "
            f"and at least {float(most):.4%} in the last {short}.",
        },
    }


def _matchers(labels: Mapping[str, str]) -> str:
    return "{" + ", ".join(f'{name}="{escaped(value)}"' for name, value in labels.items()) + "}"


def _window(seconds: int) -> str:
    """A duration as Prometheus writes it, in the largest unit that fits."""
    return next(f"{seconds // length}{unit}" for length, unit in _UNITS if seconds % length == 0)
