"""What a forked process says of a piece of work."""

from __future__ import annotations

import os
from collections.abc import Callable


def said_by_child(work: Callable[[], object], fork: Callable[[], int] = os.fork) -> str:
    """Do some work in a forked process, and give "done", or what it raised: "StoreForked: this process was…"."""
    reads, writes = os.pipe()
    pid = fork()
    if pid == 0:
        answer = "done"
        try:
            work()
        except BaseException as failure:
            answer = f"{type(failure).__name__}: {failure}"
        os.write(writes, answer.encode())
        os._exit(0)
    os.close(writes)
    with open(reads) as pipe:
        answer = pipe.read()
    os.waitpid(pid, 0)
    return answer
