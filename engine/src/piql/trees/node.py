"""The base of every tree in the compiler: frozen dataclasses whose children are the fields that are nodes.

Traversal is written once, here; a rule only looks at one node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from operator import attrgetter
from typing import Any, ClassVar, Self, TypeVar

from piql.trees.caches import Cached, Latest

T = TypeVar("T", bound="Node")

_PLAIN = frozenset(("str", "int", "bool", "float", "None", "Span", "SqlType", "Table"))  # annotations that hold no node


def _may_hold_nodes(annotation: object) -> bool:
    if not isinstance(annotation, str) or annotation.startswith("Literal["):
        return not isinstance(annotation, str)
    return not all(part.strip() in _PLAIN for part in annotation.split("|"))


def _reader_of(names: tuple[str, ...]) -> Callable[[Any], tuple[Any, ...]]:
    """Return what reads the values of these fields at once."""
    if not names:
        return lambda node: ()
    values: Callable[[Any], Any] = attrgetter(*names)
    return values if len(names) > 1 else lambda node: (values(node),)


def kinds_of(tree: Node) -> frozenset[type[Node]]:
    """Return the classes of all nodes of a tree.

    The last answer is cached: one rule after another asks for the same plan, which few of them change.
    """
    last, kinds = _last.get()
    if last is not tree:
        kinds = frozenset(_kinds_below((tree,)))
        _last.put((tree, kinds))
    return kinds


def _kinds_below(trees: tuple[object, ...]) -> set[type[Node]]:
    kinds: set[type[Node]] = set()
    waiting: list[Any] = [*trees]
    while waiting:
        value = waiting.pop()
        kind = type(value)
        if kind in _readers:
            kinds.add(kind)
            read = _readers[kind]
            if read is not None:
                waiting += read(value)
        elif kind is tuple:
            if len(value) > MANY:
                kinds |= _kinds_of_many(value)
            else:
                waiting += value
    return kinds


def _kinds_of_many(trees: tuple[object, ...]) -> frozenset[type[Node]]:
    """Return the classes of all nodes in a wide tuple; cached, since the plans before and after a rule share it."""
    return _wide.recall((trees,), lambda: frozenset(_kinds_below(trees)))


MANY = 32
_readers: dict[type[Node], Callable[[Any], tuple[Any, ...]] | None] = {}  # by class; None where no field holds nodes
_last: Latest[tuple[Node | None, frozenset[type[Node]]]] = Latest((None, frozenset()))  # the tree, with its kinds
_wide: Cached[frozenset[type[Node]]] = Cached(64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A value with child nodes. Equal trees are `==`; spans are not compared."""

    names_of_children: ClassVar[tuple[str, ...]] = ()  # the fields that may hold nodes
    values_with_children: ClassVar[staticmethod[[Any], tuple[Any, ...]]] = staticmethod(_reader_of(()))

    def __init_subclass__(cls) -> None:
        """Find out which fields may hold nodes, once for a class: `fields` is slow, and a plan is walked very often."""
        if "__dataclass_fields__" in cls.__dict__:  # the class with slots that `dataclass` makes of the one written
            cls.names_of_children = tuple(field.name for field in fields(cls) if _may_hold_nodes(field.type))
            cls.values_with_children = staticmethod(_reader_of(cls.names_of_children))
            _readers[cls] = cls.values_with_children if cls.names_of_children else None

    def children(self) -> tuple[Node, ...]:
        """Return the child nodes in field order, those inside tuples included."""
        return tuple(_children(self))

    def map_children(self, change: Callable[[Node], Node]) -> Self:
        """Return this node with `change` applied to each child; the same object when none changed."""
        if not self.names_of_children:
            return self
        changed: dict[str, Any] = {}
        for name, value in zip(self.names_of_children, self.values_with_children(self), strict=True):
            if isinstance(value, Node):
                new: Any = change(value)
                if new is not value:
                    changed[name] = new
            elif isinstance(value, tuple) and any(isinstance(item, Node) for item in value):
                items = tuple(change(item) if isinstance(item, Node) else item for item in value)
                if any(new is not old for new, old in zip(items, value, strict=True)):
                    changed[name] = items
        return replace(self, **changed) if changed else self

    def transform_up(self, change: Callable[[Node], Node]) -> Node:
        """Apply `change` to every node, children first."""
        return change(self.map_children(lambda child: child.transform_up(change)))

    def transform_down(self, change: Callable[[Node], Node]) -> Node:
        """Apply `change` to every node, parents first."""
        return change(self).map_children(lambda child: child.transform_down(change))

    def walk(self) -> Iterator[Node]:
        """Yield this node and all below it, parents first."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            if node.names_of_children:
                waiting += reversed(_children(node))

    def find(self, kind: type[T]) -> Iterator[T]:
        """Yield the nodes of one kind, parents first."""
        for node in self.walk():
            if isinstance(node, kind):
                yield node


def _children(node: Node) -> list[Node]:
    nodes: list[Node] = []
    for value in node.values_with_children(node):
        kind = type(value)
        if kind in _readers:
            nodes.append(value)
        elif kind is tuple:
            nodes += [item for item in value if type(item) in _readers]
    return nodes
