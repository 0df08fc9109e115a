"""`piql rollback`: returns to the version before, without losing what was written since."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from piql.commands.existing import open_existing
from piql.commands.following import add_store, attempt, deployed


def rollback(argv: Sequence[str] | None = None) -> int:
    """Put the version before in force again, as a new version; all rows stay."""
    parser = argparse.ArgumentParser(
        prog="piql rollback", description="Put the version before in force again, as a new version; all rows stay."
    )
    add_store(parser)
    options = parser.parse_args(argv)

    def work() -> None:
        with open_existing(options.store) as db:
            print(f"rolled back to {deployed(db.rollback(), options.store)}")

    return attempt("rollback", work)
