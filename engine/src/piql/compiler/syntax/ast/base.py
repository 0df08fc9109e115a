"""What every node of a tree has, and the name, which most of them hold."""

from __future__ import annotations

from dataclasses import dataclass, field

from piql.text.source import Span
from piql.trees.node import Node


@dataclass(frozen=True, slots=True, kw_only=True)
class AstNode(Node):
    """The base of all nodes: `span` is the text that the node was read from; equality ignores it."""

    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Name(AstNode):
    """An identifier. One without quotes matches declared names whatever the case of the letters."""

    text: str
    is_quoted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeName(AstNode):
    """A type as written: `VARCHAR(32)` has the arguments `(32,)`."""

    name: str
    arguments: tuple[int, ...] = ()
