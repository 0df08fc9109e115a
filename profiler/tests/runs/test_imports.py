"""Runs made from logs and Parquet files that were measured elsewhere."""

import base64
import struct
import zlib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from piql_profiler.commands.profile import profile as piql_profile
from piql_profiler.measure.grid import Operator, Point
from piql_profiler.measure.histogram import Histogram
from piql_profiler.predictor.models import build_model
from piql_profiler.runs.hlog import decode, encode, read_hlog, write_hlog
from piql_profiler.runs.run_files import UnreadableRun, load, read_cells, read_info, read_parquet

RECORDED = Path(__file__).parents[1] / "recorded-run"


def _zigzags(*numbers: int) -> bytes:
    payload = b""
    for number in numbers:
        rest = (number << 1) ^ (number >> 63)
        while rest >= 0x80:
            payload += bytes([rest & 0x7F | 0x80])
            rest >>= 7
        payload += bytes([rest])
    return payload


def packed(payload: bytes, digits: int = 3, offset: int = 0) -> str:
    """Lay out a histogram as HdrHistogram does, from its counts."""
    header = struct.pack(">iiiiqqd", 0x1C849313, len(payload), offset, digits, 1, 60_000_000, 1.0)
    content = zlib.compress(header + payload)
    return base64.b64encode(struct.pack(">ii", 0x1C849314, len(content)) + content).decode()


def line_of(payload: bytes, offset: int = 0) -> bytes:
    return f"Tag=IndexScan:1:10:200:st,0.0,2.0,3.1,{packed(payload, offset=offset)}\n".encode()


def test_what_was_written_is_read_within_a_bin() -> None:
    latencies = np.random.default_rng(1).lognormal(np.log(900), 1.2, size=20_000)
    written = Histogram.of(latencies)
    read = decode(encode(written))
    assert read.total == written.total
    for q in (0.01, 0.5, 0.99, 0.999):
        assert read.quantile_us(q) == pytest.approx(written.quantile_us(q), rel=0.021)


def test_another_tools_precision_is_read() -> None:
    """Two significant digits, values from 1: 100 once, then 1000 three times, as HdrHistogram lays them out."""
    place_of_100, place_of_1000 = 100, 128 * 3 + (1000 >> 2) - 128
    skipped = place_of_1000 - place_of_100 - 1
    read = decode(packed(_zigzags(-place_of_100, 1, -skipped, 3), digits=2))
    assert read.total == 4
    assert read.quantile_us(0.2) == pytest.approx(100, rel=0.03)
    assert read.quantile_us(0.9) == pytest.approx(1000, rel=0.03)


def test_a_log_of_a_run_becomes_a_run_with_the_same_points_and_intervals(tmp_path: Path) -> None:
    log, out = tmp_path / "monday.hlog", tmp_path / "run"
    write_hlog(log, read_cells(RECORDED))
    assert piql_profile(["--import", str(log), "--store", "embedded:shop.db", "--out", str(out)]) == 0
    before, after = load(RECORDED), load(out)
    assert (read_info(out).state, after.intervals) == ("done", before.intervals)
    assert after.operators.keys() == before.operators.keys()
    for operator, counts in before.operators.items():
        assert after.operators[operator].points == counts.points
        assert (after.operators[operator].counts.sum(axis=-1) == counts.counts.sum(axis=-1)).all()
    assert build_model(after).curves(Point(Operator.INDEX_SCAN, 1, 25, 200)).shape[0] == 3


def test_a_log_from_before_columns_were_told_apart_is_of_rows_of_one(tmp_path: Path) -> None:
    lines = [f"Tag=IndexScan:1:10:200{columns}:st,0,1,1,{encode(Histogram.of([900.0]))}" for columns in ("", ":4")]
    (tmp_path / "run.hlog").write_text("\n".join(lines))
    assert [cell.point.columns for cell in read_hlog(tmp_path / "run.hlog")] == [1, 4]


