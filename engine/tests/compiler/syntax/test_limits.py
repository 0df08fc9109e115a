"""What is too large is refused where it becomes so: what stands before it, and in other files, compiles as ever."""

from __future__ import annotations

import random

import piql
import pytest
from piql.compiler import Compiler
from piql.compiler.binding import star_room
from piql.compiler.optimizer.analysis import combine_tests
from piql.compiler.optimizer.joins import join_search, joining, stop_places
from piql.compiler.syntax import pieces
from piql.compiler.syntax.cursor import MAX_KEY_COLUMNS, MAX_TOKENS
from piql.compiler.syntax.parser import MAX_WORK, parse
from piql.compiler.syntax.pieces import cut
from piql.compiler.syntax.work import EXTREME_WORK
from piql.text.source import Source

TABLE = "CREATE TABLE t (a INT PRIMARY KEY, b INT);\n"
ENTITIES = "ENTITY E { int a, PRIMARY(a) }\nENTITY P { int p, FOREIGN KEY owner REF E MAX 5, PRIMARY(p) }\n"


def query(number: int, values: int = 1) -> str:
    listed = ", ".join(map(str, range(values)))
    return f"CREATE QUERY q{number} AS SELECT b FROM t WHERE a IN ({listed});\n"


def codes(compilation: piql.Compilation) -> list[str]:
    return [diagnostic.code for diagnostic in compilation.diagnostics]


def test_a_list_of_twenty_thousand_values_is_a_query_like_any_other() -> None:
    compilation = piql.compile(TABLE + query(1, 20_000))
    assert [finding.code for finding in compilation.diagnostics] == ["expensive-query"]
    bound = compilation.queries["q1"].bound
    assert bound is not None
    assert bound.operations == 20_000


@pytest.mark.parametrize(
    "long",
    [
        pytest.param(query(1, 30_000), id="a list"),
        pytest.param("CREATE QUERY q1 AS SELECT " + "t.*, " * 20_000 + "a FROM t WHERE a = 1;\n", id="stars"),
        pytest.param("CREATE QUERY q1 AS INSERT INTO t (" + "a, " * 30_000 + "b) VALUES (1);\n", id="columns"),
        pytest.param("CREATE INDEX i ON t (b) COVERING (" + "a, " * 30_000 + "b);\n", id="an index"),
    ],
)
def test_a_statement_that_goes_on_and_on_is_refused_and_the_next_one_is_not(long: str) -> None:
    text = TABLE + long + query(2)
    compilation = piql.compile(text)
    assert codes(compilation) == ["too-many"]
    span = compilation.diagnostics[0].span
    assert f"{MAX_TOKENS:,}" in compilation.diagnostics[0].message
    assert len(TABLE) < span.start < span.end < len(TABLE + long)
    assert compilation.queries["q2"].is_bounded


@pytest.mark.parametrize("operator", ["=", "<>", "<", ">="])
def test_a_row_has_as_many_values_as_a_key_at_most(operator: str) -> None:
    def compared(values: int) -> piql.Compilation:
        columns, constants = ", ".join(["b"] * values), ", ".join(["1"] * values)
        test = f"({columns}) {operator} ({constants})"
        return piql.compile(f"{TABLE}CREATE QUERY q AS SELECT a FROM t WHERE a = 1 AND {test};")

    assert compared(MAX_KEY_COLUMNS).queries["q"].is_bounded
    assert codes(compared(MAX_KEY_COLUMNS + 1)) == ["too-many"]
    assert codes(compared(5_000)) == ["too-many"]


@pytest.mark.parametrize("clause", ["GROUP BY", "ORDER BY"])
def test_groups_and_orders_have_a_thousand_terms_at_most(clause: str) -> None:
    start = f"{TABLE}CREATE QUERY q AS SELECT a FROM t WHERE a = 1 {clause} a, "
    assert not piql.compile(start + "b, " * 998 + "b;\n").diagnostics
    compilation = piql.compile(start + "b, " * 999 + "b;\n")
    assert codes(compilation) == ["too-many"]
    assert f"1,000 terms in one {clause}" in compilation.diagnostics[0].message


