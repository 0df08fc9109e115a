"""Reads neutral cases and checks one through the public API."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import piql
import pytest

OWN = Path(__file__).parent / "cases"
BESIDE = Path(__file__).resolve().parents[4] / "shared" / "conformance"  # next to the repository, where it is there

REFUSALS: Mapping[str, type[piql.PiqlError]] = {
    "CARDINALITY_VIOLATION": piql.CardinalityViolation,
    "DUPLICATE_KEY": piql.DuplicateKey,
    "FOREIGN_KEY_VIOLATION": piql.ForeignKeyViolation,
    "CONSTRAINT_VIOLATION": piql.ConstraintViolation,
    "CONDITION_FAILED": piql.ConditionFailed,
}
FIXES = ("CARDINALITY LIMIT", "LIMIT", "PAGINATE")
Case = Mapping[str, Any]


def all_cases() -> list[tuple[str, Case]]:
    """Return our own cases and, where they are found, those beside the repository."""
    cases = []
    for path in (*sorted(OWN.glob("*.json")), *sorted(BESIDE.glob("cases*.json"))):
        cases += [(f"{path.stem}:{case['id']}", case) for case in json.loads(path.read_text())]
    return cases


def text_of(case: Case) -> str:
    query = case["query"].strip().rstrip(";")
    if not query:
        return str(case["ddl"])
    head = "" if query.upper().startswith("CREATE QUERY") else "CREATE QUERY q AS\n"
    return f"{case['ddl']}\n{head}{query};"


def errors_of(compilation: piql.Compilation) -> list[str]:
    return [diagnostic.message for diagnostic in compilation.diagnostics if diagnostic.severity == "error"]


def check(case: Case, connect: Callable[[str], piql.Database] = piql.connect) -> None:
    """Raise AssertionError when a case does not come out as it says."""
    source = text_of(case)
    compilation = piql.compile(source)
    outcome = case["expect"]["outcome"]
    if outcome == "either":
        outcome = "bounded" if not errors_of(compilation) else "rejected"
    match outcome:
        case "accepted":
            assert not errors_of(compilation)
        case "invalid":
            assert any(diagnostic.severity != "info" for diagnostic in compilation.diagnostics), (
                "nothing is found wrong"
            )
        case "rejected" | "view":
            _check_rejected(case, source, compilation)
        case _:
            _check_bounded(case, compilation, connect)


def _check_rejected(case: Case, source: str, compilation: piql.Compilation) -> None:
    query = compilation.queries["q"]
    assert not query.is_bounded, f"accepted with {query.bound}"
    assert query.bound is None
    assert errors_of(compilation), "refused without an error"
    for diagnostic in compilation.diagnostics:
        if diagnostic.severity == "error":
            assert 0 <= diagnostic.span.start < diagnostic.span.end <= len(source), (
                f"{diagnostic.code} has no span in the text"
            )
    offered = ""
    for fix in (fix for diagnostic in compilation.diagnostics for fix in diagnostic.fixes):
        fixed = source
        for edit in sorted(fix.edits, key=lambda edit: -edit.start):
            fixed = fixed[: edit.start] + edit.text + fixed[edit.end :]
        again = piql.compile(fixed)
        assert not errors_of(again), f"{fix.title}: {errors_of(again)}"
        assert again.queries["q"].is_bounded, f"{fix.title} does not bound the query"
        offered += f" {fix.title} {' '.join(edit.text for edit in fix.edits)}".upper()
    for suggestion in case["expect"].get("suggest", ()):
        word = next((fix_word for fix_word in FIXES if suggestion.upper().startswith(fix_word)), None)
        assert word is None or word in offered, f"no fix with {word}"


def _check_bounded(case: Case, compilation: piql.Compilation, connect: Callable[[str], piql.Database]) -> None:
    expect = case["expect"]
    assert not errors_of(compilation), errors_of(compilation)
    query = compilation.queries["q"]
    bound = query.bound
    assert bound is not None, "refused"
    if "max_ops" in expect and query.kind == "select":
        least, most = expect["max_ops_covering_indexes"], expect["max_ops"]
        assert least <= bound.operations <= most, f"{bound.operations} = {bound.formula}, expected {least} to {most}"
    if "max_result_rows" in expect:
        assert bound.rows <= expect["max_result_rows"], f"at most {bound.rows} rows"
    parameters = {parameter["name"]: parameter["value"] for parameter in case["params"]}
    with connect("embedded:") as db:
        db.deploy(compilation)
        for table, rows in case["data"].items():
            db.load(table, rows)
        for write in (*case.get("writes_after_load", ()), *expect.get("writes_expected", ())):
            _write(db, write)
        if query.kind != "select":
            assert db.execute("q", parameters).operations <= bound.operations
        elif "runtime_error" in expect:
            _check_refused(db, parameters, expect["runtime_error"])
        else:
            for strategy in ("parallel", "simple", "lazy"):
                _check_rows(db, parameters, expect, bound, strategy)


def _write(db: piql.Database, write: str | Mapping[str, str]) -> None:
    if isinstance(write, str):
        db.run(write)
        return
    try:
        db.run(write["sql"])
    except REFUSALS[write["result"]]:
        return
    raise AssertionError(f"{write['sql']} was accepted, expected {write['result']}")


def _check_refused(db: piql.Database, parameters: Mapping[str, object], name: str) -> None:
    with pytest.raises(getattr(piql, name, piql.PiqlError)):
        db.execute("q", parameters)


def _check_rows(
    db: piql.Database, parameters: Mapping[str, object], expect: Case, bound: piql.Bound, strategy: str
) -> None:
    expected_pages = expect.get("pages", [expect["rows"]] if "rows" in expect else [None])
    cursor: str | None = None
    for rows in expected_pages:
        page = db.execute("q", parameters, cursor=cursor, strategy=strategy)  # type: ignore[arg-type]
        assert page.operations <= bound.operations, f"{page.operations} operations, bound {bound.operations}"
        assert len(page.rows) <= bound.rows
        if rows is not None:
            is_ordered = expect.get("ordered", "pages" in expect)
            assert _is_same(page.rows, rows, is_ordered), f"{strategy}: {page.rows}, expected {rows}"
        cursor = page.cursor
    assert cursor is None, "more pages than expected"


def _is_same(rows: Sequence[Mapping[str, Any]], expected: Sequence[Mapping[str, Any]], is_ordered: bool) -> bool:
    if is_ordered:
        return list(rows) == list(expected)
    return Counter(repr(sorted(row.items())) for row in rows) == Counter(repr(sorted(row.items())) for row in expected)
