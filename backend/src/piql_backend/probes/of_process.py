"""What every server tells of its process, whether or not it has the data folder."""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from piql.telemetry.exposition import Family, Sample

from piql_backend.probes.exposition import single
from piql_backend.workers.pool import WorkerPool

_STARTED_AT = time.time()


def process_families(answered: Mapping[tuple[str, int], int], workers: WorkerPool) -> Sequence[Family]:
    """Requests by method and status, then the jobs of workers, processor time and memory."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    requests = [
        Sample(count, {"method": method, "status": str(status)}) for (method, status), count in sorted(answered.items())
    ]
    return (
        Family("piql_http_requests_total", "counter", "Requests that were answered.", requests),
        single("piql_worker_jobs_total", "counter", "Jobs that worker processes ended.", workers.done),
        single("piql_worker_jobs_waiting", "gauge", "Jobs that wait for a worker.", workers.waiting),
        single("piql_workers_lost_total", "counter", "Workers that were lost.", workers.ended_early),
        single("process_cpu_seconds_total", "counter", "Processor time.", usage.ru_utime + usage.ru_stime),
        single("process_resident_memory_bytes", "gauge", "Memory of the server.", _resident_bytes()),
        single("process_start_time_seconds", "gauge", "Start, since 1970.", _STARTED_AT),
    )


def _resident_bytes() -> int:
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:  # not Linux: the largest it has been
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
