"""`piql experiment`: runs experiments of the papers, and writes for each of them rows, a figure and a page.

    names  ──▶  Experiment.run  ──▶  NAME/rows.parquet, NAME/figure.svg, NAME/index.html, NAME/result.json

With --store they run there; those that cannot say why, and the others go on.

Exit codes: 0 done, 1 a claim of a paper was found wrong with --strict, 2 wrong arguments, or a named experiment cannot
run on the store, 3 the store does not answer.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from piql.errors import StoreUnavailable, WrongStoreAddress

from piql_profiler.experiments.experiment import Experiment, NotOnThisStore, Outcome
from piql_profiler.experiments.files import PAGE, as_json, write
from piql_profiler.experiments.papers import BY_NAME, EXPERIMENTS
from piql_profiler.experiments.s3_levels.server import ServerMissing
from piql_profiler.experiments.stage import SEED, SamplesMissing, Stage, shown_store
from piql_profiler.measure.store_urls import STORE_VARIABLE
from piql_profiler.runs.processes import end_with_parent

_DISAGREES, _NO_STORE = 1, 3


def experiment(argv: Sequence[str] | None = None) -> int:
    """Run experiments; return an exit code."""
    parser = argparse.ArgumentParser(
        prog="piql experiment", description="Run experiments of the papers: our figure beside the paper's claim."
    )
    parser.add_argument("name", nargs="*", help="of an experiment; without any they are listed")
    parser.add_argument("--all", action="store_true", help="run all of them")
    parser.add_argument("--out", type=Path, default=Path("figures"), metavar="DIR", help="default: figures")
    parser.add_argument(
        "--samples", type=Path, default=Path("sample-apps"), metavar="DIR", help="the sample applications"
    )
    parser.add_argument(
        "--store",
        metavar="URL",
        nargs="?",
        const="",
        help="run on this store instead of embedded and simulated ones; each database is a new one beside what is "
        f"there, and stays; put a URL with a password into {STORE_VARIABLE}, and give --store alone",
    )
    parser.add_argument("--seed", type=int, default=SEED, metavar="N", help=f"of all that is drawn; default: {SEED}")
    parser.add_argument("--short", action="store_true", help="with little data, to see that all works: decides little")
    parser.add_argument("--strict", action="store_true", help="exit with 1 if a claim disagrees")
    parser.add_argument("--output", choices=("table", "json"), default="table")
    parser.add_argument(
        "--end-with-parent", action="store_true", help="end when the program that started this one has ended"
    )
    options = parser.parse_args(sys.argv[1:] if argv is None else argv)
    if options.end_with_parent:
        end_with_parent()
    unknown = [name for name in options.name if name not in BY_NAME]
    if unknown:
        parser.error(f"no experiment {unknown[0]}; there are {', '.join(BY_NAME)}")
    if options.all and options.name:
        parser.error("--all runs all of them: leave out the names")
    store = os.environ.get(STORE_VARIABLE, "") if options.store == "" else options.store
    if store == "":
        parser.error(f"--store needs a URL, or {STORE_VARIABLE} in the environment")
    chosen = EXPERIMENTS if options.all else tuple(BY_NAME[name] for name in options.name)
    if not chosen:
        _print_list(options.output)
        return 0
    outcomes = []
    stage = Stage(options.samples, seed=options.seed, is_short=options.short, store=store)
    for chosen_experiment in chosen:
        began = time.monotonic()
        try:
            outcome = chosen_experiment.on(stage)
        except SamplesMissing as missing:
            parser.error(str(missing))
        except (NotOnThisStore, ServerMissing) as reason:
            if not options.all:
                parser.error(f"{chosen_experiment.name}: {reason}")
            print(f"{chosen_experiment.name}: not run: {reason}\n", file=sys.stderr, flush=True)
            continue
        except (StoreUnavailable, WrongStoreAddress) as failure:
            print(f"piql experiment: {failure}", file=sys.stderr)
            return _NO_STORE
        folder = options.out / chosen_experiment.name
        shown = None if store is None else shown_store(store)
        write(folder, chosen_experiment, outcome, time.monotonic() - began, time.time(), shown)
        outcomes.append((chosen_experiment, outcome))
        if options.output == "table":
            _print_outcome(chosen_experiment, outcome, folder)
    if options.output == "json":
        print(json.dumps([as_json(run, outcome) for run, outcome in outcomes], indent=2, ensure_ascii=False))
    has_disagreement = any(outcome.verdict == "disagrees" for _, outcome in outcomes)
    return _DISAGREES if options.strict and has_disagreement else 0


def _print_list(output: str) -> None:
    if output == "json":
        content = [
            {
                "name": listed.name,
                "paper": listed.paper,
                "title": listed.title,
                "about": listed.about,
                "minutes": listed.minutes,
                "not_on_stores": listed.not_on_stores,
            }
            for listed in EXPERIMENTS
        ]
        print(json.dumps(content, indent=2, ensure_ascii=False))
        return
    width = max(len(listed.name) for listed in EXPERIMENTS)
    for listed in EXPERIMENTS:
        print(f"{listed.name:{width}}  {listed.about} ({listed.paper})")


def _print_outcome(ended: Experiment, outcome: Outcome, folder: Path) -> None:
    print(f"{ended.name}: {outcome.verdict} ({ended.paper})")
    for claim in outcome.claims:
        print(f"  {claim.verdict:11}  {claim.paper}\n{'':15}here: {claim.ours}")
    print(f"{'':2}{folder / PAGE}\n", flush=True)
