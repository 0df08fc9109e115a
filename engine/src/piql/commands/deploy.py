"""`piql deploy`: puts a compiled set of queries into a store."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from piql.client.connecting import connect
from piql.commands.arguments import add_source, compile_path
from piql.commands.following import add_store, attempt, deployed, follow
from piql.runtime.deployment import Deployer
from piql.versions.change.build import backfill_rate
from piql.versions.deploy import begin_deploy
from piql.versions.deploy import deploy as put_in_force

COMMAND = Deployer("piql deploy")


def deploy(argv: Sequence[str] | None = None) -> int:
    """Deploy a set of queries."""
    parser = argparse.ArgumentParser(prog="piql deploy", description="Deploy a set of queries.")
    add_source(parser)
    add_store(parser)
    parser.add_argument(
        "--background",
        action="store_true",
        help="build indexes at half speed and print the progress; an interrupted build waits until it is resumed",
    )
    parser.add_argument(
        "--rows-per-second",
        type=float,
        metavar="N",
        help="with --background: the most rows to fill or check in a second",
    )
    options = parser.parse_args(argv)
    if options.rows_per_second is not None and not (options.background and options.rows_per_second > 0):
        parser.error("--rows-per-second takes a positive number, and needs --background")
    compilation = compile_path(parser, options.path)

    def work() -> None:
        with connect(options.store, report="") as db:
            if options.background:
                pace = backfill_rate(options.rows_per_second)
                build = begin_deploy(db.store, compilation, pace=pace, deployer=COMMAND)
                build.start()
                deployment = follow(build)
            else:
                deployment = put_in_force(db.store, compilation, deployer=COMMAND)
        print(f"deployed {deployed(deployment, options.store)}")

    return attempt("deploy", work)
