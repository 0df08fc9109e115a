"""Which nodes give no answers: noted after a request that waited in vain, probed, and taken back when they answer.

A node that was killed a moment ago, was stopped, or is too busy keeps its connections for a while, and the driver takes
it for well. Requests go to the other nodes first as long as it is noted here; a probe of its own asks it, so that no
request of a user waits to find out whether the node is back.

    note(node) ──▶ probe ──▶ answered in time           ──▶ taken back
                     ▲  └──▶ late, failed, or unanswered ──▶ pause ──┐
                     └───────────────────────────────────────────────┘
    The driver has convicted the node (its connections are gone)     ──▶ left to the driver, which reconnects
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from time import monotonic
from typing import Any, Protocol

PAUSE_SECONDS = 0.25


class Prober(Protocol):
    """How a node is asked whether it answers."""

    def probe(self, node: Any, has_ended: Callable[[bool], None]) -> None:
        """Send one small request to a node; call `has_ended` once, with whether an answer came. It may raise."""

    def is_connected(self, node: Any) -> bool:
        """Return whether the driver has connections to a node."""

    def after(self, seconds: float, call: Callable[[], None]) -> None:
        """Call something later, in a thread that may not be held up."""


class SilentNodes:
    """The nodes that are asked last; may be used from any number of threads.

    `patience` is how many seconds an answer may take for its node to count as one that answers.
    """

    def __init__(self, patience: float, clock: Callable[[], float] = monotonic) -> None:
        self.prober: Prober | None = None
        self._patience = patience
        self._clock = clock
        self._nodes: set[Any] = set()
        self._is_closed = False
        self._lock = threading.Lock()

    def __bool__(self) -> bool:
        return bool(self._nodes)

    def __contains__(self, node: object) -> bool:
        return node in self._nodes

    def note(self, node: Any) -> None:
        """Ask a node last from now on, and probe it until it answers; a node that is noted already stays as it is."""
        with self._lock:
            if node in self._nodes or self._is_closed:
                return
            self._nodes.add(node)
        self._probe(node)

    def others(self, nodes: Sequence[Any]) -> Sequence[Any]:
        """Leave out the silent nodes, if that leaves any."""
        if not self._nodes:
            return nodes
        return [node for node in nodes if node not in self._nodes] or nodes

    def close(self) -> None:
        """End the probes: none is sent after this."""
        with self._lock:
            self._is_closed = True
            self._nodes.clear()

    def _probe(self, node: Any) -> None:
        """Ask a noted node whether it answers; it is taken back if it does so in time."""
        prober, began = self.prober, self._clock()
        if prober is None or node not in self._nodes:
            return

        def has_ended(is_answered: bool) -> None:
            if is_answered and self._clock() - began <= self._patience:
                self._take_back(node)
            else:
                self._probe_later(node)

        try:
            prober.probe(node, has_ended)
        except Exception:  # whatever keeps the driver from sending: the node is probed again, or was convicted
            self._probe_later(node)

    def _probe_later(self, node: Any) -> None:
        """Ask a node again after a pause; one without connections is left to the driver, which reconnects."""
        prober = self.prober
        if prober is None or node not in self._nodes:
            return
        if prober.is_connected(node):
            prober.after(PAUSE_SECONDS, lambda: self._probe(node))
        else:
            self._take_back(node)

    def _take_back(self, node: Any) -> None:
        with self._lock:
            self._nodes.discard(node)
