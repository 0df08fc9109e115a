"""`piql deploy`: puts a compiled set of queries into a store."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from piql.client.connecting import connect
from piql.commands.arguments import add_source, compile_path, share_in_percent
from piql.commands.following import add_store, attempt, deployed, outcome
from piql.compiler.result import Compilation
from piql.errors import PiqlError
from piql.runtime.deployment import Deployer, Deployment
from piql.versions.change.build import EAGER, backfill_rate
from piql.versions.change.composition import upkeep_ends, views_among
from piql.versions.change.state import Canary
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
    parser.add_argument(
        "--canary",
        type=share_in_percent,
        metavar="PERCENT",
        help="try the set on that share of the executions of whoever takes part; `piql deployments` goes on from there",
    )
    parser.add_argument(
        "--remove",
        action="append",
        default=[],
        metavar="NAME",
        help="a query or a view that was deployed earlier and is not in the files any more; may be given again",
    )
    options = parser.parse_args(argv)
    if options.rows_per_second is not None and not (options.background and options.rows_per_second > 0):
        parser.error("--rows-per-second takes a positive number, and needs --background")
    compilation = compile_path(parser, options.path)

    def work() -> None:
        with connect(options.store, report="", otel=False) as db:
            for line in removals(db.deployment, compilation, options.remove):
                print(line)
            if options.background or options.canary is not None:
                pace = backfill_rate(options.rows_per_second) if options.background else EAGER
                canary = Canary(options.canary) if options.canary is not None else None
                build = begin_deploy(db.store, compilation, options.remove, pace, COMMAND, canary=canary)
                build.start()
                print(outcome(build, options.store))
            else:
                deployment = put_in_force(db.store, compilation, options.remove, deployer=COMMAND)
                print(f"deployed {deployed(deployment, options.store)}")

    return attempt("deploy", work)


def removals(current: Deployment, compilation: Compilation, names: Sequence[str]) -> list[str]:
    """Return a line for each query and view that a deployment removes; raise PiqlError for a name that is neither.

    A view that stays because the files do not name it gets a line, too: writes go on paying for it.
    """
    views = {view.name: view for view in views_among(current, current.tables.keys())}
    lines = []
    for name in names:
        if name in compilation.queries or name in compilation.tables:
            raise PiqlError(f"{name} is in the files: take its statement out of them first")
        if name in current.compilation.queries:
            lines.append(f"removes the query {name}")
        elif name in views:
            lines.append(f"removes the view {name}: {upkeep_ends(views[name])}")
        elif name in current.tables:
            raise PiqlError(f"{name} is a table: a deployment keeps the rows of tables, and removes queries and views")
        else:
            raise PiqlError(f"no query or view {name} is deployed: `piql deployments` lists what is")
    stay = [name for name in views if name not in compilation.tables and name not in names]
    return lines + [f"keeps the view {name}, deployed earlier: --remove {name} removes it" for name in stay]
