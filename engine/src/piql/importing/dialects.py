"""The dialects that are imported: what their quotes and comments look like, and how one is recognised.

`statements` cuts a text by the regular expressions here. They never backtrack (`*+`), so a dump of many megabytes takes
time in proportion to its length. To add a dialect: one Dialect, and its place in DIALECTS.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from piql.store import schemes
from piql.trees.cached_property import cached_property

SAMPLE = 200_000  # characters at the beginning of a text by which its dialect is recognised

_PLAIN_STRING = r"'(?:[^']++|'')*+'"
_ESCAPED_STRING = r"'(?:[^'\\]++|\\.|'')*+'"
_DOLLAR_STRING = r"\$(?P<tag>(?:[A-Za-z_]\w*+)?)\$.*?\$(?P=tag)\$"
_ORACLE_STRING = r"[nN]?[qQ]'(?:\[.*?\]|\{.*?\}|\(.*?\)|<.*?>|(?P<mark>[^\s\w\[{(<]).*?(?P=mark))'"
_NAME = r'"(?:[^"]++|"")*+"'
_BACKTICKS = r"`(?:[^`]++|``)*+`"
_BRACKETS = r"\[(?:[^\]\n]++|\]\])*+\]"
_BLOCK_COMMENT = r"/\*(?:[^*]++|\*(?!/))*+\*/"
# MySQL executes what stands in `/*!40101 … */`, so only its marks are a comment. MariaDB's `/*M!999999 … */` is one.
_CONDITIONAL = r"/\*M!999999(?:[^*]++|\*(?!/))*+\*/|/\*M?!\d*+|\*/|/\*(?!M?!)(?:[^*]++|\*(?!/))*+\*/"


@dataclass(frozen=True)
class Dialect:
    """How one SQL is written. `sqlglot` is its name there, None where sqlglot does not know it.

    `strings`, `names` and `comments` are regular expressions of texts, of names in quotes and of comments. `evidence`
    holds those of words that speak for the dialect: each one that stands anywhere in a text counts once. `has_escapes`
    says that a backslash in any text begins an escape.
    """

    name: str
    title: str
    sqlglot: str | None
    strings: tuple[str, ...] = (_PLAIN_STRING,)
    names: tuple[str, ...] = (_NAME,)
    comments: tuple[str, ...] = (r"--[^\n]*+", _BLOCK_COMMENT)
    evidence: tuple[str, ...] = field(default=(), repr=False)
    has_escapes: bool = False

    @cached_property
    def token(self) -> re.Pattern[str]:
        """Match one token, comment or run of blanks at an offset; the name of the group is its kind."""
        return re.compile(
            rf"""
              (?P<space>[\s\ufeff]++)
            | (?P<comment>{"|".join(self.comments)})
            | (?P<string>(?:[nNbBxXeEuU]&?)?(?:{"|".join(self.strings)}))
            | (?P<quoted>{"|".join(self.names)})
            | (?P<word>(?:[^\W\d]|[@\#])[\w$@\#]*+)
            | (?P<number>(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?)
            | (?P<symbol>.)
            """,
            re.VERBOSE | re.DOTALL,
        )

    @cached_property
    def data(self) -> re.Pattern[str]:
        """Match the rest of an INSERT without cutting it into tokens, up to `;` or a line that begins a statement."""
        parts = (*self.strings, *self.names, *self.comments)
        return re.compile(
            rf"""(?:{"|".join(parts)}|[^'"`;\n\[/\-\#$nNqQ]++|\n(?!{_NEXT_STATEMENT})|[^'";\n])*+""",
            re.VERBOSE | re.DOTALL,
        )


_NEXT_STATEMENT = (
    r"[ \t]*(?:INSERT[ \t]+INTO|INSERT[ \t]+\[|INSERT[ \t]+\w+\.|GO[ \t]*\r?(?:\n|\Z)|CREATE[ \t]|ALTER[ \t]+TABLE|"
    r"SET[ \t]+IDENTITY_INSERT|PROMPT\b|[Ii]nsert[ \t]+into)"
)

POSTGRES = Dialect(
    "postgres",
    "PostgreSQL",
    "postgres",
    strings=(_DOLLAR_STRING, r"(?<=[eE])" + _ESCAPED_STRING, _PLAIN_STRING),
    evidence=(
        r"^-- PostgreSQL database dump",
        r"^SELECT pg_catalog\.",
        r"^COPY .+ FROM stdin;",
        r"^ALTER TABLE ONLY ",
        r"\b(?:BIG|SMALL)?SERIAL\b",
        r"\bBYTEA\b|\bJSONB\b|\bTIMESTAMPTZ\b|\bCITEXT\b",
        r"\bcharacter varying\b|\btimestamp with(?:out)? time zone\b",
        r"::\w+",
        r"\bCREATE EXTENSION\b|\bCREATE DOMAIN\b|\bAS ENUM\b",
        r"\bUSING (?:btree|gin|gist|hash)\b",
        r"\$\$",
    ),
)
MYSQL = Dialect(
    "mysql",
    "MySQL",
    "mysql",
    strings=(_ESCAPED_STRING, r'"(?:[^"\\]++|\\.|"")*+"'),
    names=(_BACKTICKS,),
    comments=(r"--(?=\s|\Z)[^\n]*+", r"\#[^\n]*+", _CONDITIONAL),
    has_escapes=True,
    evidence=(
        r"^-- (?:MySQL|MariaDB) dump|^-- phpMyAdmin",
        r"\bENGINE\s*=",
        r"\bAUTO_INCREMENT\b",
        r"/\*!\d+",
        r"`\w+`",
        r"\bUNSIGNED\b",
        r"^\s*(?:UNIQUE |FULLTEXT )?KEY ",
        r"\b(?:TINY|MEDIUM|LONG)(?:TEXT|BLOB)\b|\bMEDIUMINT\b",
        r"^DELIMITER ",
        r"\bCHARSET\s*=",
    ),
)
SQLITE = Dialect(
    "sqlite",
    "SQLite",
    "sqlite",
    names=(_NAME, _BACKTICKS, _BRACKETS),
    evidence=(
        r"^PRAGMA ",
        r"\bAUTOINCREMENT\b",
        r"\bWITHOUT ROWID\b",
        r"\bsqlite_sequence\b",
        r"\bINTEGER PRIMARY KEY\b",
        r"^BEGIN TRANSACTION;",
    ),
)
CQL = Dialect(
    schemes.CQL,
    "CQL",
    None,
    strings=(r"\$\$.*?\$\$", _PLAIN_STRING),
    comments=(r"--[^\n]*+", r"//[^\n]*+", _BLOCK_COMMENT),
    evidence=(
        r"\bCREATE KEYSPACE\b",
        r"\bCLUSTERING ORDER BY\b",
        r"\b(?:set|list|map|frozen|tuple)\s*<",
        r"\bTIMEUUID\b",
        r"\bcounter\s*[,)]",
        r"\bPRIMARY KEY\s*\(\s*\(",
        r"\bCREATE MATERIALIZED VIEW\b[^;]*\bPRIMARY KEY\b",
        r"^\s*//",
        r"'class'\s*:",
    ),
)
ORACLE = Dialect(
    "oracle",
    "Oracle",
    "oracle",
    strings=(_ORACLE_STRING, _PLAIN_STRING),
    evidence=(
        r"\bN?VARCHAR2\b",
        r"\bNUMBER\b",
        r"\b[CB]LOB\b",
        r"\bSYSDATE\b|\bSYSTIMESTAMP\b",
        r"\bTABLESPACE\b",
        r"^(?:REM|PROMPT|SPOOL|WHENEVER)\b",
        r"^/\s*$",
        r"\bto_date\s*\(",
    ),
)
TSQL = Dialect(
    "tsql",
    "T-SQL",
    "tsql",
    names=(_NAME, _BRACKETS),
    evidence=(
        r"^GO\s*$",
        r"\[dbo\]|\bdbo\.",
        r"\bIDENTITY\s*\(",
        r"\bNVARCHAR\b|\bDATETIME2\b|\bDATETIMEOFFSET\b|\bUNIQUEIDENTIFIER\b",
        r"\b(?:NON)?CLUSTERED\b",
        r"\[\w+\]\s+\[\w+\]",
        r"\bGETDATE\s*\(|\bNEWID\s*\(",
        r"^SET (?:ANSI_NULLS|QUOTED_IDENTIFIER) ",
        r"\(MAX\)",
    ),
)

DIALECTS = {dialect.name: dialect for dialect in (POSTGRES, MYSQL, SQLITE, CQL, ORACLE, TSQL)}
AUTO = "auto"


def recognise(text: str) -> Dialect:
    """Return the dialect with the most evidence in the beginning of a text; of several, the first of DIALECTS.

    So a text without any is PostgreSQL, which is the nearest to the standard.
    """
    sample = text[:SAMPLE]
    scores = {
        dialect.name: sum(
            re.search(pattern, sample, re.IGNORECASE | re.MULTILINE) is not None for pattern in dialect.evidence
        )
        for dialect in DIALECTS.values()
    }
    return DIALECTS[max(scores, key=lambda name: scores[name])]
