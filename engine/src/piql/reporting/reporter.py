"""The thread that folds the executions of one database into counts and ships them.

    any thread   execute → pending                                            a tuple each
    this thread  every second  pending → cells → journal, on disk             also whoever fills `pending` makes cells
                 every 10 s    journal → spool
    a sender     every 10 s    spool → the workbench                          later, where it does not answer

The thread is no daemon: it ends with the main thread, and ships before it does. A process that is killed loses what it
executed since it last wrote to its journal, about a second; all before that is counted, and once.
"""

from __future__ import annotations

import logging
import random
import threading
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic, time

from piql.forking import RenewedLock, renew_in_children
from piql.reporting.address import ReportAddress
from piql.reporting.cells import Counted, Folded
from piql.reporting.journal import Journal
from piql.reporting.operator_cells import EVERY, OperatorCells, Sampler, join
from piql.reporting.sending import Answer, send
from piql.reporting.shipment import shipments
from piql.reporting.spool import Spool

log = logging.getLogger(__name__)

PENDING = 1024  # executions that are folded at once
SHIP_SECONDS = 10.0
_THREAD = "piql-report"
_TICK_SECONDS = 1.0
_TIMEOUT_SECONDS = 5.0
_END_SECONDS = 3.0  # how long a clean end waits for the workbench; what is left stays in the spool
_LONGEST_WAIT_SECONDS = 60.0

Send = Callable[[ReportAddress, bytes, float], Answer]


@dataclass(frozen=True, slots=True)
class ReportStatus:
    """How reporting does. `lost` executions found no room in memory, `dropped` shipments none in the spool.

    `problem` says why shipments wait or were refused; None where the last one was taken.
    """

    sent: int
    refused: int
    lost: int
    dropped: int
    problem: str | None


