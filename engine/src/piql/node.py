"""The base of every tree in the compiler: frozen dataclasses whose children are the fields that are nodes.

Traversal is written once, here; a rule only looks at one node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from operator import attrgetter
from typing import Any, Self, TypeVar

T = TypeVar("T", bound="Node")

_PLAIN = frozenset(("str", "int", "bool", "float", "None", "Span", "SqlType", "Table"))  # annotations that hold no node

# By class; `fields` is slow, and a plan is looked through very often.
_FIELD_NAMES: dict[type, tuple[str, ...]] = {}
_VALUES: dict[type, Callable[[Any], tuple[object, ...]]] = {}


def _may_hold_nodes(annotation: object) -> bool:
    if not isinstance(annotation, str) or annotation.startswith("Literal["):
        return not isinstance(annotation, str)
    return not all(part.strip() in _PLAIN for part in annotation.split("|"))


def _read(kind: type[Node]) -> None:
    """Find out which fields of a class may hold nodes, and how all their values are read at once."""
    names = tuple(each.name for each in fields(kind) if _may_hold_nodes(each.type))
    values: Callable[[Any], Any] = attrgetter(*names) if names else lambda node: ()
    _FIELD_NAMES[kind] = names
    _VALUES[kind] = values if len(names) != 1 else lambda node: (values(node),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A value with child nodes; equal trees are `==`, spans do not count."""

    def children(self) -> tuple[Node, ...]:
        """Give the child nodes in field order, those inside tuples included."""
        return tuple(self._children())

    def _children(self) -> list[Node]:
        kind = type(self)
        if kind not in _VALUES:
            _read(kind)
        found: list[Node] = []
        for value in _VALUES[kind](self):
            if isinstance(value, Node):
                found.append(value)
            elif isinstance(value, tuple):
                found.extend([item for item in value if isinstance(item, Node)])
        return found

    def map_children(self, change: Callable[[Node], Node]) -> Self:
        """Give this node with each child replaced by `change(child)`; the same object when none changed."""
        kind = type(self)
        if kind not in _VALUES:
            _read(kind)
        changed: dict[str, Any] = {}
        for name, value in zip(_FIELD_NAMES[kind], _VALUES[kind](self), strict=True):
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
            below = node._children()
            if below:
                below.reverse()
                waiting += below

    def find(self, kind: type[T]) -> Iterator[T]:
        """Yield the nodes of one kind, parents first."""
        for node in self.walk():
            if isinstance(node, kind):
                yield node
