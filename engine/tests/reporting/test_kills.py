"""What was kept before a kill is counted, and once, whoever is killed, away, or asked twice."""

from __future__ import annotations

import gzip
import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import piql
from piql.reporting.address import ReportAddress
from piql.reporting.cells import Folded
from piql.reporting.journal import Journal, abandoned, read_journal
from piql.reporting.reporter import Reporter
from piql.reporting.sending import Answer

APPLICATION = """
import sys, piql
db = piql.connect(sys.argv[1])
reporter = db.reporter
executed = 0
for batch in range(1_000_000):
    for _ in range(50):
        db.execute("findUser", {"name": "ada"})
    reporter.fold()
    reporter.keep()
    if batch % 7 == 6:
        reporter.to_spool()
    executed += 50
    print(executed, flush=True)
"""
SOURCE = """
CREATE TABLE users (name VARCHAR(32) PRIMARY KEY, town VARCHAR(64));
CREATE QUERY findUser AS SELECT town FROM users WHERE name = [1: name];
"""


def killed_after(lines: int, store: str, environment: dict[str, str]) -> int:
    """Run the application, kill it after so many batches, and return how many executions it said it kept."""
    command = [sys.executable, "-c", APPLICATION, store]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as application:
        assert application.stdout is not None
        said = [application.stdout.readline() for _ in range(lines)]
        application.send_signal(signal.SIGKILL)
        said += application.stdout.read().splitlines(keepends=True)
    return max(int(line) for line in said if line.endswith("\n"))


def test_counts_are_exact_through_kills_a_workbench_away_lost_answers_and_duplicates(
    tmp_path: Path,
) -> None:
    chance = random.Random(18)
    store = f"embedded:{tmp_path / 'shop.db'}"
    with piql.connect(store, report="") as db:
        db.deploy(piql.compile(SOURCE))
    spool = tmp_path / "spool"
    report = "http://127.0.0.1:1/reports"  # nobody is there: everything waits
    environment = os.environ | {"PIQL_REPORT": report, "PIQL_REPORT_SPOOL": str(spool)}
    kept = [killed_after(lines, store, environment) for lines in (1, 7, 12)]
    (folder,) = spool.iterdir()
    for file in folder.iterdir():
        os.utime(file, (1, 1))
    taken: dict[tuple[str, int], int] = {}

    def workbench(address: ReportAddress, shipment: bytes, timeout_seconds: float) -> Answer:
        if chance.random() < 0.5:
            return Answer("later", "away")
        content = json.loads(gzip.decompress(shipment))
        name = content["client"], content["sequence"]
        taken.setdefault(name, sum(content["cells"]["executions"]))
        return Answer("later", "its answer was lost") if chance.random() < 0.5 else Answer("taken")

    reporter = Reporter(ReportAddress("http", "127.0.0.1", 1, "/reports", folder), workbench)
    for _ in range(200):
        if reporter.ship(60):
            break
    assert [file for file in folder.iterdir() if file.suffix != ".part"] == []
    by_client: dict[str, int] = {}
    for (client, _), executions in taken.items():
        by_client[client] = by_client.get(client, 0) + executions
    # A kill between the write and the line that says so leaves up to a batch more than was said.
    for counted, said in zip(sorted(by_client.values()), sorted(kept), strict=True):
        assert said <= counted <= said + 50


def test_a_journal_is_taken_over_only_when_its_process_is_gone_and_a_line_that_was_cut_is_not_there(
    tmp_path: Path,
) -> None:
    journal = Journal(tmp_path, f"{'a' * 32}-3")
    folded = Folded()
    folded.fold([(None, "ok", 700, 1, 1, 0, 1)] * 4, 29_404_121)
    journal.append(list(folded.cells.items()), 2)
    journal.append(list(folded.cells.items()), 0)
    with abandoned(journal.path) as is_abandoned:
        assert not is_abandoned
    with journal.path.open("ab") as file:
        file.write(b'{"lost": 0, "cells": [[2940')
    journal.leave()
    with abandoned(journal.path) as is_abandoned:
        assert is_abandoned
    read, _ = read_journal(journal.path)
    assert ([sums.executions for sums in read.cells.values()], read.lost) == ([8], 2)


def test_what_cannot_be_written_waits_in_memory(tmp_path: Path) -> None:
    (tmp_path / "spool").write_text("a file where the folder should be")
    taken: list[bytes] = []

    def workbench(address: ReportAddress, shipment: bytes, timeout_seconds: float) -> Answer:
        taken.append(shipment)
        return Answer("taken")

    reporter = Reporter(ReportAddress("http", "127.0.0.1", 1, "/reports", tmp_path / "spool"), workbench)
    reporter.pending.extend([(None, "ok", 700, 1, 1, 0, 1)] * 3)
    reporter.close()
    assert [sum(json.loads(gzip.decompress(shipment))["cells"]["executions"]) for shipment in taken] == [3]
    assert reporter.status.problem is not None
