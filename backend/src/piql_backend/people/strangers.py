"""What strangers try and are refused: counted by the metrics, and told in the log once a minute at most.

The record would grow as fast as they like, and each of its rows waits for the disk.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from piql_backend.web.allowances import Allowance, Allowances

log = logging.getLogger(__name__)

WRONG_PASSWORDS = Allowance(at_once=1_000, seconds=10.0)  # that the record takes, of all names and clients together
_LINES = Allowance(at_once=1, seconds=60.0)


class Strangers:
    """What was refused to nobody who is known, on the event loop alone."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._allowances = Allowances[str](clock)
        self._untold = 0

    def may_be_recorded(self) -> bool:
        """Whether the record takes one more wrong password, which is counted."""
        return not self._allowances.take({"record": WRONG_PASSWORDS})

    def refused(self, operation: str, address: str) -> None:
        """Count a refusal, and write a line about all that no line tells of yet, unless there was one just now."""
        self._untold += 1
        if not self._allowances.take({"log": _LINES}):
            message = "requests of strangers that were refused since the last such line: %d. The last: %s, from %s"
            log.warning(message, self._untold, operation, address or "nowhere")
            self._untold = 0
