"""`piql deployments`: lists the versions on a store; pauses, resumes, tries, promotes or cancels the one on its way."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from contextlib import suppress

from piql.client.database import Database
from piql.commands.arguments import add_output, share_in_percent
from piql.commands.existing import open_existing
from piql.commands.following import add_store, attempt, deployed, in_words, on_its_way, outcome
from piql.commands.table import format_table
from piql.errors import CompilationRefused, DeploymentInProgress
from piql.versions.deploy import versions


def deployments(argv: Sequence[str] | None = None) -> int:
    """List the versions on a store, and control the one on its way."""
    parser = argparse.ArgumentParser(
        prog="piql deployments", description="List the versions on a store, and control the one on its way."
    )
    parser.add_argument(
        "action",
        nargs="?",
        choices=("list", "pause", "resume", "share", "promote", "withdraw", "cancel"),
        default="list",
        help="what to do with the version on its way; `resume` continues it until it is in force, or tried; `share` "
        "changes how many executions it is tried on; `promote` puts it in force; `withdraw` and `cancel` give it up",
    )
    parser.add_argument("percent", nargs="?", type=share_in_percent, metavar="PERCENT", help="with `share`: such as 5")
    parser.add_argument("--why", metavar="TEXT", help="with `withdraw` and `cancel`: what to keep as the reason")
    add_store(parser)
    add_output(parser)
    options = parser.parse_args(argv)
    if (options.action == "share") != (options.percent is not None):
        parser.error("`share` takes PERCENT, and nothing else does")

    def work() -> None:
        with open_existing(options.store) as db:
            match options.action:
                case "list":
                    print(_as_json(db) if options.output == "json" else _as_text(db))
                case "pause":
                    build = on_its_way(db)
                    build.pause()
                    print(f"version {build.progress.version}: {in_words(build.progress)}")
                case "share":
                    build = on_its_way(db)
                    build.set_share(options.percent)
                    print(f"version {build.progress.version}: {in_words(build.progress)}")
                case "promote":
                    print(f"deployed {deployed(on_its_way(db).promote(), options.store)}")
                case "cancel" | "withdraw":
                    build = on_its_way(db)
                    build.cancel(options.why)
                    with suppress(CompilationRefused, DeploymentInProgress):
                        build.wait()
                    print(f"version {build.progress.version}: {in_words(build.progress)}")
                case _:
                    build = on_its_way(db)
                    build.resume()
                    print(outcome(build, options.store))

    return attempt("deployments", work)


def _as_text(db: Database) -> str:
    build = db.build
    rows = []
    for version in versions(db.store):
        at = version.deployment.deployed_at
        state = f"coming: {in_words(build.progress)}" if version.state == "coming" and build else version.state
        compilation = version.deployment.compilation
        since = at.strftime("%Y-%m-%d %H:%M UTC") if at else ""
        rows.append((version.deployment.version, since, len(compilation.queries), len(compilation.indexes), state))
    return format_table(("version", "deployed", "queries", "indexes", "state"), rows) if rows else "nothing is deployed"


def _as_json(db: Database) -> str:
    build = db.build
    progress = build.progress if build else None
    return json.dumps(
        {
            "versions": [
                {
                    "version": version.deployment.version,
                    "state": version.state,
                    "deployedAt": at.isoformat() if (at := version.deployment.deployed_at) else None,
                    "queries": list(version.deployment.compilation.queries),
                    "indexes": list(version.deployment.indexes),
                }
                for version in versions(db.store)
            ],
            "progress": progress
            and {
                "version": progress.version,
                "phase": progress.phase,
                "rowsDone": progress.rows_done,
                "rowsEstimate": progress.rows_estimate,
                "isPaused": progress.is_paused,
                "isRunning": progress.is_running,
                "startedAt": progress.started_at.isoformat(),
                "canaryShare": progress.canary and progress.canary.share,
            },
        },
        indent=2,
    )
