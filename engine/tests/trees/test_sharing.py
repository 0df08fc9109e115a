"""Long sequences and mappings: a changed copy holds what a plain copy would, and shares what did not change."""

from __future__ import annotations

import random

import pytest
from piql.trees import sharing
from piql.trees.sharing import LongList, LongMap, common_ends


@pytest.fixture(autouse=True)
def short_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharing, "RUN", 3)
    monkeypatch.setattr(sharing, "LONGEST", 5)
    monkeypatch.setattr(sharing, "MOST_CHANGES", 4)


def words(rng: random.Random, most: int) -> list[str]:
    return [f"{rng.random()}" for _ in range(rng.randrange(most))]


def in_common(left: list[str], right: list[str]) -> int:
    pairs = zip(left, right, strict=False)
    return next(
        (at for at, (left_item, right_item) in enumerate(pairs) if left_item is not right_item),
        min(len(left), len(right)),
    )


@pytest.mark.parametrize("seed", range(5))
def test_a_changed_sequence_holds_what_a_changed_list_does(seed: int) -> None:
    rng = random.Random(seed)
    plain = words(rng, 30)
    long = LongList.of(plain)
    for _ in range(200):
        start = rng.randrange(len(plain) + 1)
        end = rng.randrange(start, min(len(plain), start + 8) + 1)
        new = words(rng, 9)
        before, was = long, plain
        long, plain = long.with_slice(start, end, new), [*plain[:start], *new, *plain[end:]]
        assert (list(long), len(long), list(before)) == (plain, len(plain), was)
        assert [long[at] for at in range(len(plain))] == plain
        start = rng.randrange(len(plain) + 1)
        end = rng.randrange(start, len(plain) + 1)
        assert long.between(start, end) == plain[start:end]
        head = in_common(was, plain)
        tail = min(in_common(was[::-1], plain[::-1]), min(len(was), len(plain)) - head)
        assert common_ends(before, long) == (head, tail)
        if plain:
            some = {id(choice): choice + "!" for choice in rng.choices(plain, k=3)}
            assert long.items_with_ids(some) == [item for item in plain if id(item) in some]
            assert list(long.with_replaced(some)) == [some.get(id(item), item) for item in plain]


def test_what_is_told_of_a_run_is_found_once() -> None:
    asked: list[tuple[int, ...]] = []

    def total(items: tuple[int, ...]) -> int:
        asked.append(items)
        return sum(items)

    long = LongList.of(range(12))
    assert sum(long.by_run(total)) == 66
    assert len(asked) == 4
    assert sum(long.with_slice(4, 5, [100]).by_run(total)) == 162
    assert asked[4:] == [(3, 100, 5)]


def test_a_changed_mapping_holds_what_a_changed_dict_does() -> None:
    rng = random.Random(7)
    plain = {str(number): number for number in range(10)}
    long = LongMap(plain)
    for _ in range(60):
        new = {str(rng.randrange(11 + rng.randrange(3))): rng.random() for _ in range(rng.randrange(3))}
        before, was = long, plain
        long, plain = long.with_values(new), {**plain, **new}  # type: ignore[arg-type]
        assert (list(long.items()), len(long), dict(before)) == (list(plain.items()), len(plain), was)
        assert "nothing" not in long
        assert long.get("nothing") is None
