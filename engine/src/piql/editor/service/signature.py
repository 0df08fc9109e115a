"""What is expected between the parentheses around an offset: a function's arguments, or the columns of an INSERT."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from piql.compiler.binding.functions import AGGREGATE_USAGES, AGGREGATES, USAGES
from piql.editor.service.names import Names
from piql.editor.service.statement_tokens import TypingContext, context_at, name_of
from piql.schema.catalog import Table


@dataclass(frozen=True, slots=True)
class Signature:
    """One call as text, `SUBSTR(text, from, length)`; `active` is the number of the parameter at the offset."""

    label: str
    parameters: tuple[tuple[int, int], ...]  # start and end in the label, in code points
    active: int
    documentation: str = ""


def signature(texts: Mapping[str, str], file: str, offset: int) -> Signature | None:
    """Return what the parentheses around an offset expect; None where it is in none, or they are of no call."""
    context = context_at(texts.get(file, ""), offset)
    if context is None:
        return None
    opening = _opening(context)
    if not opening:  # None, or the first token, before which nothing is called
        return None
    commas = _commas(context, opening)
    before = context.tokens[opening - 1]
    name = before.text.upper()
    if before.kind == "word" and name in AGGREGATES:
        return _of_usage(AGGREGATE_USAGES.get(name, f"{name}(expression)"), commas)
    if before.kind == "word" and name in USAGES:
        return _of_usage(USAGES[name], commas)
    return _of_insert(context, opening, commas, texts)


def _opening(context: TypingContext) -> int | None:
    """Return the index of the token that opens the innermost parentheses around the cursor; None outside of any."""
    depth = 0
    for at in range(context.before - 1, -1, -1):
        word = context.tokens[at].word
        if word == "(" and depth == 0:
            return at
        depth += (word == ")") - (word == "(")
    return None


def _commas(context: TypingContext, opening: int) -> int:
    """Return how many commas stand between a parenthesis and the cursor, those in further parentheses left out."""
    depth = commas = 0
    for token in context.tokens[opening + 1 : context.before]:
        depth += (token.word == "(") - (token.word == ")")
        commas += token.word == "," and depth == 0
    return commas


def _of_usage(usage: str, active: int) -> Signature:
    """Return the signature of a function from its usage, such as `SUBSTR(text, from, length), from counts from 1`."""
    head, _, tail = usage.partition("(")
    inside, _, note = tail.partition(")")
    return _signature(f"{head}(", tuple(part.strip() for part in inside.split(",")), active, note.strip(", "))


def _of_insert(context: TypingContext, opening: int, active: int, texts: Mapping[str, str]) -> Signature | None:
    """Return the columns whose values an INSERT expects; None where the parentheses are not those of its VALUES."""
    words = [token.word for token in context.tokens[:opening]]
    if words[-1:] != ["VALUES"] or "INTO" not in words or words.index("INTO") + 1 >= len(words):
        return None
    into = words.index("INTO")
    tables = Names(texts).tables
    table_name = name_of(context.tokens[into + 1]).lower()
    table = next((candidate for candidate in tables.values() if candidate.name.lower() == table_name), None)
    if table is None:
        return None
    named = [name_of(token) for token in context.tokens[into + 2 : opening] if token.kind in ("word", "quoted")]
    columns = [name for name in named if name.upper() != "VALUES"] or [column.name for column in table.columns]
    shown = tuple(_typed(table, column) for column in columns)
    return _signature(f"{table.name} VALUES (", shown, active)


def _typed(table: Table, name: str) -> str:
    """Return a column with its type, as in a CREATE TABLE."""
    column = next((candidate for candidate in table.columns if candidate.name.lower() == name.lower()), None)
    return f"{name} {column.type}{'' if column.nullable else ' NOT NULL'}" if column is not None else name


def _signature(head: str, parts: tuple[str, ...], active: int, note: str = "") -> Signature:
    """Return a signature whose parameters are `parts`; one that ends with `…` may be repeated, and stays active."""
    spans: list[tuple[int, int]] = []
    label = head
    for number, part in enumerate(parts):
        label += ", " if number else ""
        spans.append((len(label), len(label) + len(part)))
        label += part
    repeats = parts[-1].endswith("…") if parts else False
    return Signature(f"{label})", tuple(spans), min(active, len(parts) - 1) if repeats else active, note)
