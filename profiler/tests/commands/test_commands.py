"""`piql profile`, `predict` and `validate` as a user calls them, on a recorded run: output, exit codes, messages."""

import json
from pathlib import Path

import piql
import pytest
from piql_profiler.commands import profile as profile_command
from piql_profiler.commands.__main__ import main
from piql_profiler.commands.predict import predict as piql_predict
from piql_profiler.commands.profile import profile as piql_profile
from piql_profiler.measure.grid import GRIDS
from piql_profiler.predictor.heatmap import Slo, heatmap
from piql_profiler.predictor.models import MODELS, build_model
from piql_profiler.predictor.openslo import Objective, read_openslo, write_openslo
from piql_profiler.runs.cluster import RayRunner
from piql_profiler.runs.run_files import RunSettings, load, read_info
from piql_profiler.runs.runner import LocalRunner

RECORDED = Path(__file__).parents[1] / "recorded-run"
SCHEMA = """
CREATE TABLE subscriptions (
  owner VARCHAR(32), target VARCHAR(32), approved BOOLEAN,
  PRIMARY KEY (owner, target), CARDINALITY LIMIT 100 (owner)
);
CREATE TABLE thoughts (owner VARCHAR(32), posted TIMESTAMP, text VARCHAR(140), PRIMARY KEY (owner, posted));
CREATE QUERY thoughtstream AS
SELECT t.owner, t.posted, t.text FROM subscriptions s JOIN thoughts t ON t.owner = s.target
WHERE s.owner = [1: me] AND s.approved = TRUE ORDER BY t.posted DESC LIMIT [2: count] MAX 50;
CREATE QUERY everything AS SELECT owner FROM thoughts;
CREATE QUERY post AS INSERT INTO thoughts (owner, posted, text) VALUES ([1: me], [2: posted], [3: text]);
"""


@pytest.fixture
def source(tmp_path: Path) -> str:
    (tmp_path / "feed.piql").write_text(SCHEMA)
    return str(tmp_path / "feed.piql")


def test_the_recorded_run_is_whole_and_covers_thoughtstream(source: str) -> None:
    assert read_info(RECORDED).state == "done"
    query = piql.compile(Path(source)).queries["thoughtstream"]
    for model in MODELS:
        heat = heatmap(query, build_model(load(RECORDED), model), "subscriptions.owner", "count", slo=Slo(0.99, 1e6))
        assert heat.largest_safe == ((100, 50),)
        assert heat.latency_ms[0][0] < heat.latency_ms[-1][-1]


