"""The parameters of a query: checked before any request is made, and turned into stored values.

    {"owner": "ada", "count": 3}   →   ["ada", 3]     in the order in which the query declares them
    {"rows": [{"id": 1, "n": 7}]}  →   [((1, 7),)]    rows may also be given as lists: [[1, 7]]

The check of all parameters is one generated function, with shortcuts for the values that most calls pass. Its result
is the list `p` in the source of expressions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from piql.compiler.binding.types import BARE
from piql.compiler.logical.operators import QueryParameter
from piql.errors import InvalidParameter, kind_of
from piql.schema.catalog import Kind, RowType, SqlType
from piql.schema.types import COLUMN_TYPES, TEXTS, WHOLE, convert, range_of
from piql.schema.values import ValueMismatch, shown
from piql.store.rows import Codec, Row

Check = Callable[[Any], Any]
"""From the value of one parameter to its stored value. Raises InvalidParameter."""

Checked = Callable[["Mapping[str, object] | None"], list[Any]]
"""From the parameters by name to their stored values in order. Raises InvalidParameter."""

_ONLY_TEXT = {str}

# A missing parameter raises LookupError, parameters that are no mapping TypeError: then `refuse` finds the message.
_CHECK = """if given is None:
        given = {{}}
    try:
        p = [{values}]
    except (LookupError, TypeError):
        refuse(given)
        raise
    if {has_more}:
        refuse(given)"""


class ParameterChecks:
    """The check of a query's parameters, as a function and as source for a larger generated function.

    slots      the position of each parameter in the list of stored values
    checked    the function
    source     statements that set `p` from `given`; they refer to `names`
    """

    def __init__(self, declared: Sequence[QueryParameter], codec: Callable[[SqlType], Codec | None]) -> None:
        self.slots = {declaration.name: at for at, declaration in enumerate(declared)}
        self._declared = {parameter.name: parameter for parameter in declared}
        self.names: dict[str, Any] = {
            f"check{at}": _check(declaration, codec) for at, declaration in enumerate(declared)
        }
        self.names["refuse"] = self._refuse_names
        self.source = _CHECK.format(
            values=", ".join(_sources(declared)),
            has_more=f"len(given) != {len(declared)}" if declared else "given.__class__ is not dict or given",
        )
        names_of_code = dict(self.names)
        exec(f"def checked(given):\n    {self.source}\n    return p", names_of_code)
        self.checked: Checked = names_of_code["checked"]

    def _refuse_names(self, values: object) -> None:
        """Raise InvalidParameter if the parameters are no mapping, or one is missing or unknown."""
        if not isinstance(values, Mapping):
            more = ", …" if len(self._declared) > 1 else ""
            example = "{" + "".join(f"{name!r}: …{more}" for name in list(self._declared)[:1]) + "}"
            raise InvalidParameter(f"the parameters are {kind_of(values)}: give values by name, such as {example}")
        for name, parameter in self._declared.items():
            if name not in values:
                unknown = ", ".join(f"[{key}]" for key in values if key not in self._declared)
                instead = f"; {unknown} is not among this query's parameters" if unknown else ""
                raise InvalidParameter(f"[{name}] is missing: expected {_expected(parameter)}{instead}", name)
        for name in values:
            if name not in self._declared:
                names = ", ".join(self._declared) or "no parameters"
                raise InvalidParameter(f"[{name}] is not a parameter of this query, which has {names}", str(name))


def _sources(declared: Sequence[QueryParameter]) -> list[str]:
    """Return the source of each stored value; a text of ASCII needs no check and no conversion, so no call."""
    parts: list[str] = []
    for at, parameter in enumerate(declared):
        source = f"given[{parameter.name!r}]"
        if parameter.max_items is None and parameter.max_value is None and cast(SqlType, parameter.type).kind in TEXTS:
            parts.append(f"v{at} if (v{at} := {source}).__class__ is str and v{at}.isascii() else check{at}(v{at})")
        else:
            parts.append(f"check{at}({source})")
    return parts


def _refused(parameter: QueryParameter, message: str) -> InvalidParameter:
    return InvalidParameter(f"[{parameter.name}] {message}", parameter.name)


def _expected(parameter: QueryParameter) -> str:
    """Return what a message says that a parameter must be."""
    sql_type = cast(SqlType, parameter.type)
    if isinstance(parameter.type, RowType):
        names = ", ".join(name for name, _ in parameter.type.columns)
        return f"a list of at most {parameter.max_items} rows ({names})"
    if parameter.max_items is not None:
        return f"a list of at most {parameter.max_items} {sql_type} values"
    if parameter.max_value is not None:
        return f"an INT from 0 to {parameter.max_value}"
    return sql_type.with_article


def _check(parameter: QueryParameter, codec: Callable[[SqlType], Codec | None]) -> Check:
    if parameter.max_items is not None and isinstance(parameter.type, RowType):
        return _rows_check(parameter, parameter.max_items, parameter.type, codec)
    if parameter.max_items is not None:
        return _list_check(parameter, parameter.max_items, codec)
    if parameter.max_value is not None:
        return _count_check(parameter, parameter.max_value)
    return _value_check(parameter, codec)


def _value_check(parameter: QueryParameter, codec: Callable[[SqlType], Codec | None]) -> Check:
    """Return the check of one value of the parameter's type, or of one item of a list parameter."""
    sql_type = BARE[cast(SqlType, parameter.type).kind]
    value_codec = codec(sql_type)
    encode = value_codec.encode if value_codec else None
    form = "a value" if sql_type.kind is Kind.NULL else COLUMN_TYPES[sql_type.kind].accepts
    form = form if parameter.max_items is None else f"each {form}"

    def check(value: Any) -> Any:
        if value is None:
            return None
        try:
            converted = convert(value, sql_type)
        except ValueMismatch as mismatch:
            verb = "is" if parameter.max_items is None else "holds"
            why = f"{mismatch.why}; " if mismatch.why else ""
            message = f"{verb} {shown(value)}: {why}expected {_expected(parameter)}, {form}"
            raise _refused(parameter, message) from None
        return encode(converted) if encode else converted

    if sql_type.kind in TEXTS:
        return lambda value: value if value.__class__ is str and value.isascii() else check(value)
    if sql_type.kind in WHOLE:
        low, high = range_of(sql_type)
        return lambda value: value if value.__class__ is int and low <= value <= high else check(value)
    return check


