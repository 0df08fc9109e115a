"""Column types of other databases → PIQL's: one row for each name, and what a value loses by the change.

    NUMBER(12)            → BIGINT, "takes larger numbers, too"
    character varying(40) → VARCHAR(40)
    tags text[]           → left out: it holds several values, use a second table

`read_type` is the entry; it raises LeftOut, with what to do instead, where PIQL has no such type.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from piql.importing.dialects import CQL, MYSQL, ORACLE, SQLITE, TSQL, Dialect
from piql.importing.tokens import ForeignToken, LeftOut, shown, unquoted
from piql.schema.decimals import MAX_PRECISION

LONGEST = 1_000_000  # characters: a VARCHAR that is longer is a TEXT


@dataclass(frozen=True, slots=True)
class TypeRead:
    """A type as PIQL writes it; `change` tells the user what is different from the input's, '' where nothing is."""

    type: str
    change: str = ""
    is_generated: bool = False  # the database gave each row its number


_AS_TEXT = "is kept as text"
# Name without arguments → PIQL's type, and what is different. Names whose arguments matter follow below.
_NAMES: dict[str, tuple[str, str]] = {
    "INT": ("INT", ""),
    "INTEGER": ("INT", ""),
    "INT2": ("INT", ""),
    "INT4": ("INT", ""),
    "INT8": ("BIGINT", ""),
    "SMALLINT": ("INT", "takes larger numbers, too"),
    "TINYINT": ("INT", "takes larger numbers, too"),
    "MEDIUMINT": ("INT", "takes larger numbers, too"),
    "BIGINT": ("BIGINT", ""),
    "UNSIGNED BIG INT": ("BIGINT", ""),
    "VARINT": ("DECIMAL", f"holds {MAX_PRECISION} digits at most"),
    "YEAR": ("INT", "is a whole number"),
    "OID": ("BIGINT", "is a whole number"),
    "DOUBLE": ("DOUBLE", ""),
    "DOUBLE PRECISION": ("DOUBLE", ""),
    "FLOAT": ("DOUBLE", ""),
    "FLOAT4": ("DOUBLE", "has 64 bits"),
    "FLOAT8": ("DOUBLE", ""),
    "REAL": ("DOUBLE", "has 64 bits"),
    "BINARY_FLOAT": ("DOUBLE", "has 64 bits"),
    "BINARY_DOUBLE": ("DOUBLE", ""),
    "MONEY": ("DECIMAL(19, 4)", "is a number without a currency"),
    "SMALLMONEY": ("DECIMAL(10, 4)", "is a number without a currency"),
    "BOOLEAN": ("BOOLEAN", ""),
    "BOOL": ("BOOLEAN", ""),
    "DATE": ("DATE", ""),
    "DATETIME": ("TIMESTAMP", ""),
    "DATETIME2": ("TIMESTAMP", "is kept to the millisecond"),
    "SMALLDATETIME": ("TIMESTAMP", ""),
    "DATETIMEOFFSET": ("TIMESTAMP", "is kept in UTC, to the millisecond"),
    "TIMESTAMP": ("TIMESTAMP", ""),
    "TIMESTAMP WITHOUT TIME ZONE": ("TIMESTAMP", ""),
    "TIMESTAMP WITH TIME ZONE": ("TIMESTAMP", "is kept in UTC, to the millisecond"),
    "TIMESTAMP WITH LOCAL TIME ZONE": ("TIMESTAMP", "is kept in UTC, to the millisecond"),
    "TIMESTAMPTZ": ("TIMESTAMP", "is kept in UTC, to the millisecond"),
    "TIME": ("TIME", "is a time of day, to the microsecond"),
    "TIMETZ": ("VARCHAR(24)", "is kept as text, such as '12:30:00+01'"),
    "TIME WITHOUT TIME ZONE": ("TIME", "is a time of day, to the microsecond"),
    "TIME WITH TIME ZONE": ("VARCHAR(24)", "is kept as text, such as '12:30:00+01'"),
    "TEXT": ("TEXT", ""),
    "ASCII": ("TEXT", ""),
    "CITEXT": ("TEXT", "distinguishes upper and lower case"),
    "NTEXT": ("TEXT", ""),
    "CLOB": ("TEXT", ""),
    "NCLOB": ("TEXT", ""),
    "LONG": ("TEXT", ""),
    "LONG VARCHAR": ("TEXT", ""),
    "TINYTEXT": ("VARCHAR(255)", ""),
    "MEDIUMTEXT": ("TEXT", ""),
    "LONGTEXT": ("TEXT", ""),
    "NAME": ("VARCHAR(63)", ""),
    "SYSNAME": ("VARCHAR(128)", ""),
    "UUID": ("UUID", ""),
    "TIMEUUID": ("TIMEUUID", ""),
    "UNIQUEIDENTIFIER": ("UUID", ""),
    "BLOB": ("BLOB", ""),
    "BYTEA": ("BLOB", ""),
    "TINYBLOB": ("BLOB", ""),
    "MEDIUMBLOB": ("BLOB", ""),
    "LONGBLOB": ("BLOB", ""),
    "BINARY": ("BLOB", "has no length"),
    "VARBINARY": ("BLOB", "has no length"),
    "RAW": ("BLOB", "has no length"),
    "LONG RAW": ("BLOB", ""),
    "IMAGE": ("BLOB", ""),
    "BIT VARYING": ("VARCHAR", "is kept as text of 0 and 1"),
    "VARBIT": ("VARCHAR", "is kept as text of 0 and 1"),
    "JSON": ("TEXT", _AS_TEXT),
    "JSONB": ("TEXT", _AS_TEXT),
    "XML": ("TEXT", _AS_TEXT),
    "XMLTYPE": ("TEXT", _AS_TEXT),
    "HSTORE": ("TEXT", _AS_TEXT),
    "INET": ("VARCHAR(45)", _AS_TEXT),
    "CIDR": ("VARCHAR(49)", _AS_TEXT),
    "MACADDR": ("VARCHAR(17)", _AS_TEXT),
    "MACADDR8": ("VARCHAR(23)", _AS_TEXT),
    "INTERVAL": ("VARCHAR(64)", "is kept as text, such as 'P1DT2H'"),
    "ROWID": ("VARCHAR(18)", _AS_TEXT),
    "UROWID": ("VARCHAR(4000)", _AS_TEXT),
    "HIERARCHYID": ("VARCHAR(892)", _AS_TEXT),
}
# Integers that the database numbers.
_SERIAL = {
    "SERIAL": "INT",
    "SERIAL4": "INT",
    "SMALLSERIAL": "INT",
    "SERIAL2": "INT",
    "BIGSERIAL": "BIGINT",
    "SERIAL8": "BIGINT",
}
# Texts with a length → whether they are filled up with blanks (CHAR) or not.
_CHARACTERS = {
    "CHARACTER VARYING": "VARCHAR",
    "CHAR VARYING": "VARCHAR",
    "NATIONAL CHARACTER VARYING": "VARCHAR",
    "NATIONAL CHAR VARYING": "VARCHAR",
    "NATIONAL VARCHAR": "VARCHAR",
    "NATIVE CHARACTER": "CHAR",
    "NATIONAL CHARACTER": "CHAR",
    "NATIONAL CHAR": "CHAR",
    "VARYING CHARACTER": "VARCHAR",
    "VARCHAR": "VARCHAR",
    "VARCHAR2": "VARCHAR",
    "NVARCHAR": "VARCHAR",
    "NVARCHAR2": "VARCHAR",
    "STRING": "VARCHAR",
    "CHARACTER": "CHAR",
    "CHAR": "CHAR",
    "NCHAR": "CHAR",
    "BPCHAR": "CHAR",
}
_EXACT = frozenset({"DECIMAL", "NUMERIC", "NUMBER", "DEC", "FIXED"})
_COLLECTIONS = frozenset({"SET", "LIST", "MAP", "TUPLE", "FROZEN", "VECTOR"})
_IGNORED = frozenset({"ZEROFILL", "SIGNED", "BYTE"})  # words of a type that change nothing here
_SYSTEM_SCHEMAS = frozenset({"PG_CATALOG", "SYS", "PUBLIC"})  # that may stand before the name of a type
_INT_DIGITS = 9  # of every number that an INT holds
_BIGINT_DIGITS = 18
_ARGUMENT_DIGITS = 9  # of a length or a precision: one with more is no length of anything
_SHOWN_VALUES = 3  # of an enumeration