def test_a_join_of_many_tables_is_more_work_than_as_many_small_ones() -> None:
    def joined(tables: int) -> str:
        return "CREATE QUERY q AS SELECT x0.a FROM t x0" + "".join(f", t x{at}" for at in range(1, tables)) + ";\n"

    few, many = parse(Source(joined(10))).work, parse(Source(joined(60))).work
    assert 6 * few < many < MAX_WORK
    assert parse(Source(joined(10) * 6)).work == 6 * few


def test_what_a_subquery_reads_is_more_work_than_what_is_joined_and_the_more_the_deeper_it_stands() -> None:
    def work(body: str) -> int:
        return parse(Source(f"CREATE QUERY q AS SELECT a FROM t WHERE {body};")).work

    inner, further = "b IN (SELECT a FROM t WHERE c = 1)", "b IN (SELECT a FROM t WHERE {})"
    plain, nested, twice_nested = work("c = 1"), work(inner), work(further.format(inner))
    assert twice_nested - nested > nested - plain > plain
    assert work(f"{inner} AND {inner}") - nested < nested - plain + 10
    broken = Source(f"CREATE QUERY p AS SELECT a FROM t WHERE {inner[:-1]} FROM; CREATE QUERY q AS SELECT a FROM t;")
    assert parse(broken).work < twice_nested


def test_each_branch_of_an_or_is_work_of_its_own() -> None:
    def work(word: str) -> int:
        tests = f" {word} ".join(f"a = {number} " for number in range(60))
        return parse(Source(f"CREATE QUERY q AS SELECT a FROM t WHERE {tests};")).work

    assert work("OR") > 3 * work("AND")


def test_a_derived_table_is_work_too() -> None:
    def work(table: str) -> int:
        return parse(Source(f"CREATE QUERY q AS SELECT a FROM {table} x;")).work

    assert work("(SELECT a FROM (SELECT a FROM t) x)") - work("(SELECT a FROM t)") > work("t")


def test_a_result_has_no_more_columns_than_anybody_can_use() -> None:
    table = "CREATE TABLE wide (a INT PRIMARY KEY, " + ", ".join(f"c{number} INT" for number in range(900)) + ");\n"
    compilation = piql.compile(table + "CREATE QUERY q AS SELECT " + "*, " * 20_000 + "a FROM wide WHERE a = 1;\n")
    assert codes(compilation) == ["too-many"]
    assert "5,000 columns" in compilation.diagnostics[0].message
    assert not compilation.queries["q"].is_bounded
    assert piql.compile(table + "CREATE QUERY q AS SELECT * FROM wide WHERE a = 1;\n").queries["q"].is_bounded


def test_a_statement_compares_three_thousand_values_as_rows_at_most() -> None:
    def query(rows: int, values: int) -> str:
        comparison = f"({', '.join(['a'] * values)}) > ({', '.join(['1'] * values)})"
        return f"CREATE QUERY q AS SELECT a FROM t WHERE a = 1 AND {' AND '.join([comparison] * rows)};"

    assert piql.compile(TABLE + query(20, 8)).queries["q"].is_bounded
    assert not parse(Source(query(100, 30))).diagnostics
    parsed = parse(Source(query(101, 30) + query(100, 30).replace("QUERY q", "QUERY r")))
    assert [finding.code for finding in parsed.diagnostics] == ["too-many"]
    assert "3,000 values are compared as rows" in parsed.diagnostics[0].message
    assert not parsed.statements[-1].is_broken


def test_an_or_has_three_thousand_branches_of_several_conditions_at_most() -> None:
    def query(branches: int) -> str:
        return (
            f"CREATE QUERY q AS SELECT a FROM t WHERE {' OR '.join(f'a = {at} AND b = 1' for at in range(branches))};"
        )

    assert piql.compile(TABLE + query(500)).queries["q"].is_bounded
    assert not parse(Source(query(3_000))).diagnostics
    parsed = parse(Source(query(3_001) + "CREATE QUERY r AS SELECT a FROM t WHERE a = 1;"))
    assert [diagnostic.code for diagnostic in parsed.diagnostics] == ["too-many"]
    assert "3,000 branches" in parsed.diagnostics[0].message
    assert not parsed.statements[-1].is_broken


