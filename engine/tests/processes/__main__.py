"""The warm parent: it is told by line which function to run in how many children.

{"job": "crash.jobs:write", "processes": 1, …}   ──▶   born 0 PID
                                                       0 done ok        what child 0 says
                                                       dead 0 STATUS
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from multiprocessing import get_context
from typing import Any

import piql


def main() -> None:
    for source in json.loads(sys.argv[1]):  # what is compiled here is known to every child
        piql.compile(source)
    for line in sys.stdin:
        job = json.loads(line)
        module, _, function = job["job"].partition(":")
        work = getattr(importlib.import_module(module), function)
        job["together"] = get_context("fork").Barrier(job["processes"])  # to begin when all are there
        children = [_born(work, job, number) for number in range(job["processes"])]
        for _ in children:
            pid, status = os.wait()
            os.write(1, f"dead {children.index(pid)} {status}\n".encode())


def _born(work: Any, job: dict[str, Any], number: int) -> int:
    pid = os.fork()
    if pid:
        os.write(1, f"born {number} {pid}\n".encode())
        return pid
    try:
        work(job, number, lambda said: os.write(1, f"{number} {said}\n".encode()))
    except BaseException as failure:
        os.write(1, f"{number} failed {failure!r}\n".encode())
        os._exit(1)
    os._exit(0)


if __name__ == "__main__":
    main()