SEVERAL_VALUES = (
    "it holds several values: use a second table with one row for each, and a CARDINALITY LIMIT on their number"
)


def read_type(tokens: Sequence[ForeignToken], dialect: Dialect, defined: Mapping[str, TypeRead]) -> TypeRead:
    """Return PIQL's type for the tokens of another; raise LeftOut with the reason where there is none.

    `defined` holds the domains and enumerations of the input by their names in lower case.
    """
    if not tokens:
        if dialect is SQLITE:
            return TypeRead("TEXT", "has no type in the input: TEXT is assumed")
        raise LeftOut("it has no type")
    base, arguments = _base(tokens)
    is_unsigned = base.endswith(" UNSIGNED")
    base = base.removesuffix(" UNSIGNED").strip()
    original = shown(tokens)
    if any(token.text in "[]" for token in tokens if token.kind == "symbol") or base.endswith(" ARRAY"):
        raise LeftOut(SEVERAL_VALUES)
    for name in (base, base.split(" ")[0]):
        definition = defined.get(name.rsplit(".", 1)[-1].lower())
        if definition is not None:
            return TypeRead(definition.type, f"{original}: {definition.change}", definition.is_generated)
    if base == "COUNTER":
        raise LeftOut("PIQL has no counters: use a BIGINT in a table of its own, and UPDATE … SET n = n + 1")
    if base in _COLLECTIONS and dialect is CQL:
        raise LeftOut(SEVERAL_VALUES)
    if base in ("ENUM", "SET"):
        values = [unquoted(token) for token in tokens if token.kind == "string"]
        return enumeration(values, is_set=base == "SET")
    read = _sized(base, [shown([token]) for token in arguments if token.text != ","], is_unsigned, dialect)
    if read is None:
        raise LeftOut(f"PIQL has no type {original}")
    return TypeRead(
        read.type, read.change and f"{original} becomes {read.type}, which {read.change}", read.is_generated
    )


