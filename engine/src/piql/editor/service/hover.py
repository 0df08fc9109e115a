"""What is shown beside a name: what it is, and for a query its bound."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from piql.compiler.binding.types import type_of
from piql.compiler.bounds.bound import Term
from piql.compiler.logical.operators import Projection, QueryParameter
from piql.compiler.result import Compilation, CompiledQuery
from piql.editor.service.names import Names
from piql.editor.service.occurrences import Occurrence, Symbol
from piql.schema.catalog import Table
from piql.schema.read_policies import READ_POLICIES
from piql.schema.write_policies import WRITE_POLICIES
from piql.text.source import Span

_REASONS = 3  # of a refused query that are shown


@dataclass(frozen=True, slots=True)
class Hover:
    """Markdown about what stands at `span`."""

    span: Span
    markdown: str


def hover(compilation: Compilation, file: str, offset: int) -> Hover | None:
    """Return what the name or the limit at an offset is; None where there is neither."""
    names = Names({source.name: source.text for source in compilation.sources})
    occurrence = names.at(file, offset)
    if occurrence is None:
        return _limit_at(compilation, file, offset)
    text = _about(compilation, occurrence, names.in_file(file))
    return None if text is None else Hover(occurrence.span, text)


def _limit_at(compilation: Compilation, file: str, offset: int) -> Hover | None:
    """Return what the number of a limit proves, and which queries rely on it; None where no such number stands."""
    terms: dict[str, Term] = {}  # by the query that relies on it
    for query in compilation.queries.values():
        for term in query.bound.terms if query.bound is not None else ():
            span = term.number_span
            if span is not None and span.file == file and span.start <= offset <= span.end:
                terms.setdefault(query.name, term)
    first = next(iter(terms.values()), None)
    if first is None or first.number_span is None:
        return None
    queries = ", ".join(f"`{name}`" for name in terms)
    return Hover(first.number_span, f"{_fact(first)}\n\nproves the bound of {queries}")


def _fact(term: Term) -> str:
    """Return a symbol of a bound with its value and the fact that proves it."""
    value = f"{term.value:,}"
    return f"{value}: {term.reason}" if term.symbol == str(term.value) else f"`{term.symbol}` = {value}: {term.reason}"


def _about(compilation: Compilation, occurrence: Occurrence, in_file: list[Occurrence]) -> str | None:
    """Return Markdown about a symbol; None where the compilation does not know it."""
    symbol = occurrence.symbol
    match symbol.kind:
        case "table":
            table = compilation.tables.get(symbol.name)
            return _table(table) if table is not None else None
        case "column":
            table = compilation.tables.get(symbol.owner)
            return _column(table, symbol.name) if table is not None else None
        case "query":
            query = compilation.queries.get(symbol.name)
            return _query(query) if query is not None else None
        case "parameter":
            return _parameter(compilation, symbol)
        case "alias":
            return _alias(compilation, symbol, in_file)
        case "index":
            index = compilation.indexes.get(symbol.name) or compilation.catalog.indexes.get(symbol.name)
            if index is None:
                return None
            columns = ", ".join(column.name + ("" if column.ascending else " DESC") for column in index.columns)
            return f"**{index.name}** index on {index.table} ({columns})"
    return None


def _code(text: str) -> str:
    return f"```piql\n{text}\n```"


def _table(table: Table) -> str:
    lines = [f"{column.name} {column.type}{'' if column.nullable else ' NOT NULL'}" for column in table.columns]
    lines.append(f"PRIMARY KEY ({', '.join(table.primary_key)})")
    lines += [f"UNIQUE ({', '.join(key.columns)})" for key in table.unique_keys]
    lines += [limit.declaration for limit in table.limits]
    lines += [check.declaration for check in table.checks]
    inside = ",\n".join(f"  {line}" for line in lines)
    return _code(f"TABLE {table.name} (\n{inside}\n)")


def _column(table: Table, name: str) -> str | None:
    column = table.column(name)
    if column is None:
        return None
    notes: list[str] = []
    if name in table.primary_key:
        notes.append(f"part of the primary key ({', '.join(table.primary_key)})")
    if table.view is not None and table.view.window is not None and (name, table.view.window.column) in table.view.keys:
        notes.append(f"the beginning, in UTC, of {table.view.window}")
    for key in table.foreign_keys:
        if name in key.columns:
            notes.append(f"refers to {key.table} ({', '.join(key.referenced_columns)})")
    for limit in table.limits:
        if name in limit.columns and not limit.is_token:
            notes.append(f"at most {limit.limit} {table.name} share one ({', '.join(limit.columns)})")
    notes += [check.declaration for check in table.checks if name in check.test.columns]
    text = _code(f"{table.name}.{name} {column.type}{'' if column.nullable else ' NOT NULL'}")
    return text + "".join(f"\n\n{note}" for note in notes)


def _refused_query(query: CompiledQuery) -> str:
    """Return why a query has no bound: what nothing bounds, or else its first errors."""
    reasons = [segment.sentence for segment in query.unbounded]
    reasons = reasons or [diagnostic.message for diagnostic in query.diagnostics if diagnostic.severity == "error"]
    listed = "\n".join(f"- {reason}" for reason in dict.fromkeys(reasons[:_REASONS]))
    return f"**{query.name}** is refused{': nothing bounds it' if query.unbounded else ''}\n\n{listed}"


def _query(query: CompiledQuery) -> str:
    """Return the bound of a query with its formula and the facts that prove it."""
    bound = query.bound
    if bound is None:
        return _refused_query(query)
    name = f"**{query.name}**" + (f" · class {query.scaling_class}" if query.scaling_class is not None else "")
    costs = f"at most **{_counted(bound.operations, 'operation')}** in {_counted(bound.round_trips, 'round trip')}"
    if query.kind == "select":
        costs += f", {_counted(bound.rows, 'row')} returned"
    facts = [f"- {_fact(term)}" for term in bound.terms if term.symbol != str(term.value)]
    formula = f"`{bound.formula}` = {bound.operations:,}" if facts else ""
    return "\n\n".join(part for part in (name, costs, formula, "\n".join(facts), _policy(query)) if part)


def _policy(query: CompiledQuery) -> str:
    """Return what WITH READ or WITH WRITE of a query says, in words; nothing where neither is written."""
    if query.read is not None:
        reads = READ_POLICIES[query.read]
        return f"`WITH READ {query.read.upper()}`: {reads.asks} {reads.sees}"
    if query.write is not None:
        writes = WRITE_POLICIES[query.write]
        return f"`WITH WRITE {query.write.upper()}`: {writes.asks} {writes.sees}"
    return ""


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _parameter(compilation: Compilation, symbol: Symbol) -> str | None:
    for query in compilation.queries.values():
        if query.name.lower() == symbol.owner:
            for parameter in query.parameters:
                if parameter.name == symbol.name:
                    return _code(_parameter_line(parameter))
            return _let(query, symbol.name)
    return None


def _let(unit: CompiledQuery, name: str) -> str | None:
    """Return the type of a value that a unit reads by LET."""
    for statement in unit.statements:
        outputs = statement.bound_plan.outputs if isinstance(statement.bound_plan, Projection) else ()
        output = next((output for output in outputs if output.name == name), None)
        if output is not None:
            requests = statement.bound.operations if statement.bound is not None else 0
            cost = f", read by at most {_counted(requests, 'request')}" if requests else ""
            return _code(f"[{name}] {type_of(output.expression)}") + f"\n\na value of this unit{cost}"
    return None


def _parameter_line(parameter: QueryParameter) -> str:
    if parameter.max_items is not None:
        return f"[{parameter.name}] list of {parameter.type}, at most {parameter.max_items}"
    most = f", at most {parameter.max_value}" if parameter.max_value is not None else ""
    return f"[{parameter.name}] {parameter.type}{most}"


def _alias(compilation: Compilation, symbol: Symbol, in_file: list[Occurrence]) -> str | None:
    """Return the table that an alias names: the name directly before the definition of the alias."""
    for before, occurrence in pairwise(in_file):
        if occurrence.symbol == symbol and occurrence.is_definition:
            table = compilation.tables.get(before.symbol.name) if before.symbol.kind == "table" else None
            return _table(table) if table is not None else None
    return None
