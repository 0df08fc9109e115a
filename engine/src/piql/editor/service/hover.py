"""What is shown beside a name: what it is, and for a query its bound."""

from __future__ import annotations

from dataclasses import dataclass

from piql.compiler.bounds.bound import Term
from piql.compiler.logical.operators import QueryParameter
from piql.compiler.result import Compilation, CompiledQuery
from piql.editor.service.names import Names
from piql.editor.service.occurrences import Occurrence, Symbol
from piql.schema.catalog import Table
from piql.text.source import Span


@dataclass(frozen=True, slots=True)
class Hover:
    """Markdown about what stands at `span`."""

    span: Span
    markdown: str


def hover(compilation: Compilation, file: str, offset: int) -> Hover | None:
    """Say what the name or the limit at an offset is."""
    names = Names({source.name: source.text for source in compilation.sources})
    occurrence = names.at(file, offset)
    if occurrence is None:
        return _limit_at(compilation, file, offset)
    text = _about(compilation, occurrence, names.in_file(file))
    return Hover(occurrence.span, text) if text else None


def _limit_at(compilation: Compilation, file: str, offset: int) -> Hover | None:
    """Say what a number proves, and which queries rely on it."""
    shown: tuple[Term, Span] | None = None
    users: list[str] = []
    for query in compilation.queries.values():
        for term in query.bound.terms if query.bound is not None else ():
            span = term.number_span
            if span is not None and span.file == file and span.start <= offset <= span.end:
                shown = shown or (term, span)
                users.append(f"`{query.name}`")
                break
    if shown is None:
        return None
    term, span = shown
    return Hover(span, f"{_fact(term)}\n\nproves the bound of {', '.join(users)}")


def _fact(term: Term) -> str:
    value = f"{term.value:,}"
    return f"{value}: {term.reason}" if term.symbol == str(term.value) else f"`{term.symbol}` = {value}: {term.reason}"


def _about(compilation: Compilation, occurrence: Occurrence, in_file: list[Occurrence]) -> str:
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
            return _alias(compilation, symbol, in_file)
        case "index":
            index = compilation.indexes.get(symbol.name) or compilation.catalog.indexes.get(symbol.name)
            if index is None:
                return ""
            columns = ", ".join(column.name + ("" if column.ascending else " DESC") for column in index.columns)
            return f"**{index.name}** index on {index.table} ({columns})"
    return ""


def _code(text: str) -> str:
    return f"```piql\n{text}\n```"


def _table(table: Table) -> str:
    lines = [f"{column.name} {column.type}{'' if column.nullable else ' NOT NULL'}" for column in table.columns]
    lines.append(f"PRIMARY KEY ({', '.join(table.primary_key)})")
    lines += [f"UNIQUE ({', '.join(key.columns)})" for key in table.unique_keys]
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
    bound = query.bound
    if bound is None:
        reasons = [segment.sentence for segment in query.unbounded]
        reasons = reasons or [diagnostic.message for diagnostic in query.diagnostics if diagnostic.severity == "error"]
        list_of_reasons = "\n".join(f"- {reason}" for reason in dict.fromkeys(reasons[:3]))
        return (
            f"**{query.name}** is refused: nothing bounds it\n\n{list_of_reasons}"
            if query.unbounded
            else (f"**{query.name}** is refused\n\n{list_of_reasons}")
        )
    name = f"**{query.name}**" + (f" · class {query.scaling_class}" if query.scaling_class is not None else "")
    most = f"at most **{_counted(bound.operations, 'operation')}** in {_counted(bound.round_trips, 'round trip')}"
    if query.kind == "select":
        most += f", {_counted(bound.rows, 'row')} returned"
    facts = [f"- {_fact(term)}" for term in bound.terms if term.symbol != str(term.value)]
    formula = f"`{bound.formula}` = {bound.operations:,}" if facts else ""
    return "\n\n".join(part for part in (name, most, formula, "\n".join(facts)) if part)


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _parameter(compilation: Compilation, symbol: Symbol) -> str:
    for query in compilation.queries.values():
        if query.name.lower() == symbol.owner:
            for parameter in query.parameters:
                if parameter.name == symbol.name:
                    return _code(_parameter_line(parameter))
    return ""


def _parameter_line(parameter: QueryParameter) -> str:
    if parameter.max_items is not None:
        return f"[{parameter.name}] list of {parameter.type}, at most {parameter.max_items}"
    most = f", at most {parameter.max_value}" if parameter.max_value is not None else ""
    return f"[{parameter.name}] {parameter.type}{most}"


def _alias(compilation: Compilation, symbol: Symbol, in_file: list[Occurrence]) -> str:
    """An alias stands directly behind the table that it names."""
    before: Occurrence | None = None
    for occurrence in in_file:
        if occurrence.symbol == symbol and occurrence.is_definition:
            table = compilation.tables.get(before.symbol.name) if before is not None else None
            return _table(table) if table is not None and before is not None and before.symbol.kind == "table" else ""
        before = occurrence
    return ""