def test_a_join_whose_orders_are_all_compared_is_more_work_than_its_tables_alone() -> None:
    def work(tables: int) -> int:
        joins = "".join(f" JOIN t x{at} ON x{at}.a = x0.b" for at in range(1, tables))
        return parse(Source(f"CREATE QUERY q AS SELECT x0.a FROM t x0{joins};")).work

    assert work(6) - work(5) > 2 * (work(3) - work(2))
    assert work(13) > 2 * work(8)


def test_a_thousand_joins_are_not_too_much_for_one_file() -> None:
    joins = [
        f"CREATE QUERY q{number} AS SELECT x.b, y.b AS c FROM t x JOIN t y ON y.a = x.b WHERE x.a = [me] AND x.b > 5"
        for number in range(1000)
    ]
    assert parse(Source(TABLE + ";\n".join(joins))).work < MAX_WORK


def test_a_key_has_thirty_two_columns_at_most_and_so_has_an_index() -> None:
    def schema(columns: int) -> str:
        names = [f"c{at}" for at in range(columns)]
        declared = ", ".join(f"{name} INT" for name in names)
        table = f"CREATE TABLE k ({declared}, PRIMARY KEY ({', '.join(names)}));\n"
        return f"{table}CREATE TABLE t ({declared}, PRIMARY KEY (c0));\nCREATE INDEX i ON t ({', '.join(names)});\n"

    assert not parse(Source(schema(32))).diagnostics
    diagnostics = parse(Source(schema(33))).diagnostics
    assert [(diagnostic.code, diagnostic.span.text) for diagnostic in diagnostics] == [
        ("too-many", "c32"),
        ("too-many", "c32"),
    ]
    names = ", ".join(f"c{at}" for at in range(40))
    written = f"CREATE QUERY w AS INSERT INTO t ({names}) VALUES ({', '.join(['1'] * 40)});"
    assert not parse(Source(written)).diagnostics


def test_an_in_has_three_thousand_rows_at_most_and_each_counts_as_a_branch() -> None:
    def query(rows: int) -> str:
        listed = ", ".join(f"({at}, 1)" for at in range(rows))
        return f"CREATE QUERY q AS SELECT a FROM t WHERE (a, b) IN ({listed});"

    assert not parse(Source(query(3_000))).diagnostics
    diagnostics = parse(Source(query(3_001))).diagnostics
    assert [(diagnostic.code, diagnostic.span.text) for diagnostic in diagnostics] == [("too-many", "(3000, 1)")]
    assert parse(Source(query(500))).work > 20_000


def test_a_min_or_max_counts_as_the_plans_that_are_made_for_it() -> None:
    def work(value: str) -> int:
        return parse(Source(f"CREATE QUERY q AS SELECT {value} AS x FROM t WHERE b = 1;")).work

    assert work("MAX(a)") - work("SUM(a)") == EXTREME_WORK
    assert parse(Source(f"{TABLE}CREATE QUERY min AS SELECT a AS max FROM t WHERE a = 1;")).work < EXTREME_WORK


def test_places_of_one_long_line_are_those_of_utf_16() -> None:
    source = Source("x\n" + "😀a" * 5_000)
    assert [source.position(2 + at) for at in range(4)] == [(2, 1), (2, 3), (2, 4), (2, 6)]
    assert source.position(10_002) == source.position(20_000) == (2, 15_001)


def test_what_stands_behind_too_much_of_a_file_is_not_compiled_and_said_to_be_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pieces, "MAX_WORK", 1000)
    text = TABLE + "".join(map(query, range(50))) + "-- the end\n"
    compilation = piql.compile({"all.piql": text, "more.piql": query(77)})
    assert codes(compilation) == ["too-many"]
    assert all(compiled_query.is_bounded for compiled_query in compilation.queries.values())
    compiled = len(compilation.queries) - 1
    assert 5 < compiled < 20
    span = compilation.diagnostics[0].span
    assert (span.file, span.text) == ("all.piql", "CREATE")
    assert text[span.start :].startswith(query(compiled))
    assert "q77" in compilation.queries


