"""The order of a primary key: advised where another serves all queries, and tried out with few of them first."""

from __future__ import annotations

import piql
from piql.compiler.fixes import index_advice
from piql.text.diagnostics.diagnostic import Edit

POSTS = "CREATE TABLE posts (author TEXT, day DATE, PRIMARY KEY (day, author), CARDINALITY LIMIT 50 (author));\n"
BY_AUTHOR = "CREATE QUERY a{} AS SELECT day FROM posts WHERE author = [me];\n"
BY_DAY = "CREATE QUERY d{} AS SELECT author FROM posts WHERE day = [day] LIMIT 20;\n"
GET = "CREATE QUERY g{} AS SELECT author FROM posts WHERE day = [day] AND author = [me];\n"


def advice(text: str, sizes: list[int]) -> list[str]:
    """Return the codes of what is advised; `sizes` gets the number of queries of each trial."""
    compilation = piql.compile(text)

    def trial(edits: tuple[Edit, ...], names: set[str]) -> piql.Compilation:
        sizes.append(len(names))
        changed = text
        for edit in sorted(edits, key=lambda edit: -edit.start):
            changed = changed[: edit.start] + edit.text + changed[edit.end :]
        schema, *queries = changed.splitlines()
        return piql.compile("\n".join([schema, *(query for query in queries if query.split()[2] in names)]))

    return [finding.code for finding in index_advice.advise(compilation, trial)]


def many(*queries: str) -> str:
    return POSTS + "".join(query.format(at) for query in queries for at in range(30))


def test_another_order_is_advised_after_all_queries_were_tried_with_it() -> None:
    sizes: list[int] = []
    assert advice(many(BY_AUTHOR, GET), sizes) == ["primary-key-order"]
    assert sizes == [1, 60]  # no query reads a range of the key that is there


def test_two_queries_of_many_are_tried_where_they_show_that_both_orders_are_needed() -> None:
    sizes: list[int] = []
    assert advice(many(BY_AUTHOR, BY_DAY, GET), sizes) == []
    assert sizes == [2]
