"""Facts that stood in several modules once, and were wrong in some: each has one module, and a second is a failure."""

import ast
from collections.abc import Iterator
from pathlib import Path

import piql
import piql_profiler
import pytest
from piql.schema.catalog import Kind
from piql.schema.types import COLUMN_TYPES, KINDS, NUMBERS, TEXTS, WHOLE, for_each_kind
from piql.store.cql.stored_values import STORED as STORED_BY_CQL
from piql.store.values import STORED as STORED_BY_SQLITE

ENGINE, PROFILER = (Path(package.__file__ or "").parent for package in (piql, piql_profiler))
TABLES_OF_TYPES = {
    "piql/schema/types.py",
    "piql/store/values.py",
    "piql/store/cql/stored_values.py",
    "piql_profiler/measure/sampling.py",
}
A_TABLE = 4  # so many types as keys


def modules() -> Iterator[tuple[str, ast.Module]]:
    for package in (ENGINE, PROFILER):
        for path in sorted(package.rglob("*.py")):
            yield path.relative_to(package.parent).as_posix(), ast.parse(path.read_text())


def kinds_in(nodes: list[ast.expr] | list[ast.expr | None]) -> set[str]:
    return {
        node.attr
        for node in nodes
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "Kind"
    }


def test_the_rows_of_the_column_types_stand_in_four_modules() -> None:
    found = {
        name
        for name, module in modules()
        for node in ast.walk(module)
        if isinstance(node, ast.Dict) and len(kinds_in(node.keys)) >= A_TABLE
    }
    assert found == TABLES_OF_TYPES


@pytest.mark.parametrize("group", [WHOLE, TEXTS, NUMBERS], ids=["whole numbers", "texts", "numbers"])
def test_a_group_of_types_is_named_once(group: tuple[Kind, ...]) -> None:
    names = {kind.name for kind in group}
    again = [
        f"{name}:{node.lineno}"
        for name, module in modules()
        for node in ast.walk(module)
        if isinstance(node, ast.Tuple | ast.Set | ast.List) and kinds_in(node.elts) == names
    ]
    assert [place for place in again if not place.startswith("piql/schema/types.py")] == []


def test_a_type_without_its_row_is_an_error_when_the_table_is_made() -> None:
    with pytest.raises(LookupError, match="no row for UUID"):
        for_each_kind({kind: None for kind in KINDS if kind is not Kind.UUID})


@pytest.mark.parametrize("table", [COLUMN_TYPES, STORED_BY_SQLITE, STORED_BY_CQL], ids=["language", "SQLite", "CQL"])
def test_every_type_has_a_row(table: dict[Kind, object]) -> None:
    assert set(table) == set(KINDS)
