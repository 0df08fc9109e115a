"""What is shown beside a name: what it is, and for a query its bound."""

from __future__ import annotations

from dataclasses import dataclass

from piql.catalog import Table
from piql.compilation import Compilation, CompiledQuery
from piql.language_service.occurrences import Occurrence, Symbol, occurrences_of
from piql.logical.operators import QueryParameter
from piql.source import Span
from piql.syntax.parser import parse


@dataclass(frozen=True, slots=True)
class Hover:
    """Markdown about what stands at `span`."""

    span: Span
    markdown: str


def hover(compilation: Compilation, file: str, offset: int) -> Hover | None:
    """Say what the name at an offset is."""
    found = occurrences_of([parse(each) for each in compilation.sources])
    for each in found:
        if each.span.file == file and each.span.start <= offset <= each.span.end:
            text = _about(compilation, each, found)
            return Hover(each.span, text) if text else None
    return None


def _about(compilation: Compilation, occurrence: Occurrence, all_of_them: list[Occurrence]) -> str:
    symbol = occurrence.symbol
    match symbol.kind:
        case "table":
            table = compilation.tables.get(symbol.name)
            return _table(table) if table is not None else ""
        case "column":
            table = compilation.tables.get(symbol.owner)
            return _column(table, symbol.name) if table is not None else ""
        case "query":
            query = compilation.queries.get(symbol.name)
            return _query(query) if query is not None else ""
        case "parameter":
            return _parameter(compilation, symbol)
        case "alias":
            return _alias(compilation, symbol, all_of_them)
        case "index":
            index = compilation.indexes.get(symbol.name) or compilation.catalog.indexes.get(symbol.name)
            if index is None:
                return ""
            columns = ", ".join(each.name + ("" if each.ascending else " DESC") for each in index.columns)
            return f"**{index.name}** index on {index.table} ({columns})"
    return ""


def _code(text: str) -> str:
    return f"```piql\n{text}\n```"


def _table(table: Table) -> str:
    lines = [f"{each.name} {each.type}{'' if each.nullable else ' NOT NULL'}" for each in table.columns]
    lines.append(f"PRIMARY KEY ({', '.join(table.primary_key)})")
    lines += [f"UNIQUE ({', '.join(each.columns)})" for each in table.unique_keys]
    for limit in table.limits:
        columns = ", ".join(limit.columns)
        counted = f"TOKEN({columns})" if limit.is_token else columns
        lines.append(f"CARDINALITY LIMIT {limit.limit} ({counted})")
    inside = ",\n".join(f"  {line}" for line in lines)
    return _code(f"TABLE {table.name} (\n{inside}\n)")


def _column(table: Table, name: str) -> str:
    column = table.column(name)
    if column is None:
        return ""
    notes = []
    if name in table.primary_key:
        notes.append(f"part of the primary key ({', '.join(table.primary_key)})")
    for key in table.foreign_keys:
        if name in key.columns:
            notes.append(f"refers to {key.table} ({', '.join(key.referenced_columns)})")
    for limit in table.limits:
        if name in limit.columns and not limit.is_token:
            notes.append(f"at most {limit.limit} {table.name} share one ({', '.join(limit.columns)})")
    text = _code(f"{table.name}.{name} {column.type}{'' if column.nullable else ' NOT NULL'}")
    return text + "".join(f"\n\n{note}" for note in notes)


def _query(query: CompiledQuery) -> str:
    if query.bound is None:
        errors = [each.message for each in query.diagnostics if each.severity == "error"]
        return f"**{query.name}** is refused" + "".join(f"\n\n{each}" for each in errors[:3])
    bound = query.bound
    heads = [f"at most {bound.operations} operations", f"{bound.round_trips} round trips"]
    if query.scaling_class is not None:
        heads.append(f"class {query.scaling_class}")
    return f"**{query.name}** {' · '.join(heads)}\n\n`{bound.formula}`"


def _parameter(compilation: Compilation, symbol: Symbol) -> str:
    for query in compilation.queries.values():
        if query.name.lower() == symbol.owner:
            for each in query.parameters:
                if each.name == symbol.name:
                    return _code(_parameter_line(each))
    return ""


def _parameter_line(parameter: QueryParameter) -> str:
    if parameter.max_items is not None:
        return f"[{parameter.name}] list of {parameter.type}, at most {parameter.max_items}"
    most = f", at most {parameter.max_value}" if parameter.max_value is not None else ""
    return f"[{parameter.name}] {parameter.type}{most}"


def _alias(compilation: Compilation, symbol: Symbol, all_of_them: list[Occurrence]) -> str:
    """An alias stands directly behind the table that it names."""
    before: Occurrence | None = None
    for each in all_of_them:
        if each.symbol == symbol and each.is_definition:
            table = compilation.tables.get(before.symbol.name) if before is not None else None
            return _table(table) if table is not None and before is not None and before.symbol.kind == "table" else ""
        before = each
    return ""
