"""A threshold is read as it is said; what is not understood is told in the user's words, with what to write."""

import re

import pytest
from piql_profiler.load_runs.thresholds import Threshold, UnreadableThreshold, threshold_of

QUERIES = ("findUser", "stream")


@pytest.mark.parametrize(
    ("text", "threshold"),
    [
        ("p99 > 50ms", Threshold("p99 > 50ms", "latency", 50_000.0, None, 0.99)),
        ("p99.9>0.5s", Threshold("p99.9>0.5s", "latency", 500_000.0, None, 0.999)),
        ("findUser p50 > 800us", Threshold("findUser p50 > 800us", "latency", 800.0, "findUser", 0.5)),
        ("errors > 1%", Threshold("errors > 1%", "errors", 0.01)),
        ("stream errors > 0%", Threshold("stream errors > 0%", "errors", 0.0, "stream")),
        ("backlog > 200", Threshold("backlog > 200", "backlog", 200.0)),
    ],
)
def test_a_threshold_is_read(text: str, threshold: Threshold) -> None:
    assert threshold_of(text, QUERIES) == threshold


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("p99 > 50", "'p99 > 50': '50' is no time: write one above 0 in us, ms or s, as 50ms"),
        ("p99 > 50min", "'50min' is no time"),
        ("p99 < 50ms", "'<' is not known here: a run stops above a number, write >"),
        ("p999 > 50ms", "p999 is no percentile: write one between p0 and p100, such as p99"),
        ("latency > 50ms", "'latency' is not known here: write for example 'p99 > 50ms'"),
        ("errors > 1", "'1' is no share: write percent below 100, as 1%"),
        ("errors > many%", "'many%' is no number"),
        ("findUsr p99 > 5ms", "findUsr is no query of this run: did you mean findUser?"),
        ("wrong p99 > 5ms", "wrong is no query of this run: the run calls findUser, stream"),
        ("stream backlog > 5", "the backlog is that of all queries: write 'backlog > 5'"),
        ("backlog > 5%", "a backlog is a number of calls: write 'backlog > 5'"),
        ("p99", "'p99' is no threshold: write for example 'p99 > 50ms'"),
        ("", "'' is no threshold"),
        ("findUser", "'findUser' is no threshold"),
        ("please stop if p99 > 5ms", "is no threshold"),
    ],
)
def test_what_is_no_threshold_is_told_with_what_to_write(text: str, message: str) -> None:
    with pytest.raises(UnreadableThreshold, match=re.escape(message)):
        threshold_of(text, QUERIES)
