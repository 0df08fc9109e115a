"""Facts that stood in several modules once, and were wrong in some: each has one module, and a second is a failure."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import piql
import piql_backend
import piql_profiler
import piql_service
import pytest
from piql.compiler.binding.functions import FUNCTIONS
from piql.compiler.physical.operators import PhysicalNode
from piql.runtime.execution.functions import FUNCTIONS as COMPUTATIONS
from piql.schema.catalog import Kind
from piql.schema.types import COLUMN_TYPES, KIND_OF_NAME, KINDS, NUMBERS, TEXTS, WHOLE, for_each_kind
from piql.store.base import Store
from piql.store.cql.stored_values import STORED as STORED_BY_CQL
from piql.store.cql.stored_values import Stored
from piql.store.open import ADAPTERS, capabilities_of, open_store
from piql.store.values import STORED as STORED_BY_SQLITE

from .sources import modules_below, nodes_of

REPOSITORY = Path(__file__).resolve().parents[3]
ENGINE, PROFILER = (Path(package.__file__ or "").parent for package in (piql, piql_profiler))
TABLES_OF_TYPES = {
    "piql/files/values.py",
    "piql/generating/column_values.py",
    "piql/schema/types.py",
    "piql/store/values.py",
    "piql/store/cql/stored_values.py",
    "piql_profiler/measure/sampling.py",
}
A_TABLE = 4  # so many types or functions


def modules() -> Iterator[tuple[str, ast.Module]]:
    for package in (ENGINE, PROFILER):
        yield from modules_below(package)


def kinds_in(nodes: list[ast.expr] | list[ast.expr | None]) -> set[str]:
    return {
        node.attr
        for node in nodes
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "Kind"
    }


def test_the_rows_of_the_column_types_stand_in_six_modules() -> None:
    tables = {
        name
        for name, module in modules()
        for node in nodes_of(module)
        if isinstance(node, ast.Dict) and len(kinds_in(node.keys)) >= A_TABLE
    }
    assert tables == TABLES_OF_TYPES


@pytest.mark.parametrize("group", [WHOLE, TEXTS, NUMBERS], ids=["whole numbers", "texts", "numbers"])
def test_a_group_of_types_is_named_once(group: tuple[Kind, ...]) -> None:
    names = {kind.name for kind in group}
    again = [
        f"{name}:{node.lineno}"
        for name, module in modules()
        for node in nodes_of(module)
        if isinstance(node, ast.Tuple | ast.Set | ast.List) and kinds_in(node.elts) == names
    ]
    assert [listed for listed in again if not listed.startswith("piql/schema/types.py")] == []


def test_a_type_without_its_row_is_an_error_when_the_table_is_made() -> None:
    with pytest.raises(LookupError, match="no row for UUID"):
        for_each_kind({kind: None for kind in KINDS if kind is not Kind.UUID})


@pytest.mark.parametrize("table", [COLUMN_TYPES, STORED_BY_SQLITE, STORED_BY_CQL], ids=["language", "SQLite", "CQL"])
def test_every_type_has_a_row(table: dict[Kind, object]) -> None:
    assert set(table) == set(KINDS)


def test_a_type_of_another_database_has_one_nearest_type_and_is_none_itself() -> None:
    offered = [name for row in COLUMN_TYPES.values() for name in row.nearest_to]
    assert len(set(offered)) == len(offered)
    assert set(offered) & set(KIND_OF_NAME) == set()


def test_a_type_of_cql_is_read_as_one_type() -> None:
    names = {row.cql for row in STORED_BY_CQL.values()}
    further = [name for row in STORED_BY_CQL.values() for name in row.also]
    assert len(set(further)) == len(further)
    assert set(further) & names == set()


@pytest.mark.parametrize(("kind", "row"), STORED_BY_CQL.items(), ids=[kind.value for kind in STORED_BY_CQL])
def test_what_drivers_give_in_another_form_can_be_read_as_it_is_stored(kind: Kind, row: Stored) -> None:
    assert row.is_python or (row.codec is not None and row.as_read is not None)


OPERATORS = {operator.__name__ for operator in get_args(PhysicalNode)}


def open_matches(module: ast.Module) -> Iterator[int]:
    """Yield the lines of matches over physical operators whose last case is not `case _: assert_never(…)`."""
    for node in nodes_of(module):
        if not isinstance(node, ast.Match):
            continue
        patterns = [pattern for case in node.cases for pattern in ast.walk(case.pattern)]
        classes = {
            ast.unparse(pattern.cls).split(".")[-1] for pattern in patterns if isinstance(pattern, ast.MatchClass)
        }
        last = node.cases[-1]
        is_closed = ast.unparse(last.pattern) == "_" and ast.unparse(last.body[0]).startswith("assert_never(")
        if classes & OPERATORS and not is_closed:
            yield node.lineno


def test_the_type_checker_sees_an_operator_that_a_match_forgets() -> None:
    backend = REPOSITORY / "backend" / "src"
    texts = list(modules_below(backend))
    assert texts, "the back end is not where it is looked for"
    assert [f"{name}:{line}" for name, module in (*modules(), *texts) for line in open_matches(module)] == []


@pytest.mark.parametrize(
    ("last_case", "lines"),
    [
        ("case _:\n        return ()", [1]),
        ("case LocalStop():\n        return ()", [1]),
        ("case _:\n        assert_never(node)", []),
    ],
)
def test_a_match_over_operators_that_takes_any_other_is_found(last_case: str, lines: list[int]) -> None:
    module = ast.parse(f"match node:\n    case physical.IndexScan():\n        return ()\n    {last_case}")
    assert list(open_matches(module)) == lines


def test_every_function_of_the_language_is_computed_and_names_its_examples() -> None:
    special = {"COALESCE"}  # it does not compute its later arguments, so it is no function of their values
    special |= {function.name for function in FUNCTIONS.values() if function.operator is not None}
    assert {function.name for function in FUNCTIONS.values()} - special <= set(COMPUTATIONS)
    assert [name for name, function in FUNCTIONS.items() if not (function.meaning and function.examples)] == []


def test_the_functions_are_listed_in_the_two_modules_that_type_and_compute_them() -> None:
    lists = {
        path
        for path, module in modules()
        for node in nodes_of(module)
        if isinstance(node, ast.Dict | ast.Tuple | ast.Set | ast.List) and len(functions_in(node)) >= A_TABLE
    }
    assert lists == {"piql/compiler/binding/functions.py", "piql/runtime/execution/functions.py"}


def functions_in(node: ast.Dict | ast.Tuple | ast.Set | ast.List) -> set[object]:
    entries = node.keys if isinstance(node, ast.Dict) else node.elts
    return {entry.value for entry in entries if isinstance(entry, ast.Constant)} & FUNCTIONS.keys()


TOOLS = REPOSITORY / "tools"
NAMES_OF_SCHEMES = "piql/store/schemes.py"
# they give URLs to any program, and import no engine
NO_ENGINE = {"tools/conformance.py", "tools/cluster/running.py", "tools/object_store/running.py"}
NO_URLS = {  # what a word of their documents may be: the kind of an environment's store, the language of a schema
    "piql_backend/archives/layout.py",
    "piql_backend/archives/writing.py",
    "piql_backend/environments/settings_file.py",
    "piql_backend/schema_imports/schemas.py",
    "piql_profiler/experiments/s3_levels/services.py",  # the name of a protocol, for the client of it
}
ONE_STORE = "tools/cluster_benchmarks/"  # programs that measure this kind of store alone
BEGINS_AS_A_URL = re.compile(rf"({'|'.join(ADAPTERS)})(:\S*)?")


def sources_of_the_project() -> Iterator[tuple[str, ast.Module]]:
    yield from modules()
    for folder in (Path(piql_backend.__file__ or "").parent, TOOLS):
        yield from modules_below(folder)


def texts_in(module: ast.Module) -> Iterator[ast.Constant]:
    """Yield the string constants of a module, parts of f-strings too, but no docstrings."""
    docstrings = {node.value for node in nodes_of(module) if isinstance(node, ast.Expr)}
    for node in nodes_of(module):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in docstrings:
            yield node


def test_the_name_of_a_store_in_its_url_is_spelled_in_one_module() -> None:
    spelled = [
        f"{name}:{text.lineno}"
        for name, module in sources_of_the_project()
        if name not in {NAMES_OF_SCHEMES} | NO_ENGINE | NO_URLS and not name.startswith(ONE_STORE)
        for text in texts_in(module)
        if BEGINS_AS_A_URL.fullmatch(str(text.value))
    ]
    assert spelled == [], "ask capabilities_of(url), or import the name from piql.store.schemes"


@pytest.mark.parametrize("scheme", [name for name, adapter in ADAPTERS.items() if adapter.capabilities.is_file])
def test_an_open_store_can_do_what_the_list_says_of_its_kind(scheme: str) -> None:
    store: Store = open_store(f"{scheme}:")
    try:
        assert (store.row_writes is None) == ADAPTERS[scheme].capabilities.has_transactions
        assert (store.topology() is not None) == ADAPTERS[scheme].capabilities.is_cluster
    finally:
        store.close()


def test_a_cluster_is_told_from_a_file_by_its_url() -> None:
    cluster, file, nothing = capabilities_of("cql://host/keyspace"), capabilities_of("embedded:a.db"), "https://host"
    assert (cluster.is_cluster, cluster.is_file, cluster.has_transactions) == (True, False, False)
    assert (file.is_cluster, file.is_file, file.has_transactions) == (False, True, True)
    assert not any(capabilities_of(nothing))


def test_an_observed_execution_is_described_in_one_module() -> None:
    fields = {"query", "started_at", "elapsed_ms", "operations"}
    described = [
        f"{path}: {node.name}"
        for path, module in sources_of_the_project()
        for node in nodes_of(module)
        if isinstance(node, ast.ClassDef) and fields <= fields_of(node)
    ]
    assert described == ["piql/runtime/execution/observation.py: Observation"]


def fields_of(node: ast.ClassDef) -> set[str]:
    targets = [statement.target for statement in node.body if isinstance(statement, ast.AnnAssign)]
    return {target.id for target in targets if isinstance(target, ast.Name)}


@pytest.mark.parametrize(
    ("texts", "place"),
    [
        ({"localhost"}, "piql/reporting/hosts.py: is_loopback"),
        ({"localhost", "."}, "piql_service/web/hosts.py: __init__"),
        ({b"expect"}, "piql_service/web/bodies.py: discard_declared"),
        ({"websocket.close", 1008}, "piql_backend/web/refusal.py: send_refusal"),
    ],
    ids=["loopback", "Host headers", "refused bodies", "refused sockets"],
)
def test_what_all_servers_check_stands_in_one_function(texts: set[object], place: str) -> None:
    servers = [Path(package.__file__ or "").parent for package in (piql_service, piql_backend)]
    found = [
        f"{name}: {node.name}"
        for name, module in (*modules(), *(module for server in servers for module in modules_below(server)))
        for node in nodes_of(module)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and texts <= constants_in(node)
    ]
    assert place in found
    assert len(found) == (2 if texts == {"localhost"} else 1), found


def constants_in(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[object]:
    return {node.value for node in ast.walk(function) if isinstance(node, ast.Constant)}


def test_json_that_holds_bytes_is_written_and_read_in_one_place_and_in_clients() -> None:
    packages = [Path(package.__file__ or "").parent for package in (piql_service, piql_backend, piql_profiler)]
    schemas = {"piql/schema/types.py", "piql_backend/parameter_sets/schemas.py"}
    readers = {
        name
        for name, module in (*modules(), *(module for package in packages for module in modules_below(package)))
        if any(isinstance(node, ast.Constant) and node.value == "$base64" for node in nodes_of(module))
    }
    assert readers - schemas == {"piql/schema/json_values.py", "piql_service/clients/python/runtime.py"}
