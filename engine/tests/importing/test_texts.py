"""A text of another SQL says the same in PIQL, in whatever way that SQL writes a quote or a character."""

import piql
import pytest
from piql.importing import import_text

CASES = [
    ("mysql", r"'it\'s'", "it's"),
    ("mysql", r"'it\'''s'", "it''s"),
    ("mysql", r"'a\\b'", "a\\b"),
    ("mysql", r'"say \"no\""', 'say "no"'),
    ("mysql", r"'5\%'", "5\\%"),
    ("mysql", r"'\q'", "q"),
    ("postgres", r"'it\s'", "it\\s"),
    ("postgres", r"E'it\'s'", "it's"),
    ("postgres", r"E'\x41\101\u0041\\'", "AAA\\"),
    ("postgres", r"U&'it\0027s \\'", "it's \\"),
    ("postgres", "$$it's$$", "it's"),
    ("postgres", "$a$it's $$ $a$", "it's $$ "),
    ("oracle", "q'[it's]'", "it's"),
    ("oracle", "nq'!it's!'", "it's"),
    ("sqlite", r"'it''s \'", "it's \\"),
]


@pytest.mark.parametrize(("dialect", "written", "said"), CASES)
def test_a_default_says_what_it_said(dialect: str, written: str, said: str) -> None:
    text = f"CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20) DEFAULT {written});"
    imported = import_text(text, dialect).text
    with piql.connect("embedded:") as db:
        db.deploy(piql.compile(imported))
        db.run("INSERT INTO t (id) VALUES (1)")
        assert db.run("SELECT a FROM t WHERE id = 1").rows == [{"a": said}]


@pytest.mark.parametrize(("dialect", "written", "said"), CASES)
def test_a_check_compares_with_what_it_said(dialect: str, written: str, said: str) -> None:
    text = f"CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20) NOT NULL, CHECK (a <> {written}));"
    imported = import_text(text, dialect).text
    with piql.connect("embedded:") as db:
        db.deploy(piql.compile(imported))
        with pytest.raises(piql.ConstraintViolation):
            db.load("t", [{"id": 1, "a": said}])


def test_a_default_that_no_text_of_piql_holds_is_left_out() -> None:
    imported = import_text(r"CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20) DEFAULT 'a\nb');", "mysql")
    assert "a  VARCHAR(20)\n" in imported.text
    assert any("DEFAULT of t.a" in note.subject for note in imported.notes)
