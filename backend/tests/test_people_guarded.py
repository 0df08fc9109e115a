"""What keeps the accounts of a team safe beside their passwords: the file, the record, limits, and who is told what."""

from __future__ import annotations

import io
import stat
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, closing
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from piql_backend.commands.people import user
from piql_backend.data_folder.layout import PEOPLE_FILE
from piql_backend.file_history.repository import FileHistory
from piql_backend.people.attempts import BY_BOTH
from piql_backend.people.database import PeopleDatabase
from piql_backend.people.service import People
from piql_backend.people.tokens import MOST_TOKENS
from piql_backend.settings import Settings
from piql_backend.web.errors import ApiError
from piql_backend.web.visitor import EVERYWHERE, TokenLimit

from .conftest import LOGIN, PASSWORD, signed_in

Running = Callable[[Settings], AbstractAsyncContextManager[httpx.AsyncClient]]


async def test_what_strangers_try_gets_one_line_in_the_log_and_no_row(
    team: httpx.AsyncClient, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(5):
        assert (await team.post("/api/tokens", json={"title": "x", "role": "viewer"})).status_code == 401
    for _ in range(BY_BOTH.at_once + 5):
        await team.post("/api/session", json=LOGIN | {"password": "wrong"})
    told = [record.getMessage() for record in caplog.records if "strangers" in record.name]
    assert told == [
        "requests of strangers that were refused since the last such line: 1. The last: make_token, from 127.0.0.1"
    ]
    with closing(PeopleDatabase(settings.data / PEOPLE_FILE)) as database, database.begin() as connection:
        rows = connection.exec_driver_sql("SELECT operation, status FROM audit").all()
    assert [tuple(row) for row in rows] == [("log_in", 401)] * BY_BOTH.at_once


async def test_the_health_of_applications_is_told_to_those_who_see_them(
    settings: Settings, running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left")

    with closing(People(settings.data / PEOPLE_FILE)) as people:
        for name, place in (("ada", EVERYWHERE), ("ben", "elsewhere")):
            people.accounts.add(name, PASSWORD)
            people.accounts.set_role(name, place, "administrator")
    async with running(replace(settings, team=True)) as client:
        await client.post("/api/session", json=LOGIN)
        monkeypatch.setattr(FileHistory, "record", fail)
        file = {"path": "new.piql", "text": ""}
        assert (await client.post("/api/applications/scadr/files", json=file)).status_code == 201
        told = (await client.get("/api/health")).json()["problems"]
        assert [problem["message"] for problem in told] == ["Saves of scadr are not recorded: No space left."]
        await client.post("/api/session", json=LOGIN | {"name": "ben"})
        answer = await client.get("/api/health")
        assert (answer.status_code, answer.json()["problems"]) == (200, [])


def test_a_token_that_is_made_while_the_password_changes_is_not_made(people: People) -> None:
    ada = signed_in(people)
    people.accounts.set_password("ada", "another long secret")
    with pytest.raises(ApiError, match="Nobody is signed in"):
        people.tokens.make(ada, TokenLimit("late", "viewer", EVERYWHERE), 60)
    assert people.tokens.of(ada.account_id) == []


def test_tokens_that_are_made_at_once_do_not_pass_the_limit(people: People) -> None:
    ada = signed_in(people)
    limit = TokenLimit("one of many", "viewer", EVERYWHERE)
    for _ in range(MOST_TOKENS - 1):
        people.tokens.make(ada, limit, 60)

    def make(_: int) -> str:
        try:
            people.tokens.make(ada, limit, 60)
        except ApiError as error:
            return error.body.code
        return "made"

    with ThreadPoolExecutor(4) as threads:
        assert sorted(threads.map(make, range(4))) == ["made"] + ["too-many-tokens"] * 3
    assert len(people.tokens.of(ada.account_id)) == MOST_TOKENS


def test_a_file_that_others_could_read_is_private_once_it_is_opened(
    people: People, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    people.close()
    (tmp_path / PEOPLE_FILE).chmod(0o644)
    People(tmp_path / PEOPLE_FILE).close()
    assert stat.S_IMODE((tmp_path / PEOPLE_FILE).stat().st_mode) == 0o600
    assert ["could be read by others" in record.getMessage() for record in caplog.records] == [True]


def test_a_file_that_is_a_link_is_not_opened(people: People, tmp_path: Path) -> None:
    people.close()
    (tmp_path / PEOPLE_FILE).rename(tmp_path / "elsewhere.db")
    for target in ("elsewhere.db", "nowhere.db"):
        (tmp_path / PEOPLE_FILE).unlink(missing_ok=True)
        (tmp_path / PEOPLE_FILE).symlink_to(target)
        with pytest.raises(ValueError, match="it is a link"):
            People(tmp_path / PEOPLE_FILE)
    assert not (tmp_path / "nowhere.db").exists()


def test_a_mistyped_folder_is_not_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missing = tmp_path / "typo"
    for command in (["list"], ["role", "ada", "viewer"], ["disable", "ada"], ["password", "ada"]):
        assert user([*command, "--data", str(missing)]) == 1
        assert capsys.readouterr().err.startswith(f"piql user: there is no {missing / PEOPLE_FILE}: ")
    assert not missing.exists()


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["ada"], "there is no terminal"),
        (["ada", "--application", "shop", "--without-password"], "there is no application shop"),
        (["a b", "--without-password"], "a b cannot be a name"),
    ],
)
def test_a_person_who_is_refused_makes_no_folder(
    arguments: list[str],
    reason: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO())
    assert user(["add", *arguments, "--data", str(tmp_path / "new")]) == 1
    assert reason in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


def test_a_team_of_nobody_is_told_how_to_add_somebody(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    People(tmp_path / PEOPLE_FILE).close()
    assert user(["list", "--data", str(tmp_path)]) == 0
    assert "piql user add NAME --role administrator" in capsys.readouterr().out


def test_without_a_team_nothing_of_people_is_imported() -> None:
    program = (
        "import sys, piql_backend.server, piql_backend.workbench, piql_backend.app\n"
        "piql_backend.app.create_app()\n"
        "print(*sorted({'sqlalchemy', 'alembic', 'argon2'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "\n"


def test_a_newer_file_is_refused_and_opening_one_tells_the_log_nothing(people: People, tmp_path: Path) -> None:
    path = tmp_path / PEOPLE_FILE
    program = (
        "import logging, sys, pathlib; logging.basicConfig(level=logging.INFO)\n"
        "from piql_backend.people.service import People; People(pathlib.Path(sys.argv[1])).close()"
    )
    opened = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True, check=True)
    assert opened.stdout + opened.stderr == ""
    with closing(PeopleDatabase(path)) as database, database.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(ValueError, match=r"accounts in .* cannot be read: Can't locate revision identified by '9999'"):
        People(path)