def test_parquet_files_become_the_run_that_they_came_from(tmp_path: Path) -> None:
    assert piql_profile(["--import", str(RECORDED), "--out", str(tmp_path / "copy")]) == 0
    assert load(tmp_path / "copy").executions() == load(RECORDED).executions()
    assert read_info(tmp_path / "copy").settings == read_info(RECORDED).settings
    one = ["--import", str(RECORDED / "interval-000.parquet"), "--out", str(tmp_path / "one")]
    assert piql_profile([*one, "--store", "cql://host/shop"]) == 0
    assert load(tmp_path / "one").intervals == 1


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.hlog", b"#[Histogram log format version 1.3]\n0,1,2,HIST\n", "has no line of a point"),
        ("b.hlog", b"Tag=IndexScan:1:10:200:st,0.0,2.0,3.1,aGVsbG8gd29ybGQ=\n", "not a compressed histogram"),
        ("c.hlog", b"Tag=IndexScan:0:10:200:st,0.0,2.0,3.1,HISTA=\n", "a point counts from 1"),
        ("i.hlog", b"#[StartTime: 1.2.3]\nTag=IndexScan:1:10:200:st,nan,2.0,3.1,HISTA=\n", "nan is no time"),
        ("j.hlog", line_of(_zigzags(-(2**61), 1)), "more values than there can be"),
        ("k.hlog", line_of(b"\x80\x80"), "index out of range"),
        ("m.hlog", line_of(_zigzags(3), offset=7), "not a histogram of version 2"),
        ("d.parquet", b"PAR1 no", "holds no measurements"),
        ("e.hlog", b"\xff\xfe", "codec can't decode"),
    ],
)
def test_what_cannot_be_imported_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, content: bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SystemExit) as ended:
        piql_profile(["--import", str(tmp_path / name), "--store", "cql://h/k", "--out", str(tmp_path / "out")])
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def test_a_log_alone_does_not_say_where_it_was_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_hlog(tmp_path / "a.hlog", read_cells(RECORDED))
    with pytest.raises(SystemExit):
        piql_profile(["--import", str(tmp_path / "a.hlog"), "--out", str(tmp_path / "out")])
    assert "give --store" in capsys.readouterr().err
    assert read_hlog(tmp_path / "a.hlog")[0].response is None


def test_a_run_that_was_measured_before_is_exported_as_a_log(tmp_path: Path) -> None:
    log = tmp_path / "run.hlog"
    assert piql_profile(["--import", str(RECORDED), "--out", str(tmp_path / "copy"), "--hlog", str(log)]) == 0
    assert sum(cell.histogram.total for cell in read_hlog(log)) == load(RECORDED).executions()


def test_a_log_that_cannot_be_written_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "nowhere" / "run.hlog"
    assert piql_profile(["--import", str(RECORDED), "--out", str(tmp_path / "copy"), "--hlog", str(log)]) == 1
    assert "nowhere" in capsys.readouterr().err
    assert read_info(tmp_path / "copy").state == "done"


@pytest.mark.parametrize(
    ("column", "value"), [("bins", [[-3]]), ("counts", [[-1]]), ("interval", [-1]), ("bins", [[30_000]])]
)
def test_a_parquet_file_with_impossible_numbers_is_refused(tmp_path: Path, column: str, value: list[object]) -> None:
    table = pq.read_table(RECORDED / "interval-000.parquet").slice(0, 1)
    for name, one in (("bins", [[5]]), ("counts", [[1]]), (column, value)):
        at = table.schema.get_field_index(name)
        table = table.set_column(at, table.schema.field(at), pa.array(one, table.schema.field(at).type))
    pq.write_table(table, tmp_path / "odd.parquet")
    with pytest.raises(UnreadableRun, match="holds no measurements, or is damaged"):
        read_parquet(tmp_path / "odd.parquet")
