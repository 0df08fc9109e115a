"""Requests that are sent twice because the first answer is late: the answers of both may come, and one counts."""

from __future__ import annotations

from collections.abc import Callable

import piql
import pytest

pytestmark = pytest.mark.cluster

STREAM = """
CREATE TABLE follows (who INT, whom INT, PRIMARY KEY (who, whom), CARDINALITY LIMIT 40 (who));
CREATE TABLE posts (who INT, at INT, PRIMARY KEY (who, at));
CREATE QUERY stream AS SELECT p.who, p.at FROM follows f JOIN posts p ON p.who = f.whom
WHERE f.who = [me] ORDER BY p.at DESC LIMIT 40;
"""


def test_a_page_is_whole_though_every_request_of_its_fan_out_is_answered_twice(cluster_url: Callable[[], str]) -> None:
    with piql.connect(f"{cluster_url()}&speculative=1") as db:
        db.deploy(piql.compile(STREAM))
        db.load("follows", [{"who": 0, "whom": whom} for whom in range(40)])
        db.load("posts", [{"who": whom, "at": whom} for whom in range(40)])
        for _ in range(25):
            assert [row["at"] for row in db.execute("stream", {"me": 0}).rows] == list(range(39, -1, -1))
