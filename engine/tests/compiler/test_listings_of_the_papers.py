"""The listings of both papers as they are printed: what compiles, to which bound, and which slips of theirs are named.

SoCC 2010 is "The Case for PIQL", VLDB 2012 is "PIQL: Success-Tolerant Query Processing in the Cloud".
"""

from __future__ import annotations

import piql
import pytest
from piql.editor.service.fix_all import fix_all

SCADR = """
ENTITY user
{
  string name,
  string password,
  string email,
  string hometown
  PRIMARY(name)
}

ENTITY thought
{
  int timestamp,
  string thought,
  FOREIGN KEY owner REF user
  PRIMARY(owner, timestamp)
}

ENTITY subscription
{
  bool approved,
  FOREIGN KEY owner REF user MAX 5000,
  FOREIGN KEY target REF user
  PRIMARY(owner, target)
}
"""
USER_BY_NAME = """
QUERY userByName
FETCH user
WHERE user.name = [1:name]
"""
USER_BY_HOMETOWN = """
QUERY userByHometown
FETCH user
WHERE user.hometown = [1:hometown]
LIMIT [1:count] MAX 100
"""
USER_THOUGHTS = """
QUERY userThoughts
FETCH thought
  OF user BY owner
WHERE user.name = [1:username]
ORDER BY timestamp
LIMIT [2:count] MAX 100
"""
THOUGHTSTREAM = """
QUERY thoughtstream
FETCH thought
  OF user AS friend BY owner
  OF subscription BY target
  OF user AS me BY owner
WHERE me.username=[1:username] AND approved = true
ORDER BY timestamp
LIMIT [2:count] MAX 100
"""
RECENT_BY_TAG = """
ENTITY tag {
  string name,
  FOREIGN KEY target REF thought MAX 10
  PRIMARY(target, name)
}

QUERY recentByTag
  FETCH thought
    OF tag BY target
  WHERE name = [1:tagname]
  ORDER BY timestamp
  LIMIT [2:count] MAX 100
"""
LISTINGS = {
    "userByName": USER_BY_NAME,
    "userByHometown": USER_BY_HOMETOWN,
    "userThoughts": USER_THOUGHTS,
    "thoughtstream": THOUGHTSTREAM,
    "recentByTag": RECENT_BY_TAG,
}


@pytest.mark.parametrize(
    ("name", "operations", "slips"),
    [
        ("userByName", 1, []),
        ("userByHometown", 101, ["parameter-ordinal"]),  # both parameters are number 1
        ("userThoughts", 1, []),
        ("thoughtstream", 5001, ["unknown-column"]),  # the key of user is name, not username
        ("recentByTag", 101, []),
    ],
)
def test_a_listing_of_socc_has_the_bound_of_the_paper_once_its_slip_is_mended(
    name: str, operations: int, slips: list[str]
) -> None:
    texts = {"listing.piql": SCADR + LISTINGS[name]}
    errors = [finding.code for finding in piql.compile(texts).diagnostics if finding.severity == "error"]
    assert errors == slips
    fixed = fix_all(texts)
    assert not fixed.compilation.has_errors
    bound = fixed.compilation.queries[name].bound
    assert bound is not None
    assert bound.operations == operations


def test_all_listings_of_socc_compile_together_and_run_without_their_slips() -> None:
    fixed = fix_all({"listing.piql": SCADR + "".join(LISTINGS.values())})
    assert [step.fix.title for step in fixed.steps] == ["Change [count] to ordinal 2", "Change to name"]
    assert "LIMIT [2:count] MAX 100" in fixed.texts["listing.piql"].partition("userThoughts")[0]
    with piql.connect("embedded:") as db:
        db.deploy(fixed.compilation)
        for name in ("ada", "bob"):
            db.load("user", [{"name": name, "password": "", "email": "", "hometown": "London"}])
        db.load("thought", [{"owner": "bob", "timestamp": at, "thought": f"t{at}"} for at in range(3)])
        db.load("subscription", [{"owner": "ada", "target": "bob", "approved": True}])
        assert len(db.execute("userByHometown", {"hometown": "London", "count": 1}).rows) == 1
        stream = db.execute("thoughtstream", {"username": "ada", "count": 2})
        assert [row["timestamp"] for row in stream.rows] == [0, 1]
        assert stream.operations <= 5001


VLDB_4_2 = """
CREATE TABLE Users (
  userId INT,
  firstName VARCHAR(255)
  ...
)
CREATE TABLE Subscriptions (
  ownerUserId INT,
  targetUserId INT,
  ...
  CARDINALITY LIMIT 100 (ownerUserId)
)
"""
VLDB_5_3 = """
SELECT I_TITLE, I_ID, A_FNAME, A_LNAME
FROM ITEM, AUTHOR
WHERE I_A_ID = A_ID
      AND I_TITLE LIKE [1: titleWord]
ORDER BY I_TITLE
LIMIT 50
"""
VLDB_8_3 = """
SELECT * FROM SUBSCRIPTIONS
WHERE target = <target user>
AND owner IN <friends of current user>
"""


def test_the_schema_of_vldb_with_its_dots_filled_in() -> None:
    """The paper leaves out columns and the keys, and writes no semicolon between the tables."""
    first, second = VLDB_4_2.split(")\nCREATE TABLE Subs")
    text = (
        first.replace("\n  ...", ",\n  PRIMARY KEY (userId)")
        + ");\nCREATE TABLE Subs"
        + second.replace("...", "PRIMARY KEY (ownerUserId, targetUserId),")
        + "CREATE QUERY of AS SELECT targetUserId FROM Subscriptions WHERE ownerUserId = [me];"
    )
    bound = piql.compile(text).queries["of"].bound
    assert bound is not None
    assert (bound.operations, bound.rows) == (1, 100)


def test_the_search_of_vldb_reads_the_index_of_the_paper() -> None:
    schema = (
        "CREATE TABLE AUTHOR (A_ID INT PRIMARY KEY, A_FNAME VARCHAR(20), A_LNAME VARCHAR(20));\n"
        "CREATE TABLE ITEM (I_ID INT PRIMARY KEY, I_TITLE VARCHAR(60), I_A_ID INT NOT NULL REFERENCES AUTHOR);\n"
    )
    compilation = piql.compile(f"{schema}CREATE QUERY search AS{VLDB_5_3}")
    query = compilation.queries["search"]
    assert query.bound is not None
    assert query.bound.operations == 51
    assert [index.name for index in query.indexes] == ["ITEM_by_token_I_TITLE_I_TITLE"]


def test_the_intersection_of_vldb_checks_each_friend_once() -> None:
    schema = "CREATE TABLE SUBSCRIPTIONS (owner INT, target INT, PRIMARY KEY (owner, target));\n"
    text = VLDB_8_3.replace("<target user>", "[1: target]").replace("<friends of current user>", "[2: friends] MAX 50")
    bound = piql.compile(f"{schema}CREATE QUERY common AS{text}").queries["common"].bound
    assert bound is not None
    assert bound.operations == 50
