"""What a text in quotes says: each SQL has ways of its own to write a quote, a line end or any character.

'it''s'    'it\\'s' (MySQL)    E'it\\'s'    U&'it\\0027s'    $$it's$$    $a$it's$a$ (PostgreSQL)    q'[it's]' (Oracle)
"""

from __future__ import annotations

import re

_CLOSING_BODY = re.compile(r"\$(?:[A-Za-z_]\w*+)?\$")
_MYSQL_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_MYSQL = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a", "%": "\\%", "_": "\\_"}
_POSTGRES_ESCAPE = re.compile(
    r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|x([0-9a-fA-F]{1,2})|([0-7]{1,3})|(.))", re.DOTALL
)
_POSTGRES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_UNICODE_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{4})|\+([0-9a-fA-F]{6})|(\\))")


def text_of(written: str, *, has_escapes: bool = False) -> str:
    """Return what a text in quotes says; `has_escapes` is that of the dialect, in which each `\\` begins one."""
    if written[0] == "$":
        tag = _CLOSING_BODY.match(written)
        return written[len(tag[0]) : -len(tag[0])] if tag else written
    if written[0] == '"':
        return _with_escapes(written[1:-1].replace('""', '"')) if has_escapes else written[1:-1].replace('""', '"')
    opening = written.index("'")
    prefix = written[:opening].lower()
    if prefix.endswith("q"):
        return written[opening + 2 : -2]
    body = written[opening + 1 : -1]
    if has_escapes:
        return _with_escapes(body.replace("''", "'")) if "\\" in body else body.replace("''", "'")
    if prefix == "e":
        return _POSTGRES_ESCAPE.sub(_postgres_character, body.replace("''", "'"))
    if prefix == "u&":
        return _UNICODE_ESCAPE.sub(_unicode_character, body.replace("''", "'"))
    return body.replace("''", "'")


def _with_escapes(body: str) -> str:
    return _MYSQL_ESCAPE.sub(lambda escape: _MYSQL.get(escape[1], escape[1]), body)


def _postgres_character(escape: re.Match[str]) -> str:
    short, long, byte, octal, other = escape.groups()
    if octal is not None:
        return chr(int(octal, 8) & 0xFF)
    number = short or long or byte
    return _POSTGRES.get(other, other) if number is None else _character(number)


def _unicode_character(escape: re.Match[str]) -> str:
    number = escape[1] or escape[2]
    return "\\" if number is None else _character(number)


def _character(number: str) -> str:
    code = int(number, 16)
    return chr(code) if code < 0x110000 else "\ufffd"
