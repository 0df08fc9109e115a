"""From a deployed set to the text of its Java client."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from piql.schema.catalog import SqlType

from piql_service.clients.layout import listed
from piql_service.clients.names import Names
from piql_service.clients.rows import RowType, bound_of, of_json, row_types
from piql_service.clients.runtime_parts import join_parts
from piql_service.contract.deployed_set import ServedParameter, ServedQuery, ServedSet


class _Type(NamedTuple):
    """A type where a value is never NULL, and where it may be; the function of `Values` that reads it from JSON."""

    plain: str
    nullable: str
    read: str


_TYPES: Mapping[str, _Type] = {
    "int32": _Type("int", "Integer", "small"),
    "int64": _Type("long", "Long", "whole"),
    "double": _Type("double", "Double", "real"),
    "decimal": _Type("BigDecimal", "BigDecimal", "decimal"),
    "boolean": _Type("boolean", "Boolean", "truth"),
    "string": _Type("String", "String", "text"),
    "object": _Type("byte[]", "byte[]", "blob"),
    "date-time": _Type("Instant", "Instant", "timestamp"),
    "date": _Type("LocalDate", "LocalDate", "date"),
    "uuid": _Type("UUID", "UUID", "uuid"),
}
_ANY = _Type("Object", "Object", "anything")
_ANSWERS = {"read": "Answer", "pages": "Pages", "write": "Written"}
_RUNTIME = Path(__file__).with_name("runtime")
_START = "public final class PiqlClient {\n"
_PART = re.compile(rf"// [^\n]*\n(?P<imports>.*?){re.escape(_START)}(?P<body>.*)\n}}\n", re.DOTALL)
_IMPORT = re.compile(r"^import ([\w.]+);$", re.MULTILINE)
_KEYWORDS = frozenset(
    "_ abstract assert boolean break byte case catch char class const continue default do double else enum extends "
    "false final finally float for goto if implements import instanceof int interface long native new null package "
    "permits private protected public record return sealed short static strictfp super switch synchronized this throw "
    "throws transient true try var void volatile while yield".split()
)
# Methods of every object, of which none may be replaced by one of another type.
_OF_OBJECTS = frozenset("clone equals finalize getClass hashCode notify notifyAll toString wait".split())
# What the runtime takes from java.lang; a type of this name would hide it.
_LANGUAGE = frozenset(
    "Boolean Character Double IllegalArgumentException IllegalStateException IndexOutOfBoundsException Integer "
    "InterruptedException Iterable Long Math Object Override Queries Record Row RuntimeException String StringBuilder "
    "SuppressWarnings Thread Throwable Value Void".split()
)
_DECLARED = re.compile(r"\b(?:class|record|enum) (\w+)")


def module(served: ServedSet, first_line: str) -> str:
    """Return the client of a set as the text of one class; `first_line` says where it comes from."""
    imports, runtime = join_parts(_RUNTIME, _PART, _IMPORT)
    declared = {*(name.rpartition(".")[2] for name in imports), "PiqlClient", *_DECLARED.findall(runtime)}
    rows = row_types(served, Names({*_LANGUAGE, *declared}))
    about = '/** The deployed queries as methods: `new PiqlClient.Queries(new PiqlClient.Connection("http://…"))`. */'
    head = [f"// {first_line}", "".join(f"import {name};\n" for name in imports), f"{about}\n{_START}{runtime}"]
    parts = [
        *head,
        *map(_row, rows.all),
        _queries(served, {name: row.name for name, row in rows.of_query.items()}),
    ]
    return _ascii("\n\n".join(part.strip("\n") for part in parts) + "\n}\n")


def _ascii(text: str) -> str:
    """Return a text in which other characters are escaped, for compilers that take the encoding of their machine."""
    return re.sub(r"[^\x00-\x7f]", lambda match: json.dumps(match.group())[1:-1], text)


def _row(row: RowType) -> str:
    names = Names({*_KEYWORDS, *_OF_OBJECTS})
    fields = [(names.function(column.name), column) for column in row.columns]
    declared = [f"{_type(column.type, is_nullable=column.nullable)} {field}" for field, column in fields]
    read = [_read(column.name, column.type, is_nullable=column.nullable) for _, column in fields]
    return "\n".join(
        (
            f"  /** {row.about} */",
            listed(f"  public record {row.name}(", declared, ") {", step=4, ends_with_separator=False),
            f"    private static {row.name} of(Map<String, Object> row) {{",
            listed(f"      return new {row.name}(", read, ");", step=4, ends_with_separator=False),
            "    }\n  }",
        )
    )


def _read(name: str, type: SqlType | None, *, is_nullable: bool) -> str:
    read, value = _all_of(type).read, f"Values.at(row, {json.dumps(name)})"
    return (
        f"Values.nullable({value}, Values::{read})" if is_nullable and type is not None else f"Values.{read}({value})"
    )


def _queries(served: ServedSet, rows: Mapping[str, str]) -> str:
    names = Names({*_KEYWORDS, *_OF_OBJECTS})
    lines = [
        "  /** The deployed queries, each a method. They throw a ClientError. */",
        "  public static final class Queries {",
        "    private final Connection connection;\n",
        "    public Queries(Connection connection) {",
        "      this.connection = connection;",
        "    }",
    ]
    for query in served.queries.values():
        lines += ["", *_method(query, names.function(query.name), rows.get(query.name))]
    return "\n".join((*lines, "  }"))


def _method(query: ServedQuery, method: str, row: str | None) -> Iterator[str]:
    names = Names({*_KEYWORDS, "cursor"})
    arguments = [(names.function(parameter.name), parameter) for parameter in query.parameters]
    signature = [f"{_parameter(parameter)} {argument}" for argument, parameter in arguments]
    kind = "write" if query.is_write else "pages" if query.is_paged else "read"
    start = f"    public {_ANSWERS[kind]}<{row or 'Void'}> {method}("
    if query.is_paged:
        yield f"    /** {bound_of(query)} */"
        yield listed(start, signature, ") {", step=4, ends_with_separator=False)
        yield f"      return {method}({', '.join([*(argument for argument, _ in arguments), 'null'])});"
        yield "    }\n"
        signature.append("String cursor")
    yield f"    /** {bound_of(query)}{' It begins at the cursor.' if query.is_paged else ''} */"
    yield listed(start, signature, ") {", step=4, ends_with_separator=False)
    yield f"      return this.connection.{kind}("
    yield f"          {json.dumps(query.name)},"
    yield from _parameters(arguments)
    if query.is_paged:
        yield "          cursor,"
    yield f"          {row or 'Values'}::{'of' if row else 'never'});"
    yield "    }"


def _parameters(arguments: Sequence[tuple[str, ServedParameter]]) -> Iterator[str]:
    lines = ["          new Parameters()"]
    for argument, parameter in arguments:
        put = "nullable" if _may_be_null(parameter) else "given"
        lines.append(f"              .{put}({json.dumps(parameter.name)}, {argument})")
    yield from (*lines[:-1], f"{lines[-1]},")


def _parameter(parameter: ServedParameter) -> str:
    if parameter.max_items is not None:
        return f"List<{_all_of(parameter.type).nullable}>"
    return _type(parameter.type, is_nullable=parameter.nullable)


def _may_be_null(parameter: ServedParameter) -> bool:
    return parameter.max_items is None and (parameter.nullable or parameter.type is None)


def _type(type: SqlType | None, *, is_nullable: bool) -> str:
    names = _all_of(type)
    return names.nullable if is_nullable else names.plain


def _all_of(type: SqlType | None) -> _Type:
    return _ANY if type is None else of_json(type, _TYPES)