def test_every_bounded_select_is_predicted(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert piql_predict([source, "--run", str(RECORDED), "--output", "json"]) == 0
    (prediction,) = json.loads(capsys.readouterr().out)
    assert (prediction["query"], prediction["model"], prediction["coverage"]) == (
        "thoughtstream",
        "surface",
        "measured",
    )
    assert prediction["latency_ms"] == sorted(prediction["latency_by_interval_ms"])[1]
    assert prediction["worst_latency_ms"] == max(prediction["latency_by_interval_ms"])
    assert len(prediction["latency_by_interval_ms"]) == 3
    assert [operator["operator"] for operator in prediction["operators"]] == ["IndexScan", "SortedIndexJoin"]


def test_a_smaller_limit_is_predicted_to_be_faster(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    latency = []
    for limit in (100, 10):
        piql_predict([source, "--run", str(RECORDED), "--output", "json", "--set", f"subscriptions.owner={limit}"])
        latency.append(json.loads(capsys.readouterr().out)[0]["latency_ms"])
    assert latency[1] < latency[0] / 3


def test_an_slo_that_is_predicted_to_fail_ends_with_99(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert piql_predict([source, "--run", str(RECORDED), "--slo", "60000"]) == 0
    assert "meets the SLO" in capsys.readouterr().out
    assert piql_predict([source, "--run", str(RECORDED), "--slo", "0.001"]) == 99
    assert "BREAKS the SLO" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--query", "nothing"], "there is no query 'nothing'"),
        (["--query", "everything"], "everything is not bounded"),
        (["--query", "post"], "the profile has no measurement of Write"),
        (["--set", "friends=3"], "no query has a limit 'friends'"),
    ],
)
def test_what_cannot_be_predicted_is_said_and_ends_with_1(
    source: str, capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    assert piql_predict([source, "--run", str(RECORDED), *options]) == 1
    assert message in capsys.readouterr().err


def test_a_folder_without_a_run_is_said_and_ends_with_1(
    source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert piql_predict([source, "--run", str(tmp_path)]) == 1
    assert "has no profile run" in capsys.readouterr().err


@pytest.mark.parametrize(
    "options", [["--set", "count"], ["--quantile", "1.5"], ["--model", "oracle"]], ids=["set", "quantile", "model"]
)
def test_wrong_arguments_of_predict_end_with_2(source: str, options: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        piql_predict([source, "--run", str(RECORDED), *options])
    assert ended.value.code == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--store", "s3://bucket/shop"], "a store in a bucket cannot be measured yet"),
        (["--grid", "huge"], "there is no grid 'huge'"),
        (["--grid", "[1]"], "an object of lists"),
        (["--grid", '{"row_bytes": [100], "scans": [1]}'], "unknown dimension scans"),
        (["--interval", "0"], "are positive"),
        (["--interval", "nan"], "are positive"),
        (["--interval", "inf"], "are positive"),
        (["--precision", "nan"], "--precision is a positive share"),
        (["--load", "nan"], "--load is a share"),
        (["--grid", '{"row_bytes": [100], "scan_rows": 5}'], "a list of whole numbers"),
    ],
)
def test_wrong_arguments_of_profile_end_with_2_before_anything_is_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        piql_profile(["--store", "embedded:", "--out", str(tmp_path / "run"), *options])
    assert ended.value.code == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_an_unknown_command_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measure"]) == 2
    assert "usage" in capsys.readouterr().err


def test_a_temporary_store_is_profiled_in_one_process_and_written_as_a_log(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(profile_command, "_stop_on_signals", lambda out: None)
    code = piql_profile(
        [
            *("--store", "embedded:?synchronous=NORMAL", "--grid", '{"row_bytes": [60], "scan_rows": [1, 5]}'),
            *("--interval", "0.1", "--intervals", "2", "--out", str(tmp_path / "run"), "--runner", "local"),
            *("--progress", "json", "--hlog", str(tmp_path / "run.hlog")),
        ]
    )
    assert code == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["state"] for line in lines] == ["starting", *["running"] * 5, "done"]
    assert load(tmp_path / "run").intervals == 2
    tags = [line.partition(",")[0] for line in (tmp_path / "run.hlog").read_text().splitlines()[4:]]
    assert len(set(tags)) == 4
    assert all(tag.endswith((":st", ":rt")) for tag in tags)


def test_a_store_that_cannot_be_opened_fails_the_run_in_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(profile_command, "_stop_on_signals", lambda out: None)
    options = ["--store", "nosuch:thing", "--out", str(tmp_path / "run"), "--runner", "local", "--progress", "none"]
    assert piql_profile(options) == 1
    assert "is not the address of a store" in capsys.readouterr().err
    assert read_info(tmp_path / "run").state == "failed"


def test_the_largest_limits_are_said_beside_an_slo(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert piql_predict([source, "--run", str(RECORDED), "--slo", "60000"]) == 0
    assert (
        "subscriptions per owner               100  now 100; larger ones were not measured" in capsys.readouterr().out
    )
    assert piql_predict([source, "--run", str(RECORDED), "--slo", "0.0001"]) == 99
    assert "none  now 100; then thoughtstream breaks it" in capsys.readouterr().out


def test_slos_are_read_from_openslo_documents(source: str, tmp_path: Path) -> None:
    slos = tmp_path / "slos.yaml"
    for threshold_ms, code in ((60_000.0, 0), (0.001, 99)):
        slos.write_text(write_openslo([Objective("thoughtstream", 0.99, threshold_ms, 600)]))
        assert piql_predict([source, "--run", str(RECORDED), "--slo", str(slos)]) == code


def test_a_threshold_is_written_as_openslo_documents_that_read_back_to_the_same_end(
    source: str, tmp_path: Path
) -> None:
    slos = tmp_path / "slos.yaml"
    for threshold, code in (("60000", 0), ("0.001", 99)):
        asked = [source, "--run", str(RECORDED), "--query", "thoughtstream"]
        written = ["--slo", threshold, "--write-slo", str(slos), "--slo-interval", "300"]
        assert piql_predict([*asked, *written]) == code
        assert read_openslo(slos.read_text()) == (Objective("thoughtstream", 0.99, float(threshold), 300.0),)
        assert piql_predict([*asked, "--slo", str(slos)]) == code


@pytest.mark.parametrize("text", ["0", "nowhere.yaml"])
def test_an_slo_that_is_none_is_refused(source: str, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        piql_predict([source, "--run", str(RECORDED), "--slo", text])
    assert ended.value.code == 2
    assert "--slo" in capsys.readouterr().err


def test_a_page_takes_as_long_as_its_steps(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    pages = ["thoughtstream", "thoughtstream, thoughtstream"]
    latency = []
    for page in pages:
        piql_predict([source, "--run", str(RECORDED), "--output", "json", "--page", page])
        predictions = json.loads(capsys.readouterr().out)
        latency.append(next(item for item in predictions if item["query"] == page))
    assert len(latency[1]["operators"]) == 2 * len(latency[0]["operators"])
    # The recorded p99 are pauses, of which a page of two steps seldom meets two.
    assert 1.3 < latency[1]["latency_ms"] / latency[0]["latency_ms"] < 2.05
    assert piql_predict([source, "--run", str(RECORDED), "--page", "thoughtstream |"]) == 1
    assert "first a, then b and c together" in capsys.readouterr().err


def test_one_process_measures_where_there_is_one_processor(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    settings = RunSettings(f"embedded:{tmp_path}/shop.db", GRIDS["small"], clients=1)
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setattr(profile_command, "_processors", lambda: 1)
    assert isinstance(profile_command._runner(settings), LocalRunner)
    monkeypatch.setattr(profile_command, "_processors", lambda: 2)
    assert isinstance(profile_command._runner(settings), RayRunner)
    monkeypatch.setattr(profile_command, "_processors", lambda: 1)
    monkeypatch.setenv("RAY_ADDRESS", "10.0.0.1:6379")
    assert isinstance(profile_command._runner(settings), RayRunner)
