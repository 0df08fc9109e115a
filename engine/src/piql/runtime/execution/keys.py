"""From the key parts of a read to the arguments of its requests: one tuple for each combination of key values.

    owner = [me] AND day IN (1, 2), with [me] 'ann'                 ("ann", 1), ("ann", 2)
    the same over an index in 2 buckets                             (0, "ann", 1), (0, "ann", 2), (1, "ann", 1), …
    owner = [me], with [me] NULL                                    none: nothing equals NULL

A value whose type differs from that of its key is converted; one that no key can equal, such as 2.5 for an INT, makes
no request. A range after the key (`day > 3`) is `RangeEnds`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any

from piql.compiler.binding.types import BARE, type_of
from piql.compiler.logical.expressions import Arithmetic, Case, Constant, Expression, FunctionCall, Parameter
from piql.compiler.physical.operators import KeyPart, KeyRange
from piql.runtime.execution.expressions import ExpressionCompiler
from piql.runtime.execution.preparation import Preparation
from piql.schema.catalog import Index, Kind, SqlType, Table
from piql.schema.types import NUMBERS, WHOLE, convert, range_of
from piql.schema.values import ValueMismatch
from piql.schema.words import folded
from piql.store.rows import Codec, Row

Prefixes = Callable[[Any, list[Any]], list[tuple[Any, ...]]]
"""From a child row (None for a scan) and the parameters to the key values of each request; no request where NULL."""


def prefixes(
    table: Table, index: Index, parts: tuple[KeyPart, ...], compiler: ExpressionCompiler, preparation: Preparation
) -> Prefixes:
    """Return a function from a child row `r` and the parameters `p` to the distinct combinations of key values."""
    sources = _sources(table, index, parts, compiler, preparation)
    if not any(source.is_list for source in sources):
        body = compiler.tuple_of([source.source for source in sources])
        if all(source.is_never_null for source in sources):
            return compiler.function("r, p", f"[{body}]")
        if not any(part.is_null for part in parts):
            return compiler.function("r, p", f"[] if None in (k := {body}) else [k]")
    if len(sources) == 1:
        listed = compiler.function("r, p", sources[0].source)
        return lambda row, parameters: [(key,) for key in dict.fromkeys(listed(row, parameters)) if key is not None]
    lists = compiler.function("r, p", compiler.tuple_of([source.as_list() for source in sources]))
    nulls = sum(part.is_null for part in parts)  # these stand for IS NULL; any other NULL equals nothing

    def combined(row: Any, parameters: list[Any]) -> list[tuple[Any, ...]]:
        return [key for key in dict.fromkeys(product(*lists(row, parameters))) if key.count(None) == nulls]

    return combined


def prefix_per_row(
    table: Table, index: Index, parts: tuple[KeyPart, ...], compiler: ExpressionCompiler, preparation: Preparation
) -> Callable[[list[Row], list[Any]], list[Row]] | None:
    """Return a function from child rows and the parameters to the one combination of each row, which may hold NULL.

    None if a row may have several combinations, or if the read asks for IS NULL.
    """
    sources = _sources(table, index, parts, compiler, preparation)
    if any(source.is_list for source in sources) or any(part.is_null for part in parts):
        return None
    return compiler.function("rows, p", f"[{compiler.tuple_of([source.source for source in sources])} for r in rows]")


def only_prefix(
    table: Table, index: Index, parts: tuple[KeyPart, ...], compiler: ExpressionCompiler, preparation: Preparation
) -> OnlyPrefix | None:
    """Return the sources of the key values of a scan that makes at most one request; None for other scans."""
    sources = _sources(table, index, parts, compiler, preparation)
    is_one = all((source.is_never_null or source.is_parameter) and not source.is_list for source in sources)
    if not is_one:
        return None
    return OnlyPrefix(
        [source.source for source in sources], [source.source for source in sources if source.is_parameter]
    )


@dataclass(frozen=True, slots=True)
class OnlyPrefix:
    """The sources of a key's values, and of those among them that may be NULL: then there is no request."""

    values: list[str]
    nullable: list[str]


def _sources(
    table: Table, index: Index, parts: tuple[KeyPart, ...], compiler: ExpressionCompiler, preparation: Preparation
) -> list[_Values]:
    """Return the source of the values of each key column in the index's order, its bucket numbers first."""
    by_column = {part.column: part for part in parts}
    ordered = [by_column[column.name] for column in index.columns[: len(parts)]]
    sources = [_values(table, index, part, compiler, preparation) for part in ordered]
    if index.buckets > 1:
        sources.insert(0, _Values(repr(tuple(range(index.buckets))), is_list=True))
    return sources


@dataclass(frozen=True, slots=True)
class _Values:
    """The source of one value, or of a list of values (`is_list`) that one key column may have."""

    source: str
    is_list: bool = False
    is_never_null: bool = False
    is_parameter: bool = False

    def as_list(self) -> str:
        return self.source if self.is_list else f"({self.source},)"