class Reporter:
    """Counts what is appended to `pending`. Whoever finds `full` there calls `reached`: this also starts the thread."""

    def __init__(self, address: ReportAddress, send: Send = send) -> None:
        self._address = address
        self._send = send
        self._spool = Spool(address.spool)
        self._folding = RenewedLock()
        self._keeping = RenewedLock()
        self._shipping = RenewedLock()
        self.pending: list[Counted] = []
        self.sampler = Sampler()
        self._begin()
        renew_in_children(self, Reporter._renew)

    def _begin(self) -> None:
        """Be a client of its own, that has counted nothing yet."""
        self._client = uuid.uuid4().hex
        self._sequence = 0
        self._journal = self._next_journal()
        self._sender: threading.Thread | None = None
        self._folded = Folded()
        self._operators: OperatorCells = {}
        self._thread: threading.Thread | None = None
        self._ended = threading.Event()
        self.full = 1  # so that the first execution starts the thread
        self._spool_at = self._send_at = monotonic() + SHIP_SECONDS
        self._failures = 0
        self._sent = self._refused = self._lost = 0
        self._problem: str | None = None

    def _renew(self) -> None:
        """Leave to the parent what it counted, and begin again."""
        self.pending.clear()
        self.sampler.observed.clear()
        self._journal.leave()
        self._spool.forget_memory()
        self._begin()

    @property
    def status(self) -> ReportStatus:
        problem = self._problem or self._spool.problem
        return ReportStatus(self._sent, self._refused, self._lost, self._spool.dropped, problem)

    def reached(self) -> None:
        """Count what is pending where it is much, or let the next execution be sampled."""
        if self._thread is None or len(self.pending) >= PENDING:
            self.fold()
        else:
            self.sampler.is_turn = True
            self.full = min(PENDING, len(self.pending) + self.sampler.gap())

    def fold(self) -> None:
        """Count what is pending. Appending goes on meanwhile: what comes behind is left for the next time."""
        with self._folding.lock:
            pending = self.pending
            count = len(pending)
            executions = pending[:count]
            del pending[:count]
            minute = int(time() // 60)
            self._folded.fold(executions, minute)
            join(self._operators, self.sampler.folded(minute))
            # Where little is executed, the second execution of each second has its turn.
            self.full = 1 if count < EVERY else min(PENDING, self.sampler.gap())
            if self._thread is None and not self._ended.is_set():
                self._thread = threading.Thread(target=self._run, name=_THREAD, daemon=False)
                self._thread.start()

    def ship(self, seconds: float = _TIMEOUT_SECONDS) -> bool:
        """Write what was counted to the spool and send what waits there, for `seconds` at most.

        Return whether all of it was taken.
        """
        give_up_at = monotonic() + seconds
        self.to_spool()
        with self._shipping.lock:
            self._spool.take_over()
            for name, shipment in self._spool.waiting(self._client):
                left = give_up_at - monotonic()
                if left <= 0:
                    return False
                answer = self._send(self._address, shipment, left)
                if answer.outcome == "later":
                    self._failed(answer.message)
                    return False
                if answer.outcome == "refused":
                    self._spool.set_aside(name)
                    self._refused += 1
                    self._tell(answer.message)
                else:
                    self._spool.remove(name)
                    self._sent += 1
                    self._failures, self._problem = 0, None
        self._send_at = monotonic() + SHIP_SECONDS
        return True

    def close(self) -> None:
        """Ship what was counted; what cannot be shipped in a few seconds stays in the spool."""
        self.fold()
        self._ended.set()
        self.ship(_END_SECONDS)

    def keep(self) -> None:
        """Write what was counted to the journal: a kill of this process does not lose it any more."""
        with self._keeping.lock:
            with self._folding.lock:
                folded, self._folded = self._folded, Folded()
                operators, self._operators = self._operators, {}
            self._lost += folded.lost
            cells, lost = list(folded.cells.items()), folded.lost
            while cells or lost or operators:
                room = self._journal.room
                try:
                    self._journal.append(cells[:room], lost, operators)
                except OSError:
                    self._to_shipments(Folded(dict(cells), lost), operators)
                    return
                cells, lost, operators = cells[room:], 0, {}
                if self._journal.room == 0:
                    self._close_journal()

    def to_spool(self) -> None:
        """Put what was counted into the spool, as a shipment that waits to be sent."""
        self.keep()
        with self._keeping.lock:
            self._close_journal()
            self._spool_at = monotonic() + SHIP_SECONDS

    def _close_journal(self) -> None:
        """Put what the journal has into the spool, and begin another."""
        journal = self._journal
        if not journal.is_begun:
            return
        self._journal = self._next_journal()
        if self._spool.put_journal(journal.path):
            journal.remove()
        journal.leave()

    def _to_shipments(self, folded: Folded, operators: OperatorCells) -> None:
        """Put counts that cannot be written to the journal into the spool, which keeps them in memory where it must."""
        for shipment in shipments(folded, self._client, self._sequence, operators):
            self._spool.put(self._client, self._sequence, shipment)
            self._sequence += 1

    def _next_journal(self) -> Journal:
        self._sequence += 1
        return Journal(self._spool.folder, f"{self._client}-{self._sequence - 1}")

    def _failed(self, message: str) -> None:
        """Wait longer each time, and not all clients as long."""
        self._failures += 1
        wait = min(_LONGEST_WAIT_SECONDS, SHIP_SECONDS * 2 ** min(self._failures - 1, 5))
        self._send_at = monotonic() + wait * random.uniform(0.5, 1.0)
        self._tell(message)

    def _tell(self, message: str) -> None:
        """Log a problem when it is new."""
        if message != self._problem:
            log.warning("reports wait: %s", message)
        self._problem = message

    def _run(self) -> None:
        main = threading.main_thread()
        while not self._ended.is_set():
            if main.is_alive():
                until_next_minute = 60.0 - time() % 60.0
                main.join(min(_TICK_SECONDS, until_next_minute))  # wakes at once when the main thread ends
            elif not _others_run() or self._ended.wait(_TICK_SECONDS):
                break
            self._tick()
        if not self._ended.is_set():
            self.close()

    def _tick(self) -> None:
        self.fold()
        self.keep()
        now = monotonic()
        if now >= self._send_at and (self._sender is None or not self._sender.is_alive()):
            self._sender = threading.Thread(target=self.ship, name=f"{_THREAD}-sender", daemon=True)
            self._sender.start()
        elif now >= self._spool_at:
            self.to_spool()


def _others_run() -> bool:
    """Whether threads of the program keep the process alive after its main thread."""
    return any(not thread.daemon and thread.name != _THREAD for thread in threading.enumerate() if thread.is_alive())
