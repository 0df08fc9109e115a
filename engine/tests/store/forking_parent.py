"""A program that writes to a cluster in threads and forks meanwhile: `forking_parent.py URL`; it prints the outcome.

Each child tries the session of its parent, connects anew, writes, and ends in one of the ENDS. The lines printed are
`child END OUTCOME` for each child, then `parent N`, the writes acknowledged, and `there N`, the rows found at the end.
"""

from __future__ import annotations

import os
import signal
import sys
import threading

import piql
from piql.errors import StoreForked

ENDS = ("_exit", "exit", "raise", "kill", "close")
TURNS = 2
THREADS = 2
FIRST_OF_CHILD = 1_000_000
LEAST = 20  # writes of the parent's after the last child

INSERT = "put"


def main(url: str) -> None:
    with piql.connect(url) as db:
        over, acknowledged = threading.Event(), [0] * THREADS

        def write(thread: int) -> None:
            while not over.is_set():
                db.execute(INSERT, {"id": acknowledged[thread] * THREADS + thread})
                acknowledged[thread] += 1

        writers = [threading.Thread(target=write, args=(thread,)) for thread in range(THREADS)]
        for writer in writers:
            writer.start()
        for number, end in enumerate(ENDS * TURNS):
            db.execute("get", {"id": 0})
            reads, writes = os.pipe()
            if os.fork() == 0:
                os.close(reads)
                child(db, url, number, end, writes)
            os.close(writes)
            with open(reads) as pipe:
                print("child", end, pipe.read(), flush=True)
            os.wait()
        enough = [count + LEAST for count in acknowledged]
        while any(w.is_alive() and n < most for w, n, most in zip(writers, acknowledged, enough, strict=True)):
            over.wait(0.01)
        over.set()
        for writer in writers:
            writer.join()
        ids = [number * THREADS + thread for thread, count in enumerate(acknowledged) for number in range(count)]
        ids += [FIRST_OF_CHILD + number for number in range(len(ENDS) * TURNS)]
        print("parent", len(ids))
        print("there", sum(len(db.execute("get", {"id": row}).rows) for row in ids))


def child(taken_over: piql.Database, url: str, number: int, end: str, pipe: int) -> None:
    """Do a child's work, and end as the name of the way says; this never returns."""
    try:
        taken_over.execute(INSERT, {"id": -1 - number})
        outcome = "wrote"
    except StoreForked:
        outcome = "refused"
    with piql.connect(url) as db:
        db.execute(INSERT, {"id": FIRST_OF_CHILD + number})
    os.write(pipe, outcome.encode())
    match end:
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "close":
            taken_over.close()
            sys.exit(0)
        case "exit":
            sys.exit(0)
        case "raise":
            raise RuntimeError("the child ends so")
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1])
