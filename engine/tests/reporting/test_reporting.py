"""What an application executes is what arrives: every execution once, whoever is away, ends, forks or is killed."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import piql
import pytest
from piql.client.database import Database
from piql.client.reported import ReportedDatabase
from piql.reporting import cells
from piql.reporting.address import report_address
from piql.reporting.cells import Folded, bucket_of, class_of, lower_edge_ms

from .receiver import PATH, Receiver

SOURCE = """
CREATE TABLE users (name VARCHAR(32) PRIMARY KEY, town VARCHAR(64));
CREATE QUERY findUser AS SELECT town FROM users WHERE name = [1: name];
CREATE QUERY findUsers AS SELECT town FROM users WHERE name IN ([1: names] MAX 8);
CREATE QUERY addUser AS INSERT INTO users (name, town) VALUES ([1: name], [2: town]);
"""


@pytest.fixture
def store(tmp_path: Path) -> str:
    url = f"embedded:{tmp_path / 'shop.db'}"
    with piql.connect(url) as db:
        db.deploy(piql.compile(SOURCE))
        db.execute("addUser", {"name": "ada", "town": "London"})
    return url


@pytest.fixture(autouse=True)
def spool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PIQL_REPORT_SPOOL", str(tmp_path / "spool"))
    return tmp_path / "spool"


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as started:
        yield started


def waiting(spool: Path) -> list[Path]:
    return sorted(spool.glob("*/*.json.gz"))


def reported(store: str, receiver: Receiver) -> ReportedDatabase:
    database = piql.connect(store, report=receiver.url)
    assert isinstance(database, ReportedDatabase)
    return database


def test_every_execution_arrives_once_by_query_version_and_outcome(store: str, receiver: Receiver) -> None:
    with reported(store, receiver) as db:
        for _ in range(3000):
            db.execute("findUser", {"name": "ada"})
        with pytest.raises(piql.InvalidParameter):
            db.execute("addUser", {"name": "ada"})
        with pytest.raises(piql.NotDeployed):
            db.execute("findTown")
    assert receiver.counts == {
        ("findUser", 1, "ok"): 3000,
        ("addUser", 1, "InvalidParameter"): 1,
        ("", 0, "NotDeployed"): 1,
    }
    assert db.report_status.problem is None


def test_an_execution_is_counted_by_the_version_that_it_was_of(store: str, receiver: Receiver) -> None:
    more = "CREATE QUERY findUser AS SELECT town, name FROM users WHERE name = [1: name];"
    database = piql.connect(store, report=receiver.url, canary=True)
    with database as db:
        db.try_out(piql.compile(SOURCE.replace(SOURCE.splitlines()[2], more)), 0.25)
        rows = [db.execute("findUser", {"name": "ada"}).rows[0] for _ in range(400)]
        for version in (1, 2):
            with pytest.raises(piql.InvalidParameter):
                db.execute("findUser", {}, version=version)
    tried = sum("name" in row for row in rows)
    assert receiver.counts == {
        ("findUser", 1, "ok"): 400 - tried,
        ("findUser", 2, "ok"): tried,
        ("findUser", 1, "InvalidParameter"): 1,
        ("findUser", 2, "InvalidParameter"): 1,
    }


def test_a_cell_says_what_its_executions_made(store: str, receiver: Receiver) -> None:
    with reported(store, receiver) as db:
        for names in (["ada"], ["ada", "bob"], ["ada", "bob", "cid"]):
            db.execute("findUsers", {"names": names})
    (shipment,) = receiver.shipments.values()
    found: dict[int, int] = {}
    columns = shipment["cells"]
    for requests_class, executions in zip(columns["requests_class"], columns["executions"], strict=True):
        found[requests_class] = found.get(requests_class, 0) + executions
    assert found == {class_of(1): 1, class_of(3): 2}
    assert sum(columns["operations"]) == 6
    assert set(columns["bound"]) == {8}
    assert (min(columns["least_operations"]), max(columns["most_operations"])) == (1, 3)


def test_no_execution_is_lost_between_threads(store: str, receiver: Receiver) -> None:
    with reported(store, receiver) as db:

        def work() -> None:
            for _ in range(2500):
                db.execute("findUser", {"name": "ada"})

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert receiver.counts == {("findUser", 1, "ok"): 10_000}


def test_what_the_workbench_does_not_take_waits_on_disk_until_another_process_sends_it(
    store: str, receiver: Receiver, spool: Path
) -> None:
    receiver.statuses = [503]
    with reported(store, receiver) as db:
        db.execute("findUser", {"name": "ada"})
    assert db.report_status.problem is not None
    assert "503" in db.report_status.problem
    (left,) = waiting(spool)
    os.utime(left, (1, 1))
    receiver.statuses = [200]
    with reported(store, receiver) as db:
        db.execute("findUser", {"name": "ada"})
    assert waiting(spool) == []
    assert receiver.counts == {("findUser", 1, "ok"): 2}


def test_a_shipment_whose_answer_was_lost_is_sent_again_under_its_name(
    store: str, receiver: Receiver, spool: Path
) -> None:
    with reported(store, receiver) as db:
        db.execute("findUser", {"name": "ada"})
        db.reporter.to_spool()
        db.reporter.fold()
        db.reporter.to_spool()
        (file,) = waiting(spool)
        content = file.read_bytes()
        assert db.reporter.ship()
        file.write_bytes(content)
    assert len(receiver.tokens) == 2
    assert receiver.counts == {("findUser", 1, "ok"): 1}


def test_a_shipment_that_is_refused_for_good_is_set_aside(store: str, receiver: Receiver, spool: Path) -> None:
    receiver.statuses = [422, 200]
    with reported(store, receiver) as db:
        db.execute("findUser", {"name": "ada"})
        db.reporter.fold()
        db.reporter.ship()
        db.execute("findUser", {"name": "ada"})
    assert waiting(spool) == []
    assert len(list(spool.glob("*/*.refused"))) == 1
    assert receiver.counts == {("findUser", 1, "ok"): 1}


def in_child(db: piql.Database) -> None:
    for _ in range(5):
        db.execute("findUser", {"name": "ada"})


def test_a_forked_child_counts_its_own_and_ships_when_it_ends(store: str, receiver: Receiver) -> None:
    with reported(store, receiver) as db:
        for _ in range(7):
            db.execute("findUser", {"name": "ada"})
        child = multiprocessing.get_context("fork").Process(target=in_child, args=(db,))
        child.start()
        child.join()
        assert child.exitcode == 0
        assert receiver.counts == {("findUser", 1, "ok"): 5}
    assert receiver.counts == {("findUser", 1, "ok"): 12}
    assert len({client for client, _ in receiver.shipments}) == 2


PROGRAM = """
import os, signal, sys, piql
db = piql.connect(sys.argv[1])
for _ in range(20):
    db.execute("findUser", {"name": "ada"})
