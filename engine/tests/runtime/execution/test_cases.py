"""A query with optional filters is planned for each case of its parameters, and runs the plan of the case at hand."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import piql
import pytest
from piql.compiler.physical.operators import LocalCases

TABLE = """
CREATE TABLE post (id INT PRIMARY KEY, author INT NOT NULL, tag INT, kind VARCHAR(8) NOT NULL);
"""
FEED = """
CREATE QUERY feed AS
SELECT id FROM post
WHERE kind = 'public'
  AND (:author IS NULL OR author = :author)
  AND (:tag IS NULL OR tag = :tag)
  AND (:before IS NULL OR id < :before)
ORDER BY id DESC
"""
QUERIES = {
    "feed": f"{FEED} LIMIT 3;",
    "pages": f"{FEED.replace('feed', 'pages')} PAGINATE 2;",
    "coalesced": (
        "CREATE QUERY coalesced AS SELECT id FROM post WHERE author = COALESCE(:author, author) AND tag = 3 "
        "ORDER BY id LIMIT 4;"
    ),
    "mirrored": (
        "CREATE QUERY mirrored AS SELECT id FROM post WHERE COALESCE(:author, author) = author AND tag = 3 "
        "ORDER BY id LIMIT 4;"
    ),
    "switched": (
        "CREATE QUERY switched AS SELECT id FROM post "
        "WHERE (:all = TRUE OR author = :author) AND (:all = FALSE OR kind = 'public') ORDER BY id LIMIT 4;"
    ),
    "inside": (
        "CREATE QUERY inside AS SELECT p.id, (SELECT MAX(q.id) FROM post q WHERE q.author = p.author AND "
        "(:tag IS NULL OR q.tag = :tag)) AS newest FROM post p WHERE p.id IN [ids] MAX 3 ORDER BY p.id;"
    ),
}
ROWS = [
    {"id": key, "author": key % 3, "tag": None if key % 4 == 0 else key % 4, "kind": "public" if key % 5 else "draft"}
    for key in range(1, 41)
]


@pytest.fixture(scope="module", params=("embedded:", "stepwise:"))
def db(request: pytest.FixtureRequest) -> Iterator[piql.Database]:
    with piql.connect(request.param) as database:
        database.deploy(piql.compile(TABLE + "".join(QUERIES.values())))
        database.load("post", ROWS)
        yield database


def ids(page: piql.Page) -> list[object]:
    return [row["id"] for row in page.rows]


def fits(row: dict[str, object], author: object, tag: object, before: int | None) -> bool:
    return (
        row["kind"] == "public"
        and author in (None, row["author"])
        and tag in (None, row["tag"])
        and (before is None or int(str(row["id"])) < before)
    )


def test_each_case_of_an_optional_filter_is_bounded_by_the_limit_and_the_bound_is_the_most_of_one_case() -> None:
    query = piql.compile(TABLE + QUERIES["feed"]).queries["feed"]
    assert isinstance(query.plan, LocalCases)
    assert query.bound is not None
    assert (query.bound.operations, query.bound.round_trips, query.bound.rows_fetched) == (1, 1, 3)
    assert len(query.plan.inputs) == 8
    assert sum(operator.operations for operator in query.bound.by_operator) == 8  # of which one is made


def test_each_case_gives_the_rows_that_the_whole_condition_keeps(db: piql.Database) -> None:
    for author, tag, before in product((None, 0, 9), (None, 1, 2), (None, 20, 1)):
        page = db.execute("feed", {"author": author, "tag": tag, "before": before})
        kept = [row["id"] for row in reversed(ROWS) if fits(row, author, tag, before)]
        assert ids(page) == kept[:3]
        assert page.operations == 1


def test_pages_go_on_in_the_order_of_their_case(db: piql.Database) -> None:
    for author, tag in product((None, 1), (None, 2)):
        parameters = {"author": author, "tag": tag, "before": None}
        gathered: list[object] = []
        cursor = None
        while True:
            page = db.execute("pages", parameters, cursor)
            assert page.operations == 1
            gathered += ids(page)
            cursor = page.cursor
            if cursor is None:
                break
        assert gathered == [row["id"] for row in reversed(ROWS) if fits(row, author, tag, None)]


def test_coalesce_with_the_column_itself_is_an_optional_filter(db: piql.Database) -> None:
    assert ids(db.execute("coalesced", {"author": 1})) == [7, 19, 31]
    page = db.execute("coalesced", {"author": None})
    assert (ids(page), page.operations) == ([3, 7, 11, 15], 1)


def test_coalesce_may_stand_on_the_left_side(db: piql.Database) -> None:
    assert ids(db.execute("mirrored", {"author": 1})) == [7, 19, 31]
    page = db.execute("mirrored", {"author": None})
    assert (ids(page), page.operations) == ([3, 7, 11, 15], 1)


def test_tests_of_parameters_may_be_of_any_kind_and_an_unknown_one_counts_as_false(db: piql.Database) -> None:
    query = db.execute("switched", {"all": True, "author": 1})
    assert (ids(query), query.operations) == ([1, 2, 3, 4], 1)
    assert ids(db.execute("switched", {"all": False, "author": 2})) == [2, 5, 8, 11]
    assert ids(db.execute("switched", {"all": None, "author": 2})) == [2, 8, 11, 14]


def test_a_subquery_has_cases_too(db: piql.Database) -> None:
    assert db.execute("inside", {"tag": None, "ids": [1, 2]}).rows == [
        {"id": 1, "newest": 40},
        {"id": 2, "newest": 38},
    ]
    assert db.execute("inside", {"tag": 3, "ids": [1, 2]}).rows == [{"id": 1, "newest": 31}, {"id": 2, "newest": 35}]


def test_cases_are_not_taken_where_one_plan_is_as_quick_for_all() -> None:
    source = f"{TABLE.replace('NOT NULL)', 'NOT NULL, CARDINALITY LIMIT 20 (author))')}"
    text = "CREATE QUERY q AS SELECT id FROM post WHERE author = :author AND (:tag IS NULL OR tag = :tag);"
    plan = piql.compile(source + text).queries["q"].plan
    assert plan is not None
    assert not isinstance(plan, LocalCases)


def test_a_case_without_a_bound_refuses_the_query() -> None:
    text = "CREATE QUERY q AS SELECT COUNT(*) AS n FROM post WHERE id = :id OR :id IS NULL;"
    compilation = piql.compile(TABLE + text)
    assert not compilation.queries["q"].is_bounded
    assert [diagnostic.code for diagnostic in compilation.diagnostics] == ["unbounded-aggregate"]
