"""DEFAULT of another SQL → that of PIQL: a literal that fits the column's type, the current time, or a new id.

DEFAULT 'new'::character varying → 'new'    DEFAULT ((0)) → 0    DEFAULT getdate() → CURRENT_TIMESTAMP
"""

from __future__ import annotations

from collections.abc import Sequence

from piql import compiler
from piql.importing.tokens import ForeignToken, LeftOut, shown, unquoted

_TIMES = frozenset(
    """
    CURRENT_TIMESTAMP NOW LOCALTIMESTAMP GETDATE SYSDATE SYSTIMESTAMP SYSDATETIME GETUTCDATE SYSUTCDATETIME
    UTC_TIMESTAMP STATEMENT_TIMESTAMP TRANSACTION_TIMESTAMP
    """.split()
)
_DAYS = frozenset({"CURRENT_DATE", "CURDATE", "TODAY"})
_IDS = frozenset({"UUID", "GEN_RANDOM_UUID", "UUID_GENERATE_V4", "NEWID", "NEWSEQUENTIALID", "SYS_GUID"})
_TRUTHS = {"0": "FALSE", "1": "TRUE", "f": "FALSE", "t": "TRUE", "false": "FALSE", "true": "TRUE"}
_WORDS = frozenset({"TRUE", "FALSE"})


def read_default(tokens: Sequence[ForeignToken], type: str) -> str:
    """Return a DEFAULT as PIQL writes it; raise LeftOut for one that PIQL cannot hold in a column of this type."""
    text = _written(_bare(tokens), type)
    if text is not None:
        table = f"CREATE TABLE t (id INT PRIMARY KEY, a {type} DEFAULT {text});"
        if not compiler.compile(table).has_errors:
            return text
    raise LeftOut(f"it is computed, or does not fit {type}: give {shown(tokens)} in the INSERT")


def _bare(tokens: Sequence[ForeignToken]) -> list[ForeignToken]:
    """Return a value without the parentheses around it, and without a type behind `::`."""
    bare = list(tokens)
    while bare and bare[0].text == "(" and bare[-1].text == ")":
        bare = bare[1:-1]
    cast = next((at for at, token in enumerate(bare) if token.text in ("::", ":")), None)
    return bare if cast is None else _bare(bare[:cast])


def _written(tokens: Sequence[ForeignToken], type: str) -> str | None:
    """Return a value in PIQL's words, or None where it is no literal and no function that is known."""
    if not tokens:
        return None
    first, words = tokens[0], [token.word for token in tokens]
    if first.kind == "word" and (len(tokens) == 1 or words[1] == "("):
        if first.word in _TIMES:
            return "CURRENT_DATE" if type == "DATE" else "CURRENT_TIMESTAMP"
        if first.word in _DAYS:
            return "CURRENT_DATE"
        if first.word in _IDS:
            return "UUID()"
    if len(tokens) == 2 and first.text in ("-", "+") and tokens[1].kind == "number":
        return f"-{tokens[1].text}" if first.text == "-" else tokens[1].text
    if len(tokens) != 1:
        return None
    if first.word in _WORDS:
        return first.word
    if first.kind not in ("number", "string"):
        return None
    value = unquoted(first)
    if type == "BOOLEAN":
        return _TRUTHS.get(value.lower())
    is_number = type.split("(")[0] in ("INT", "BIGINT", "DOUBLE", "DECIMAL")
    return value if is_number or first.kind == "number" else "'" + value.replace("'", "''") + "'"