def _values(
    table: Table, index: Index, part: KeyPart, compiler: ExpressionCompiler, preparation: Preparation
) -> _Values:
    """Return the source of what one key column is compared with, converted to the stored form of the column."""
    if part.is_null:
        return _Values("None", is_never_null=True)
    column = next(key_column for key_column in index.columns if key_column.name == part.column)
    declared = table.column(part.column)

    def converted(value: Expression) -> tuple[str, str]:
        """Return the source of a stored value, and the name of its conversion to a key; "" if there is none."""
        if column.token_of:
            conversion: Callable[[Any], Any] | None = _folded_word
        else:
            assert declared is not None
            conversion = key_conversion(type_of(value), declared.type, preparation.store.codec)
            if conversion is None and _is_computed(value) and declared.type.kind in WHOLE:
                conversion = _null_outside(declared.type)
        return compiler.stored(value), compiler.name(conversion) if conversion else ""

    sources: list[str] = []
    for value in part.values:
        source, name = converted(value)
        if isinstance(value, Parameter) and value.max_items is not None:
            sources.append(f"*map({name}, {source})" if name else f"*{source}")
        else:
            sources.append(f"{name}({source})" if name else source)
    if len(sources) > 1 or sources[0].startswith("*"):
        return _Values(compiler.tuple_of(sources), is_list=True)
    (value,), (source,) = part.values, sources
    if converted(value)[1]:  # a conversion may turn any value into NULL
        return _Values(source)
    is_set = isinstance(value, Constant) and value.value is not None
    return _Values(source, is_never_null=is_set, is_parameter=isinstance(value, Parameter))


def _is_computed(value: Expression) -> bool:
    """Return whether a value is computed, so that a whole number may be outside the range of the key's type."""
    return isinstance(value, Arithmetic | FunctionCall | Case)


def _null_outside(type: SqlType) -> Callable[[Any], Any]:
    """Return a function that turns a whole number outside of a type's range into NULL, which equals no key."""
    low, high = range_of(type)
    return lambda value: value if value is not None and low <= value <= high else None


def _folded_word(word: str | None) -> str | None:
    return None if word is None else folded(word)


def key_conversion(
    value_type: SqlType, key_type: SqlType, codec: Callable[[SqlType], Codec | None]
) -> Callable[[Any], Any] | None:
    """Return a function from a stored number of one type to the stored number of a key's type that equals it.

    The function returns NULL where no number of the key's type equals it. None stands for no conversion: both types
    store equal values alike.
    """
    if value_type.kind is key_type.kind or not {value_type.kind, key_type.kind} <= set(NUMBERS):
        return None
    if value_type.kind is Kind.INT and key_type.kind is Kind.BIGINT:
        return None
    value_codec, key_codec = codec(BARE[value_type.kind]), codec(key_type)

    def conversion(value: Any) -> Any:
        if value is None:
            return None
        if value_codec:
            value = value_codec.decode(value)
        if key_type.kind in WHOLE:
            if value != int(value):
                return None
            value = int(value)
        try:
            converted = convert(value, BARE[key_type.kind])
        except ValueMismatch:
            return None
        return key_codec.encode(converted) if key_codec else converted

    return conversion


@dataclass(frozen=True, slots=True)
class RangeEnds:
    """The ends of a range over the key column behind the prefix.

    `ends` is a function from the child row and the parameters to the values of the ends that there are, low first;
    it returns None where an end is NULL, so that nothing matches.
    """

    has_low: bool
    is_low_included: bool
    has_high: bool
    is_high_included: bool
    ends: Callable[[Any, list[Any]], tuple[Any, ...] | None]


def range_ends(
    table: Table, key_range: KeyRange | None, compiler: ExpressionCompiler, preparation: Preparation
) -> RangeEnds | None:
    """Return the ends of a read's range; None for a read without one."""
    if key_range is None:
        return None
    column = table.column(key_range.column)
    assert column is not None
    sources: list[str] = []
    for end in (key_range.low, key_range.high):
        if end is not None:
            sources.append(_end(end, column.type, compiler, preparation))
    ends = compiler.function("r, p", f"None if None in (k := {compiler.tuple_of(sources)}) else k")
    return RangeEnds(
        key_range.low is not None,
        key_range.is_low_included,
        key_range.high is not None,
        key_range.is_high_included,
        ends,
    )


def _end(end: Expression, column_type: SqlType, compiler: ExpressionCompiler, preparation: Preparation) -> str:
    """Return the source of a range end in a form that the store compares with the column.

    INT, BIGINT and DOUBLE compare with each other as they are; only a DECIMAL column needs its own stored form.
    """
    value_type = type_of(end)
    codec = preparation.store.codec(column_type)
    if value_type.kind is column_type.kind or Kind.DECIMAL not in (value_type.kind, column_type.kind):
        source = compiler.stored(end)
        return f"{compiler.name(_as_number)}({source})" if _is_computed(end) and value_type.kind in WHOLE else source
    if column_type.kind is not Kind.DECIMAL:
        return f"{compiler.name(_as_number)}({compiler.value(end)})"
    assert codec is not None
    encode = codec.encode

    def encoded(value: Any) -> Any:
        return None if value is None else encode(convert(value, BARE[Kind.DECIMAL]))

    return f"{compiler.name(encoded)}({compiler.value(end)})"


def _as_number(value: Any) -> Any:
    """Return a number as an int where it is one of 64 bits, and as a float otherwise: what every store can compare."""
    if value is None:
        return None
    is_whole = abs(value) < 2**63 and value == int(value)
    return int(value) if is_whole else float(value)