def test_queries_without_semicolons_are_counted_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "MAX_WORK", 1000)
    text = ENTITIES + "".join(f"QUERY q{number} FETCH P OF E BY owner WHERE E = [this]\n" for number in range(50))
    compilation = piql.compile(text)
    assert codes(compilation) == ["too-many"]
    assert 3 < len(compilation.queries) < 20
    assert text[compilation.diagnostics[0].span.start :].startswith(f"QUERY q{len(compilation.queries)} ")


def test_a_last_statement_is_compiled_however_large_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "MAX_WORK", 1000)
    compilation = piql.compile(TABLE + query(1, 2000) + "-- the end\n")
    assert [finding.code for finding in compilation.diagnostics] == ["expensive-query"]
    assert compilation.queries["q1"].is_bounded


@pytest.mark.parametrize("seed", range(6))
def test_how_much_of_a_text_is_compiled_does_not_depend_on_what_was_compiled_before(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pieces, "MAX_WORK", 2500)
    monkeypatch.setattr(pieces, "MOST_PIECES", 12)
    rng = random.Random(seed)
    statements = [TABLE, *(query(number, rng.choice((1, 5, 100))) for number in range(4))]
    before = cut(Source("".join(statements)))
    seen = set()
    for _ in range(60):
        match rng.randrange(4):
            case 0 if len(statements) > 4:
                del statements[rng.randrange(len(statements))]
            case 1:
                statements.insert(rng.randrange(len(statements) + 1), rng.choice(("\n", ";", "-- x\n")))
            case _:
                statements.insert(rng.randrange(len(statements) + 1), query(rng.randrange(99), rng.choice((1, 1, 300))))
        if len(statements) > 14:
            statements = statements[:5]
        source = Source("".join(statements))
        now, afresh = cut(source, before), cut(source)
        assert [file.source.text for file in now.files] == [file.source.text for file in afresh.files]
        assert [file.diagnostics for file in now.files] == [file.diagnostics for file in afresh.files]
        assert (now.starts, now.work, now.is_anew) == (afresh.starts, afresh.work, afresh.is_anew)
        assert now.starts[-1] == len(source.text)
        seen.add(now.is_anew)
        before = now
    assert seen == {False, True}


def chain(tables: int, end: str = "") -> str:
    joins = "".join(f" JOIN t x{at} ON x{at}.a = x{at - 1}.b" for at in range(1, tables))
    return f"{TABLE}CREATE QUERY q AS SELECT x0.a FROM t x0{joins} WHERE x0.a = [me]{end};\n"


def test_each_step_of_ordering_many_tables_looks_at_what_equals_that_table_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked: list[object] = []
    links = joining._links
    monkeypatch.setattr(joining, "_links", lambda *given: (looked.append(given), links(*given))[1])
    assert piql.compile(chain(40)).queries["q"].is_bounded
    assert 40 < len(looked) < 2 * 40 * 40


