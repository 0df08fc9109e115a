"""Which module imports which, read from the code: rooms, floors, arrows and circles of a package.

A room is what stands at the top of a package: a folder, or a module beside the folders. An arrow joins two rooms of
which one imports the other. A floor is one more than the highest floor that a room imports. A circle is a set of
modules that import each other; an import inside a function counts, for it runs, and one for types alone does not.

`python engine/tests/architecture/imports.py engine/src/piql` prints these figures, and each circle.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

Graph = Mapping[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Imports:
    """The modules of a package, and which of them each one imports: when it runs, and for types alone."""

    package: str
    run_time: Graph
    types: Graph

    def rooms(self, inside: str | None = None) -> Graph:
        """Return each room of a package, or of one inside it, with the rooms beside it that it imports when it runs."""
        head = f"{inside or self.package}."
        arrows: dict[str, set[str]] = {}
        for module, imported in self.run_time.items():
            if module.startswith(head):
                room = _room(module, head)
                rooms = {_room(name, head) for name in imported if name.startswith(head)}
                arrows.setdefault(room, set()).update(rooms - {room})
        return {room: frozenset(imported) for room, imported in arrows.items()}

    def packages(self) -> list[str]:
        """Return the packages that hold modules, the outermost first."""
        return sorted({module.rpartition(".")[0] for module in self.run_time} - {""})


def _room(module: str, head: str) -> str:
    return module.removeprefix(head).split(".")[0]


def read_imports(folder: Path) -> Imports:
    """Read all modules below the folder of a package, whose imports are absolute."""
    paths = {_module(path, folder): path for path in sorted(folder.rglob("*.py"))}
    run_time: dict[str, frozenset[str]] = {}
    types: dict[str, frozenset[str]] = {}
    for module, path in paths.items():
        imported = [
            (name if name in paths else name.rpartition(".")[0], is_typing)
            for name, is_typing in _imports(ast.parse(path.read_text()), False)
        ]
        run_time[module] = frozenset(name for name, is_typing in imported if not is_typing and name in paths) - {module}
        types[module] = frozenset(name for name, is_typing in imported if is_typing and name in paths) - {module}
    return Imports(folder.name, run_time, types)


def _module(path: Path, folder: Path) -> str:
    parts = path.relative_to(folder.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imports(node: ast.AST, is_typing: bool) -> Iterator[tuple[str, bool]]:
    """Yield what is imported below a node, names of modules or in modules, and whether for types alone."""
    for child in ast.iter_child_nodes(node):
        match child:
            case ast.Import(names=names):
                yield from ((alias.name, is_typing) for alias in names)
            case ast.ImportFrom(module=str() as module, names=names, level=0):
                yield from ((f"{module}.{alias.name}", is_typing) for alias in names)
            case ast.If(test=ast.Name(id="TYPE_CHECKING"), body=body, orelse=otherwise):
                for statement in body:
                    yield from _imports(ast.Module([statement], []), True)
                for statement in otherwise:
                    yield from _imports(ast.Module([statement], []), is_typing)
            case _:
                yield from _imports(child, is_typing)


def both(one: Graph, other: Graph) -> Graph:
    """Return the arrows of two graphs over the same nodes."""
    return {node: targets | other.get(node, frozenset()) for node, targets in one.items()}


def circles(graph: Graph) -> list[list[str]]:
    """Return the sets of nodes that reach each other, each sorted, of two nodes or more."""
    reached = {node: _reached(node, graph) for node in graph}
    sets = {frozenset(one for one in reached[node] if node in reached[one]) for node in graph}
    return sorted(sorted(nodes) for nodes in sets if len(nodes) > 1)


def _reached(start: str, graph: Graph) -> set[str]:
    reached: set[str] = set()
    left = list(graph[start])
    while left:
        node = left.pop()
        if node not in reached:
            reached.add(node)
            left.extend(graph[node])
    return reached


def floors(graph: Graph) -> dict[str, int]:
    """Return the floor of each room, 1 at the ground; rooms of one circle share theirs."""
    joined = {node: frozenset(nodes) for nodes in circles(graph) for node in nodes}
    numbers: dict[str, int] = {}

    def floor(room: str) -> int:
        if room not in numbers:
            group = joined.get(room, frozenset((room,)))
            below = {target for member in group for target in graph[member]} - group
            level = 1 + max(map(floor, below), default=0)
            numbers.update(dict.fromkeys(group, level))
        return numbers[room]

    return {room: floor(room) for room in graph}


def main(folder: Path) -> None:
    imports = read_imports(folder.resolve())
    rooms = imports.rooms()
    level = floors(rooms)
    loose = [room for room in rooms if (folder / f"{room}.py").exists()]
    arrows = sum(map(len, rooms.values()))
    in_circle = {room: frozenset(nodes) for nodes in circles(rooms) for room in nodes}
    up = sum(len(targets & in_circle.get(room, frozenset())) for room, targets in rooms.items())
    print(f"{folder.name}: {len(rooms)} rooms, {len(loose)} modules, {max(level.values())} floors, {arrows} arrows")
    print(f"arrows between rooms of one circle: {up}")
    for name, graph in (("run time", imports.run_time), ("types, too", both(imports.run_time, imports.types))):
        in_circles = circles(graph)
        print(f"circles of modules, {name}: {len(in_circles)}")
        for nodes in in_circles:
            print(f"  {len(nodes)}: {', '.join(nodes)}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
