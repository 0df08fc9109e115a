"""From a deployed set to the text of its Python client."""

from __future__ import annotations

import ast
import builtins
import keyword
from collections.abc import Iterator, Mapping
from pathlib import Path

from piql.schema.catalog import SqlType

from piql_service.clients.layout import listed
from piql_service.clients.names import Names
from piql_service.clients.rows import RowType, bound_of, of_json, row_types
from piql_service.contract.deployed_set import ServedParameter, ServedQuery, ServedSet

_TYPES: Mapping[str, tuple[str, str]] = {  # the type, and the function of the runtime that reads it from JSON
    "int32": ("int", "_whole"),
    "int64": ("int", "_whole"),
    "double": ("float", "_double"),
    "decimal": ("Decimal", "_decimal"),
    "boolean": ("bool", "_boolean"),
    "string": ("str", "_text"),
    "object": ("bytes", "_blob"),
    "date-time": ("Timestamp", "_timestamp"),
    "date": ("Date", "_date"),
    "uuid": ("UUID", "_uuid"),
}
_ANY = ("object", "_anything")
_ANSWERS = {"read": "Answer", "pages": "Pages", "write": "Written"}
_RUNTIME = Path(__file__).with_name("runtime.py")
_KEYWORDS = frozenset(keyword.kwlist)
_IN_ROWS = _KEYWORDS | {name for name, _ in _TYPES.values()} | {"object", "staticmethod"}  # a field hides a type


def module(served: ServedSet, first_line: str) -> str:
    """Return the client of a set as the text of one module; `first_line` says where it comes from."""
    text = _RUNTIME.read_text(encoding="utf-8")
    runtime = text[text.index("from __future__") :]
    scope = Names({*_KEYWORDS, *dir(builtins), *_top_names(runtime), "Queries"})
    methods = {name: scope.function(name) for name in served.queries}
    rows = row_types(served, scope)
    about = '"""The deployed queries as functions: `Queries(Connection("http://…"))`."""'
    parts = [
        f"# {first_line}\n# ruff: noqa\n{about}\n\n{runtime}",
        *map(_row, rows.all),
        _queries(served, methods, {name: row.name for name, row in rows.of_query.items()}),
    ]
    return "\n\n\n".join(part.strip("\n") for part in parts) + "\n"


def _top_names(text: str) -> Iterator[str]:
    """Yield the names that a module binds at its top."""
    for statement in ast.parse(text).body:
        match statement:
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                yield from (alias.name.partition(".")[0] for alias in names)
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
                yield name
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                yield name


def _row(row: RowType) -> str:
    names = Names(_IN_ROWS)
    fields = [(names.function(column.name), column) for column in row.columns]
    declared = [f"    {field}: {_type(column.type, is_nullable=column.nullable)}" for field, column in fields]
    read = [f"            {_read(column.name, column.type, is_nullable=column.nullable)}," for _, column in fields]
    return "\n".join(
        (
            "\n@dataclass(frozen=True, slots=True)",
            f"class {row.name}:",
            f'    """{row.about}"""\n',
            *declared,
            "\n    @staticmethod",
            f"    def _of(row: _Json) -> {row.name}:",
            f"        return {row.name}(",
            *read,
            "        )\n",
        )
    )


def _read(name: str, type: SqlType | None, *, is_nullable: bool) -> str:
    _, read = _both(type)
    return f"_nullable(row[{name!r}], {read})" if is_nullable and type is not None else f"{read}(row[{name!r}])"


def _queries(served: ServedSet, methods: Mapping[str, str], rows: Mapping[str, str]) -> str:
    lines = [
        "\nclass Queries:",
        '    """The deployed queries, each a method. They raise a ClientError."""\n',
        "    def __init__(self, connection: Connection) -> None:",
        "        self._connection = connection",
    ]
    for query in served.queries.values():
        lines += ["", *_method(query, methods[query.name], rows.get(query.name))]
    return "\n".join(lines)


def _method(query: ServedQuery, method: str, row: str | None) -> Iterator[str]:
    names = Names({*_KEYWORDS, "self", *(("cursor",) if query.is_paged else ())})
    arguments = [(names.function(parameter.name), parameter) for parameter in query.parameters]
    signature = [f"{argument}: {_parameter(parameter)}" for argument, parameter in arguments]
    values = [f"{parameter.name!r}: {argument}" for argument, parameter in arguments]
    passed = ["self._connection", repr(query.name), "_parameters"]
    if query.is_paged:
        signature.append("cursor: str | None = None")
        passed.append("cursor")
    passed.append(f"{row}._of" if row is not None else "_never")
    kind = "write" if query.is_write else "pages" if query.is_paged else "read"
    answer = f"{_ANSWERS[kind]}[{row or 'Never'}]"
    yield listed(f"    def {method}(", ["self", *(["*", *signature] if signature else [])], f") -> {answer}:", step=4)
    yield f'        """{bound_of(query)}"""'
    yield listed("        _parameters: _Json = {", values, "}", step=4)
    yield f"        return _{kind}({', '.join(passed)})"


def _parameter(parameter: ServedParameter) -> str:
    if parameter.max_items is None:
        return _type(parameter.type, is_nullable=parameter.nullable)
    item = _type(parameter.type, is_nullable=False)
    return f"list[{item}] | tuple[{item}, ...]"


def _type(type: SqlType | None, *, is_nullable: bool) -> str:
    name, _ = _both(type)
    return f"{name} | None" if is_nullable and type is not None else name


def _both(type: SqlType | None) -> tuple[str, str]:
    return _ANY if type is None else of_json(type, _TYPES)
