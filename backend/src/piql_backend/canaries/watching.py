"""Looks at what is tried every two seconds: makes the tests that are due, and withdraws what passed its thresholds.

A look is due when the tried version was executed twice as often as at the last one (`two_versions`). What it has shown
is kept, so that a restart makes no test twice. Only a workbench that runs, with this environment open, withdraws.
"""

from __future__ import annotations

import logging
import threading

import duckdb
from piql.errors import PiqlError
from piql_profiler.validation.two_versions import due_at, judge_versions, level_of

from piql_backend.canaries.service import Canaries, Standing, looks_since
from piql_backend.canaries.thresholds import passed
from piql_backend.web.errors import ApiError

log = logging.getLogger(__name__)

_SECONDS_BETWEEN_LOOKS = 2.0


class CanaryWatch:
    """Watches the canaries of one environment, in a thread of its own."""

    def __init__(self, canaries: Canaries) -> None:
        self._canaries = canaries
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watch-canary", daemon=True)
        self._problem: str | None = None  # that the log has told

    def open(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join()

    def look(self) -> None:
        """Write events that are missing, make the tests that are due, and withdraw what has passed its thresholds."""
        canaries = self._canaries
        with canaries.deciding:
            standing = canaries.standing()
            canaries.complete(standing)
            if standing is not None and standing.canary.stage == "open":
                self._judge(standing)

    def _judge(self, standing: Standing) -> None:
        canaries, table = self._canaries, self._canaries.table
        counted = canaries.counted(standing)
        why = passed(standing.thresholds, counted, canaries.slos())
        build = None if why is None else canaries.build_of(standing)
        if why is not None and build is not None:
            log.warning("version %d is withdrawn: %s", standing.deployment.version, why)
            canaries.end(standing, build, None, why)
            return
        executions = sum(sides.tried.ran.executions for sides in counted.values() if sides.tried is not None)
        looks = table.looks(standing.id)
        if executions < due_at(looks_since(looks, standing.canary)):
            return
        pairs = {
            query: (sides.live.ran, sides.tried.ran)
            for query, sides in counted.items()
            if sides.live is not None and sides.tried is not None
        }
        number = len(looks) + 1
        table.add_look(standing.id, number, executions, judge_versions(pairs, level_of(number)))

    def _run(self) -> None:
        while not self._stopped.wait(_SECONDS_BETWEEN_LOOKS):
            try:
                self.look()
                self._problem = None
            except Exception as error:  # the next look comes, whatever it is
                if str(error) != self._problem:
                    is_known = isinstance(error, (duckdb.Error, OSError, PiqlError, ApiError))
                    log.error("the canary is not watched: %s", error, exc_info=None if is_known else error)
                self._problem = str(error)
