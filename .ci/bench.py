"""Runs every benchmark, one after the other: the programs in `*/benchmarks/`, then those that need a browser."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    programs = sorted(ROOT.glob("*/benchmarks/*.py"))
    commands = [[sys.executable, str(program)] for program in programs]
    commands.append(["npm", "run", "--silent", "--workspace=e2e", "bench"])
    failed = 0
    for command in commands:
        print(f"── {' '.join(command[1:]).replace(f'{ROOT}/', '')}", flush=True)
        failed += subprocess.run(command, cwd=ROOT, check=False).returncode != 0
    if not programs:
        print("no benchmark was found in */benchmarks/", file=sys.stderr)
    return 1 if failed or not programs else 0


if __name__ == "__main__":
    sys.exit(main())
