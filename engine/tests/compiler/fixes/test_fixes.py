"""Fixes: each one works when applied alone, and nothing in it can be left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import piql
import pytest
from piql.compiler import Compiler
from piql.compiler.fixes import gap_fixes
from piql.compiler.fixes import trials as trials_module
from piql.compiler.fixes.gap_fixes import MOST_TRIED
from piql.compiler.fixes.suggest import MOST_TRIALS, TrialWork
from piql.text.diagnostics.diagnostic import Edit, Fix
from piql.text.diagnostics.render import render

SCHEMA = """CREATE TABLE users (name VARCHAR(20) PRIMARY KEY, town VARCHAR(20));
CREATE TABLE follows (
  owner VARCHAR(20) REFERENCES users,
  target VARCHAR(20) REFERENCES users,
  approved BOOLEAN,
  PRIMARY KEY (owner, target)
);
CREATE TABLE posts (author VARCHAR(20) REFERENCES users, at TIMESTAMP, body VARCHAR(100), PRIMARY KEY (author, at));
"""
REFUSED = [
    "SELECT target FROM follows WHERE owner = [me]",
    "SELECT owner FROM follows WHERE target = [me] AND approved = TRUE",
    "SELECT COUNT(*) AS n FROM follows WHERE owner = [me]",
    "SELECT p.body FROM follows f JOIN posts p ON p.author = f.target WHERE f.owner = [me] ORDER BY p.at DESC LIMIT 10",
    "SELECT p.body FROM follows f JOIN posts p ON p.author = f.target WHERE f.owner = [me] ORDER BY p.at DESC",
    "SELECT COUNT(*) AS n FROM follows f JOIN posts p ON p.author = f.target WHERE f.owner = [me]",
    "SELECT body FROM posts WHERE author = [me] AND body <> 'x' LIMIT 5",
    "SELECT COUNT(*) AS n FROM posts WHERE body LIKE [word]",
    "SELECT DISTINCT approved FROM follows WHERE owner = [me] LIMIT 1",
    "SELECT u.name, p.at FROM users u, posts p",
    "SELECT u.name, p.at FROM users u, posts p LIMIT 10",
    "SELECT u.name, v.name AS other FROM users u JOIN users v ON u.town < v.town ORDER BY u.name LIMIT 5",
    "SELECT COUNT(*) AS n FROM users",
    "SELECT town, COUNT(*) AS n FROM users u GROUP BY town",
    "SELECT COUNT(*) AS n FROM users WHERE (town > 'a')",
    "SELECT COUNT(*) AS n FROM users WHERE (town > 'a' OR name > 'b') -- all of them",
    "SELECT DISTINCT town FROM users",
    "SELECT body FROM posts WHERE author = [me] AND at > [then] ORDER BY body LIMIT 5",
    "SELECT name FROM users WHERE town > 'a' ORDER BY name DESC LIMIT 5",
    "SELECT name FROM users WHERE town <> 'a' LIMIT 5",
    "SELECT name FROM users WHERE town > 'a' AND LOWER(name) = 'b' AND name < 'c' LIMIT 5",
    "SELECT name FROM users WHERE LOWER(name) = 'b' OR town = 'c' LIMIT 5",
    "SELECT owner FROM follows WHERE owner = [me] OR target = [me]",
    "SELECT COUNT(*) AS n FROM users WHERE name = [me] OR town = [town]",
    "SELECT name FROM users ORDER BY LOWER(town) LIMIT 5",
    "SELECT name FROM users WHERE name NOT IN (SELECT author FROM posts) LIMIT 5",
    "SELECT name FROM users UNION SELECT author FROM posts ORDER BY name LIMIT 5",
    "SELECT name FROM users WHERE town LIKE '%' || [word] || '%' LIMIT 5",
    "SELECT name FROM users WHERE town LIKE [beginning] || '%' LIMIT 5",
    "SELECT name FROM users WHERE town LIKE [1: beginning] || '%' LIMIT 5",
    "DELETE FROM users WHERE town = [town]",
    "UPDATE users SET town = 'x' WHERE town = 'y'",
]


def with_edits(text: str, edits: Sequence[Edit]) -> str:
    for edit in sorted(edits, key=lambda edit: -edit.start):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def fixes_of(text: str) -> list[Fix]:
    return list(dict.fromkeys(fix for diagnostic in piql.compile(text).diagnostics for fix in diagnostic.fixes))


@pytest.mark.parametrize("query", REFUSED)
def test_every_fix_bounds_the_query_and_leaves_no_error(query: str) -> None:
    text = f"{SCHEMA}CREATE QUERY q AS {query};\n"
    assert not piql.compile(text).queries["q"].is_bounded
    fixes = fixes_of(text)
    assert fixes
    for fix in fixes:
        fixed = piql.compile(with_edits(text, fix.edits))
        assert not fixed.has_errors, fix.title
        assert fixed.queries["q"].is_bounded, fix.title


@pytest.mark.parametrize("query", REFUSED)
def test_no_fix_holds_more_than_is_needed(query: str) -> None:
    fixes = fixes_of(f"{SCHEMA}CREATE QUERY q AS {query};\n")
    parts = [set(fix.title.split(" and add ")) for fix in fixes]
    assert not any(smaller < larger for smaller in parts for larger in parts)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (
            "SELECT u.name, p.at FROM users u, posts p LIMIT 10",
            "SELECT u.name, p.at FROM users u, posts p WHERE p.author = u.name LIMIT 10",
        ),
        ("SELECT COUNT(*) AS n FROM users", "SELECT COUNT(*) AS n FROM users WHERE name = [name]"),
        (
            "SELECT COUNT(*) AS n FROM users WHERE (town > 'a' OR name > 'b')",
            "SELECT COUNT(*) AS n FROM users WHERE (town > 'a' OR name > 'b') AND name = [name]",
        ),
        (
            "SELECT COUNT(*) AS n FROM users WHERE town > [name] OR name > 'b'",
            "SELECT COUNT(*) AS n FROM users WHERE (town > [name] OR name > 'b') AND name = [users_name]",
        ),
        (
            "SELECT COUNT(*) AS n FROM users u WHERE u.town > 'a'",
            "SELECT COUNT(*) AS n FROM (SELECT * FROM users u WHERE u.town > 'a' LIMIT 100) u",
        ),
        (
            "SELECT name FROM users WHERE town > 'a' AND LOWER(name) = 'b' LIMIT 5",
            "SELECT name FROM users WHERE town > 'a' AND name = 'b' LIMIT 5",
        ),
        (
            "SELECT name FROM users WHERE town > 'a' AND LOWER(name) > 'b' LIMIT 5",
            "SELECT name FROM (SELECT * FROM users WHERE town > 'a' LIMIT 100) users WHERE LOWER(name) > 'b' LIMIT 5",
        ),
        (
            "SELECT name FROM users WHERE town > 'a' ORDER BY name DESC LIMIT 5",
            "SELECT name FROM users WHERE town > 'a' ORDER BY town DESC, name DESC LIMIT 5",
        ),
        (
            "SELECT name FROM users WHERE town <> 'a' LIMIT 5",
            "SELECT name FROM users WHERE (town < 'a' OR town > 'a') LIMIT 5",
        ),
    ],
)
def test_a_fix_of_the_query_is_what_one_would_write(query: str, expected: str) -> None:
    text = f"{SCHEMA}CREATE QUERY q AS {query};\n"
    assert f"{SCHEMA}CREATE QUERY q AS {expected};\n" in [with_edits(text, fix.edits) for fix in fixes_of(text)]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (
            "SELECT name FROM users WHERE name = (SELECT target FROM follows WHERE owner = [me]) LIMIT 5",
            [
                "SELECT name FROM users WHERE name IN (SELECT target FROM follows WHERE owner = [me]) LIMIT 5",
                "SELECT name FROM users WHERE name = (SELECT target FROM follows WHERE owner = [me] LIMIT 1) LIMIT 5",
            ],
        ),
        (
            "SELECT name FROM users WHERE name = (SELECT target FROM follows WHERE owner = [me] LIMIT 3) LIMIT 5",
            ["SELECT name FROM users WHERE name = (SELECT target FROM follows WHERE owner = [me] LIMIT 1) LIMIT 5"],
        ),
        (
            "SELECT town, (SELECT owner FROM follows WHERE approved) AS one FROM users WHERE name = [a]",
            ["SELECT town, (SELECT owner FROM follows WHERE approved LIMIT 1) AS one FROM users WHERE name = [a]"],
        ),
    ],
)
def test_a_subquery_of_several_rows_is_compared_with_all_or_made_one(query: str, expected: list[str]) -> None:
    schema = SCHEMA.replace("PRIMARY KEY (owner, target)", "PRIMARY KEY (owner, target), CARDINALITY LIMIT 9 (owner)")
    text = f"{schema}CREATE QUERY q AS {query};\n"
    fixed = [with_edits(text, fix.edits) for fix in fixes_of(text)]
    for fixed_text in fixed:
        assert not piql.compile(fixed_text).has_errors
        assert piql.compile(fixed_text).queries["q"].is_bounded
    for statement in expected:
        assert f"{schema}CREATE QUERY q AS {statement};\n" in fixed


def test_a_subquery_that_a_row_outside_fixes_is_one_row_once_it_stops_there_or_the_schema_says_so() -> None:
    query = "SELECT u.town, (SELECT f.target FROM follows f WHERE f.owner = u.name) AS one FROM users u LIMIT 5"
    text = f"{SCHEMA}CREATE QUERY q AS {query};\n"
    assert [fix.title for fix in fixes_of(text)] == ["Take the first one by LIMIT 1", "Add UNIQUE (owner) to follows"]


def test_a_stop_passes_a_reference_that_may_be_null_once_the_order_lets_an_index_leave_such_rows_out() -> None:
    schema = SCHEMA + (
        "CREATE TABLE replies (id INT PRIMARY KEY, writer VARCHAR(20) NULL REFERENCES users, day DATE);\n"
    )
    query = "CREATE QUERY q AS SELECT r.id FROM replies r JOIN users u ON u.name = r.writer{};\n"
    assert piql.compile(schema + query.format(" LIMIT 10")).queries["q"].is_bounded
    ordered = schema + query.format(" ORDER BY r.day LIMIT 10")
    (fix,) = fixes_of(ordered)
    assert with_edits(ordered, fix.edits) == schema + query.format(" ORDER BY r.writer, r.day LIMIT 10")


@pytest.mark.parametrize(
    ("equality", "index"), [("venue = [venue]", "visits_by_venue_day"), ("day = [day]", "visits_by_day_venue")]
)
def test_of_a_reference_by_two_columns_an_index_leaves_out_the_one_that_may_still_be_null(
    equality: str, index: str
) -> None:
    schema = (
        "CREATE TABLE shows (venue INT, day DATE, PRIMARY KEY (venue, day));\n"
        "CREATE TABLE visits (id INT PRIMARY KEY, venue INT NULL, day DATE NULL,"
        " FOREIGN KEY (venue, day) REFERENCES shows (venue, day));\n"
    )
    joined = "SELECT v.id FROM visits v JOIN shows s ON s.venue = v.venue AND s.day = v.day"
    text = f"{schema}CREATE QUERY q AS {joined} WHERE v.{equality} LIMIT 10;\n"
    query = piql.compile(text).queries["q"]
    assert query.bound is not None
    assert query.bound.operations == 11
    assert [index_read.name for index_read in query.indexes] == [index]


def test_a_whole_table_is_not_counted_but_the_message_names_a_precomputed_view() -> None:
    (finding,) = piql.compile(f"{SCHEMA}CREATE QUERY q AS SELECT COUNT(*) AS n FROM users;").diagnostics
    assert "precomputed view" in finding.help[0]


def test_deleting_the_limit_of_a_schema_offers_it_back_first() -> None:
    line = ",\n  CARDINALITY LIMIT 100 (owner)"
    whole = SCHEMA.replace("PRIMARY KEY (owner, target)", f"PRIMARY KEY (owner, target){line}")
    query = "CREATE QUERY q AS SELECT target FROM follows WHERE owner = [me] AND approved = TRUE;\n"
    assert piql.compile(whole + query).queries["q"].is_bounded
    text = SCHEMA + query
    first = fixes_of(text)[0]
    assert with_edits(text, first.edits) == whole + query


def test_a_line_deleted_with_its_comma_left_behind_is_put_back() -> None:
    text = SCHEMA.replace("PRIMARY KEY (owner, target)\n", "PRIMARY KEY (owner, target),\n")
    text += "CREATE QUERY q AS SELECT target FROM follows WHERE owner = [me];\n"
    compilation = piql.compile(text)
    assert not compilation.queries["q"].is_bounded
    fixes = [fix for diagnostic in compilation.diagnostics if diagnostic.query == "q" for fix in diagnostic.fixes]
    assert fixes
    for fix in fixes:
        assert piql.compile(with_edits(text, fix.edits)).queries["q"].is_bounded


def test_a_fix_names_the_other_queries_that_it_bounds() -> None:
    text = SCHEMA + (
        "CREATE QUERY one AS SELECT COUNT(*) AS n FROM follows WHERE owner = [me];\n"
        "CREATE QUERY two AS SELECT COUNT(*) AS n FROM follows WHERE owner = [me] AND approved = TRUE;\n"
        "CREATE QUERY three AS SELECT COUNT(*) AS n FROM posts WHERE author = [me];\n"
    )
    one = piql.compile(text).queries["one"].diagnostics[0].fixes
    assert {fix.title: fix.unblocks for fix in one} == {
        "Add CARDINALITY LIMIT 100 (owner) to follows": ("two",),
        "Keep the view follows_by_owner of follows": (),
    }


def test_edits_of_several_files_name_them() -> None:
    query = "CREATE QUERY q AS SELECT target FROM follows WHERE owner = [me];\n"
    compilation = piql.compile({"schema.piql": SCHEMA, "q.piql": query})
    files = [{edit.file for edit in fix.edits} for fix in compilation.diagnostics[0].fixes]
    assert files == [{"schema.piql"}, {"q.piql"}, {"q.piql"}]


def test_characters_outside_the_basic_plane_do_not_shift_edits() -> None:
    text = SCHEMA + "-- 😀😀\nCREATE QUERY q AS SELECT target FROM follows WHERE owner = '😀';\n"
    for fix in fixes_of(text):
        assert piql.compile(with_edits(text, fix.edits)).queries["q"].is_bounded


def test_a_query_that_nothing_mends_costs_a_bounded_number_of_trials(monkeypatch: pytest.MonkeyPatch) -> None:
    trials: list[object] = []
    once = gap_fixes.compile_edited

    def counted(*arguments: Any) -> piql.Compilation:
        trials.append(arguments)
        return once(*arguments)

    monkeypatch.setattr(gap_fixes, "compile_edited", counted)
    query = "SELECT a.name FROM users a, users b, users c, posts d, posts e, follows f"
    (first, *_) = piql.compile(f"{SCHEMA}CREATE QUERY q AS {query};\n").diagnostics
    assert not first.fixes
    assert 0 < len(trials) <= MOST_TRIALS


POSTS = "CREATE TABLE posts (id INT PRIMARY KEY, score INT);\n"


def joined(name: str, tables: int) -> str:
    joins = "".join(f" JOIN posts p{at} ON p{at}.score = p{at - 1}.score" for at in range(1, tables))
    return f"CREATE QUERY {name} AS SELECT p0.id FROM posts p0{joins} WHERE p0.id = 1;\n"


@pytest.fixture
def trials(monkeypatch: pytest.MonkeyPatch) -> list[set[str]]:
    """The queries of each trial."""
    names_of_trials: list[set[str]] = []
    once = gap_fixes.compile_edited

    def counted(assembly: Any, edits: Any, names: set[str]) -> piql.Compilation:
        names_of_trials.append(names)
        return once(assembly, edits, names)

    monkeypatch.setattr(gap_fixes, "compile_edited", counted)
    return names_of_trials


def test_nothing_is_tried_for_a_query_until_its_fixes_are_asked_for(trials: list[set[str]]) -> None:
    compilation = piql.compile(POSTS + "".join(joined(f"q{number}", 4) for number in range(40)))
    assert not any(query.is_bounded for query in compilation.queries.values())
    assert trials == []
    assert compilation.queries["q39"].diagnostics[0].fixes
    assert 0 < len(trials) <= MOST_TRIALS
    assert all("q39" in names for names in trials)


def chain(number: int) -> str:
    return (
        f"CREATE TABLE a{number} (x INT, y INT, PRIMARY KEY (x, y));\n"
        f"CREATE TABLE b{number} (y INT, z INT, PRIMARY KEY (y, z));\n"
        f"CREATE QUERY q{number} AS SELECT a.y, COUNT(*) AS n FROM a{number} a JOIN b{number} b ON b.y = a.y "
        "WHERE a.x = :x GROUP BY a.y;\n"
    )


def test_each_of_forty_refused_queries_of_one_set_has_a_fix(trials: list[set[str]]) -> None:
    text = "".join(map(chain, range(40)))
    compilation = piql.compile(text)
    sizes = []
    for number in range(40):
        query = compilation.queries[f"q{number}"]
        assert not query.is_bounded
        before = len(trials)
        fixes = query.diagnostics[0].fixes
        sizes.append(len(trials) - before)
        assert fixes
        if number % 13 == 0:
            assert piql.compile(with_edits(text, fixes[0].edits)).queries[query.name].is_bounded
    assert len(set(sizes)) == 1  # where a query stands in the set makes nothing of it


def test_a_trial_compiles_the_tables_that_a_query_names_and_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []
    once = trials_module.assemble

    def counted(files: Any) -> Any:
        assembly = once(files)
        sizes.append(len(assembly.schema.tables))
        return assembly

    compilation = piql.compile("".join(map(chain, range(20))))
    monkeypatch.setattr(trials_module, "assemble", counted)
    assert compilation.queries["q7"].diagnostics[0].fixes
    assert set(sizes) == {2, 3}  # three with the view that one of the fixes adds


def test_of_a_query_too_long_to_be_tried_it_is_said(trials: list[set[str]]) -> None:
    terms = " OR ".join(f"(town = 'a{number}' AND name > 'b{number}')" for number in range(400))
    (finding, *_) = piql.compile(f"{SCHEMA}CREATE QUERY q AS SELECT name FROM users WHERE {terms};\n").diagnostics
    assert not finding.fixes
    assert trials == []
    assert gap_fixes.TOO_LONG in finding.help


def test_a_query_of_sixty_tables_is_tried_less_often_than_one_of_twelve(trials: list[set[str]]) -> None:
    piql.compile(POSTS + joined("q", 60))
    assert len(trials) <= MOST_TRIED // (60 * 60 * 5)


def test_what_trials_an_earlier_compilation_made_changes_no_fix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gap_fixes, "TrialWork", lambda left: TrialWork(1000))
    texts = [
        POSTS + "".join(joined(f"q{number}", size) for number, size in enumerate(sizes))
        for sizes in ((2, 3, 4), (3, 3, 4), (3, 4), (2, 3, 4), (5, 2, 3, 4), (2, 2, 2))
    ]
    fixes_of_texts = []
    for text in texts:
        fixes_of_texts.append(fixes_of_all(piql.compile(text)))
        assert fixes_of_all(Compiler().compile(text)) == fixes_of_texts[-1]
    assert any(fixes for by_query in fixes_of_texts for fixes in by_query.values())


def fixes_of_all(compilation: piql.Compilation) -> dict[str, set[str]]:
    return {
        name: {fix.title + str(fix.unblocks) for diagnostic in query.diagnostics for fix in diagnostic.fixes}
        for name, query in compilation.queries.items()
    }


def test_an_or_is_bounded_by_a_limit_for_each_branch_that_has_none() -> None:
    text = f"{SCHEMA}CREATE QUERY q AS SELECT owner FROM follows WHERE owner = [me] OR target = [me];"
    errors = [diagnostic for diagnostic in piql.compile(text).diagnostics if diagnostic.severity == "error"]
    assert [error.message for error in errors] == [
        "follows of one owner: nothing limits how many there are",
        "follows of one target: nothing limits how many there are",
    ]
    assert [error.span.text for error in errors] == ["owner = [me]", "target = [me]"]
    both = "Add CARDINALITY LIMIT 100 (owner) to follows and add CARDINALITY LIMIT 100 (target) to follows"
    assert both in [fix.title for fix in fixes_of(text)]
    by_key = f"{SCHEMA}CREATE QUERY q AS SELECT name FROM users WHERE name = [me] OR town = [town];"
    assert "Add CARDINALITY LIMIT 100 (town) to users" in [fix.title for fix in fixes_of(by_key)]


def test_a_refused_query_gets_its_fixes_although_another_one_has_its_name() -> None:
    refused = "CREATE QUERY q AS SELECT target FROM follows WHERE owner = [me];\n"
    alone = fixes_of_all(piql.compile(SCHEMA + refused))["q"]
    assert alone
    assert alone <= fixes_of_all(piql.compile(SCHEMA + refused + refused.replace("owner", "target")))["q"]


def test_what_was_not_tried_is_said() -> None:
    query = (
        "SELECT COUNT(*) AS n FROM users a, users b, posts d WHERE a.town <> 'x' AND b.town <> 'y' AND d.body <> 'z'"
    )
    compilation = piql.compile(f"{SCHEMA}CREATE QUERY q AS {query};\n")
    (first, *_) = compilation.diagnostics
    assert " not tried for this query: close one gap" in first.advice[-1]
    assert first.advice[-1] in render(first)
    assert first.advice[:-1] == first.help
    (tried, *_) = piql.compile(f"{SCHEMA}CREATE QUERY q AS SELECT target FROM follows WHERE owner = [me];").diagnostics
    assert tried.advice == tried.help
