"""Thresholds are about the last seconds, have enough calls, and do not blame the store for a late client."""

from collections.abc import Sequence

from piql_profiler.load_runs.calls import Batch, Call, Unanswered
from piql_profiler.load_runs.thresholds import threshold_of
from piql_profiler.load_runs.window import Window

QUERIES = ("findUser", "stream")
P99 = threshold_of("p99 > 50ms", QUERIES)


def calls_of(
    latency_ms: float, at: float, number: int = 500, lag_ms: float = 0.0, query: int = 0, error: str | None = None
) -> tuple[Call, ...]:
    """So many calls that ended at a moment, each after the same time."""
    due = at - latency_ms / 1000
    return (Call(0, query, due, 0.0, due + lag_ms / 1000, at, 1, error),) * number


def window_of(*batches: Batch) -> Window:
    window = Window(10.0, QUERIES)
    for batch in batches:
        window.add(batch)
    return window


def batch_of(
    calls: Sequence[Call],
    unanswered: Sequence[Unanswered] = (),
    waiting: int = 0,
    computing: float = 0.1,
    client: int = 0,
) -> Batch:
    return Batch(client, 0.0, tuple(calls), tuple(unanswered), waiting, computing)


def test_a_p99_above_its_threshold_is_crossed_and_one_below_is_kept() -> None:
    assert window_of(batch_of(calls_of(60.0, 5.0))).check(P99, 5.0, 300).outcome == "crossed"
    assert window_of(batch_of(calls_of(40.0, 5.0))).check(P99, 5.0, 300).outcome == "kept"


def test_slow_calls_leave_the_window_when_they_are_old() -> None:
    window = window_of(batch_of(calls_of(60.0, 5.0)), batch_of(calls_of(40.0, 16.0)))
    assert window.check(P99, 14.0, 300).outcome == "crossed"
    assert window.check(P99, 16.0, 300).outcome == "kept"


def test_with_fewer_calls_than_are_asked_for_nothing_is_said() -> None:
    check = window_of(batch_of(calls_of(60.0, 5.0, number=299))).check(P99, 5.0, 300)
    assert (check.outcome, check.calls, check.value) == ("too few", 299, None)


def test_a_store_that_stops_crosses_a_threshold_although_no_call_ends() -> None:
    waiting = [Unanswered(0, 0, due=1.0 + number / 1_000) for number in range(400)]
    window = window_of(batch_of((), waiting, waiting=384))
    assert window.check(P99, 3.0, 300).outcome == "crossed"
    assert window.check(P99, 1.04, 300).outcome == "too few"  # none of them is older than 50 ms


def test_a_call_that_waits_in_vain_for_less_than_the_threshold_is_not_counted() -> None:
    window = window_of(batch_of(calls_of(40.0, 5.0), [Unanswered(0, 0, due=4.99)] * 500))
    assert window.check(P99, 5.0, 300).outcome == "kept"


def test_a_client_that_is_late_itself_is_not_the_store() -> None:
    assert window_of(batch_of(calls_of(60.0, 5.0, lag_ms=50.0))).check(P99, 5.0, 300).outcome == "client"
    assert window_of(batch_of(calls_of(60.0, 5.0, lag_ms=10.0))).check(P99, 5.0, 300).outcome == "crossed"


def test_a_client_that_computes_all_the_time_is_not_the_store() -> None:
    assert window_of(batch_of(calls_of(60.0, 5.0), computing=0.95)).check(P99, 5.0, 300).outcome == "client"


def test_errors_are_a_share_of_the_calls_that_ended() -> None:
    errors = threshold_of("errors > 1%", QUERIES)
    many = calls_of(1.0, 5.0, 980) + calls_of(1.0, 5.0, 20, error="store-silent")
    few = calls_of(1.0, 5.0, 990) + calls_of(1.0, 5.0, 10, error="store-silent")
    assert window_of(batch_of(many, computing=0.95)).check(errors, 5.0, 300).outcome == "crossed"
    assert window_of(batch_of(few)).check(errors, 5.0, 300).outcome == "kept"


def test_a_threshold_of_one_query_is_about_its_calls_alone() -> None:
    calls = calls_of(60.0, 5.0, query=0) + calls_of(40.0, 5.0, query=1)
    window = window_of(batch_of(calls))
    assert window.check(threshold_of("stream p99 > 50ms", QUERIES), 5.0, 300).outcome == "kept"
    assert window.check(threshold_of("findUser p99 > 50ms", QUERIES), 5.0, 300).outcome == "crossed"


def test_the_backlog_is_that_of_all_clients_now() -> None:
    backlog = threshold_of("backlog > 200", QUERIES)
    window = window_of(batch_of((), waiting=150, client=0), batch_of((), waiting=100, client=1))
    assert window.check(backlog, 5.0, 300).outcome == "crossed"
    window.add(batch_of((), waiting=0, client=0))
    assert window.check(backlog, 6.0, 300).outcome == "kept"
