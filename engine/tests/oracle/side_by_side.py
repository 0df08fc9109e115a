"""The work of many seeds, in processes side by side: results in the order of the seeds, and no wait without end."""

from __future__ import annotations

import faulthandler
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import islice
from multiprocessing import active_children, get_context
from typing import TypeVar

T = TypeVar("T")
CORES = os.cpu_count() or 1
AHEAD = 4  # of the results that are asked for next, so that no process waits for a slow one
SEED_SECONDS = 300.0  # many times what one takes on a busy machine


def results(work: Callable[[int], T], seeds: Iterable[int], processes: int = CORES) -> Iterator[T]:
    """Yield what comes of each seed, until the caller has enough; in one process without starting any.

    A process that dies, or is at one seed for longer than SEED_SECONDS, is an error that names the seed; where such a
    process hangs, the stacks of its threads are printed.
    """
    if processes == 1:
        yield from map(work, seeds)
        return
    left = iter(seeds)
    pool = ProcessPoolExecutor(processes, get_context("spawn"))
    try:
        told = partial(_watched, work)
        under_way = deque[tuple[int, Future[T]]]()
        while True:
            for seed in islice(left, AHEAD * processes - len(under_way)):
                with _named(seed):  # a process that died before refuses this one, too
                    under_way.append((seed, pool.submit(told, seed)))
            if not under_way:
                return
            seed, future = under_way.popleft()
            with _named(seed):
                result = future.result(SEED_SECONDS)
            yield result
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def _named(seed: int) -> Iterator[None]:
    """Add the seed to an error, and end all processes: the pool's own end would wait for one that hangs."""
    try:
        yield
    except BaseException as failure:
        failure.add_note(f"seed {seed}")
        for process in active_children():
            process.kill()
        raise


def _watched(work: Callable[[int], T], seed: int) -> T:
    faulthandler.dump_traceback_later(SEED_SECONDS * 0.9)
    try:
        return work(seed)
    finally:
        faulthandler.cancel_dump_traceback_later()
