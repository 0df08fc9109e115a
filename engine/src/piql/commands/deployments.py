"""`piql deployments`: lists the versions on a store; pauses, resumes or cancels the one on its way."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence

from piql.client.database import Database
from piql.commands.arguments import add_output
from piql.commands.existing import open_existing
from piql.commands.following import add_store, attempt, deployed, follow, in_words, on_its_way
from piql.commands.table import format_table
from piql.versions.deploy import versions


def deployments(argv: Sequence[str] | None = None) -> int:
    """List the versions on a store, and control the one on its way."""
    parser = argparse.ArgumentParser(
        prog="piql deployments", description="List the versions on a store, and control the one on its way."
    )
    parser.add_argument(
        "action",
        nargs="?",
        choices=("list", "pause", "resume", "cancel"),
        default="list",
        help="what to do with the version on its way; `resume` continues it until it is in force",
    )
    add_store(parser)
    add_output(parser)
    options = parser.parse_args(argv)

    def work() -> None:
        with open_existing(options.store) as db:
            match options.action:
                case "list":
                    print(_as_json(db) if options.output == "json" else _as_text(db))
                case "pause":
                    build = on_its_way(db)
                    build.pause()
                    print(f"version {build.progress.version}: {in_words(build.progress)}")
                case "cancel":
                    build = on_its_way(db)
                    build.cancel()
                    print(f"version {build.progress.version}: cancelled")
                case _:
                    build = on_its_way(db)
                    build.resume()
                    print(f"deployed {deployed(follow(build), options.store)}")

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
            },
        },
        indent=2,
    )
