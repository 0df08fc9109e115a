"""Text to tokens."""

import pytest
from piql.compiler.syntax.lexer import tokenize, unquote
from piql.schema.catalog import Kind, SqlType
from piql.schema.types import convert
from piql.schema.values import ValueMismatch
from piql.text.source import Source


def tokens(text: str) -> list[str]:
    return [token.text for token in tokenize(Source(text)).tokens[:-1]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a<=b", ["a", "<=", "b"]),
        ("a!=b<>c", ["a", "!=", "b", "<>", "c"]),
        ("[1: me]", ["[", "1", ":", "me", "]"]),
        ("a||'it''s'", ["a", "||", "'it''s'"]),
        ("1.5e-3 .5 12", ["1.5e-3", ".5", "12"]),
        ("t.owner", ["t", ".", "owner"]),
        ("X'00ff' x", ["X'00ff'", "x"]),
        ('"a ""b"" c"', ['"a ""b"" c"']),
        ("straße Ω_1", ["straße", "Ω_1"]),
        ("a--b\nc/*d*/e", ["a", "c", "e"]),
        ("/* a ** b */ c", ["c"]),
    ],
)
def test_a_text_is_cut_into_tokens(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


def test_words_are_compared_in_upper_case_and_quoted_names_are_no_words() -> None:
    tokens = tokenize(Source('select "select"')).tokens
    assert [token.word for token in tokens] == ["SELECT", "", ""]


def test_quotes_are_taken_off() -> None:
    tokens = tokenize(Source('\'it\'\'s\' "a ""b""" \'open')).tokens
    assert [unquote(token) for token in tokens[:-1]] == ["it's", 'a "b"', "open"]


def test_comments_are_kept_aside() -> None:
    lexed = tokenize(Source("a -- one\n/* two */ b"))
    assert [comment.text for comment in lexed.comments] == ["-- one", "/* two */"]


def test_an_open_quote_spoils_its_line_only() -> None:
    lexed = tokenize(Source("a 'b\nc"))
    assert [token.text for token in lexed.tokens[:-1]] == ["a", "'b", "c"]
    assert [diagnostic.code for diagnostic in lexed.diagnostics] == ["unclosed-quote"]


def test_neighbouring_stray_characters_are_one_finding() -> None:
    lexed = tokenize(Source("a $$ b 😀"))
    assert [diagnostic.span.text for diagnostic in lexed.diagnostics] == ["$$", "😀"]


@pytest.mark.parametrize("digits", ["３４", "٣٤", "३४"])
def test_only_the_digits_of_ascii_make_numbers_as_in_a_parameter(digits: str) -> None:
    lexed = tokenize(Source(f"a = {digits} AND b = 1"))
    assert [diagnostic.span.text for diagnostic in lexed.diagnostics] == [digits]
    with pytest.raises(ValueMismatch):
        convert(digits, SqlType(Kind.DECIMAL))
