"""Remedy: equalities on the columns of a key or a limit, so that the query asks for what the schema limits."""

from __future__ import annotations

from collections.abc import Iterator

from piql.compiler.fixes.remedy import Change, NewTest, Patient, Remedy
from piql.compiler.fixes.select_text import Place, place_of
from piql.compiler.syntax import ast
from piql.schema.catalog import Table


def fix_columns(patient: Patient) -> list[Remedy]:
    """Give for each gap the equalities that are missing for a limit, UNIQUE or primary key of its table, one by one."""
    found: dict[NewTest, Remedy] = {}
    for gap in patient.gaps:
        place = place_of(patient.body, gap.relation)
        if place is None or place.is_optional:
            continue
        for column in dict.fromkeys(name for key in _limited(gap.table) for name in key):
            if column not in gap.columns:
                test = NewTest(place.select, f"{place.column(column)} = [{_parameter(patient, place, column)}]")
                what = f"changes the answer: only rows with {test.text}, which each execution gives"
                found.setdefault(test, Remedy(f"Add {test.text}", what, Change.OTHER_ROWS, test=test))
    return list(found.values())


def _limited(table: Table) -> Iterator[tuple[str, ...]]:
    for limit in table.limits:
        if not limit.is_token:
            yield limit.columns
    yield table.primary_key
    for key in table.unique_keys:
        yield key.columns


def _parameter(patient: Patient, place: Place, column: str) -> str:
    """Name a parameter after its column, and where that is taken after its relation, too."""
    assert patient.body is not None
    taken = {use.name for use in patient.body.find(ast.ParameterUse)}
    plain = "".join(letter if letter.isalnum() else "_" for letter in column)
    is_shared = sum(gap.table.column(column) is not None for gap in patient.gaps) > 1
    if plain not in taken and not is_shared:
        return plain
    owner = place.called.text
    name = "".join(letter if letter.isalnum() else "_" for letter in f"{owner}_{plain}")
    while name in taken:
        name += "_"
    return name
