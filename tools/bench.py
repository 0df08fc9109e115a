"""Runs the benchmarks, one after the other, those in a browser last.

What needs a cluster (`make bench-cql`, `profiler/benchmarks/on_cluster.py`) or many minutes (`known_truth.py`,
`large_texts.py`, `best_sellers.py`) is run by itself.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = (
    "engine/benchmarks/compile_time.py",
    "engine/benchmarks/overhead.py",
    "engine/benchmarks/reporting.py",
    "engine/benchmarks/telemetry.py",
    "engine/benchmarks/writes.py",
    "engine/benchmarks/bulk_load.py",
    "engine/benchmarks/file_load.py",
    "backend/benchmarks/dashboard.py",
    "service/benchmarks/throughput.py",
    "profiler/benchmarks/heatmap.py",
)


def main() -> int:
    """Run every benchmark, also after one has failed; return 1 if any has."""
    commands = [[sys.executable, program] for program in PROGRAMS]
    commands.append(["npm", "run", "--silent", "--workspace=e2e", "bench"])
    failed = []
    for command in commands:
        print(f"── {' '.join(command[1:])}", flush=True)
        if subprocess.run(command, cwd=ROOT, check=False).returncode:
            failed.append(" ".join(command[1:]))
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
