"""`piql experiment`: lists, runs, and ends with what it found."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from piql_profiler.commands import experiment as command
from piql_profiler.commands.experiment import experiment
from piql_profiler.experiments.papers import EXPERIMENTS

SAMPLES = str(Path(__file__).parents[3] / "sample-apps")


def test_without_a_name_all_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert experiment([]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [listed.name for listed in EXPERIMENTS]
    assert experiment(["--output", "json"]) == 0
    assert [listed["name"] for listed in json.loads(capsys.readouterr().out)] == [listed.name for listed in EXPERIMENTS]


def test_a_run_says_its_verdicts_and_where_its_page_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["vldb-table-1", "--short", "--samples", SAMPLES, "--out", str(tmp_path)]
    assert experiment([*arguments, "--strict"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("vldb-table-1: undecidable (VLDB 2012, table 1)\n")
    assert f"{tmp_path}/vldb-table-1/index.html" in printed
    assert experiment([*arguments, "--output", "json"]) == 0
    (result,) = json.loads(capsys.readouterr().out)
    assert result["verdict"] == "undecidable"
    assert len(result["rows"]) == 13


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["figure-99"], "no experiment figure-99; there are socc-figure-4,"),
        (["paging", "--all"], "--all runs all of them"),
        (["vldb-table-1", "--samples", "nowhere"], "say with --samples where it is"),
    ],
)
def test_wrong_arguments_are_refused(arguments: list[str], reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        experiment(arguments)
    assert reason in capsys.readouterr().err


RUN_FOR_LONG = """
import os, time
from dataclasses import replace
import piql_profiler.commands.experiment as command

def run(stage):
    print(os.getpid(), flush=True)
    time.sleep(60)
    print("goes on", flush=True)

command.BY_NAME = {"long": replace(command.EXPERIMENTS[0], run=run)}
command.experiment(["long", "--end-with-parent"])
"""
START_IT = "import subprocess, sys; subprocess.run([sys.executable, '-c', sys.argv[1]])"


def test_a_run_of_the_workbench_ends_when_the_workbench_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", START_IT, RUN_FOR_LONG], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline().strip().isdigit()  # it runs
        parent.kill()
        assert parent.stdout.read() == ""  # the run has it open until it ends


def test_an_experiment_runs_on_the_store_that_is_named_and_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["paging", "--short", "--samples", SAMPLES, "--out", str(tmp_path / "out"), "--output", "json"]
    store = f"embedded:{tmp_path}/here.db?synchronous=NORMAL"
    assert experiment([*arguments, "--store", store]) == 0
    (there,) = json.loads(capsys.readouterr().out)
    assert f"The store embedded:{tmp_path}/here.db, reached from this machine" in there["how"]
    assert [file.name.startswith("here.db.x") for file in tmp_path.glob("here.db*")][:1] == [True]  # beside it
    assert experiment(arguments) == 0
    (usual,) = json.loads(capsys.readouterr().out)
    assert there["rows"] == usual["rows"]  # requests are the same wherever it runs


def test_a_store_with_a_password_is_taken_from_the_environment_and_shown_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["paging", "--short", "--samples", SAMPLES, "--out", str(tmp_path / "out"), "--store"]
    monkeypatch.delenv("PIQL_STORE", raising=False)
    with pytest.raises(SystemExit):
        experiment(arguments)
    assert "--store needs a URL, or PIQL_STORE in the environment" in capsys.readouterr().err
    monkeypatch.setenv("PIQL_STORE", f"embedded:{tmp_path}/here.db?synchronous=NORMAL")
    assert experiment(arguments) == 0
    result = json.loads((tmp_path / "out" / "paging" / "result.json").read_text())
    assert result["store"] == f"embedded:{tmp_path}/here.db"


def test_an_experiment_that_cannot_run_on_a_store_says_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--short", "--samples", SAMPLES, "--out", str(tmp_path), "--store", "embedded:"]
    with pytest.raises(SystemExit):
        experiment(["vldb-table-1", *arguments])
    assert "vldb-table-1: nothing is executed" in capsys.readouterr().err


def test_with_all_of_them_those_that_cannot_run_say_why_and_the_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = tuple(command.BY_NAME[name] for name in ("vldb-table-1", "paging"))
    monkeypatch.setattr(command, "EXPERIMENTS", chosen)
    arguments = ["--all", "--short", "--samples", SAMPLES, "--out", str(tmp_path), "--store", "embedded:"]
    assert experiment(arguments) == 0
    printed = capsys.readouterr()
    assert printed.err.startswith("vldb-table-1: not run: nothing is executed")
    assert printed.out.startswith("paging: ")


def test_a_store_that_does_not_answer_ends_the_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["paging", "--short", "--samples", SAMPLES, "--out", str(tmp_path), "--store", "s4://nothing"]
    assert experiment(arguments) == 3
    assert "is not the address of a store" in capsys.readouterr().err
