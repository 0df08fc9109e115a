"""`python -m piql_backend.workers.process FD MEGABYTES NICENESS`: a worker; it ends when its server is gone."""

from __future__ import annotations

import os
import resource
import signal
import sys
from multiprocessing.connection import Connection
from pathlib import Path

_PAGE = os.sysconf("SC_PAGE_SIZE")


def main(descriptor: int, megabytes: int, niceness: int) -> None:
    os.nice(niceness)
    connection: Connection = Connection(descriptor)
    from piql_backend.workers.jobs import Worker
    from piql_backend.workers.protocol import READY

    worker = Worker()
    budget = megabytes * 1_000_000
    connection.send(READY)
    while True:
        try:
            job = connection.recv()
        except EOFError:
            return
        _limit_memory(budget)
        signal.setitimer(signal.ITIMER_PROF, job.seconds)  # its signal ends the process
        answer = worker.carry_out(job)
        is_last = answer.is_last or _resident_bytes() > budget / 2
        signal.setitimer(signal.ITIMER_PROF, 0)
        connection.send(type(answer)(answer.kind, answer.value, is_last))
        if is_last:
            return


def _limit_memory(budget: int) -> None:
    """Let the process take that much beyond what it has mapped by now; then it meets a MemoryError."""
    limit = _statm(0) + budget
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard))


def _resident_bytes() -> int:
    return _statm(1)


def _statm(field: int) -> int:
    try:
        return int(Path("/proc/self/statm").read_text().split()[field]) * _PAGE
    except OSError:  # no Linux
        return 0


if __name__ == "__main__":
    main(*map(int, sys.argv[1:4]))
