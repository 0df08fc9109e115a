"""A load run in words: the cells of its tables and its sentences, the same on a terminal and on a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from piql_profiler.load_runs.comparison import Comparison, Pair
from piql_profiler.load_runs.result import QUANTILES, Line, LoadRun, ThresholdResult
from piql_profiler.load_runs.verdicts import Objectives, Verdict, objective_of, verdict_of
from piql_profiler.measure.precision import FEWEST_FOR_P99
from piql_profiler.validation.agreement import ERROR

HEADINGS = ("query", "asked/s", "done/s", "calls", "errors", "p50, ms", "p95, ms", "p99, ms (95 %)", "requests")
COMPARED = ("query", "calls/s", "first p99, ms (95 %)", "second p99, ms (95 %)", "the second is")
TOO_FEW = "too few"
STATED = (
    f"That any verdict here calls equal queries different has a probability of at most {ERROR:.0%} (Fisher's exact "
    f"test on the calls beyond the common p99, Holm's correction). Too few: less than {FEWEST_FOR_P99} independent "
    "calls in one of the runs."
)
_ENDED = {"stopped": "was stopped", "interrupted": "was interrupted", "failed": "failed"}


def heading(run: LoadRun) -> str:
    """What was called, and how."""
    setting = run.setting
    kind = "the query service at" if setting.is_service else "the store"
    weights = ", ".join(f"{query.name} {query.weight:g}" for query in setting.queries)
    loop = "Closed loop" if setting.is_closed else "Open loop"
    counting = "the call was made" if setting.is_closed else "a call was due"
    return (
        f"{loop} on {kind} {setting.target}: {_counted(setting.clients, 'client')} with "
        f"{_counted(setting.connections, 'connection')}, seed {setting.seed}. Mix: {weights}. "
        f"Latencies count from the moment {counting}."
    )


def step_heading(run: LoadRun, step: int) -> str:
    """The rate of a step, and how long it ran."""
    asked, ran = run.setting.steps[step], run.seconds_of(step)
    short = "" if ran >= asked.seconds else f" ({ran:.0f} s of it)"
    if asked.rate is None:
        connections = _counted(run.setting.connections, "connection")
        return f"As many calls as {connections} could make in {asked.seconds:g} s{short}"
    return f"Step {step + 1}: {asked.rate:g} calls a second for {asked.seconds:g} s{short}"


def cells(run: LoadRun, line: Line) -> list[str]:
    """One line of a step, as `HEADINGS` name it."""
    seconds = run.seconds_of(line.step)
    bound = next(query.bound for query in run.setting.queries if query.name == line.query)
    return [
        line.query,
        "–" if (asked := run.asked_rate(line)) is None else _rate(asked),
        _rate(line.ended_in_step / seconds) if seconds else "–",
        f"{line.due:,}",
        f"{line.failed:,}",
        *(percentile(line, quantile, with_interval=quantile == 0.99) for quantile in QUANTILES),
        f"{line.most_requests}/{bound}",
    ]


def percentile(line: Line, quantile: float, *, with_interval: bool) -> str:
    """A percentile in ms; `≥` where calls that had not ended reach it."""
    precision = line.quantile(quantile)
    if precision is None:
        return TOO_FEW
    sign = "≥ " if line.is_at_least(quantile) else ""
    interval = f" ({ms(precision.low_us)} – {ms(precision.high_us)})" if with_interval else ""
    return f"{sign}{ms(precision.estimate_us)}{interval}"


def remarks(run: LoadRun, step: int, objectives: Objectives) -> Iterator[str]:
    """What has to be said of a step below its table."""
    limit = run.limit_of_client(step)
    lateness = run.lateness_of_client(step)
    if limit is not None:
        yield f"The client could not keep up: {limit}."
    elif lateness:
        yield f"Up to {lateness:.0%} of a p99 here is the client's own lateness."
    for line in run.lines_of(step):
        for kind, count in sorted(line.errors.items()):
            yield f"{line.query}: {count:,} × {kind} ({run.messages.get(kind, kind)})"
        if line.unanswered:
            yield f"{line.query}: {_counted(line.unanswered, 'call')} had not ended when the run did"
        if (objective := objective_of(line, objectives)) is not None:
            yield f"{line.query}: {verdict_text(verdict_of(run, line, objective))}"


def verdict_text(verdict: Verdict) -> str:
    """An SLO and how it stands."""
    objective = verdict.objective
    slo = f"SLO p{100 * objective.quantile:g} ≤ {objective.threshold_ms:g} ms"
    within = f"{verdict.share:.2%} of its calls were within"
    match verdict.outcome:
        case "too few":
            return f"{slo}: too few calls ({verdict.needed} independent ones can decide)"
        case "client":
            return f"{slo}: not known, as the client itself could not keep up ({within})"
    return f"{slo}: {verdict.outcome} ({within})"


def threshold_text(threshold: ThresholdResult) -> str:
    """A threshold and how it stands."""
    value = "" if threshold.value is None else f"{_value(threshold)} over {_counted(threshold.calls, 'call')}"
    match threshold.outcome:
        case "crossed":
            return f"{threshold.text}: crossed at second {threshold.at:g}: {value}"
        case "client":
            return (
                f"{threshold.text}: at second {threshold.at:g} the client itself could not keep up ({value}), "
                "so nothing is known of the store"
            )
        case "too few":
            return f"{threshold.text}: never checked: a window held at most {_counted(threshold.calls, 'call')}"
    return f"{threshold.text}: kept; the highest was {value}"


def ending(run: LoadRun) -> Iterator[str]:
    """How the run ended, where not as it was meant to, and what percentiles need."""
    if run.is_partial:
        yield f"This result is partial: the run {_ENDED[run.ended]} after {run.seconds:.0f} s: {run.message}."
    yield from (f"{note}." for note in run.notes if note != run.message)
    unknown = [line for line in run.lines if line.latency.total and line.quantile(0.99) is None]
    if unknown:
        most = max(unknown, key=lambda line: line.latency.total)
        yield (
            f"Too few: a p99 needs about {FEWEST_FOR_P99} independent calls. Calls that are slow "
            f"together count as fewer: {_counted(most.latency.total, 'call')} of "
            f"{most.query} as {most.worth[0.99]:,.0f}."
        )


def as_text(run: LoadRun, objectives: Objectives) -> str:
    """The whole result for a terminal."""
    parts = [heading(run)]
    for step in range(len(run.setting.steps)):
        lines = run.lines_of(step)
        if lines:
            remarked = [f"  {remark}" for remark in remarks(run, step, objectives)]
            table = text_table(HEADINGS, [cells(run, line) for line in lines])
            parts.append("\n".join([step_heading(run, step), table, *remarked]))
    parts += ["\n".join(map(threshold_text, run.thresholds))] if run.thresholds else []
    parts += ["\n".join(ending(run))] if [*ending(run)] else []
    return "\n\n".join(parts)


def comparison_cells(pair: Pair) -> list[str]:
    """One line of a comparison, as `COMPARED` names it."""
    return [
        pair.first.query,
        "closed loop" if pair.rate is None else f"{pair.rate:g}",
        percentile(pair.first, 0.99, with_interval=True),
        percentile(pair.second, 0.99, with_interval=True),
        "not known: the client could not keep up" if pair.outcome == "client" else pair.outcome,
    ]


def comparison_text(comparison: Comparison) -> str:
    """A comparison for a terminal."""
    if not comparison.pairs:
        return "\n".join(["No query was called at the same rate in both runs.", *comparison.differences])
    table = text_table(COMPARED, [comparison_cells(pair) for pair in comparison.pairs])
    return "\n".join([table, "", *(f"Not the same: {difference}." for difference in comparison.differences), STATED])


def text_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table whose first column is at the left, and all others at the right."""
    widths = [max(map(len, column)) for column in zip(headings, *rows, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if at == 0 else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in (headings, *rows)
    )


def ms(microseconds: float) -> str:
    return f"{microseconds / 1000:.3g}" if microseconds < 1e6 else f"{microseconds / 1000:,.0f}"


def _rate(a_second: float) -> str:
    return f"{a_second:.3g}" if a_second < 100 else f"{a_second:,.0f}"


def _value(threshold: ThresholdResult) -> str:
    assert threshold.value is not None
    match threshold.unit:
        case "us":
            return f"{ms(threshold.value)} ms"
        case "share":
            return f"{threshold.value:.2%}"
    return f"{threshold.value:g}"


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
