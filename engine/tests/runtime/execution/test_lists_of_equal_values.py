"""A list whose parameter equals one of its literals acts as the shorter list, also for order and groups."""

from __future__ import annotations

import piql
import pytest

WORDS = """
CREATE TABLE words (number INT, word TEXT, kind TEXT, PRIMARY KEY (word, number), CARDINALITY LIMIT 3 (word));
CREATE QUERY downwards AS
SELECT number FROM words WHERE number IN (9, 3) AND word IN ([word], 'red') ORDER BY number DESC;
CREATE QUERY groups AS
SELECT kind, COUNT(*) AS c FROM words WHERE word IN ([word], 'red') AND number = 3 AND kind = 'x' GROUP BY kind;
"""


@pytest.mark.parametrize("word", ["red", "blue"])
def test_rows_come_in_the_order_asked_however_few_values_differ(word: str) -> None:
    with piql.connect("embedded:") as db:
        db.deploy(piql.compile(WORDS))
        db.load("words", [{"number": at, "word": "red", "kind": "x"} for at in (3, 9)])
        assert [row["number"] for row in db.execute("downwards", {"word": word}).rows] == [9, 3]


def test_rows_that_all_pass_a_test_for_one_value_are_one_group_by_it() -> None:
    bound = piql.compile(WORDS).queries["groups"].bound
    assert bound is not None
    assert bound.rows == 1