def test_no_match_is_looked_for_behind_a_stop_where_no_foreign_key_leads(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    keeps = stop_places.keeps_every_row
    monkeypatch.setattr(stop_places, "keeps_every_row", lambda *given: (asked.append(given), keeps(*given))[1])
    piql.compile(chain(20, " LIMIT 5"))
    assert not asked
    keyed = chain(5, " LIMIT 5").replace("b INT", "b INT NOT NULL REFERENCES t")
    assert piql.compile(keyed).queries["q"].is_bounded
    assert asked


def test_how_a_table_is_joined_is_looked_at_again_only_when_one_that_it_is_joined_to_was_added(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked: list[object] = []
    restrictions_on = join_search.restrictions_on
    monkeypatch.setattr(
        join_search, "restrictions_on", lambda *given: (looked.append(given), restrictions_on(*given))[1]
    )
    assert piql.compile(chain(60)).queries["q"].is_bounded
    assert 60 < len(looked) < 6 * 60


def test_where_a_stop_may_stand_among_sixty_tables_is_found_by_few_looks_at_each(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[object] = []
    keeps = stop_places.keeps_every_row
    monkeypatch.setattr(stop_places, "keeps_every_row", lambda *given: (asked.append(given), keeps(*given))[1])
    keyed = chain(60, " ORDER BY x9.b LIMIT 5").replace("b INT", "b INT NOT NULL REFERENCES t")
    assert piql.compile(keyed).queries["q"].is_bounded
    assert 60 < len(asked) < 8 * 60


def test_tests_of_an_and_are_held_against_those_of_the_same_column_and_value_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    held: list[object] = []
    merged = combine_tests.and_of
    monkeypatch.setattr(combine_tests, "and_of", lambda *given: (held.append(given), merged(*given))[1])
    tests = " AND ".join(f"b <> {number}" for number in range(500))
    assert (
        piql.compile(f"{TABLE}CREATE QUERY q AS SELECT b FROM t WHERE a >= 1 AND {tests} AND a <= 1;\n")
        .queries["q"]
        .is_bounded
    )
    assert 0 < len(held) < 10


def test_each_branch_of_an_or_is_taken_for_what_it_says_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[object] = []
    conjuncts = combine_tests.conjuncts
    monkeypatch.setattr(combine_tests, "conjuncts", lambda part: (read.append(part), conjuncts(part))[1])
    branches = " OR ".join(["a = 3", *(f"a = {number} AND b = 7" for number in range(200))])
    assert piql.compile(f"{TABLE}CREATE QUERY q AS SELECT b FROM t WHERE {branches};\n").queries["q"].is_bounded
    assert 200 < len(read) < 1000


WIDE = "CREATE TABLE t (a INT PRIMARY KEY, " + ", ".join(f"c{at} INT" for at in range(99)) + ");\n"


def stars(*numbers: int) -> str:
    return "".join(f"CREATE QUERY q{number} AS SELECT * FROM t WHERE a = {number};\n" for number in numbers)


def refused(compilation: piql.Compilation) -> list[str]:
    assert {diagnostic.code for diagnostic in compilation.diagnostics} <= {"too-many"}
    assert all(diagnostic.span.text == "*" for diagnostic in compilation.diagnostics)
    return [refused_query.name for refused_query in compilation.queries.values() if not refused_query.is_bounded]


def test_stars_stand_for_so_many_columns_of_one_file_and_for_as_many_of_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(star_room, "MOST_COLUMNS", 350)
    monkeypatch.setattr(star_room, "ALWAYS", 350)
    assert refused(piql.compile({"a": WIDE + stars(1, 2, 3), "b": stars(4, 5, 6)})) == []
    compilation = piql.compile(
        {"a": WIDE + stars(1, 2, 3, 4), "b": stars(5), "c": "CREATE QUERY q9 AS SELECT c1 FROM t WHERE a = 1;"}
    )
    assert refused(compilation) == ["q4"]
    assert "another file" in compilation.diagnostics[0].help[0]


def test_which_stars_are_too_many_depends_on_the_text_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(star_room, "MOST_COLUMNS", 350)
    monkeypatch.setattr(star_room, "ALWAYS", 350)
    few = stars(1, 2, 3)
    for text in (few, stars(0) + few, few, few + stars(4), few + stars(5), stars(0) + few + stars(5), few):
        names = refused(piql.compile(WIDE + text))
        assert refused(Compiler().compile(WIDE + text)) == names
        assert len(names) == len(text.splitlines()) - 3


def test_a_file_whose_stars_are_too_many_still_compiles_what_names_its_columns() -> None:
    reads = 310
    wide = WIDE.replace("c98 INT", "c98 INT, " + ", ".join(f"d{at} INT" for at in range(890)))
    named = "CREATE QUERY n AS SELECT c1 FROM t WHERE a = 1;\n"
    compilation = piql.compile(wide + stars(*range(reads)) + named)
    assert 5 < len(refused(compilation)) < 15
    assert compilation.queries["n"].is_bounded
