"""Connections to a real cluster are cut while pages are read over them: a page is whole, or there is a typed error."""

from __future__ import annotations

import random
import socket
import threading
from collections.abc import Callable

import piql
import pytest

from .load import until_it_works
from .test_speculative_copies import STREAM

pytestmark = pytest.mark.cluster
WHOLE = list(range(39, -1, -1))


@pytest.mark.parametrize("fan_out", ["grouped", "parallel"])
def test_a_page_is_whole_or_refused_though_connections_are_cut_under_its_fan_out(
    cluster_url: Callable[[], str], fan_out: str
) -> None:
    with piql.connect(f"{cluster_url()}&fan_out={fan_out}") as db:
        db.deploy(piql.compile(STREAM))
        db.load("follows", [{"who": 0, "whom": whom} for whom in range(40)])
        db.load("posts", [{"who": whom, "at": whom} for whom in range(40)])
        is_over, cuts = threading.Event(), list[int]()
        session = db.store.connection.session  # type: ignore[attr-defined]

        def cut() -> None:
            """Shut one connection after the other, as a network does that forgets them."""
            chance = random.Random(1)
            while not is_over.wait(chance.uniform(0.02, 0.3)):
                open_ones = [each for pool in session.get_pools() for each in pool.get_connections()]
                if open_ones:
                    try:
                        chance.choice(open_ones)._socket.shutdown(socket.SHUT_RDWR)
                        cuts.append(1)
                    except OSError:  # it was closed meanwhile
                        continue

        cutter = threading.Thread(target=cut)
        cutter.start()
        whole = refused = 0
        try:
            while len(cuts) < 25:
                try:
                    rows = db.execute("stream", {"me": 0}).rows
                except piql.StoreUnavailable:
                    refused += 1
                else:
                    assert [row["at"] for row in rows] == WHOLE
                    whole += 1
        finally:
            is_over.set()
            cutter.join()
        assert whole > refused, (whole, refused)
        until_it_works(lambda: db.execute("stream", {"me": 0}))
        assert [row["at"] for row in db.execute("stream", {"me": 0}).rows] == WHOLE
