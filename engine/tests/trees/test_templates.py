"""Templates: what has a hole is made anew, all else is shared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest
from piql.trees.templates import NoTemplate, Template
from piql.trees.traced_numbers import Trace


class Pair(NamedTuple):
    left: object
    right: object


@dataclass(frozen=True, slots=True)
class Tree:
    name: str
    parts: tuple[Any, ...] = ()


def test_numbers_texts_and_objects_are_put_in_and_all_else_is_shared() -> None:
    trace = Trace()
    limit = trace.number(100)
    owner, other, leaf = Tree("owner"), Tree("other"), Tree("leaf", (1, "a\0b", None))
    tree = Tree("root", (Pair(limit * 2, leaf), Tree(f"at most {limit:,} rows", (owner, leaf)), leaf))
    template = Template(tree, {id(owner): 0})
    values = trace.replay([1_000])
    assert values is not None
    filled = template.fill(values, [other])
    assert filled == Tree("root", (Pair(2_000, leaf), Tree("at most 1,000 rows", (other, leaf)), leaf))
    assert type(filled.parts[0].left) is int
    assert filled.parts[2] is leaf
    assert template.fill(trace.values, [owner]).parts[1].name == "at most 100 rows"


def test_a_value_without_holes_stays_the_same_object() -> None:
    tree = Tree("root", (frozenset((1, 2)), {"a": 1}))
    assert Template(tree, {}).fill([], []) is tree


@pytest.mark.parametrize("hidden", [lambda number: {number}, lambda number: {"a": number}, lambda number: [number]])
def test_a_hole_in_a_set_map_or_list_makes_no_template(hidden: Any) -> None:
    with pytest.raises(NoTemplate):
        Template(Tree("root", (hidden(Trace().number(3)),)), {})


def test_what_nobody_can_look_into_makes_no_template() -> None:
    with pytest.raises(NoTemplate):
        Template(Tree("root", (lambda: 3,)), {})
    assert Template(Tree("root", (Tree("x"),)), {}, frozenset((Tree,))).fill([], [])
