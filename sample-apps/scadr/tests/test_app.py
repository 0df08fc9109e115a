"""The application does on the command line what its README shows."""

import subprocess
import sys
from pathlib import Path

import piql
import pytest
from scadr.data import MOST_SUBSCRIPTIONS, username

APP = Path(__file__).resolve().parent.parent / "app.py"
USERS = MOST_SUBSCRIPTIONS + 5


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> str:
    return f"embedded:{tmp_path_factory.mktemp('scadr') / 'scadr.db'}"


@pytest.fixture(scope="module")
def scadr(database: str) -> "Scadr":
    ready = Scadr(database)
    output = ready("load", "--users", str(USERS), "--subscriptions", str(MOST_SUBSCRIPTIONS))
    assert f"users: {USERS:,} rows" in output
    return ready


class Scadr:
    """Runs the application on one database."""

    def __init__(self, database: str) -> None:
        self.database = database

    def __call__(self, *words: str, refused: bool = False) -> str:
        command = [sys.executable, str(APP), "--database", self.database, *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode != 0) == refused, done.stderr
        return done.stderr if refused else done.stdout


def test_a_posted_thought_is_read_back_first(scadr: Scadr) -> None:
    scadr("post", username(0), "Hello.")
    assert scadr("thoughts", username(0)).splitlines()[0].endswith("Hello.")


def test_thoughts_come_in_pages_of_ten(scadr: Scadr) -> None:
    lines = scadr("thoughts", username(1), "--pages", "2").splitlines()
    assert len([line for line in lines if not line.startswith("--")]) == 20


def test_the_stream_shows_a_thought_once_its_owner_approved(scadr: Scadr) -> None:
    scadr("join", "newcomer", "Porto")
    scadr("join", "writer", "Oslo")
    scadr("post", "writer", "For followers.")
    scadr("follow", "newcomer", "writer")
    assert "For followers." not in scadr("stream", "newcomer")
    scadr("approve", "newcomer", "writer")
    assert "For followers." in scadr("stream", "newcomer")
    scadr("unfollow", "newcomer", "writer")
    assert "For followers." not in scadr("stream", "newcomer")


def test_one_subscription_too_many_is_refused(scadr: Scadr) -> None:
    scadr("join", "popular", "Lima")
    assert len(scadr("following", username(0)).splitlines()) == MOST_SUBSCRIPTIONS + 1
    assert "100" in scadr("follow", username(0), "popular", refused=True)
    assert "popular" not in scadr("following", username(0))


def test_following_somebody_unknown_is_refused(scadr: Scadr) -> None:
    assert scadr("follow", username(0), "nobody_at_all", refused=True)


def test_joining_under_a_name_that_is_taken_is_refused_and_replaces_nobody(scadr: Scadr) -> None:
    scadr("join", "ada", "London")
    refused = scadr("join", "ada", "Paris", refused=True)
    assert refused == "join: users: a row with username = 'ada' exists already\n"
    with piql.connect(scadr.database) as db:
        assert db.execute("findUser", {"username": "ada"}).rows == [{"username": "ada", "hometown": "London"}]


def test_following_again_withdraws_no_approval(scadr: Scadr) -> None:
    pair = {"owner": username(2), "target": "followed-twice"}
    scadr("join", pair["target"], "Oslo")
    scadr("unfollow", username(2), username(3))
    for command in ("follow", "approve", "follow"):
        scadr(command, pair["owner"], pair["target"])
    with piql.connect(scadr.database) as db:
        assert [row["approved"] for row in db.execute("findSubscription", pair).rows] == [True]
