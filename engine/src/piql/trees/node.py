"""The base of every tree in the compiler: frozen dataclasses whose children are the fields that are nodes.

Traversal is written once, here; a rule only looks at one node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any, Self, TypeVar

from piql.trees.frozen import replace
from piql.trees.memory import Memory

T = TypeVar("T", bound="Node")

_PLAIN = frozenset(("str", "int", "bool", "float", "None", "Span", "SqlType", "Table"))  # annotations that hold no node

# Caches by class: `fields` is slow, and plans are walked very often.
_FIELD_NAMES: dict[type, tuple[str, ...]] = {}
_VALUES: dict[type, Callable[[Any], tuple[object, ...]]] = {}
_LEAVES: set[type] = set()  # classes without fields that hold nodes


def _may_hold_nodes(annotation: object) -> bool:
    if not isinstance(annotation, str) or annotation.startswith("Literal["):
        return not isinstance(annotation, str)
    return not all(part.strip() in _PLAIN for part in annotation.split("|"))


def _read(kind: type[Node]) -> None:
    """Find out which fields of a class may hold nodes, and cache a getter of all of them."""
    names = tuple(field.name for field in fields(kind) if _may_hold_nodes(field.type))
    values: Callable[[Any], Any] = attrgetter(*names) if names else lambda node: ()
    _FIELD_NAMES[kind] = names
    _VALUES[kind] = values if len(names) != 1 else lambda node: (values(node),)
    if not names:
        _LEAVES.add(kind)


class _Last:
    """The tree that `kinds_of` was asked for last, with its answer; both are replaced together."""

    answer: tuple[Node | None, frozenset[type[Node]]] = (None, frozenset())


def kinds_of(tree: Node) -> frozenset[type[Node]]:
    """Return the classes of all nodes of a tree.

    The last answer is cached: one rule after another asks for the same plan, which few of them change.
    """
    last, kinds = _Last.answer
    if last is not tree:
        kinds = frozenset(_kinds_below((tree,)))
        _Last.answer = (tree, kinds)
    return kinds


def _kinds_below(trees: tuple[object, ...]) -> set[type[Node]]:
    kinds: set[type[Node]] = set()
    waiting: list[Any] = [*trees]
    while waiting:
        value = waiting.pop()
        kind = type(value)
        if kind in _LEAVES:
            kinds.add(kind)
        elif kind in _VALUES:
            kinds.add(kind)
            waiting += _VALUES[kind](value)
        elif isinstance(value, tuple):
            if len(value) > MANY:
                kinds |= _kinds_of_many(value)
            else:
                waiting += value
        elif isinstance(value, Node):
            _read(kind)
            waiting.append(value)
    return kinds


def _kinds_of_many(trees: tuple[object, ...]) -> frozenset[type[Node]]:
    """Return the classes of all nodes in a wide tuple; cached, since the plans before and after a rule share it."""
    return _wide.recall((trees,), lambda: frozenset(_kinds_below(trees)))


MANY = 32
_wide: Memory[frozenset[type[Node]]] = Memory(64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A value with child nodes. Equal trees are `==`; spans are not compared."""

    def children(self) -> tuple[Node, ...]:
        """Return the child nodes in field order, those inside tuples included."""
        return tuple(_children(self))

    def map_children(self, change: Callable[[Node], Node]) -> Self:
        """Return this node with `change` applied to each child; the same object when none changed."""
        kind = type(self)
        if kind not in _VALUES:
            _read(kind)
        if kind in _LEAVES:
            return self
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
            if type(node) in _LEAVES:
                continue
            below = _children(node)
            if below:
                below.reverse()
                waiting += below

    def find(self, kind: type[T]) -> Iterator[T]:
        """Yield the nodes of one kind, parents first."""
        for node in self.walk():
            if isinstance(node, kind):
                yield node


def _children(node: Node) -> list[Node]:
    kind = type(node)
    if kind not in _VALUES:
        _read(kind)
    nodes: list[Node] = []
    for value in _VALUES[kind](node):
        if isinstance(value, Node):
            nodes.append(value)
        elif isinstance(value, tuple):
            nodes.extend([item for item in value if isinstance(item, Node)])
    return nodes
