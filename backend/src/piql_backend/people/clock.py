"""The time as people's tables keep it."""

from __future__ import annotations

import time
from collections.abc import Callable

Clock = Callable[[], int]  # whole seconds since 1970


def wall_clock() -> int:
    return int(time.time())
