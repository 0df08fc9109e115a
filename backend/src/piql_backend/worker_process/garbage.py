"""How a worker looks for garbage: rarely while somebody waits for an answer, and when it has nothing to do.

A worker keeps hundreds of thousands of objects for the next key. A collection that looks at all of them takes 50 to 300
ms, and Python makes one every few keys. What the compiler leaves behind in cycles is young, so looking at young objects
finds it.
"""

from __future__ import annotations

import gc
from multiprocessing.connection import Connection

_YOUNG = 20_000  # objects more than before; Python's 700 would look some 40 times during one compilation of 100 queries
IDLE_SECONDS = 5.0  # without a job, after which all objects are looked at


def spare_what_stays() -> None:
    """Leave what exists now out of all collections, and make those of all other objects rare."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_YOUNG, 10, 10)  # all objects at the soonest once 2,000,000 more exist


def collect_when_idle(connection: Connection, seconds: float = IDLE_SECONDS) -> None:
    """Wait for a job, or for the end of the connection; look at all objects once none has come for some seconds."""
    if not connection.poll(seconds):
        gc.collect()
