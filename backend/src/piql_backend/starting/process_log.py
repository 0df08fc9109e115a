"""What the process logs: without passwords, and of a cluster's driver only what nobody else says.

The driver logs every attempt to connect, with tracebacks, and each environment looks at its store once a second. That a
store does not answer, and that it answers again, is logged there instead, once (`deployments/history.py`).
"""

from __future__ import annotations

import logging
import re
from typing import TextIO

from piql_profiler.measure.store_urls import without_password

_DRIVER = "cassandra"
_USER = re.compile(r"(Provided username )\S+")  # as a cluster repeats it, and its driver logs it
_MOST_REMEMBERED = 1000


def to_stderr() -> logging.StreamHandler[TextIO]:
    """What writes the log of a process to stderr."""
    handler = logging.StreamHandler()
    handler.setFormatter(_WithoutPasswords("%(levelname)s %(name)s: %(message)s"))
    handler.addFilter(_OfDriver())
    return handler


class _WithoutPasswords(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return _USER.sub(r"\1…", without_password(super().format(record)))


class _OfDriver(logging.Filter):
    """Lets of the driver's errors pass what it does not raise as well, each text once; and all that others log."""

    def __init__(self) -> None:
        super().__init__()
        self._passed: set[str] = set()

    def filter(self, record: logging.LogRecord) -> bool:
        if record.name.partition(".")[0] != _DRIVER:
            return True
        failure = record.exc_info[1] if record.exc_info else None
        is_raised = isinstance(failure, OSError) or type(failure).__module__.partition(".")[0] == _DRIVER
        text = record.getMessage()
        if record.levelno < logging.ERROR or is_raised or text in self._passed or len(self._passed) >= _MOST_REMEMBERED:
            return False
        self._passed.add(text)
        return True
