"""`python -m piql_backend.worker_process.process FD MEGABYTES NICENESS`: a worker process.

    FD          the socket to the server: jobs come in, answers go out, one after the other
    MEGABYTES   how much memory a job may take beyond what the process has
    NICENESS    how far its priority is below the server's

Its own signals keep it within its limits, and it ends when its server is gone.
"""

from __future__ import annotations

import ctypes
import os
import resource
import select
import signal
import sys
import threading
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path

_PAGE = os.sysconf("SC_PAGE_SIZE")
_PR_SET_PDEATHSIG = 1  # of linux/prctl.h


def main(descriptor: int, megabytes: int, niceness: int) -> None:
    """Do jobs until the server closes the socket, or the process has come to hold too much memory."""
    _end_with_server(descriptor)
    _give_way(niceness)
    connection: Connection = Connection(descriptor)
    from piql_backend.worker_process.garbage import collect_when_idle, spare_what_stays
    from piql_backend.worker_process.inbox import Inbox
    from piql_backend.worker_process.jobs import Worker
    from piql_backend.workers.protocol import READY, Answer

    worker, inbox = Worker(), Inbox(connection)
    budget = megabytes * 1_000_000
    spare_what_stays()
    connection.send(READY)
    while True:
        collect_when_idle(connection)
        try:
            job = inbox.next_job()
        except EOFError:
            return
        _limit_memory(budget)
        signal.setitimer(signal.ITIMER_PROF, job.seconds)  # its signal ends the process
        answer = worker.carry_out(job, inbox.is_wanted, lambda part: connection.send(Answer("part", part)))
        is_last = answer.is_last or _resident_bytes() > budget / 2
        signal.setitimer(signal.ITIMER_PROF, 0)
        connection.send(Answer(answer.kind, answer.value, is_last))
        if is_last:
            return


def _give_way(niceness: int) -> None:
    """Let the server have the processor first; a batch process does not interrupt it when it gets a job."""
    os.nice(niceness)
    if sys.platform == "linux":
        with suppress(OSError):  # where a sandbox forbids it, the niceness is enough
            os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))


def _end_with_server(descriptor: int) -> None:
    """End this process when its server has ended or was killed, even in the middle of a job."""
    threading.Thread(target=_end_at_hangup, args=(descriptor,), name="hangup", daemon=True).start()
    if sys.platform == "linux":  # this ends a stopped process, too, whose threads do not run
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _end_at_hangup(descriptor: int) -> None:
    poll = select.poll()
    poll.register(descriptor, 0)  # to be told of nothing but that the other end is closed
    poll.poll()
    os._exit(0)


def _limit_memory(budget: int) -> None:
    """Let the process map that many bytes more than it has now; beyond them it gets a MemoryError."""
    limit = _statm(0) + budget
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard))


def _resident_bytes() -> int:
    return _statm(1)


def _statm(field: int) -> int:
    """A field of /proc/self/statm in bytes: 0 is all that is mapped, 1 is resident; 0 where there is no such file."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[field]) * _PAGE
    except OSError:  # no Linux
        return 0


if __name__ == "__main__":
    main(*map(int, sys.argv[1:4]))
