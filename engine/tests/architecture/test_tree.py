"""The tree of the packages: every module stands in a layer, knowledge flows downward, and nothing runs in a circle."""

import ast
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import piql
import piql_backend
import piql_profiler
import piql_service
import pytest

from .imports import Imports, circles, floors, read_imports
from .sources import parsed

ROOT = Path(__file__).resolve().parents[3]
ENGINE, SERVICE, PROFILER, BACKEND = (
    Path(package.__file__ or "").parent for package in (piql, piql_service, piql_profiler, piql_backend)
)
PACKAGES = (ENGINE, SERVICE, PROFILER, BACKEND)
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
LAYERED = {contract["containers"][0]: contract for contract in CONTRACTS if contract["type"] == "layers"}
imports_of = cache(read_imports)
MOST_LOOSE_MODULES = {ENGINE: 3, SERVICE: 1, PROFILER: 1, BACKEND: 7}  # `__init__.py` counts as one


def layers_of(package: str) -> list[set[str]]:
    """Return the layers of a contract from the top, each with its rooms."""
    return [set(layer.replace("|", " ").replace(":", " ").split()) for layer in LAYERED[package]["layers"]]


def folder_of(package: str) -> Path:
    root, *inside = package.split(".")
    return next(folder for folder in PACKAGES if folder.name == root).joinpath(*inside)


@pytest.mark.parametrize("folder", PACKAGES, ids=lambda folder: folder.name)
def test_no_modules_import_each_other_in_a_circle_when_they_run(folder: Path) -> None:
    assert circles(imports_of(folder).run_time) == []


@pytest.mark.parametrize("folder", PACKAGES, ids=lambda folder: folder.name)
def test_no_folders_import_each_other_in_a_circle_however_deep_they_stand(folder: Path) -> None:
    imports = imports_of(folder)
    assert {
        package: rooms_in_circles
        for package in imports.packages()
        if (rooms_in_circles := circles(imports.rooms(package)))
    } == {}


@pytest.mark.parametrize("package", LAYERED)
def test_every_module_stands_in_a_layer(package: str) -> None:
    folder = folder_of(package)
    rooms = {path.stem for path in folder.iterdir() if path.suffix == ".py" or any(path.glob("*.py"))} - {"__init__"}
    assert set().union(*layers_of(package)) == rooms
    assert LAYERED[package]["exhaustive"] is True


def test_the_engine_its_compiler_the_service_and_the_profiler_have_layers() -> None:
    assert LAYERED.keys() == {"piql", "piql.compiler", "piql_profiler", "piql_service"}


@pytest.mark.parametrize("folder", [ENGINE, SERVICE, PROFILER], ids=lambda folder: folder.name)
def test_no_room_imports_one_above_it(folder: Path) -> None:
    height = {room: -level for level, layer in enumerate(layers_of(folder.name)) for room in layer}
    rooms = imports_of(folder).rooms()
    assert [(room, target) for room in rooms for target in rooms[room] if height[target] >= height[room]] == []


@pytest.mark.parametrize(("folder", "most"), MOST_LOOSE_MODULES.items(), ids=lambda value: getattr(value, "name", ""))
def test_few_modules_stand_beside_the_folders(folder: Path, most: int) -> None:
    assert len(list(folder.glob("*.py"))) <= most


FOLDERS = ("tools", "backend", "profiler", "service", "sample-apps", "engine")  # each imports only from those behind it


def modules_at_the_top_of(folder: Path) -> set[str]:
    paths = [path for parent in (folder, folder / "src") if parent.is_dir() for path in parent.iterdir()]
    return {path.stem for path in paths if path.suffix == ".py" or any(path.glob("*.py"))} - {"benchmarks", "tests"}


def imported_at_the_top(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield each file of a folder but its tests, with the first name of each module that it imports."""
    for path in sorted(folder.rglob("*.py")):
        if "tests" not in path.parts:
            for node in ast.walk(parsed(path)):
                match node:
                    case ast.ImportFrom(module=str(module), level=0):
                        yield str(path.relative_to(ROOT)), module.split(".")[0]
                    case ast.Import(names=names):
                        yield from ((str(path.relative_to(ROOT)), name.name.split(".")[0]) for name in names)


@pytest.mark.parametrize("folder", FOLDERS[1:])
def test_no_folder_of_the_repository_imports_one_above_it_its_benchmarks_neither(folder: str) -> None:
    above = set().union(*(modules_at_the_top_of(ROOT / name) for name in FOLDERS[: FOLDERS.index(folder)]))
    assert "cluster" in above
    assert [(path, name) for path, name in imported_at_the_top(ROOT / folder) if name in above] == []


def package_of(folder: Path, texts: dict[str, str]) -> Imports:
    for name, text in texts.items():
        path = folder / "shop" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return read_imports(folder / "shop")


def test_an_import_inside_a_function_closes_a_circle_and_one_for_types_does_not(tmp_path: Path) -> None:
    imports = package_of(
        tmp_path,
        {
            "__init__.py": "from shop.till import pay",
            "till.py": "from shop.goods.list import price\ndef pay(): ...",
            "goods/__init__.py": "",
            "goods/list.py": "def price():\n    from shop.till import pay",
            "goods/shelf.py": "if TYPE_CHECKING:\n    from shop.goods.box import Box",
            "goods/box.py": "from shop.goods import shelf",
        },
    )
    assert circles(imports.run_time) == [["shop.goods.list", "shop.till"]]
    assert imports.types["shop.goods.shelf"] == {"shop.goods.box"}
    assert imports.rooms() == {"till": {"goods"}, "goods": {"till"}}
    assert imports.rooms("shop.goods") == {"list": set(), "shelf": set(), "box": {"shelf"}}
    assert floors({"till": frozenset({"goods"}), "goods": frozenset()}) == {"till": 2, "goods": 1}