if sys.argv[2] == "killed":
    db.reporter.fold()
    db.reporter.to_spool()
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("end", ["clean", "killed"])
def test_a_program_that_never_closes_ships_at_its_end_and_a_killed_one_leaves_its_spool(
    end: str, store: str, receiver: Receiver, spool: Path
) -> None:
    environment = {**os.environ, "PIQL_REPORT": receiver.url}
    ended = subprocess.run([sys.executable, "-c", PROGRAM, store, end], env=environment, check=False, timeout=60)
    assert ended.returncode == (0 if end == "clean" else -signal.SIGKILL)
    if end == "killed":
        assert receiver.counts == {}
        (left,) = waiting(spool)
        os.utime(left, (1, 1))
        with reported(store, receiver) as db:
            db.reporter.ship()
    assert receiver.counts == {("findUser", 1, "ok"): 20}


def test_the_token_goes_along(store: str, receiver: Receiver) -> None:
    with piql.connect(store, report=receiver.url, token="secret") as db:
        db.execute("findUser", {"name": "ada"})
    assert receiver.tokens == ["Bearer secret"]


def test_nothing_is_reported_unless_somebody_asks_for_it(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIQL_REPORT", f"http://127.0.0.1:1{PATH}")
    with piql.connect(store, report="") as db:
        assert type(db) is Database
    monkeypatch.delenv("PIQL_REPORT")
    with piql.connect(store) as db:
        assert type(db) is Database


@pytest.mark.parametrize(
    ("report", "token", "complaint"),
    [
        ("127.0.0.1:8400", None, "not an address for reports"),
        ("ftp://host/reports", None, "not an address for reports"),
        ("http://host:99999/reports", None, "not an address for reports"),
        ("http://user:secret@host/reports", None, "not an address for reports"),
        (f"http://bench.example{PATH}", "secret", "could be read on its way"),
        (f"http://localhost{PATH}", "se cret", "copy it again"),
    ],
)
def test_an_address_or_token_that_cannot_work_is_refused_before_anything_is_opened(
    report: str, token: str | None, complaint: str
) -> None:
    with pytest.raises(piql.InvalidParameter, match=complaint) as refusal:
        piql.connect("embedded:", report=report, token=token)
    assert "secret" not in str(refusal.value) or token is None


def test_the_address_and_the_token_may_come_from_the_environment(tmp_path: Path) -> None:
    environment = {"PIQL_REPORT": f"https://bench.example{PATH}", "PIQL_REPORT_TOKEN": "t", "HOME": str(tmp_path)}
    address = report_address(None, None, environment)
    assert address is not None
    assert (str(address), address.token) == (f"https://bench.example:443{PATH}", "t")
    assert address.spool.parent == tmp_path / ".local" / "state" / "piql" / "reports"
    assert "t" not in repr(address).split("spool")[1].split("'")[2:]


def test_executions_without_room_are_counted_as_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cells, "MOST_CELLS", 2)
    folded = Folded()
    folded.fold([(None, "ok", bucket, 0, 0, 0, 0) for bucket in (1, 2, 3, 3, 1)], 0)
    assert (sum(sums.executions for sums in folded.cells.values()), folded.lost) == (3, 2)


def test_buckets_and_classes_say_where_they_begin() -> None:
    for ms in (0.0, 0.001, 0.35, 1.0, 40.0, 60_000.0):
        bucket = bucket_of(ms / 1000)
        assert lower_edge_ms(bucket) <= ms < lower_edge_ms(bucket + 1) <= max(ms, 1e-6) * 1.023 + 1e-6
    assert [class_of(size) for size in (0, 1, 2, 3, 4, 7, 8, 2**20)] == [0, 1, 2, 2, 3, 3, 4, 21]
