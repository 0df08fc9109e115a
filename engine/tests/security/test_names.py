"""Every name may be anything that a quoted name can hold: it names, and is never read as something else."""

from __future__ import annotations

import piql
import pytest

from .hostile import NAMES, REFUSED, quoted

SHORT = [pytest.param(name, id=ascii(name[:20])) for name in NAMES]
STORES = ("embedded:?synchronous=NORMAL", "stepwise:")


def schema(table: str, column: str) -> str:
    t, c = quoted(table), quoted(column)
    return f"""
    CREATE TABLE {t} ({c} VARCHAR(20) NULL, {t} INT PRIMARY KEY, words TEXT NULL,
      CONSTRAINT {t} CARDINALITY LIMIT 3 ({c}), CARDINALITY LIMIT 5 (TOKEN(words)));
    CREATE INDEX {c} ON {t} ({c} DESC, words);
    CREATE QUERY {t} AS SELECT {c}, {t} AS {quoted(column + "x")}, words FROM {t} {c} WHERE {c}.{c} = [value]
      ORDER BY words DESC PAGINATE 2;
    CREATE QUERY {c} AS SELECT {t} FROM {t} WHERE words LIKE [word] LIMIT 3;
    """


def use(table: str, column: str, url: str) -> None:
    """Deploy, load, write, search, walk pages and deploy again under these names."""
    compilation = piql.compile(schema(table, column))
    with piql.connect(url) as db:
        db.deploy(compilation)
        value = column[:20]
        db.load(table, [{column: value, table: number, "words": f"w{number} red"} for number in range(3)])
        with pytest.raises(piql.CardinalityViolation):
            db.load(table, [{column: value, table: 7}])
        db.run(f"UPDATE {quoted(table)} SET words = [text] WHERE {quoted(table)} = 1", {"text": "blue red"})
        page = db.execute(table, {"value": value})
        rows = page.rows + db.execute(table, {"value": value}, page.cursor).rows
        assert [row[column] for row in rows] == [value] * 3
        assert [row[column + "x"] for row in rows] == [2, 0, 1]
        assert len(db.execute(column, {"word": "red"}).rows) == 3
        db.run(f"DELETE FROM {quoted(table)} WHERE {quoted(table)} = 2")
        db.deploy(compilation)
        assert len(db.execute(column, {"word": "red"}).rows) == 2


@pytest.mark.parametrize("name", SHORT)
def test_a_hostile_name_of_a_table_a_query_and_a_constraint_is_just_a_name(name: str) -> None:
    use(name, "col", STORES[0])


@pytest.mark.parametrize("name", SHORT)
def test_a_hostile_name_of_a_column_an_index_and_an_alias_is_just_a_name(name: str) -> None:
    use("tab", name, STORES[0])


@pytest.mark.parametrize("name", ["?col", "'x", 'a"b'])
def test_so_it_is_where_the_store_keeps_columns_of_its_own(name: str) -> None:
    use("tab", name, STORES[1])


def test_two_columns_may_differ_in_the_mark_that_the_store_puts_before_one() -> None:
    with piql.connect(STORES[0]) as db:
        db.deploy(
            piql.compile(
                """CREATE TABLE t (k INT PRIMARY KEY, "town" INT NULL, "?town" INT NULL, "'?town" INT);
                CREATE INDEX i ON t (town, "?town", "'?town");
                CREATE QUERY q AS SELECT "?town", "'?town" FROM t WHERE town = [town] ORDER BY "?town" LIMIT 2;"""
            )
        )
        db.load("t", [{"k": 1, "town": 1, "?town": 2, "'?town": 3}, {"k": 2, "town": 1, "'?town": 4}])
        assert db.execute("q", {"town": 1}).rows == [{"?town": None, "'?town": 4}, {"?town": 2, "'?town": 3}]


@pytest.mark.parametrize("name", [pytest.param(name, id=ascii(name)) for name in (*REFUSED, "")])
def test_a_name_that_cannot_be_printed_or_is_a_stores_own_is_refused_when_compiled(name: str) -> None:
    for source in (schema(name, "col"), schema("tab", name)):
        errors = [diagnostic for diagnostic in piql.compile(source).diagnostics if diagnostic.severity == "error"]
        assert errors
        assert all("quoted name" in error.message or error.code != "syntax-error" for error in errors)


@pytest.mark.parametrize("name", [pytest.param(name, id=ascii(name[:20])) for name in (*NAMES, *REFUSED, "")])
def test_a_name_that_nothing_has_is_refused_as_what_it_is(name: str) -> None:
    with piql.connect(STORES[0]) as db:
        db.deploy(piql.compile("CREATE TABLE t (k INT PRIMARY KEY); CREATE QUERY q AS SELECT k FROM t WHERE k = [k];"))
        for call in (
            lambda: db.execute(name),
            lambda: db.load(name, [{"k": 1}]),
            lambda: db.load("t", [{name: 1}]),
            lambda: db.execute("q", {name: 1}),
            lambda: db.run(name),
            lambda: db.headroom(name, {"k": 1}),
            lambda: db.headroom("t", {name: 1}),
            lambda: db.execute("q", {"k": 1}, cursor=name),
            lambda: db.session(name),
            lambda: piql.connect(name),
        ):
            with pytest.raises(piql.PiqlError) as refused:
                call()
            assert str(refused.value).encode()
        assert db.execute("q", {"k": 1}).rows == []
