"""Runs the neutral conformance cases where they stand beside the repository, and holds on to those that pass.

The cases belong to no one implementation and are no part of this repository: they are looked for in
`$PIQL_CONFORMANCE` and in `../shared/conformance`. `tools/conformance-passing.txt` names those that must pass;
`--update` adds to it.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
PASSING = ROOT / "tools" / "conformance-passing.txt"


def cases_folder() -> Path | None:
    """Return the folder of the neutral cases; None if there is none on this machine."""
    places = [os.environ.get("PIQL_CONFORMANCE"), ROOT.parent / "shared" / "conformance"]
    return next((Path(candidate) for candidate in places if candidate and (Path(candidate) / "run.py").is_file()), None)


def failures(folder: Path, cases: list[dict[str, object]], url: str) -> tuple[dict[str, str], int, str]:
    """Run the cases; return the reason of each failed one, how many were skipped, and all that was printed."""
    ids = [str(case["id"]) for case in cases]
    with TemporaryDirectory() as scratch:
        chosen = Path(scratch) / "cases.json"
        chosen.write_text(json.dumps(cases))
        command = [sys.executable, str(folder / "run.py"), str(chosen), "--url", url]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
    output = run.stdout + run.stderr
    closing = re.search(r"^(\d+) passed, (\d+) failed, (\d+) skipped$", run.stdout, re.MULTILINE)
    if not closing:
        return dict.fromkeys(ids, "the run broke off"), 0, output
    failed = {}
    for line in run.stdout.splitlines():
        case, _, reason = line.partition(": ")
        if case in ids:
            failed[case] = reason
    return failed, int(closing[3]), output


def main(report: Path, update: bool, url: str, every: int) -> int:
    """Run the cases against a store, write the report that `run_suites` reads, and return 1 if a listed case fails.

    Of `every` cases the first one is run: 1 runs all of them.
    """
    report.parent.mkdir(exist_ok=True)
    folder = cases_folder()
    if folder is None:
        print("conformance: no cases found (neither $PIQL_CONFORMANCE nor ../shared/conformance); none was run")
        report.write_text(json.dumps({"found": False}))
        return 0
    cases = json.loads((folder / "cases.json").read_text())[::every]
    ids = [case["id"] for case in cases]
    failed, skipped, output = failures(folder, cases, url)
    print(output, end="")
    passing = [case for case in ids if case not in failed]
    listed = PASSING.read_text().split() if PASSING.exists() else []
    promised = [case for case in listed if case in ids]
    broken = [case for case in promised if case in failed]
    unlisted = [case for case in passing if case not in listed] if skipped == 0 else []
    print(f"conformance: {len(passing) - skipped} of {len(ids)} cases pass; {len(promised)} of them must")
    for case in broken:
        print(f"conformance: {case} used to pass: {failed[case]}")
    if unlisted:
        print(f"conformance: {len(unlisted)} pass and are not in {PASSING.name} (add them with --update)")
    if update and not broken:
        PASSING.write_text("\n".join(sorted({*listed, *passing})) + "\n")
    counts = {"found": True, "passed": len(promised) - len(broken), "failed": len(broken), "cases": len(ids)}
    report.write_text(json.dumps(counts | {"passing": len(passing) - skipped}))
    return 1 if broken else 0


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    arguments.add_argument("report", type=Path, nargs="?", default=ROOT / ".test-results/conformance.json")
    arguments.add_argument("--update", action="store_true", help=f"add the cases that pass now to {PASSING.name}")
    arguments.add_argument("--url", default="embedded:", help="the store; {n} in it becomes the number of a case")
    arguments.add_argument("--every", type=int, default=1, help="run the first of so many cases, the next, and so on")
    options = arguments.parse_args()
    sys.exit(main(options.report, options.update, options.url, options.every))
