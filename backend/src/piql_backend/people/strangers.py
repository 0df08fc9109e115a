"""Refused requests of people who are not signed in: counted, and logged once a minute at most.

They are not written into the record: it would grow as fast as anybody sends requests, and each row waits for the disk.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from piql_backend.web.allowances import Allowance, Allowances

log = logging.getLogger(__name__)

WRONG_PASSWORDS = Allowance(at_once=1_000, seconds=10.0)  # in the record, of all names and clients together
_LINES = Allowance(at_once=1, seconds=60.0)


class Strangers:
    """Counts refused requests of people who are not signed in; to be called on the event loop alone."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._allowances = Allowances[str](clock)
        self._not_logged = 0

    def may_be_recorded(self) -> bool:
        """Whether one more wrong password may be recorded; it is counted against the allowance."""
        return not self._allowances.take({"record": WRONG_PASSWORDS})

    def refused(self, operation: str, address: str) -> None:
        """Count a refusal; log all that have not been logged yet, unless a line was written within the last minute."""
        self._not_logged += 1
        if not self._allowances.take({"log": _LINES}):
            message = "requests of strangers that were refused since the last such line: %d. The last: %s, from %s"
            log.warning(message, self._not_logged, operation, address or "nowhere")
            self._not_logged = 0
