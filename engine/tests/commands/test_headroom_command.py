"""`piql headroom`: what it says before it counts, and after."""

from pathlib import Path

import piql
import pytest
from piql.commands import cli

SCHEMA = """
CREATE TABLE users (name VARCHAR(20) PRIMARY KEY);
CREATE TABLE posts (author VARCHAR(20) REFERENCES users, id INT, PRIMARY KEY (author, id),
  CARDINALITY LIMIT 20 (author));
CREATE TABLE likes (author VARCHAR(20), post INT, fan VARCHAR(20) REFERENCES users, PRIMARY KEY (author, post, fan),
  FOREIGN KEY (author, post) REFERENCES posts, CARDINALITY LIMIT 5 (author, post));
CREATE QUERY likesOfPosts AS SELECT p.id, l.fan FROM posts AS p JOIN likes AS l ON l.author = p.author AND l.post = p.id
  WHERE p.author = [1: author];
"""


@pytest.fixture
def url(tmp_path: Path) -> str:
    url = f"embedded:{tmp_path / 'app.db'}"
    with piql.connect(url) as db:
        db.deploy(piql.compile(SCHEMA))
        db.load("users", [{"name": "ada"}, {"name": "bob"}])
        db.load("posts", [{"author": "ada", "id": at} for at in range(20)])
    return url


def test_it_says_what_counting_costs_and_counts_on_demand(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["headroom", "--store", url]) == 0
    assert capsys.readouterr().out == "counting reads about 20 rows by 2 requests: add --count\n"
    assert cli.main(["headroom", "--store", url, "--count"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:4] == ["table", "limit", "groups", "≥"]
    assert lines[2].split() == ["posts", "20", "(author)", "1", "1", "1", "|", "█|", "'ada':", "20"]
    assert lines[3].split()[:6] == ["likes", "5", "(author,", "post)", "0", "0"]


def test_it_says_what_another_limit_would_cost(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["headroom", "--store", url, "--raise", "posts(author)=40"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "20 (author) as 40: 1 query of 1"
    assert out[-1].split()[0] == "likesOfPosts"
    assert cli.main(["headroom", "--store", url, "--raise", "likes(author, post)=6"]) == 0
    assert "none of 1 query costs more or fewer requests" in capsys.readouterr().out
    assert cli.main(["headroom", "--store", url, "--raise", "posts(id)=40"]) == 1
    assert "posts has no CARDINALITY LIMIT on id; it has: author" in capsys.readouterr().err
