"""What a message offers where the schema alone helps little: a view, and pages instead of OFFSET."""

from __future__ import annotations

import piql
import pytest

SCHEMA = """
CREATE TABLE posts (topic VARCHAR(20), posted INT, text VARCHAR(140), PRIMARY KEY (topic, posted));
CREATE TABLE follows (usr VARCHAR(20), topic VARCHAR(20), PRIMARY KEY (usr, topic));
"""


def messages_of(query: str) -> list[str]:
    diagnostics = piql.compile(f"{SCHEMA}CREATE QUERY q AS {query};").diagnostics
    return [diagnostic.message for diagnostic in diagnostics if diagnostic.severity == "error"]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT COUNT(*) AS n FROM posts",
        "SELECT topic, SUM(posted) AS s FROM posts WHERE topic = [t] GROUP BY topic",
        "SELECT text FROM posts p JOIN follows f ON f.topic = p.topic WHERE f.usr = [me] ORDER BY p.posted PAGINATE 9",
    ],
)
def test_a_message_names_the_view_that_could_hold_the_result(query: str) -> None:
    (message,) = messages_of(query)
    assert "a precomputed view could hold" in message


def test_no_view_is_named_where_a_stop_is_enough() -> None:
    (message,) = messages_of("SELECT usr FROM follows WHERE topic = [t]")
    assert "view" not in message


@pytest.mark.parametrize("end", ["LIMIT 10 OFFSET 20", "LIMIT 20, 10", "OFFSET 20"])
def test_the_message_of_an_offset_offers_pages(end: str) -> None:
    (message,) = messages_of(f"SELECT posted FROM posts WHERE topic = [t] ORDER BY posted {end}")
    assert message.endswith("use PAGINATE instead")