def _count_check(parameter: QueryParameter, most: int) -> Check:
    """Return the check of the parameter of a LIMIT: a whole number from 0 to `most`."""

    def check(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            raise _refused(parameter, f"is {shown(value)}: expected {_expected(parameter)}")
        if not 0 <= value <= most:
            raise _refused(parameter, f"is {value}: expected {_expected(parameter)}")
        return int(value)

    return check


def _rows_check(
    parameter: QueryParameter, most: int, row_type: RowType, codec: Callable[[SqlType], Codec | None]
) -> Check:
    """Return the check of a list of rows, each given by names or in the order of its columns, as tuples."""
    names = tuple(name for name, _ in row_type.columns)
    checks = [
        _value_check(replace(parameter, name=f"{parameter.name}.{name}", type=type_, max_items=None), codec)
        for name, type_ in row_type.columns
    ]

    def check(value: Any) -> tuple[Row, ...]:
        if isinstance(value, str | bytes | Mapping) or not hasattr(value, "__iter__"):
            raise _refused(parameter, f"is {shown(value)}: expected {_expected(parameter)}")
        rows = tuple(value)
        if len(rows) > most:
            raise _refused(parameter, f"holds {len(rows)} rows: expected {_expected(parameter)}")
        return tuple([checked_row(number, row, len(rows)) for number, row in enumerate(rows, 1)])

    def checked_row(number: int, row: Any, count: int) -> Row:
        which = f"row {number} of {count}"
        values = _values_of(row, names)
        if isinstance(values, str):
            raise _refused(parameter, f"{which} {values}: expected {_expected(parameter)}")
        try:
            return tuple([check_value(value) for check_value, value in zip(checks, values, strict=True)])
        except InvalidParameter as refusal:
            raise InvalidParameter(f"{which}: {refusal}", parameter.name) from None

    return check


def _values_of(row: Any, names: Sequence[str]) -> Sequence[Any] | str:
    """Return the values of a row in the order of `names`, or what is wrong with it."""
    if isinstance(row, Mapping):
        unknown = next((name for name in row if name not in names), None)
        missing = next((name for name in names if name not in row), None)
        if unknown is not None:
            return f"has a value for {unknown!r}, which is no column of the INSERT"
        return f"has no value for {missing}" if missing is not None else [row[name] for name in names]
    if not isinstance(row, list | tuple):
        return f"is {shown(row)}"
    if len(row) != len(names):
        return f"has {len(row)} value{'' if len(row) == 1 else 's'}"
    return row


def _list_check(parameter: QueryParameter, most: int, codec: Callable[[SqlType], Codec | None]) -> Check:
    """Return the check of a list parameter: at most `most` values, none of them NULL, as a tuple."""
    check_item = _value_check(parameter, codec)
    are_texts = cast(SqlType, parameter.type).kind in TEXTS

    def check(value: Any) -> tuple[Any, ...]:
        if isinstance(value, str | bytes | Mapping) or not hasattr(value, "__iter__"):
            raise _refused(parameter, f"is {shown(value)}: expected {_expected(parameter)}")
        items = tuple(value)
        if len(items) > most:
            raise _refused(parameter, f"holds {len(items)} values: expected {_expected(parameter)}")
        if are_texts and set(map(type, items)) <= _ONLY_TEXT and "".join(items).isascii():
            return items
        if None in items:
            raise _refused(parameter, f"holds NULL, which equals nothing: expected {_expected(parameter)}")
        return tuple([check_item(item) for item in items])

    return check
