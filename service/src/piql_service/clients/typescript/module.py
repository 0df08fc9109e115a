"""From a deployed set to the text of its TypeScript client."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from piql.schema.catalog import SqlType

from piql_service.clients.layout import listed
from piql_service.clients.names import Names, is_plain
from piql_service.clients.rows import RowType, bound_of, of_json, row_types
from piql_service.contract.deployed_set import ServedParameter, ServedQuery, ServedSet

_TYPES: Mapping[str, tuple[str, str]] = {  # the type, and the function of the runtime's `values` that reads it
    "int32": ("number", "number"),
    "int64": ("bigint", "bigint"),
    "double": ("number", "number"),
    "decimal": ("Decimal", "decimal"),
    "boolean": ("boolean", "boolean"),
    "string": ("string", "text"),
    "object": ("Uint8Array", "blob"),
    "date-time": ("Date", "timestamp"),
    "date": ("DateText", "date"),
    "uuid": ("UuidText", "uuid"),
}
_ANY = ("unknown", "anything")
_ANSWERS = {"read": "Promise<Answer<{}>>", "pages": "Pages<{}>", "write": "Promise<Written<{}>>"}
_RUNTIME = Path(__file__).with_name("runtime.ts")
# What the runtime takes from the language; a type of this name would hide it.
_GLOBALS = frozenset(
    "AbortSignal Array AsyncIterableIterator BigInt Date Error ErrorOptions IteratorResult JSON Map Number Object "
    "Promise Queries RangeError Readonly Record Response String Symbol TypeError Uint8Array".split()
)
_DECLARED = re.compile(r"^(?:export )?(?:class|interface|type|function|const) (\w+)", re.MULTILINE)


def module(served: ServedSet, first_line: str) -> str:
    """Return the client of a set as the text of one module; `first_line` says where it comes from."""
    runtime = _RUNTIME.read_text(encoding="utf-8")
    rows = row_types(served, Names({*_GLOBALS, *_DECLARED.findall(runtime)}))
    methods = [
        line for query in served.queries.values() for line in ("", *_method(query, rows.of_query.get(query.name)))
    ]
    used = {row.name for row in rows.of_query.values()}
    parts = [
        f"// {first_line}\n// The deployed queries as functions: `new Queries(new Connection('http://…'))`.",
        runtime,
        *(_row(row) for row in rows.all),
        *(_columns(row) for row in rows.all if row.name in used),
        "\n".join(
            (
                "/** The deployed queries, each a method. They throw a ClientError. */",
                "export class Queries {",
                "  readonly #connection: Connection\n",
                "  constructor(connection: Connection) {",
                "    this.#connection = connection",
                "  }",
                *methods,
                "}",
            )
        ),
    ]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def _row(row: RowType) -> str:
    fields = [f"  {_key(column.name)}: {_type(column.type, is_nullable=column.nullable)}" for column in row.columns]
    return "\n".join((f"/** {row.about} */", f"export interface {row.name} {{", *fields, "}"))


def _columns(row: RowType) -> str:
    lines = [f"  {_key(column.name)}: {_read(column.type, is_nullable=column.nullable)}," for column in row.columns]
    return "\n".join((f"const {_columns_name(row)}: Columns<{row.name}> = {{", *lines, "}"))


def _columns_name(row: RowType) -> str:
    return f"_{row.name}"


def _read(type: SqlType | None, *, is_nullable: bool) -> str:
    _, read = _both(type)
    return f"values.nullable(values.{read})" if is_nullable and type is not None else f"values.{read}"


def _method(query: ServedQuery, row: RowType | None) -> Iterator[str]:
    fields = [f"{_key(parameter.name)}: {_parameter(parameter)}" for parameter in query.parameters]
    passed = [_text(query.name), "parameters" if fields else "{}"]
    if query.is_paged:
        passed.append("cursor")
    passed.append(_columns_name(row) if row is not None else "null")
    kind = "write" if query.is_write else "pages" if query.is_paged else "read"
    cursor = "cursor: string | null = null" if query.is_paged else ""
    end = f"{cursor}): {_ANSWERS[kind].format(row.name if row is not None else 'never')} {{"
    yield f"  /** {bound_of(query)} */"
    if fields:
        start = f"  {_key(query.name)}(parameters: {{ "
        yield listed(start, fields, f" }}{', ' if cursor else ''}{end}", separator=";", step=2)
    else:
        yield f"  {_key(query.name)}({end}"
    yield f"    return this.#connection.{kind}({', '.join(passed)})"
    yield "  }"


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _key(name: str) -> str:
    """Return a name as that of a property; computed where the language gives the plain one a meaning."""
    if name in ("constructor", "__proto__"):
        return f"[{_text(name)}]"
    return name if is_plain(name) else _text(name)


def _parameter(parameter: ServedParameter) -> str:
    if parameter.max_items is None:
        return _type(parameter.type, is_nullable=parameter.nullable)
    return f"readonly {_type(parameter.type, is_nullable=False)}[]"


def _type(type: SqlType | None, *, is_nullable: bool) -> str:
    name, _ = _both(type)
    return f"{name} | null" if is_nullable and type is not None else name


def _both(type: SqlType | None) -> tuple[str, str]:
    return _ANY if type is None else of_json(type, _TYPES)