def _base(tokens: Sequence[ForeignToken]) -> tuple[str, list[ForeignToken]]:
    """Return the name of a type in upper case, without brackets, and the tokens in its first brackets.

    `pg_catalog.varchar(40)` is `VARCHAR` and 40; `TIMESTAMP(3) WITH TIME ZONE` is `TIMESTAMP WITH TIME ZONE` and 3.
    """
    words: list[str] = []
    arguments: list[ForeignToken] = []
    depth = groups = 0
    for token in tokens:
        if token.text in ("(", "<"):
            depth += 1
            groups += 1
        elif token.text in (")", ">"):
            depth -= 1
        elif depth == 0 and token.word not in _IGNORED and token.text not in ("[", "]"):
            if token.text == "BINARY" and words:  # MySQL's collation behind a text; BINARY alone is a type
                continue
            is_joined = bool(words) and (token.text == "." or words[-1].endswith("."))
            name = unquoted(token).upper() if token.kind == "quoted" else token.word
            if is_joined:
                words[-1] += name
            else:
                words.append(name)
        elif depth == 1 and groups == 1:
            arguments.append(token)
    base = " ".join(words)
    schema, _, plain = base.rpartition(".")
    return (plain if schema in _SYSTEM_SCHEMAS else base), arguments


def enumeration(values: Sequence[str], *, is_set: bool = False) -> TypeRead:
    """Return the text type that holds one of some values, or with `is_set` several of them with commas between."""
    length = sum(len(value) + 1 for value in values) if is_set else max(map(len, values), default=1)
    kind = "several of" if is_set else "any text, not only"
    examples = ", ".join(map(repr, values[:_SHOWN_VALUES])) + (", …" if len(values) > _SHOWN_VALUES else "")
    text = f"VARCHAR({max(length, 1)})"
    return TypeRead(text, f"becomes {text}, which takes {kind} {examples}")


