"""PAGINATE: each page of a long list costs the same, beside OFFSET, which reads all pages before it again."""

from __future__ import annotations

import piql

from piql_profiler.experiments.experiment import Chart, Experiment, Outcome, Row, Series
from piql_profiler.experiments.stage import Simulated, Stage
from piql_profiler.experiments.verdicts import Claim, exactly

_PAGE = 100
_CURSOR, _OFFSET = "PAGINATE", "OFFSET"


def _source(most: int) -> str:
    return f"""
CREATE TABLE events (stream INT, number INT, what VARCHAR(40), PRIMARY KEY (stream, number));
CREATE QUERY pages AS SELECT number, what FROM events WHERE stream = [1: stream] ORDER BY number PAGINATE {_PAGE};
CREATE QUERY firstRows AS
SELECT number, what FROM events WHERE stream = [1: stream] ORDER BY number LIMIT [2: count] MAX {most};
"""


def _run(stage: Stage) -> Outcome:
    pages = stage.number(100, 10)
    with stage.simulated() as simulated:
        db = simulated.db
        db.deploy(piql.compile({"paging.piql": _source(pages * _PAGE)}))
        db.load("events", ({"stream": 1, "number": at, "what": f"event {at}"} for at in range(pages * _PAGE)))
        by_cursor, by_offset = _by_cursor(simulated, pages), _by_offset(simulated, pages)
    results = {_CURSOR: by_cursor, _OFFSET: by_offset}
    return Outcome(
        how=f"{stage.said('An embedded store')}, {pages * _PAGE:,} rows of one partition in pages of {_PAGE}, "
        "both ways returning the same rows. Requests and rows are counted. OFFSET is what stores do that have it: "
        "read and skip what came before.",
        columns=("way", "page", "requests", "rows read"),
        rows=tuple(row for of_way in results.values() for row in of_way),
        chart=Chart(
            "Rows read for a page",
            "page",
            "rows",
            tuple(
                Series(way, tuple((float(str(row["page"])), float(str(row["rows read"]))) for row in of_way))
                for way, of_way in results.items()
            ),
        ),
        claims=_claims(by_cursor, by_offset),
    )


class WrongPage(Exception):
    """A page did not have the rows that belong to it."""


def _by_cursor(simulated: Simulated, pages: int) -> list[Row]:
    rows: list[Row] = []
    cursor = None
    for number in range(1, pages + 1):
        before = simulated.store.counted
        page = simulated.db.execute("pages", {"stream": 1}, cursor)
        cursor = page.cursor
        rows.append(_row(simulated, before, _CURSOR, number, [row["number"] for row in page.rows]))
    return rows


def _by_offset(simulated: Simulated, pages: int) -> list[Row]:
    rows: list[Row] = []
    for number in range(1, pages + 1):
        before = simulated.store.counted
        page = simulated.db.execute("firstRows", {"stream": 1, "count": number * _PAGE})
        rows.append(_row(simulated, before, _OFFSET, number, [row["number"] for row in page.rows[-_PAGE:]]))
    return rows


def _row(simulated: Simulated, before: tuple[int, int, int], way: str, page: int, numbers: list[object]) -> Row:
    if numbers != list(range((page - 1) * _PAGE, page * _PAGE)):
        raise WrongPage(f"page {page} by {way}")
    _, requests, rows = (after - at_first for after, at_first in zip(simulated.store.counted, before, strict=True))
    return {"way": way, "page": page, "requests": requests, "rows read": rows}


def _claims(by_cursor: list[Row], by_offset: list[Row]) -> tuple[Claim, ...]:
    costs = {(int(str(row["requests"])), int(str(row["rows read"]))) for row in by_cursor[:-1]}
    read = [sum(int(str(row["rows read"])) for row in rows) for rows in (by_cursor, by_offset)]
    most = max(requests for requests, _ in costs), max(rows for _, rows in costs)
    return (
        Claim(
            "PAGINATE traverses an unbounded result one scale-independent interaction at a time",
            f"each of {len(by_cursor)} pages takes {most[0]} request and at most {most[1]} rows, whatever its number; "
            f"all pages together read {read[0]:,} rows, by OFFSET {read[1]:,}",
            exactly(len(costs) == 1 and most[0] == 1),
        ),
        Claim(
            "pages that go on at the replica that served the last one read less from disk (ScyllaDB 2.2)",
            "not measured: it needs ScyllaDB, and PIQL's cursors keep the last key only",
            "undecidable",
        ),
    )


EXPERIMENT = Experiment(
    name="paging",
    paper="VLDB 2012, section 1.3; paging in ScyllaDB 2.2",
    title="Pages of a long list",
    about="Requests and rows read for each page, by PIQL's cursor and by OFFSET.",
    minutes=0.1,
    run=_run,
)
