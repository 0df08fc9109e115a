"""Measures one point on a store: the operator as the engine executes it, again and again for some seconds.

A scan is a query of its own and is timed as a whole. A join needs rows to join with, so its query scans them first;
the join's time runs from the answer of that scan to the end of the execution, merging and output included. One
execution follows the other (closed loop) in one thread; several clients are several processes.
"""

from __future__ import annotations

_WARM_UP = 3
_AT_LEAST = 20