def _sized(base: str, arguments: Sequence[str], is_unsigned: bool, dialect: Dialect) -> TypeRead | None:
    """Return PIQL's type for a name with its arguments; None where there is none."""
    words = (argument.split(" ")[0] for argument in arguments)  # Oracle writes VARCHAR2(40 CHAR)
    numbers = [int(word) for word in words if word.isdecimal() and len(word) <= _ARGUMENT_DIGITS]
    if base in _SERIAL:
        return TypeRead(_SERIAL[base], is_generated=True)
    if base in _CHARACTERS:
        return _text(_CHARACTERS[base], numbers)
    if base in _EXACT:
        return _exact(base, numbers, arguments, dialect)
    if base == "BIT":
        if numbers and numbers[0] > 1:
            return TypeRead(f"VARCHAR({numbers[0]})", "is kept as text of 0 and 1")
        return TypeRead("BOOLEAN", "" if dialect is TSQL else "takes TRUE and FALSE")
    if base == "TINYINT" and numbers == [1] and dialect is MYSQL:
        return TypeRead("BOOLEAN", "takes TRUE and FALSE")
    if base in ("TIMESTAMP", "ROWVERSION") and dialect is TSQL:
        return None
    if base == "DATE" and dialect is ORACLE:
        return TypeRead("TIMESTAMP", "keeps the time of the day, as Oracle's DATE does")
    if is_unsigned and base in ("INT", "INTEGER"):
        return TypeRead("BIGINT", "holds the large numbers of UNSIGNED, and negative ones")
    if is_unsigned and base == "BIGINT":
        return TypeRead("DECIMAL(20)", "holds the large numbers of UNSIGNED, and negative ones")
    for name in (base, base.split(" ")[0]) if base.startswith("INTERVAL") else (base,):
        if name in _NAMES:
            written, change = _NAMES[name]
            if written == "INT" and dialect is SQLITE:
                return TypeRead("BIGINT")  # each integer of SQLite has 64 bits, whatever its type is called
            return TypeRead(written, change or ("takes negative numbers, too" if is_unsigned else ""))
    if dialect is SQLITE:
        return _by_affinity(base)
    return None


def _text(kind: str, numbers: Sequence[int]) -> TypeRead:
    """Return the type of a VARCHAR or CHAR with its length, if `numbers` holds one."""
    if (not numbers and kind == "VARCHAR") or (numbers and numbers[0] > LONGEST):
        return TypeRead("TEXT")
    length = max(numbers[0], 1) if numbers else 1
    if kind == "CHAR" and length > 1:
        return TypeRead(f"VARCHAR({length})", "is not filled up with blanks")
    return TypeRead(f"VARCHAR({length})")


def _exact(base: str, numbers: Sequence[int], arguments: Sequence[str], dialect: Dialect) -> TypeRead:
    """Return the type of a number with a precision and a scale: a DECIMAL, of Oracle's NUMBER an INT where it fits.

    Oracle's negative scale, as in NUMBER(5, -2), means digits before the point beside the precision.
    """
    is_negative = "-" in arguments
    if not numbers or arguments[0] == "*":  # NUMBER(*, 0) and NUMBER are of any size
        if dialect is MYSQL:
            return TypeRead("DECIMAL(10)")
        return TypeRead("DECIMAL", f"holds {MAX_PRECISION} digits at most")
    precision, scale = numbers[0], numbers[1] if len(numbers) > 1 and not is_negative else 0
    if is_negative:
        precision += numbers[1] if len(numbers) > 1 else 0
    if base == "NUMBER" and scale == 0 and precision <= _BIGINT_DIGITS:
        return TypeRead("INT" if precision <= _INT_DIGITS else "BIGINT", "takes larger numbers, too")
    precision = max(precision, scale, 1)
    if precision > MAX_PRECISION:
        scale = min(scale, MAX_PRECISION)
        digits = f"({MAX_PRECISION}, {scale})" if scale else f"({MAX_PRECISION})"
        return TypeRead(f"DECIMAL{digits}", f"holds {MAX_PRECISION} digits at most")
    return TypeRead(f"DECIMAL({precision}, {scale})" if scale else f"DECIMAL({precision})")


def _by_affinity(base: str) -> TypeRead:
    """Return the type by SQLite's rules of affinity: a type may have any name, and parts of it say what is kept.

    The rules are those of https://www.sqlite.org/datatype3.html, section 3.1.
    """
    if "INT" in base:
        return TypeRead("BIGINT", "is what SQLite keeps under this name")
    if any(part in base for part in ("CHAR", "CLOB", "TEXT")):
        return TypeRead("TEXT", "is what SQLite keeps under this name")
    if "BLOB" in base:
        return TypeRead("BLOB", "is what SQLite keeps under this name")
    if any(part in base for part in ("REAL", "FLOA", "DOUB")):
        return TypeRead("DOUBLE", "is what SQLite keeps under this name")
    return TypeRead("TEXT", "is assumed: SQLite keeps any value under this name")
