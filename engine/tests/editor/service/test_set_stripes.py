"""Another number of stripes, chosen: the clause of the view, and the queries that read it, by what they then give."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import piql
import pytest
from piql.editor.service.schema_edits.changes import SchemaEditRefused, SetStripes
from piql.editor.service.schema_edits.consequences import consequences
from piql.editor.service.schema_edits.edits import schema_edits
from piql.text.edits import apply_edits

TABLE = "CREATE TABLE likes (post INT, fan VARCHAR(8), stars INT NOT NULL, PRIMARY KEY (post, fan));\n"
VIEW = """CREATE VIEW likesOf AS
SELECT post, COUNT(*) AS n, SUM(stars) AS stars
FROM likes
GROUP BY post;
"""
READ = """CREATE QUERY ofPost AS
SELECT n, stars
FROM likesOf
WHERE post = [1: post];
"""
WRITE = "CREATE QUERY addLike AS INSERT INTO likes (post, fan, stars) VALUES ([post], [fan], [stars]);\n"
TEXTS = {"schema.piql": TABLE + VIEW, "q.piql": READ + WRITE}


def striped(texts: dict[str, str], stripes: int, new_name: str | None = None, view: str = "likesOf") -> dict[str, str]:
    return apply_edits(texts, schema_edits(texts, SetStripes(view, stripes, new_name)))


def test_the_clause_is_added_and_queries_add_up() -> None:
    after = striped(TEXTS, 8)
    assert after["schema.piql"] == TABLE + VIEW.replace("GROUP BY post;", "GROUP BY post\nSTRIPES 8;")
    assert (
        "SELECT SUM(n) AS n, SUM(stars) AS stars\nFROM likesOf\nWHERE post = [1: post]\nGROUP BY post;"
        in after["q.piql"]
    )
    compilation = piql.compile(after)
    assert compilation.diagnostics == ()
    bound = compilation.queries["ofPost"].bound
    assert bound is not None
    assert (bound.operations, bound.round_trips) == (8, 1)


def test_what_the_queries_give_stays(tmp_path: Path) -> None:
    pages: list[list[Any]] = []
    for number, texts in enumerate((TEXTS, striped(TEXTS, 5))):
        with piql.connect(f"embedded:{tmp_path / str(number)}.db?synchronous=NORMAL") as db:
            db.deploy(piql.compile(texts))
            for fan in range(20):
                db.execute("addLike", {"post": fan % 2, "fan": f"f{fan}", "stars": fan})
            pages.append([db.execute("ofPost", {"post": post}).rows for post in (0, 1, 2)])
    assert pages[0] == pages[1]
    assert pages[0][0] == [{"n": 10, "stars": 90}]


def test_another_number_and_none() -> None:
    eight = striped(TEXTS, 8)
    assert striped(eight, 3) == {name: text.replace("STRIPES 8", "STRIPES 3") for name, text in eight.items()}
    assert striped(eight, 1)["schema.piql"] == TEXTS["schema.piql"]
    assert schema_edits(eight, SetStripes("likesOf", 8)) == ()
    assert schema_edits(TEXTS, SetStripes("likesOf", 1)) == ()


def test_a_clause_stands_behind_a_window_and_in_its_line() -> None:
    table = "CREATE TABLE t (id INT PRIMARY KEY, a INT NOT NULL, at TIMESTAMP NOT NULL);\r\n"
    view = "CREATE VIEW v AS SELECT a, WINDOW_START(at) AS began, COUNT(*) AS n FROM t GROUP BY a, WINDOW_START(at)"
    after = striped({"": f"{table}{view} WINDOW 1 HOUR; -- of the hour\r\n"}, 4, view="v")
    assert after == {"": f"{table}{view} WINDOW 1 HOUR STRIPES 4; -- of the hour\r\n"}


def test_a_new_name_is_that_of_another_view() -> None:
    after = striped(TEXTS, 8, "likesInEight")
    assert "likesOf" not in "".join(after.values())
    compilation = piql.compile(after)
    assert compilation.diagnostics == ()
    assert {"likesInEight"} == {name for name, table in compilation.tables.items() if table.view is not None}
    with pytest.raises(SchemaEditRefused, match="already"):
        striped(TEXTS, 8, "likes")


def test_no_query_is_left_with_parts_of_groups() -> None:
    texts = {**TEXTS, "r.piql": "CREATE QUERY loved AS SELECT post FROM likesOf WHERE post IN [posts] MAX 5 AND n > 3;"}
    with pytest.raises(SchemaEditRefused, match="the query loved would get parts of groups at"):
        striped(texts, 8)
    assert striped({**texts, "r.piql": texts["r.piql"].replace(" AND n > 3", "")}, 8)["r.piql"].count("GROUP BY") == 1


def test_no_query_gets_another_answer() -> None:
    best = "CREATE QUERY best AS SELECT post, n FROM likesOf ORDER BY n DESC LIMIT 5;\n"
    with pytest.raises(SchemaEditRefused, match="the query best would get parts of groups at n"):
        striped({**TEXTS, "r.piql": best}, 8)


def test_expressions_and_what_is_joined_are_added_up() -> None:
    posts = "CREATE TABLE posts (id INT PRIMARY KEY, title VARCHAR(9));\n"
    read = (
        "CREATE QUERY post AS SELECT p.*, COALESCE(l.n, 0) AS n FROM posts p LEFT JOIN likesOf l ON l.post = p.id "
        "WHERE p.id = [id];\n"
    )
    after = striped({**TEXTS, "r.piql": posts + read}, 8)
    assert piql.compile(after).diagnostics == ()
    assert "SELECT p.*, COALESCE(SUM(l.n), 0) AS n FROM" in after["r.piql"]


def test_what_was_taken_for_groups_before_is_left() -> None:
    eight = striped(TEXTS, 8)
    eight["r.piql"] = (
        "-- allow(parts-of-groups): the parts are shown\nCREATE QUERY parts AS SELECT n FROM likesOf WHERE post = 1;\n"
    )
    assert striped(eight, 4)["r.piql"] == eight["r.piql"]


def test_queries_that_got_parts_before_are_left_whatever_their_number() -> None:
    eight = striped(TEXTS, 8)
    eight["r.piql"] = "CREATE QUERY parts AS SELECT n + stars AS both FROM likesOf WHERE post = 1;\n"
    assert striped(eight, 4)["r.piql"] == eight["r.piql"]


def test_what_stands_between_the_outputs_stays() -> None:
    read = "CREATE QUERY q AS\nSELECT n, -- how many\n  stars /* all */\nFROM likesOf -- of posts\nWHERE post = [p];\n"
    after = striped({**TEXTS, "r.piql": read}, 8)["r.piql"]
    mended = read.replace("SELECT n,", "SELECT SUM(n) AS n,").replace("  stars", "  SUM(stars) AS stars")
    assert after == mended.replace("[p];", "[p]\nGROUP BY post;")


def test_what_stripes_refuse_is_told() -> None:
    texts = {**TEXTS, "schema.piql": TABLE + VIEW.replace("COUNT(*) AS n", "COUNT(*) AS n, AVG(stars) AS mean")}
    after = apply_edits(texts, schema_edits(texts, SetStripes("likesOf", 8)))
    told = consequences(piql.compile(texts), piql.compile(after))
    assert [error.code for error in told.new_errors][:1] == ["view-form"]


@pytest.mark.parametrize("view", ["likes", "missing"])
def test_only_a_view_has_stripes(view: str) -> None:
    with pytest.raises(SchemaEditRefused, match=f"no view {view}"):
        striped(TEXTS, 2, view=view)
