"""Windows of a view: what one may be, in which of them a row is, what writes and reads take, and how it is shown."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import piql
import pytest
from piql.compiler.syntax.parser import parse
from piql.compiler.syntax.printer import print_file
from piql.editor.service.hover import hover
from piql.schema.view_windows import ViewWindow
from piql.text.source import Source
from promises import broken_promises

TABLE = """CREATE TABLE messages (
  id INT PRIMARY KEY, room VARCHAR(8) NOT NULL, sent TIMESTAMP NOT NULL, day DATE NOT NULL, edited TIMESTAMP,
  size INT NOT NULL);
"""
VIEW = """CREATE VIEW recent AS
SELECT room, WINDOW_START(sent) AS began, COUNT(*) AS n, SUM(size) AS total
FROM messages
GROUP BY room, WINDOW_START(sent)
WINDOW 1 HOUR BY 5 MINUTES;
"""
QUERIES = """
CREATE QUERY send AS INSERT INTO messages (id, room, sent, day, size) VALUES ([id], [room], [sent], [day], [size]);
CREATE QUERY sendNew AS
INSERT INTO messages (id, room, sent, day, size) VALUES ([id], [room], [sent], [day], [size]) IF NOT EXISTS;
CREATE QUERY late AS UPDATE messages SET sent = [sent] WHERE id = [id];
CREATE QUERY grow AS UPDATE messages SET size = [size] WHERE id = [id];
CREATE QUERY unsend AS DELETE FROM messages WHERE id = [id];
CREATE QUERY lastHour AS
SELECT n, total FROM recent
WHERE room = [room] AND began <= [now] - INTERVAL 1 HOUR AND began > [now] - INTERVAL 65 MINUTE
ORDER BY began DESC LIMIT 1;
"""
NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)


@pytest.fixture
def db(tmp_path: Path) -> Iterator[piql.Database]:
    with piql.connect(f"embedded:{tmp_path / 'a.db'}?synchronous=NORMAL") as db:
        db.deploy(piql.compile(TABLE + VIEW + QUERIES))
        yield db


def message(number: int, sent: datetime, size: int = 1) -> dict[str, object]:
    return {"id": number, "room": "a", "sent": sent, "day": sent.date(), "size": size}


@pytest.mark.parametrize(
    ("clauses", "message", "way_out", "has_fix"),
    [
        ("WINDOW 1 HOUR", "without GROUP BY", "add GROUP BY", False),
        ("GROUP BY room WINDOW 1 HOUR", "which time", "WINDOW_START(column)", False),
        ("GROUP BY room, WINDOW_START(sent)", "how long a window of sent is", "WINDOW 1 HOUR", True),
        ("GROUP BY room, WINDOW_START(sent) WINDOW 1 MONTH", "a month is not always as long", "DATE_TRUNC", False),
        ("GROUP BY room, WINDOW_START(sent) WINDOW 1 HOUR BY 7 MINUTES", "does not divide", "BY 1 MINUTE", True),
        ("GROUP BY room, WINDOW_START(sent) WINDOW 1 HOUR BY 2 HOURS", "would be in none", "shorter time", False),
        ("GROUP BY room, WINDOW_START(size) WINDOW 1 HOUR", "size is an INT", "TIMESTAMP or DATE", False),
        ("GROUP BY room, WINDOW_START(day) WINDOW 1 HOUR", "begin within a day", "whole days", False),
        ("GROUP BY room, WINDOW_START(sent) WINDOW 1 WEEK BY 1 MINUTE", "in 10,080 windows", "at most 1,000", False),
        ("GROUP BY room, WINDOW_START(sent) WINDOW 5219 WEEKS", "longer than 100 years", "of all times", False),
        ("GROUP BY room, WINDOW_START(edited) WINDOW 1 HOUR", "edited may be NULL", "IS NOT NULL", True),
        ("GROUP BY room, sent, WINDOW_START(sent) WINDOW 1 HOUR", "grouped by in two ways", "leave one", False),
        ("GROUP BY WINDOW_START(sent), WINDOW_START(day) WINDOW 1 DAY", "windows of one column", "as it is", False),
        ("GROUP BY room, WINDOW_START(sent) WINDOW 0 HOURS", "must be at least 1", "", False),
        ("GROUP BY room, WINDOW_START(sent) WINDOW 1 MOON", "expected the unit", "WINDOW 1 HOUR BY", False),
    ],
)
def test_windows_that_are_refused_say_why(clauses: str, message: str, way_out: str, has_fix: bool) -> None:
    key = clauses.partition("WINDOW_START(")[2].partition(")")[0]
    selected = f"WINDOW_START({key}) AS began, " if key else ""
    text = TABLE + f"CREATE VIEW v AS SELECT room, {selected}COUNT(*) AS n FROM messages {clauses};"
    (finding, *_) = piql.compile({"a": text}).diagnostics
    assert message in finding.message
    assert way_out in " ".join(finding.help)
    assert bool(finding.fixes) == has_fix
    for fix in finding.fixes[:1]:
        for edit in sorted(fix.edits, key=lambda edit: -edit.start):
            text = text[: edit.start] + edit.text + text[edit.end :]
        assert piql.compile({"a": text}).diagnostics == ()


def test_the_one_time_of_a_table_is_offered_as_that_of_the_windows() -> None:
    text = "CREATE TABLE t (id INT PRIMARY KEY, a INT NOT NULL, at TIMESTAMP NOT NULL);\n"
    text += "CREATE VIEW v AS SELECT a, COUNT(*) AS n FROM t GROUP BY a WINDOW 1 DAY;"
    ((fix,),) = [finding.fixes for finding in piql.compile({"a": text}).diagnostics]
    for edit in sorted(fix.edits, key=lambda edit: -edit.start):
        text = text[: edit.start] + edit.text + text[edit.end :]
    assert "GROUP BY a, WINDOW_START(at) WINDOW 1 DAY" in text
    assert piql.compile({"a": text}).diagnostics == ()


def test_window_start_stands_in_views_only() -> None:
    text = TABLE + "CREATE QUERY q AS SELECT WINDOW_START(sent) AS w FROM messages WHERE id = [id];"
    (finding,) = piql.compile({"a": text}).diagnostics
    assert "CREATE VIEW" in " ".join(finding.help)


def test_a_row_is_in_the_windows_that_hold_its_time() -> None:
    window = ViewWindow("sent", 3_600_000, 1_200_000)
    assert [time.strftime("%H:%M") for time in window.beginnings(NOON)] == ["12:00", "11:40", "11:20"]
    before = NOON - timedelta(milliseconds=1)
    assert [time.strftime("%H:%M") for time in window.beginnings(before)] == ["11:40", "11:20", "11:00"]


def test_weeks_begin_on_mondays_and_windows_in_the_year_one_at_the_earliest() -> None:
    week = ViewWindow("day", 7 * 86_400_000, 7 * 86_400_000)
    assert week.beginnings(date(2024, 3, 3)) == [date(2024, 2, 26)]
    assert week.beginnings(date(2024, 3, 4)) == [date(2024, 3, 4)]
    assert week.beginnings(date(1969, 12, 31)) == [date(1969, 12, 29)]
    assert len(ViewWindow("at", 86_400_000, 3_600_000).beginnings(datetime(1, 1, 1, 3, 30, tzinfo=UTC))) == 4


def test_a_write_takes_the_windows_of_its_row_and_a_read_takes_one(db: piql.Database) -> None:
    bounds = {name: query.bound for name, query in db.deployment.compilation.queries.items()}
    reasons = [term.reason for term in bounds["sendNew"].terms]  # type: ignore[union-attr]
    assert any("one for each of 12 windows" in reason for reason in reasons)
    groups = {name: bound.operations for name, bound in bounds.items() if bound is not None}
    assert groups["send"] - groups["sendNew"] == 2 * 12 + 1  # it may replace a row of other windows
    assert groups["lastHour"] == 1
    assert db.execute("send", message(1, NOON)).operations == 2 + 2 * 12
    assert db.execute("late", {"id": 1, "sent": NOON + timedelta(minutes=5)}).operations == 2 + 2 * 2
    assert db.execute("grow", {"id": 1, "size": 3}).operations == 2 + 2 * 12


def test_rows_leave_with_time_come_late_and_are_taken_back(db: piql.Database) -> None:
    for number in range(4):
        db.execute("send", message(number, NOON + timedelta(minutes=20 * number), 10**number))
    asked = {"room": "a", "now": NOON + timedelta(minutes=63)}
    assert db.execute("lastHour", asked).rows == [{"n": 3, "total": 111}]
    asked["now"] = NOON + timedelta(minutes=83)
    assert db.execute("lastHour", asked).rows == [{"n": 3, "total": 1110}]  # the first one has left
    db.execute("send", message(9, NOON + timedelta(minutes=25), 5))  # nobody knew of it until now
    assert db.execute("lastHour", asked).rows == [{"n": 4, "total": 1115}]
    db.execute("unsend", {"id": 2})
    assert db.execute("lastHour", asked).rows == [{"n": 3, "total": 1015}]
    assert broken_promises(db) == []


def test_windows_are_kept_over_versions_and_do_not_change_under_their_name(db: piql.Database) -> None:
    db.execute("send", message(1, NOON))
    db.deploy(piql.compile(TABLE + VIEW + QUERIES.replace("lastHour", "hour")))
    db.execute("send", message(2, NOON))
    assert broken_promises(db) == []
    with pytest.raises(piql.PiqlError, match="recent"):
        db.deploy(piql.compile(TABLE + VIEW.replace("5 MINUTES", "10 MINUTES") + QUERIES))


def test_the_clause_is_formatted_and_explained() -> None:
    squeezed = VIEW.replace("\n", " ").replace("1 HOUR BY 5 MINUTES", "1 hours by 5 minute")
    assert print_file(parse(Source(squeezed, "a"))) == VIEW
    compilation = piql.compile({"a": TABLE + VIEW + QUERIES})
    about = hover(compilation, "a", (TABLE + VIEW).index("began"))
    assert about is None or "each 5 minutes" in about.markdown
    about = hover(compilation, "a", len(TABLE + VIEW) + QUERIES.index("began"))
    assert about is not None
    assert "the beginning, in UTC, of a window of 1 hour, of which one begins each 5 minutes" in about.markdown
