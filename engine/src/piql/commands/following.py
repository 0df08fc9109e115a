"""Follows a version on its way and tells, on standard error, how far it has come."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from time import sleep

from piql.client.database import Database
from piql.commands.table import counted
from piql.errors import CompilationRefused, PiqlError
from piql.runtime.deployment import Deployment
from piql.store.open import without_login
from piql.text.diagnostics.render import render_all
from piql.versions.change.build import Build, BuildProgress

LOOK_SECONDS = 0.2  # between two looks at the progress


def add_store(parser: argparse.ArgumentParser) -> None:
    """Add the required option --store."""
    parser.add_argument("--store", required=True, metavar="URL", help="such as embedded:PATH")


def outcome(build: Build, url: str) -> str:
    """Wait until a version is in force, or tried, print how far it is meanwhile, and return what came of it."""
    deployment = follow(build)
    if deployment is not None:
        return f"deployed {deployed(deployment, url)}"
    progress = build.progress
    return f"version {progress.version}: {in_words(progress)}; `piql deployments promote` puts it in force"


def follow(build: Build) -> Deployment | None:
    """Wait until a version is in force and print how far it is; an interrupt pauses it and is raised.

    None where it is tried on a share of the executions until somebody decides.
    """
    shown_percent = -1
    try:
        while not (progress := build.progress).is_done:
            percent = int(progress.share * 100)
            if percent != shown_percent:
                print(f"version {progress.version}: {in_words(progress)}", file=sys.stderr)
                shown_percent = percent
            if progress.phase == "canary":
                return None
            if not progress.is_running:
                return build.wait(0)
            sleep(LOOK_SECONDS)
    except KeyboardInterrupt:
        build.stop()
        print("it is paused: `piql deployments resume` continues it", file=sys.stderr)
        raise
    return build.wait()


def in_words(progress: BuildProgress) -> str:
    """Return how far a version is, such as `filling, 1,200 of about 3,000 rows (40 %), paused`."""
    if progress.is_done:
        return progress.phase + (f": {progress.reason}" if progress.reason else "")
    if progress.phase == "canary" and progress.canary is not None:
        return f"tried on {percent_of(progress.canary.share)} of the executions"
    rows = f"{progress.rows_done:,} of about {progress.rows_estimate:,} rows ({progress.share:.0%})"
    suffix = "" if progress.is_running else ", paused" if progress.is_paused else ", no process works on it"
    return f"{progress.phase}, {rows.replace('%)', ' %)')}{suffix}"


def percent_of(share: float) -> str:
    """Return a share in words: `5 %`, `0.5 %`."""
    return f"{100 * share:.4g} %"


def attempt(command: str, work: Callable[[], None]) -> int:
    """Do the work of a command; return its exit code. A refusal is printed and gives 1."""
    try:
        work()
    except CompilationRefused as refusal:
        print(render_all(refusal.diagnostics) or str(refusal), file=sys.stderr)
        return 1
    except (PiqlError, TimeoutError) as error:
        print(f"piql {command}: {error}", file=sys.stderr)
        return 1
    return 0


def deployed(deployment: Deployment, url: str) -> str:
    """Return what was deployed where: `12 queries and 3 indexes to embedded:app.db, version 4`."""
    compilation = deployment.compilation
    queries, indexes = counted(len(compilation.queries), "query"), counted(len(compilation.indexes), "index")
    return f"{queries} and {indexes} to {without_login(url)}, version {deployment.version}"


def on_its_way(db: Database) -> Build:
    """Return the version that is on its way; raise PiqlError if there is none."""
    build = db.build
    if build is None:
        raise PiqlError("no version is on its way: `piql deployments` lists those there are")
    return build
