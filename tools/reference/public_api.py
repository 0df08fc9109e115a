"""python.md: the public names of the package `piql`, from their signatures and docstrings."""

from __future__ import annotations

import dataclasses
import inspect

import piql
from piql import errors

from reference.markdown import block, code, docstring, first_sentence, table

_CLASSES = (
    *(
        "Database",
        "PrometheusExporter",
        "Session",
        "Page",
        "Build",
        "BuildProgress",
        "Compilation",
        "CompiledQuery",
        "Bound",
    ),
    *("Diagnostic", "Label", "Fix", "Edit", "Span", "Source"),
)
# What the code leaves to the name of a member.
_MEMBERS: dict[str, dict[str, str]] = {
    "Database": {"store": "the store beneath"},
    "PrometheusExporter": {},
    "Session": {"token": "what the client keeps"},
    "Page": {
        "rows": "a dict each, in the order asked; of a write those of RETURNING",
        "cursor": "goes on behind this page; None at the end and without PAGINATE",
        "operations": "the requests it made, never more than the bound",
        "round_trips": "the requests that waited for one another; with `lazy` and `simple` all may",
        "attempts": "what the driver sent: retries and server pages, too",
        "statements": "the CQL statements that its reads were sent as, on a cluster: one may hold many requests",
        "repair_operations": "requests that settled interrupted writes",
        "elapsed_ms": "from the call to the rows",
        "rows_affected": "of a write: the rows it inserted, changed or deleted; None for a query",
        "incidents": "what is wrong in the store: a limit that is passed, or an index entry without its record",
    },
    "Build": {},
    "BuildProgress": {
        "version": "the number of the version on its way",
        "phase": "filling and checking, then in force, refused or cancelled; canary while it is tried, then closing",
        "rows_done": "rows walked through, by all of its tasks",
        "rows_estimate": "about how many there are to walk through",
        "is_paused": "whether it rests until it is resumed",
        "is_running": "whether some process drives it",
        "started_at": "when it was announced",
        "reason": "why it was refused, with a count and some of what breaks it",
        "canary": "how it is tried, or will be: its `share` of the executions; None where it is not",
        "is_done": "whether it is over, in one way or another",
    },
    "Compilation": {
        "sources": "the texts, by file",
        "catalog": "the schema",
        "tables": "the tables by name",
        "queries": "the queries by name, refused and broken ones too",
        "diagnostics": "all findings, in the order of the files",
        "has_errors": "whether it is refused",
    },
    "CompiledQuery": {
        "name": "as in CREATE QUERY",
        "kind": "what it does",
        "span": "of the whole statement",
        "name_span": "of its name",
        "parameters": "in the order of their ordinals",
        "bound": "None when refused",
        "scaling_class": "of the VLDB paper; None for what cannot be read",
        "unbounded": "the segments that no fact bounds",
        "statements": "of a unit, its writes and LETs, each compiled as if it stood alone",
        "diagnostics": "the findings that belong to it",
        "is_bounded": "whether it has a bound",
    },
    "Bound": {
        "operations": "requests to the store",
        "round_trips": "requests on the longest path",
        "rows": "rows returned",
        "bytes": "bytes fetched",
        "formula": "the requests in the names of the limits",
        "rows_formula": "the rows in the names of the limits",
        "rows_fetched": "rows that all requests bring back",
        "terms": "each name with its value and the fact that proves it",
        "by_operator": "what each operator of the plan adds",
        "puts": "of a write",
        "deletes": "of a write",
        "reads": "requests that read",
        "counts": "requests that count a group for its limit",
    },
    "Diagnostic": {
        "code": "a stable slug with a [page](codes/README.md)",
        "severity": "error, warning or info",
        "message": "one sentence in the words of the text",
        "span": "what is meant",
        "labels": "further places",
        "help": "what to do, in words",
        "fixes": "what to do, as edits",
    },
    "Label": {"span": "the place", "text": "why it belongs to the finding"},
    "Fix": {"title": "what it does", "edits": "never overlapping"},
    "Edit": {
        "file": "empty for plain text",
        "start": "code point, counted from 0",
        "end": "behind the last code point replaced",
        "text": "what stands there then",
    },
    "Span": {
        "source": "the text it is of",
        "start": "code point, counted from 0",
        "end": "behind the last code point",
        "file": "empty for plain text",
        "text": "what stands there",
        "line": "counted from 1",
        "utf16_column": "counted from 1, as editors do",
        "end_line": "counted from 1",
        "end_utf16_column": "counted from 1, as editors do",
    },
    "Source": {"text": "the whole text", "name": "of the file", "span": "the range between two offsets"},
}
_FUNCTIONS = ("compile", "connect", "aconnect")


