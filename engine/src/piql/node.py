"""The base of every tree in the compiler: frozen dataclasses whose children are the fields that are nodes.

Traversal is written once, here; a rule only looks at one node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from typing import Any, Self, TypeVar

T = TypeVar("T", bound="Node")


_FIELD_NAMES: dict[str, tuple[str, ...]] = {}  # by the qualified name of the class; `fields` is slow


def field_names(node: Node) -> tuple[str, ...]:
    """Give the names of a node's fields, but for its span, which holds no node."""
    kind = type(node)
    found = _FIELD_NAMES.get(kind.__module__ + kind.__name__)
    if found is None:
        found = tuple(each.name for each in fields(node) if each.name != "span")
        _FIELD_NAMES[kind.__module__ + kind.__name__] = found
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A value with child nodes; equal trees are `==`, spans do not count."""

    def children(self) -> tuple[Node, ...]:
        """Give the child nodes in field order, those inside tuples included."""
        found: list[Node] = []
        for name in field_names(self):
            value = getattr(self, name)
            if isinstance(value, Node):
                found.append(value)
            elif isinstance(value, tuple):
                found.extend(item for item in value if isinstance(item, Node))
        return tuple(found)

    def map_children(self, change: Callable[[Node], Node]) -> Self:
        """Give this node with each child replaced by `change(child)`; the same object when none changed."""
        changed: dict[str, Any] = {}
        for name in field_names(self):
            value = getattr(self, name)
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
        yield self
        for child in self.children():
            yield from child.walk()

    def find(self, kind: type[T]) -> Iterator[T]:
        """Yield the nodes of one kind, parents first."""
        for node in self.walk():
            if isinstance(node, kind):
                yield node
