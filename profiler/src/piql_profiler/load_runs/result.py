"""What came of a load run: one line for each step and query, one second after the other, and its thresholds.

Latencies count from the moment a call was due. A call that had not ended when the run did counts with the time that it
had waited by then: its latency is at least that, and so is a percentile that it may raise (`is_at_least`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from piql_profiler.load_runs.arrivals import Step
from piql_profiler.load_runs.window import MOST_OF_IT, Outcome
from piql_profiler.measure.histogram import Histogram
from piql_profiler.measure.open_loop import MOST_COMPUTING, MOST_LAG
from piql_profiler.measure.precision import Precision, precision_of

QUANTILES = (0.5, 0.95, 0.99)
_FEW_MORE = 0.1  # of the calls beyond a quantile
_KEEPS_UP = 0.9  # of the calls that were due in a step have to end in it
Ended = Literal["done", "stopped", "interrupted", "failed"]


@dataclass(frozen=True, slots=True)
class CalledQuery:
    """A query of the mix, and the most requests that one execution may make."""

    name: str
    weight: float
    bound: int


@dataclass(frozen=True, slots=True)
class Line:
    """One query in one step. `worth` is how many independent calls its latencies are worth, by quantile.

    `due` counts the calls that were due by the end of the run, `ended_in_step` those that ended while their step ran.
    """

    step: int
    query: str
    due: int
    ended_in_step: int
    latency: Histogram
    service: Histogram
    lag: Histogram
    worth: Mapping[float, float]
    errors: Mapping[str, int] = field(default_factory=dict)
    unanswered: int = 0
    most_requests: int = 0
    requests: int = 0

    @property
    def answered(self) -> int:
        return self.service.total

    @property
    def failed(self) -> int:
        return sum(self.errors.values())

    def quantile(self, quantile: float) -> Precision | None:
        """A quantile of the latency in µs with its 95 % interval; None where there are too few calls for one."""
        if not self.latency.total:
            return None
        precision = precision_of(self.latency, self.worth[quantile], quantile)
        return precision if math.isfinite(precision.high_us) else None

    def is_at_least(self, quantile: float) -> bool:
        """Whether calls that had not ended may raise a quantile: those beyond it are more by over a tenth."""
        return self.unanswered > _FEW_MORE * (1.0 - quantile) * self.latency.total

    @property
    def lag_share(self) -> float:
        """The part of the p99 that may be the client's own lateness."""
        if not self.latency.total or not self.lag.total:
            return 0.0
        return min(1.0, self.lag.quantile_us(0.99) / self.latency.quantile_us(0.99))


@dataclass(frozen=True, slots=True)
class QuerySecond:
    """One query in one second: the calls that ended, in an error or a refusal; percentiles are those of the window."""

    query: str
    calls: int
    errors: int
    refused: int
    p50_ms: float | None
    p99_ms: float | None


@dataclass(frozen=True, slots=True)
class Second:
    """What one second of the run was like, for charts: rates are calls a second, percentiles those of its calls.

    `asked` is None in a closed loop. `errors` include what was `refused`. The percentiles of the window are those of
    the last seconds together: one second has too few calls for a p99.
    """

    at: float
    asked: float | None
    done: float
    errors: int
    backlog: int
    p50_ms: float | None
    p99_ms: float | None
    computing: float
    refused: int = 0
    window_p50_ms: float | None = None
    window_p99_ms: float | None = None
    queries: tuple[QuerySecond, ...] = ()


@dataclass(frozen=True, slots=True)
class ThresholdResult:
    """A threshold at the end: crossed, client (the client itself was late), kept, or too few calls to be checked."""

    text: str
    outcome: Outcome
    at: float | None
    calls: int
    value: float | None
    unit: str


@dataclass(frozen=True, slots=True)
class Setting:
    """What was asked for; `target` is the address without a password. `at_least` calls have to be in a window."""

    target: str
    is_service: bool
    steps: tuple[Step, ...]
    queries: tuple[CalledQuery, ...]
    clients: int
    connections: int
    seed: int
    window_seconds: float
    at_least: int

    @property
    def is_closed(self) -> bool:
        """Whether each connection makes its next call when the last one has ended, at no stated rate."""
        return self.steps[0].rate is None


@dataclass(frozen=True, slots=True)
class LoadRun:
    """A whole run. `seconds` of it passed; it `ended` otherwise than "done" where it is partial."""

    setting: Setting
    started_at: float
    ended: Ended
    message: str
    seconds: float
    lines: tuple[Line, ...]
    timeline: tuple[Second, ...]
    thresholds: tuple[ThresholdResult, ...] = ()
    messages: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def is_partial(self) -> bool:
        return self.ended != "done"

    def seconds_of(self, step: int) -> float:
        """How long a step ran: less than was asked for in a run that is partial."""
        began = sum(earlier.seconds for earlier in self.setting.steps[:step])
        return max(0.0, min(self.setting.steps[step].seconds, self.seconds - began))

    def lines_of(self, step: int) -> tuple[Line, ...]:
        return tuple(line for line in self.lines if line.step == step)

    def asked_rate(self, line: Line) -> float | None:
        """The calls a second that were asked of a query in a step; None in a closed loop."""
        weights = {query.name: query.weight for query in self.setting.queries}
        rate = self.setting.steps[line.step].rate
        return None if rate is None else rate * weights[line.query] / sum(weights.values())

    def limit_of_client(self, step: int) -> str | None:
        """Why the client itself was the limit in a step, in a sentence; None where it was not."""
        began = sum(earlier.seconds for earlier in self.setting.steps[:step])
        ended = began + self.seconds_of(step)  # once a run is stopped, a client rests
        within = [second for second in self.timeline if began < second.at <= ended]
        computing = sum(second.computing for second in within) / max(len(within), 1)
        if computing > MOST_COMPUTING:
            return (
                f"the client computed for {computing:.0%} of the time, so this measures the client, not the store: "
                "add --clients, or ask for a lower rate"
            )
        late = [line for line in self.lines_of(step) if line.lag_share > MOST_OF_IT]
        if late:
            return (
                f"most of the p99 of {', '.join(line.query for line in late)} is the client's own lateness, so "
                "this measures the client, not the store: its machine is busy, or needs more --clients"
            )
        due = sum(line.due for line in self.lines_of(step))
        done = sum(line.ended_in_step for line in self.lines_of(step))
        if due and done < _KEEPS_UP * due and self._waits_for_connections(step):
            return (
                f"all {self.setting.connections} connections were in use and calls waited for one: this is as many "
                "calls as the store answered over them; with more --connections it may answer more"
            )
        return None

    def _waits_for_connections(self, step: int) -> bool:
        """Whether most of the typical latency passed before a call was made."""
        lines = [line for line in self.lines_of(step) if line.service.total]
        return any(line.service.quantile_us(0.5) < MOST_OF_IT * line.latency.quantile_us(0.5) for line in lines)

    def lateness_of_client(self, step: int) -> float:
        """The largest part of a p99 in this step that may be the client's own lateness; 0 where it is little."""
        share = max((line.lag_share for line in self.lines_of(step)), default=0.0)
        return share if share > MOST_LAG else 0.0
