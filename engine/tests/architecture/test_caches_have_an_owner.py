"""The compiler keeps nothing in its modules: a `Compiler` owns its caches, and a caller his garbage collector."""

import ast
from collections.abc import Iterator
from pathlib import Path

import piql
import pytest

from .sources import modules_below

ENGINE = Path(piql.__file__ or "").parent


def modules() -> Iterator[tuple[str, ast.Module]]:
    yield from modules_below(ENGINE)


WITHOUT_STATE = ("piql/compiler/", "piql/trees/", "piql/text/", "piql/schema/")
MAKES_STATE = {
    *("dict", "list", "set", "bytearray", "deque", "defaultdict", "Counter", "OrderedDict", "count", "local"),
    *("WeakKeyDictionary", "WeakValueDictionary", "WeakSet", "Lock", "RLock", "RenewedLock", "Memory", "Caches"),
    *("cache", "lru_cache"),
}
CHANGES = {
    *("add", "append", "appendleft", "clear", "discard", "extend", "insert", "pop", "popitem", "remove"),
    *("setdefault", "update", "move_to_end"),
}
STATE_BY_DESIGN = {
    "piql/trees/caches.py: _at_work",  # the caches of those who bring none of their own
    "piql/trees/node.py: _readers",  # the fields of each class of nodes, noted where the class is written
    "piql/compiler/syntax/pieces.py: _numbers",  # a number for each piece, which holds nothing
}


Globals = dict[str, ast.expr]
CONTAINERS = ast.Dict | ast.List | ast.Set | ast.DictComp | ast.ListComp | ast.SetComp


def mutable_state(name: str, module: ast.Module) -> Iterator[str]:
    """Yield what outlives a call in a module: containers that change, caches of functions, classes that are set."""
    assigned = dict(assignments(module))
    classes = {node.name for node in ast.walk(module) if isinstance(node, ast.ClassDef)}
    for variable, value in assigned.items():
        if is_empty(value) or MAKES_STATE & called_in(value):
            yield f"{name}: {variable}"
    for node in ast.walk(module):
        for variable in changed_by(node, assigned, classes):
            yield f"{name}: {variable}"


def assignments(module: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    for node in module.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Name):
                    yield target.id, node.value


def is_empty(value: ast.expr) -> bool:
    return isinstance(value, ast.Dict | ast.List) and not ast.unparse(value).strip("{}[]")


def called_in(value: ast.AST) -> set[str]:
    """Return the names of what is called where a module is read; what stands in a lambda is called later."""
    if isinstance(value, ast.Lambda):
        return set()
    names = names_in(value.func) if isinstance(value, ast.Call) else set()
    return names.union(*map(called_in, ast.iter_child_nodes(value)))


def changed_by(node: ast.AST, assigned: Globals, classes: set[str]) -> list[str]:
    """Return the variables and classes of a module that a piece of its code changes or keeps results in."""
    match node:
        case ast.Global(names=names):
            return names
        case ast.FunctionDef(name=name, decorator_list=decorators) if any(
            MAKES_STATE & names_in(decorator) for decorator in decorators
        ):
            return [name]
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) if method in CHANGES:
            return [name] if isinstance(assigned.get(name), CONTAINERS) else []
        case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
            return [name] if name in assigned else []
        case ast.Attribute(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
            return [name] if name in classes else []
    return []


def names_in(value: ast.expr) -> set[str]:
    return {
        node.id if isinstance(node, ast.Name) else node.attr
        for node in ast.walk(value)
        if isinstance(node, ast.Name | ast.Attribute)
    }


def test_no_module_of_the_compiler_keeps_anything() -> None:
    state = {
        state for name, module in modules() if name.startswith(WITHOUT_STATE) for state in mutable_state(name, module)
    }
    assert state == STATE_BY_DESIGN


@pytest.mark.parametrize(
    "text",
    [
        "_known = {}",
        "_known: dict[str, int] = {}",
        "_known = {'a': 1}\ndef f(key): _known[key] = 1",
        "_known = ['a']\ndef f(item): _known.append(item)",
        "_plans = Memory(10)",
        "_lock = threading.Lock()",
        "_of = {'a': deque()}",
        "_short = lru_cache(maxsize=8)(parse)",
        "@cache\ndef f(): return 1",
        "@functools.lru_cache(maxsize=8)\ndef f(): return 1",
        "_last = None\ndef f():\n global _last\n _last = 1",
        "class Last:\n known = None\ndef f(): Last.known = 1",
    ],
)
def test_state_of_a_module_is_seen(text: str) -> None:
    assert list(mutable_state("m.py", ast.parse(text)))


def test_the_engine_leaves_the_garbage_collector_to_its_caller() -> None:
    importing = {
        name
        for name, module in modules()
        for node in ast.walk(module)
        if (isinstance(node, ast.Import) and any(alias.name == "gc" for alias in node.names))
        or (isinstance(node, ast.ImportFrom) and node.module == "gc")
    }
    assert importing == set()
