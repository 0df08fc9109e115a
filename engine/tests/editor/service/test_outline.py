"""The outline, the folds and the highlighting of a file."""

from __future__ import annotations

from piql.editor.service.outline import folds, outline
from piql.editor.service.semantic_tokens import TOKEN_TYPES, encode, semantic_tokens

TEXT = """-- one
-- two
CREATE TABLE users (
  username VARCHAR(32) PRIMARY KEY, -- a name
  text TEXT
);
/* long
   comment */
CREATE INDEX by_text ON users (text);
CREATE QUERY named AS
SELECT u.username AS who, COUNT(*) AS n FROM users u
WHERE u.text = 'x' AND 1 < [1: low];
ENTITY Pet { int id, FOREIGN KEY keeper REF users PRIMARY(id) }
CREATE QUERY broken AS SELECT;
"""


def test_the_outline_names_statements_and_columns() -> None:
    shown = [(item.kind, item.name, item.detail, [child.name for child in item.children]) for item in outline(TEXT)]
    assert shown == [
        ("table", "users", "table", ["username", "text"]),
        ("index", "by_text", "on users", []),
        ("query", "named", "select", []),
        ("table", "Pet", "entity", ["id", "keeper"]),
        ("query", "broken", "select", []),
    ]


def test_statements_and_comments_of_several_lines_can_be_folded() -> None:
    assert [(fold.start_line, fold.end_line, fold.kind) for fold in folds(TEXT)] == [
        (1, 2, "comment"),
        (3, 6, "region"),
        (7, 8, "comment"),
        (10, 12, "region"),
    ]


def test_words_are_highlighted_by_what_they_mean() -> None:
    details = {}
    for token in semantic_tokens({"a.piql": TEXT}, "a.piql"):
        details.setdefault(TEXT[token.start : token.end], []).append(token.type)
    assert details["SELECT"] == ["keyword", "keyword"]
    assert details["username"] == ["column", "column"]
    assert details["text"] == ["column", "column", "column"]
    assert details["TEXT"] == ["type"]
    assert details["COUNT"] == ["function"]
    assert details["u"] == ["alias", "alias", "alias"]
    assert details["who"] == ["output"]
    assert details["low"] == ["parameter"]
    assert details["'x'"] == ["string"]
    assert details["-- one"] == ["comment"]
    assert details["users"][0] == "table"
    assert details["keeper"] == ["column"]
    assert details["broken"] == ["query"]


def test_max_is_a_function_before_a_parenthesis_and_a_keyword_behind_a_limit() -> None:
    text = (
        "CREATE TABLE t (k INT PRIMARY KEY, n INT, CARDINALITY LIMIT 9 (n));\n"
        "CREATE QUERY q AS SELECT MAX (n), MIN(n) FROM t WHERE n = [1: n];\n"
        "CREATE QUERY r AS SELECT k FROM t WHERE n = [1: n] LIMIT [2: c] MAX 5;"
    )
    types = [
        (text[token.start : token.end], token.type)
        for token in semantic_tokens({"a.piql": text}, "a.piql")
        if text[token.start : token.end] in ("MAX", "MIN")
    ]
    assert types == [("MAX", "function"), ("MIN", "function"), ("MAX", "keyword")]


def test_encoded_tokens_lead_back_to_the_words_in_units_of_utf16() -> None:
    text = "/* 😀\n two\r\n\n three */ CREATE QUERY a AS\r\n SELECT '😀' AS \"😀\", u.b FROM u;"
    texts = {"a.piql": text, "b.piql": "CREATE TABLE u (b INT PRIMARY KEY);"}
    data = encode(semantic_tokens(texts, "a.piql"), text)
    lines = [part.encode("utf-16-le") for part in text.split("\n")]
    ranges = []
    line = column = 0
    for at in range(0, len(data), 5):
        down, right, length, meant, _ = data[at : at + 5]
        line, column = line + down, right if down else column + right
        ranges.append((lines[line][2 * column : 2 * (column + length)].decode("utf-16-le"), TOKEN_TYPES[meant]))
    assert ranges[:5] == [
        ("/* 😀", "comment"),
        (" two", "comment"),
        (" three */", "comment"),
        ("CREATE", "keyword"),
        ("QUERY", "keyword"),
    ]
    assert ranges[6:] == [
        ("AS", "keyword"),
        ("SELECT", "keyword"),
        ("'😀'", "string"),
        ("AS", "keyword"),
        ('"😀"', "output"),
        ("u", "table"),
        ("b", "column"),
        ("FROM", "keyword"),
        ("u", "table"),
    ]
