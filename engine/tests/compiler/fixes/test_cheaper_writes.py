"""Writes that are called expensive get fixes: what they take away is needed by no query, and is said."""

from __future__ import annotations

import piql
from piql import Fix
from piql.editor.service.fix_all import fix_all
from piql.text.edits import apply_edits

MESSAGES = """SET expensive_requests = {threshold};
CREATE TABLE message (
  id INT PRIMARY KEY,
  room INT NOT NULL,
  author INT,
  at INT NOT NULL,
  CARDINALITY LIMIT 1000 (room),
  CARDINALITY LIMIT 50 (author) -- spam
);
CREATE QUERY latest AS SELECT id FROM message WHERE room = [r] ORDER BY at DESC LIMIT 10;
CREATE QUERY say AS INSERT INTO message (id, room, author, at) VALUES ([id], [r], [a], [t]);
"""
ALL_OF_A_ROOM = "CREATE QUERY count AS SELECT COUNT(*) AS n FROM message WHERE room = [r];\n"
ALL_OF_AN_AUTHOR = "CREATE QUERY mine AS SELECT id FROM message WHERE author = [a];\n"
BY_AT = "CREATE INDEX by_at ON message (at);\n"


def fixes_of(text: str, query: str) -> list[Fix]:
    compilation = piql.compile(text)
    assert not compilation.has_errors
    return [
        fix
        for finding in compilation.diagnostics
        if finding.code == "expensive-write" and finding.query == query
        for fix in finding.fixes
    ]


def requests(text: str, query: str) -> int:
    bound = piql.compile(text).queries[query].bound
    assert bound is not None
    return bound.operations


def with_fix(text: str, fix: Fix) -> str:
    return apply_edits({"": text}, fix.edits)[""]


def messages(*queries: str, below: int = 1) -> str:
    """Return the text with a threshold that `say` is `below` requests above."""
    others = "".join(queries)
    at_ease = requests(MESSAGES.format(threshold=10_000) + others, "say")
    return MESSAGES.format(threshold=at_ease - below) + others


def test_an_index_that_no_query_reads_is_removed_first() -> None:
    text = messages(BY_AT)
    fix, *_ = fixes_of(text, "say")
    assert fix.title == "Remove CREATE INDEX by_at"
    assert fix.consequence == "the answers stay the same; each write to message updates one index fewer"
    assert fix.cost == f"at most {requests(with_fix(text, fix), 'say')} requests an execution"
    assert "by_at" not in with_fix(text, fix)


def test_a_limit_that_no_query_needs_is_removed_and_it_is_said_what_is_refused_no_longer() -> None:
    text = messages(ALL_OF_A_ROOM)
    fixes = fixes_of(text, "say")
    assert [fix.title for fix in fixes] == ["Remove CARDINALITY LIMIT 50 (author) from message"]
    assert fixes[0].consequence == (
        "writes beyond 50 rows with the same author are no longer refused; the answer stays the same"
    )
    assert "CARDINALITY LIMIT 1000 (room)\n" in with_fix(text, fixes[0])
    assert "author)" not in with_fix(text, fixes[0]).partition("CREATE QUERY")[0]


def test_a_limit_that_bounds_a_query_stays() -> None:
    assert fixes_of(messages(ALL_OF_A_ROOM, ALL_OF_AN_AUTHOR), "say") == []


def test_what_is_not_enough_alone_is_removed_together() -> None:
    text = messages(BY_AT, below=9)
    (fix,) = fixes_of(text, "say")
    assert fix.title == (
        "Remove CREATE INDEX by_at and remove CARDINALITY LIMIT 1000 (room) from message and "
        "remove CARDINALITY LIMIT 50 (author) from message"
    )
    assert "no longer refused" in fix.consequence
    assert "\n  at INT NOT NULL\n);" in with_fix(text, fix)


def test_while_a_query_is_refused_nothing_is_taken_away_that_may_bound_it() -> None:
    refused = "CREATE QUERY all AS SELECT id FROM message;\n"
    (finding,) = [
        finding for finding in piql.compile(messages() + refused).diagnostics if finding.code == "expensive-write"
    ]
    assert tuple(finding.fixes) == ()


def test_a_write_of_many_rows_is_made_in_several_executions() -> None:
    line = "CREATE TABLE line (cart INT, item INT, PRIMARY KEY (cart, item), CARDINALITY LIMIT 5000 (cart));\n"
    clear = "CREATE QUERY clear AS\nDELETE FROM line\nWHERE cart = [cart];\n"
    (fix,) = fixes_of(line + clear, "clear")
    assert fix.title == "Add LIMIT 100"
    assert fix.consequence == (
        "changes the answer: one execution deletes at most 100 rows; execute it until rows_affected is less"
    )
    assert "WHERE cart = [cart]\nLIMIT 100;" in with_fix(line + clear, fix)


def test_a_limit_that_a_write_has_gets_a_smaller_number() -> None:
    line = "CREATE TABLE line (cart INT, item INT, PRIMARY KEY (cart, item));\n"
    clear = "CREATE QUERY clear AS DELETE FROM line WHERE cart = [cart] LIMIT 5000;"
    (fix,) = fixes_of(line + clear, "clear")
    assert "LIMIT 400;" in with_fix(line + clear, fix)


def test_a_list_of_rows_gets_a_smaller_maximum() -> None:
    line = "CREATE TABLE line (cart INT, item INT, PRIMARY KEY (cart, item));\n"
    add = "CREATE QUERY add AS INSERT INTO line (cart, item) VALUES [rows] MAX 5000;"
    (fix,) = fixes_of(line + add, "add")
    assert fix.title == "Write MAX 500"
    assert fix.consequence.startswith("lists of more than 500 rows are refused")
    assert "MAX 500;" in with_fix(line + add, fix)


ITEMS = """CREATE TABLE items (id INT PRIMARY KEY, title VARCHAR(64), stock INT, price INT);
CREATE QUERY search AS SELECT {columns} FROM items i WHERE title CONTAINS [word] LIMIT 10;
CREATE QUERY sell AS UPDATE items SET stock = [stock] WHERE id = [id];
"""


def test_a_query_of_all_columns_names_those_that_no_copies_are_kept_of() -> None:
    text = ITEMS.format(columns="*")
    (fix,) = fixes_of(text, "sell")
    assert fix.title == "Leave stock out of search"
    assert fix.consequence == "changes the answer: search gives no stock any more, which a query by the key can read"
    assert fix.cost == "at most 2 requests an execution"
    assert "SELECT id, title, price FROM" in with_fix(text, fix)


def test_a_query_that_names_the_column_leaves_it_out() -> None:
    text = ITEMS.format(columns="i.id, i.stock, title AS t")
    (fix,) = fixes_of(text, "sell")
    assert "SELECT i.id, title AS t FROM" in with_fix(text, fix)


def test_all_writes_are_mended_at_once_by_their_code() -> None:
    fixed = fix_all({"a.piql": messages(BY_AT)}, frozenset({"expensive-write"}))
    assert [step.fix.title for step in fixed.steps if not step.refusal] == ["Remove CREATE INDEX by_at"]
    assert "expensive-write" not in {finding.code for finding in fixed.compilation.diagnostics}
