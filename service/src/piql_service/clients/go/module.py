"""From a deployed set to the text of its Go client."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from piql.schema.catalog import SqlType

from piql_service.clients.names import Names
from piql_service.clients.rows import RowType, bound_of, of_json, row_types
from piql_service.clients.runtime_parts import join_parts
from piql_service.contract.deployed_set import ServedParameter, ServedQuery, ServedSet


class _Type(NamedTuple):
    """A type, and the function of the runtime that reads it from JSON."""

    name: str
    read: str


_TYPES: Mapping[str, _Type] = {
    "int32": _Type("int32", "whole"),
    "int64": _Type("int64", "bigint"),
    "double": _Type("float64", "double"),
    "decimal": _Type("Decimal", "decimal"),
    "boolean": _Type("bool", "boolean"),
    "string": _Type("string", "text"),
    "object": _Type("Blob", "blob"),
    "date-time": _Type("time.Time", "timestamp"),
    "date": _Type("Date", "date"),
    "uuid": _Type("UUID", "uuid"),
}
_ANY = _Type("any", "anything")
_RUNTIME = Path(__file__).with_name("runtime")
_PART = re.compile(
    r'// [^\n]*\n\npackage piqlclient\n\n(?P<imports>(?:import "[^\n]*\n|import \(.*?\n\)\n)?)\n?(?P<body>.*)',
    re.DOTALL,
)
_IMPORT = re.compile(r'"([\w/]+)"')
_KEYWORDS = frozenset(
    "break case chan const continue default defer else fallthrough for func go goto if import interface map package "
    "range return select struct switch type var".split()
)
# Names that the language declares, and those that a generated method uses itself.
_IN_METHODS = frozenset(
    "any bool byte error false float64 int32 int64 nil string true ctx cursor queries context time".split()
)
_DECLARED = re.compile(r"^(?:func|type) (\w+)|^\t(\w+) +(?:RefusalCode|Consistency)? ?=", re.MULTILINE)


def module(served: ServedSet, first_line: str) -> str:
    """Return the client of a set as the text of one package; `first_line` says where it comes from."""
    imports, runtime = join_parts(_RUNTIME, _PART, _IMPORT)
    declared = {name for pair in _DECLARED.findall(runtime) for name in pair if name}
    rows = row_types(served, _Exported({*declared, "Queries", "NewQueries"}))
    used = {row.name for row in rows.of_query.values()}
    about = "// Package piqlclient has the deployed queries as methods of Queries."
    parts = [
        f"// {first_line}",
        f"{about}\npackage piqlclient",
        "\n".join(("import (", *(f'\t"{name}"' for name in imports), ")")),
        runtime,
        *(_row(row) for row in rows.all),
        *(_reader(row) for row in rows.all if row.name in used),
        _queries(served, {name: row.name for name, row in rows.of_query.items()}, declared),
    ]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


class _Exported(Names):
    """Names that other packages see: they begin with a capital letter. The language takes letters and digits only."""

    def function(self, name: str) -> str:
        return self.type(name)

    def type(self, name: str) -> str:
        return super().type(_capital(_letters(name)))


class _Local(Names):
    """Names of parameters."""

    def function(self, name: str) -> str:
        return super().function(_letters(name))


def _letters(name: str) -> str:
    """Return a name in which what is neither a letter nor a digit is an underscore."""
    kinds = ((character, unicodedata.category(character)) for character in unicodedata.normalize("NFKC", name))
    return "".join(character if kind[0] == "L" or kind == "Nd" else "_" for character, kind in kinds)


def _capital(name: str) -> str:
    """Return a name that begins with a capital letter; letters that have none come behind an X."""
    stripped = name.lstrip("_")
    first = stripped[:1].upper()
    is_capital = len(first) == 1 and unicodedata.category(first) in ("Lu", "Lt")
    return f"{first}{stripped[1:]}" if is_capital else f"X{stripped}"


def _fields(row: RowType) -> Iterator[tuple[str, str, str]]:
    """Yield the name, the type and the reading of each field."""
    names = _Exported(())
    for column in row.columns:
        kind, may_be_null = _both(column.type), column.nullable and column.type is not None
        how = "nullable" if may_be_null or column.type is None else "required"
        name = f"*{kind.name}" if may_be_null else kind.name
        reading = f"{how}(reading, {_quoted(column.name)}, {kind.read})"
        yield names.type(column.name), name, reading if column.type is not None else f"unwrapped({reading})"


def _row(row: RowType) -> str:
    fields = list(_fields(row))
    width = max((len(name) for name, _, _ in fields), default=0)
    declared = [f"\t{name.ljust(width)} {kind}" for name, kind, _ in fields]
    return "\n".join((f"// {row.name} is {_lower(row.about)}", f"type {row.name} struct {{", *declared, "}"))


def _reader(row: RowType) -> str:
    fields = list(_fields(row))
    width = max((len(name) + 1 for name, _, _ in fields), default=0)
    read = [f"\t\t{f'{name}:'.ljust(width)} {reading}," for name, _, reading in fields]
    return "\n".join(
        (f"func {_reader_name(row.name)}(reading *row) {row.name} {{", f"\treturn {row.name}{{", *read, "\t}", "}")
    )


def _reader_name(row: str) -> str:
    return f"rowOf{row}"


def _lower(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:]


def _queries(served: ServedSet, rows: Mapping[str, str], declared: set[str]) -> str:
    names = _Exported(())
    lines = [
        "// Queries has the deployed queries, each a method.",
        "type Queries struct {",
        "\tconnection *Connection",
        "}",
        "",
        "// NewQueries returns the queries over a connection.",
        "func NewQueries(connection *Connection) *Queries {",
        "\treturn &Queries{connection}",
        "}",
    ]
    for query in served.queries.values():
        lines += ["", *_method(query, names.function(query.name), rows.get(query.name), declared)]
    return "\n".join(lines)


def _method(query: ServedQuery, method: str, row: str | None, declared: set[str]) -> Iterator[str]:
    names = _Local({*_KEYWORDS, *_IN_METHODS, *declared})
    arguments = [(names.function(parameter.name), parameter) for parameter in query.parameters]
    signature = [f"{argument} {_parameter(parameter)}" for argument, parameter in arguments]
    values = _parameters(arguments)
    answer, of = row or "NoRow", _reader_name(row) if row is not None else "noRow"
    yield f"// {method}: {_lower(bound_of(query))}{_PAGES if query.is_paged else ''}"
    if query.is_paged:
        yield f"func (queries *Queries) {method}({', '.join([*signature, 'cursor string'])}) *Pages[{answer}] {{"
        yield f"\treturn pagesOf(queries.connection, {_quoted(query.name)}, {values}, cursor, {of})"
    else:
        kind, function = ("Written", "write") if query.is_write else ("Answer", "read")
        taken = ", ".join(["ctx context.Context", *signature])
        yield f"func (queries *Queries) {method}({taken}) ({kind}[{answer}], error) {{"
        yield f"\treturn {function}(ctx, queries.connection, {_quoted(query.name)}, {values}, {of})"
    yield "}"


_PAGES = " The cursor is empty for the first page."


def _parameters(arguments: Sequence[tuple[str, ServedParameter]]) -> str:
    values = [
        (parameter.name, name if parameter.max_items is None else f"list({name})") for name, parameter in arguments
    ]
    return f"parameters{{{', '.join(f'{_quoted(name)}: {value}' for name, value in values)}}}"


def _quoted(name: str) -> str:
    """Return a text as the language writes it; JSON's escapes are its own but for halves of characters."""
    return json.dumps(name, ensure_ascii=False)


def _parameter(parameter: ServedParameter) -> str:
    kind = _both(parameter.type)
    if parameter.max_items is not None:
        return f"[]{kind.name}"
    return f"*{kind.name}" if parameter.nullable and parameter.type is not None else kind.name


def _both(type: SqlType | None) -> _Type:
    return _ANY if type is None else of_json(type, _TYPES)
