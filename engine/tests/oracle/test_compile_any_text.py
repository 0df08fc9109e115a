"""Whatever the text: `compile` answers in time, raises nothing, and its spans and edits lie inside the text."""

from __future__ import annotations

import itertools
import os
import random
import re
import time
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import piql
import pytest

from .side_by_side import results
from .world import random_world

SAMPLES = Path(__file__).resolve().parents[3] / "sample-apps"
TEXTS = int(os.environ.get("PIQL_FUZZ_TEXTS", "40"))
LONG_TEXTS = int(os.environ.get("PIQL_FUZZ_LONG_TEXTS", "20000"))
LONG_PARTS = 40
MEGABYTE_SECONDS = 2.0
HANG_SECONDS = 10.0  # of processor time, for texts of some kilobytes, on a machine that is busy with something else
RESULT = Path(__file__).resolve().parents[3] / "docs" / "measurements" / "fuzz.md"


@dataclass(slots=True)
class Found:
    """What came of many texts."""

    texts: int = 0
    characters: int = 0
    bounded: int = 0
    refused: int = 0
    edits: int = 0
    codes: Counter[str] = field(default_factory=Counter)
    milliseconds: list[float] = field(default_factory=list)

    def note(self, text: str, compilation: piql.Compilation, seconds: float) -> None:
        self.texts += 1
        self.characters += len(text)
        self.milliseconds.append(seconds * 1000)
        for query in compilation.queries.values():
            self.bounded += query.is_bounded
            self.refused += not query.is_bounded
        for diagnostic in compilation.diagnostics:
            self.codes[diagnostic.code] += 1
            self.edits += sum(len(fix.edits) for fix in diagnostic.fixes)

    def add(self, more: Found) -> None:
        self.texts += more.texts
        self.characters += more.characters
        self.bounded += more.bounded
        self.refused += more.refused
        self.edits += more.edits
        self.codes += more.codes
        self.milliseconds += more.milliseconds

    def report(self) -> str:
        """Write it down as a page."""
        times = sorted(self.milliseconds)
        middle, slow, most = times[len(times) // 2], times[len(times) * 99 // 100], times[-1]
        rows = "".join(f"| {code} | {times_said:,} |\n" for code, times_said in self.codes.most_common())
        return f"""# Any text: what the compiler makes of it

{self.texts:,} texts of {self.characters:,} characters: the sample applications and random schemas with queries of every
construct, in which something was cut out, repeated, swapped or put in; words of the language in any order; any
characters. piql {piql.__version__}. Written by `make test-long`.

- exceptions: **0**
- places outside their text: **0** of {self.codes.total():,} findings with {self.edits:,} edits
- queries with a bound: {self.bounded:,}; refused or broken: {self.refused:,}
- processor time of one text: {middle:.1f} ms in the middle, {slow:.0f} ms for 99 %, {most:.0f} ms at most

| found | times |
| --- | ---: |
{rows}"""


def samples() -> list[str]:
    """Texts to change: the sample applications, and schemas with queries of every construct."""
    texts = []
    for folder in sorted(folder_path for folder_path in SAMPLES.iterdir() if folder_path.is_dir()):
        texts.append("\n".join(path.read_text() for path in sorted(folder.rglob("*.piql"))))
    for seed in range(12):
        world = random_world(seed, reads=4, writes=2)
        texts.append(world.source(*world.reads, *world.writes))
    return texts


def check(text: str, found: Found | None = None) -> None:
    started = time.process_time()
    compilation = piql.compile(text)
    seconds = time.process_time() - started
    assert seconds < HANG_SECONDS, f"{seconds:.1f} s for {text!r}"
    if found is not None:
        found.note(text, compilation, seconds)
    for diagnostic in compilation.diagnostics:
        assert diagnostic.message
        assert 0 <= diagnostic.span.start < diagnostic.span.end <= len(text) or not text.strip(), diagnostic
        assert diagnostic.span.line >= 1
        assert diagnostic.span.utf16_column >= 1
        for fix in diagnostic.fixes:
            edits = sorted(fix.edits, key=lambda edit: edit.start)
            assert edits, diagnostic
            assert all(0 <= edit.start <= edit.end <= len(text) for edit in edits), diagnostic
            assert all(one.end <= following.start for one, following in itertools.pairwise(edits)), diagnostic
    for query in compilation.queries.values():
        assert query.is_bounded == (query.bound is not None)


def mutated(rng: random.Random, text: str, pieces: list[str]) -> str:
    """Cut, repeat, swap or put pieces at random places of a text."""
    for _ in range(rng.choice((1, 1, 2, 4))):
        at, length = rng.randrange(len(text) + 1), rng.choice((0, 1, 1, 5, 20, 100))
        match rng.randrange(5):
            case 0:
                text = text[:at] + text[at + length :]
            case 1:
                text = text[:at] + rng.choice(pieces) + text[at:]
            case 2:
                text = text[:at] + rng.choice(pieces) + text[at + length :]
            case 3:
                text = text[:at] + text[at : at + length] * 2 + text[at + length :]
            case 4:
                position = rng.randrange(len(text) + 1)
                text = text[:at] + text[position : position + length] + text[at + length :]
    return text


def any_text(rng: random.Random, bases: list[str], pieces: list[str]) -> str:
    match rng.randrange(6):
        case 0:
            return "".join(chr(rng.choice((rng.randrange(128), rng.randrange(0x3000), 0x1F600))) for _ in range(60))
        case 1:
            return " ".join(rng.choice(pieces) for _ in range(rng.randrange(60)))
        case 2:
            head = (
                "CREATE TABLE t (a INT PRIMARY KEY, b INT, c TEXT, CARDINALITY LIMIT 3 (b)); CREATE QUERY q AS SELECT "
            )
            return head + " ".join(rng.choice(pieces) for _ in range(rng.randrange(30)))
    return mutated(rng, rng.choice(bases), pieces)


def run(seed: int, count: int, part: int = 0, parts: int = 1) -> Found:
    """Compile the texts of a seed, or of so many parts of them one."""
    findings = Found()
    rng = random.Random(seed)
    bases = samples()
    pieces = [*sorted(set(re.findall(r"\w+|'[^']*'|\S", " ".join(bases)))), "'", '"', "/*", "--", "\x00", "😀", "\n"]
    for number in range(count):
        text = any_text(rng, bases, pieces)
        if number % parts != part:
            continue
        try:
            check(text, findings)
        except Exception as fault:
            raise AssertionError(f"{type(fault).__name__}: {fault}\n{text!r}") from fault
    return findings


@pytest.mark.parametrize("part", range(2))
def test_any_text_is_answered(part: int) -> None:
    run(part, TEXTS // 2)


@pytest.mark.long
def test_very_many_texts_are_answered() -> None:
    findings = Found()
    for found_in_part in results(partial(run, 99, LONG_TEXTS, parts=LONG_PARTS), range(LONG_PARTS)):
        findings.add(found_in_part)
    RESULT.write_text(findings.report())


@pytest.mark.long  # processor time depends on who else is at work: no place for it in the tests of every change
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("a" * 1_000_000, id="one word"),
        pytest.param("(" * 1_000_000, id="parentheses"),
        pytest.param("'" * 1_000_000, id="quotes"),
        pytest.param("SELECT " * 140_000, id="one keyword"),
        pytest.param("CREATE QUERY q AS SELECT a FROM t;\n" * 28_000, id="one query again and again"),
        pytest.param("CREATE TABLE t (a INT PRIMARY KEY);\n" * 27_000, id="one table again and again"),
        pytest.param("/*" * 500_000, id="comments"),
        pytest.param("😀\n" * 500_000, id="unknown characters"),
        pytest.param(
            "CREATE TABLE t (a INT PRIMARY KEY); CREATE QUERY q AS SELECT a FROM t WHERE a IN ("
            + ",".join(map(str, range(140_000)))
            + ");",
            id="a list",
        ),
        pytest.param(
            "CREATE TABLE t (a INT PRIMARY KEY); CREATE QUERY q AS SELECT a FROM t WHERE "
            + " OR ".join(f"a = {number}" for number in range(70_000))
            + ";",
            id="an OR",
        ),
    ],
)
def test_a_megabyte_is_answered_in_time(text: str) -> None:
    best = float("inf")
    for _ in range(3):  # a machine that is busy with something else may need another try
        started = time.process_time()
        compilation = piql.compile(text)
        best = min(best, time.process_time() - started)
        if best < MEGABYTE_SECONDS:
            break
    assert all(0 <= diagnostic.span.start < diagnostic.span.end <= len(text) for diagnostic in compilation.diagnostics)
    assert best < MEGABYTE_SECONDS, f"{best:.1f} s"


@pytest.mark.parametrize(
    "opening", ["(", "NOT ", "- ", "a IN (SELECT a FROM t WHERE ", "EXISTS (SELECT a FROM t WHERE ", "LOWER("]
)
def test_two_hundred_levels_give_a_diagnostic(opening: str) -> None:
    query = "CREATE TABLE t (a INT PRIMARY KEY);\nCREATE QUERY q AS SELECT a FROM t WHERE "
    closing = ")" * (200 * opening.count("("))
    check(query + opening * 200 + "a = 1" + closing + ";")
    diagnostics = piql.compile(query + opening * 200 + "a = 1" + closing + ";").diagnostics
    assert any(diagnostic.severity == "error" for diagnostic in diagnostics)


def test_bytes_that_are_no_text_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "broken.piql"
    path.write_bytes(b"CREATE TABLE t (a INT PRIMARY KEY);\n\xff\xfe\x00")
    assert any(diagnostic.severity == "error" for diagnostic in piql.compile(path).diagnostics)