def pages() -> dict[str, str]:
    """Return the page about the public names of `piql`, by file name."""
    named = {name: getattr(piql, name) for name in piql.__all__}
    functions = [(code(_signature(name, named[name])), first_sentence(named[name])) for name in _FUNCTIONS]
    raised = [name for name, member in named.items() if isinstance(member, type) and issubclass(member, piql.PiqlError)]
    undescribed = set(named) - set(raised) - set(_CLASSES) - set(_FUNCTIONS)
    assert not undescribed, f"python.md says nothing of {undescribed}"
    errors_of_all = [(code(name), first_sentence(named[name])) for name in sorted(raised)]
    text = f"""
# Python

Everything that `import piql` offers. What compiling and executing promise is described in the
[guide](../language.md).

{table(("function", "does"), functions)}

{chr(10).join(_class(named[name]) for name in _CLASSES)}

## Errors

{block(docstring(errors).split(chr(10) * 2, 1)[1])}

{table(("error", "is raised because"), errors_of_all)}
"""
    return {"python.md": text}


def _class(described: type) -> str:
    parts = [f"## {described.__name__}", first_sentence(described)]
    members = [*_fields(described), *_members(described)]
    if members:
        parts.append(table(("member", "is"), members))
    return "\n\n".join(parts) + "\n"


def _fields(described: type) -> list[tuple[str, str]]:
    """Return the fields of a dataclass or NamedTuple with their types, each with its comment or its row in _MEMBERS."""
    annotations = described.__annotations__
    if dataclasses.is_dataclass(described):
        names = [field.name for field in dataclasses.fields(described)]
    else:
        names = list(getattr(described, "_fields", ()))
    comments = _comments(described)
    members = _MEMBERS[described.__name__]
    return [(code(f"{name}: {_written(annotations[name])}"), comments.get(name) or members[name]) for name in names]


def _written(annotation: object) -> str:
    return str(getattr(annotation, "__forward_arg__", annotation))


def _comments(described: type) -> dict[str, str]:
    """Return the comments behind the fields of a class, from its source."""
    documented: dict[str, str] = {}
    for line in inspect.getsource(described).split("\n"):
        declaration, hash_sign, comment = line.partition("  # ")
        name, colon, _ = declaration.strip().partition(":")
        if hash_sign and colon and name.isidentifier():
            documented[name] = comment
    return documented


def _members(described: type) -> list[tuple[str, str]]:
    """Return the public methods and properties of a class, each with its first sentence or its row in _MEMBERS."""
    rows: list[tuple[str, str]] = []
    members = _MEMBERS[described.__name__]
    for name, member in vars(described).items():
        if name.startswith("_"):
            continue
        if inspect.isfunction(member):
            rows.append((code(_signature(name, member)), first_sentence(member) or members[name]))
        elif isinstance(member, property) and member.fget is not None:
            result = member.fget.__annotations__.get("return", "")
            rows.append((code(f"{name}: {result}"), first_sentence(member.fget) or members[name]))
    return rows


def _signature(name: str, function: object) -> str:
    parameters = []
    for parameter in inspect.signature(function).parameters.values():  # type: ignore[arg-type]
        if parameter.name == "self":
            continue
        default = "" if parameter.default is inspect.Parameter.empty else f" = {parameter.default!r}"
        parameters.append(f"{parameter.name}: {parameter.annotation}{default}")
    result = getattr(function, "__annotations__", {}).get("return", "None")
    return f"{name}({', '.join(parameters)}) -> {result}"
