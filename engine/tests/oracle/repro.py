"""A failing world as a program that stands alone: paste it into a file and run it."""

from __future__ import annotations

from pprint import pformat

from .check import Failure
from .values import CLOCK
from .world import World

PROGRAM = '''\
# seed {seed}: {kind}
{detail}
import datetime
from datetime import timezone as _tz
from decimal import Decimal
from uuid import UUID
import piql

SOURCE = """{source}"""
ROWS = {rows}

compilation = piql.compile(SOURCE)
for each in compilation.diagnostics:
    print(each.severity, each.code, each.message, [fix.title for fix in each.fixes])
for query in compilation.queries.values():
    print(query.name, query.bound and (query.bound.operations, query.bound.formula))
if not compilation.has_errors:
    with piql.connect("embedded:", now=lambda: {clock!r}) as db:
        db.deploy(compilation)
        for table, rows in ROWS.items():
            db.load(table, rows)
{calls}
'''


def repro(world: World, failure: Failure) -> str:
    """Write the program; what is expected stands in its comment."""
    cases = (*world.reads, *world.writes)
    calls = []
    for case in cases:
        for sample in case.samples:
            calls.append(f"        page = db.execute({case.name!r}, {case.given(sample)!r})")
            calls.append("        print(page.rows, page.cursor, page.operations)")
    detail = "\n".join("# " + line for line in failure.detail.splitlines())
    source = world.source(*cases).replace("\\", "\\\\").replace('"""', '\\"""')
    rows = pformat(
        {name: list(rows_of_table) for name, rows_of_table in world.rows.items() if rows_of_table}, width=110
    )
    return PROGRAM.format(
        clock=CLOCK,
        seed=world.seed,
        kind=f"{failure.kind} ({failure.query or 'the whole world'}, {dict(failure.parameters or {})})",
        detail=detail,
        source=source,
        rows=rows,
        calls="\n".join(calls) or "        pass",
    ).replace("datetime.timezone.utc", "_tz.utc")
