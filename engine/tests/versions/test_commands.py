"""`piql deploy --background`, `piql deployments`, `piql rollback`."""

from __future__ import annotations

import json
from pathlib import Path

import piql
import pytest
from piql.commands.cli import main
from piql.versions.change.build import BackfillRate
from piql.versions.deploy import begin_deploy

from .shop import BY_KIND, FIRST, filled

Texts = pytest.CaptureFixture[str]


@pytest.fixture
def url(tmp_path: Path) -> str:
    url = f"embedded:{tmp_path / 'a.db'}"
    filled(url, 1000).close()
    return url


@pytest.fixture
def second(tmp_path: Path) -> str:
    file = tmp_path / "second.piql"
    file.write_text(FIRST + BY_KIND)
    return str(file)


def rest(url: str) -> None:
    """Leave a build at half of its rows."""
    with piql.connect(url) as db:
        build = begin_deploy(db.store, piql.compile(FIRST + BY_KIND), pace=BackfillRate(step_rows=500, first_rows=500))
        build.stop()


def test_a_deployment_in_the_background_tells_how_far_it_is(url: str, second: str, capsys: Texts) -> None:
    assert main(["deploy", second, "--store", url, "--background", "--rows-per-second", "2000"]) == 0
    output = capsys.readouterr()
    assert "version 2: filling, 500 of about 1,000 rows (50 %)" in output.err
    assert output.out == f"deployed 5 queries and 1 index to {url}, version 2\n"


def test_the_versions_of_a_store_are_listed(url: str, second: str, capsys: Texts) -> None:
    rest(url)
    assert main(["deployments", "--store", url]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].endswith("coming: filling, 500 of about 1,000 rows (50 %), no process works on it")
    assert lines[3].endswith("in force")
    assert main(["deployments", "--store", url, "--output", "json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert [version["state"] for version in report["versions"]] == ["coming", "in force"]
    assert (report["progress"]["rowsDone"], report["progress"]["rowsEstimate"]) == (500, 1000)


def test_what_rests_is_paused_resumed_and_cancelled(url: str, second: str, capsys: Texts) -> None:
    rest(url)
    assert main(["deployments", "pause", "--store", url]) == 0
    assert "paused" in capsys.readouterr().out
    assert main(["deployments", "resume", "--store", url]) == 0
    assert capsys.readouterr().out == f"deployed 5 queries and 1 index to {url}, version 2\n"
    assert main(["deployments", "cancel", "--store", url]) == 1
    assert capsys.readouterr().err == (
        "piql deployments: no version is on its way: `piql deployments` lists those there are\n"
    )


def test_a_cancelled_version_is_gone(url: str, capsys: Texts) -> None:
    rest(url)
    assert main(["deployments", "cancel", "--store", url]) == 0
    assert capsys.readouterr().out == "version 2: cancelled\n"
    assert main(["deployments", "--store", url]) == 0
    assert "coming" not in capsys.readouterr().out


def test_a_rollback_returns_to_the_version_before(url: str, second: str, capsys: Texts) -> None:
    assert main(["rollback", "--store", url]) == 1
    assert capsys.readouterr().err == "not rolled back: there is no version before\n"
    assert main(["deploy", second, "--store", url]) == 0
    assert main(["rollback", "--store", url]) == 0
    assert capsys.readouterr().out.endswith(f"rolled back to 4 queries and 0 indexes to {url}, version 3\n")


def test_a_version_is_tried_given_a_share_and_promoted(url: str, second: str, capsys: Texts) -> None:
    assert main(["deploy", second, "--store", url, "--canary", "5"]) == 0
    output = capsys.readouterr().out
    assert "version 2: tried on 5 % of the executions; `piql deployments promote` puts it in force" in output
    assert main(["deployments", "share", "12.5", "--store", url]) == 0
    assert main(["deployments", "--store", url]) == 0
    assert "coming: tried on 12.5 % of the executions" in capsys.readouterr().out
    assert main(["deployments", "promote", "--store", url]) == 0
    assert capsys.readouterr().out == f"deployed 5 queries and 1 index to {url}, version 2\n"
    assert main(["deployments", "promote", "--store", url]) == 1


def test_a_version_that_is_tried_is_withdrawn_with_the_reason(url: str, second: str, capsys: Texts) -> None:
    assert main(["deploy", second, "--store", url, "--canary", "5"]) == 0
    assert main(["deployments", "withdraw", "--why", "too slow", "--store", url]) == 0
    assert capsys.readouterr().out.endswith("version 2: cancelled: too slow\n")
    with piql.connect(url) as db:
        assert db.deployment.version == 1


@pytest.mark.parametrize("share", ["150", "abc", "-1", "nan"])
def test_a_share_that_is_none_is_refused_as_it_was_typed(url: str, second: str, share: str, capsys: Texts) -> None:
    for arguments in (["deploy", second, f"--canary={share}"], ["deployments", "share", "--", share]):
        with pytest.raises(SystemExit):
            main([*arguments[:1], "--store", url, *arguments[1:]])
        assert f"'{share}' is no share of the executions: give a number from 0 to 100" in capsys.readouterr().err


def test_a_share_needs_a_number_and_nothing_else_takes_one(url: str) -> None:
    for arguments in (["share"], ["promote", "5"]):
        with pytest.raises(SystemExit):
            main(["deployments", *arguments, "--store", url])
