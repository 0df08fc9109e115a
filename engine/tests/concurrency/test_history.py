"""The checks of histories find what is wrong, and nothing else: held against histories made for it."""

from __future__ import annotations

import random
from itertools import permutations
from math import inf

from .history import Seen, is_linearisable, misread_own_writes, went_back


def read(session: int, called: float, returned: float, answer: int) -> Seen:
    return Seen(session, "read", called, returned, answer=answer)


def write(session: int, called: float, returned: float, value: int) -> Seen:
    return Seen(session, "write", called, returned, value, answer=True)


def swap(session: int, called: float, returned: float, expected: int, value: int, done: bool) -> Seen:
    return Seen(session, "swap", called, returned, value, expected, done)


def test_one_after_the_other_is_linearisable() -> None:
    assert is_linearisable([read(1, 0, 1, 0), write(1, 2, 3, 5), read(2, 4, 5, 5)], 0)


def test_reads_during_a_write_may_see_the_old_value_or_the_new() -> None:
    assert is_linearisable([write(1, 0, 10, 5), read(2, 1, 2, 0), read(2, 3, 4, 5)], 0)


def test_the_old_value_after_the_new_is_not_linearisable_even_during_the_write() -> None:
    assert not is_linearisable([write(1, 0, 10, 5), read(2, 1, 2, 5), read(3, 3, 4, 0)], 0)


def test_a_stale_read_is_found() -> None:
    assert not is_linearisable([write(1, 0, 1, 5), read(2, 2, 3, 0)], 0)


def test_a_value_that_nobody_wrote_is_found() -> None:
    assert not is_linearisable([write(1, 0, 1, 5), read(2, 2, 3, 6)], 0)


def test_a_lost_write_is_found() -> None:
    assert not is_linearisable([write(1, 0, 1, 5), write(2, 2, 3, 6), read(1, 4, 5, 5)], 0)


def test_two_swaps_of_one_value_are_found() -> None:
    together = [swap(1, 0, 2, 0, 1, True), swap(2, 1, 3, 0, 2, True)]
    assert not is_linearisable(together, 0)
    assert is_linearisable([together[0], swap(2, 1, 3, 0, 2, False)], 0)


def test_a_swap_that_failed_for_no_reason_is_found() -> None:
    assert not is_linearisable([swap(1, 0, 1, 0, 1, False)], 0)


def test_a_write_without_an_answer_may_show_late_or_never_but_not_come_and_go() -> None:
    unanswered = Seen(1, "write", 0, inf, 5)
    assert is_linearisable([unanswered, read(2, 1, 2, 0), read(2, 50, 51, 5)], 0)
    assert is_linearisable([unanswered, read(2, 1, 2, 0)], 0)
    assert not is_linearisable([unanswered, read(2, 1, 2, 5), read(2, 50, 51, 0)], 0)


def random_history(chance: random.Random, operations: int) -> tuple[list[Seen], list[Seen]]:
    """Return what one copy answers to four sessions, and the same with the answers of some reads changed."""
    value, free_at = 0, [0.0] * 4
    good: list[Seen] = []
    for moment in range(1, operations + 1):  # each operation takes effect at its moment
        session = chance.randrange(4)
        called = max(free_at[session], moment - chance.random() * 3)
        if called >= moment:
            continue
        returned = moment + chance.random() * 3
        free_at[session] = returned
        match chance.randrange(3):
            case 0:
                good.append(read(session, called, returned, value))
            case 1:
                value = moment
                good.append(write(session, called, returned, value))
            case _:
                expected = chance.choice((value, value + 1000))
                good.append(swap(session, called, returned, expected, moment, expected == value))
                value = moment if expected == value else value
    bad = [
        operation
        if operation.kind != "read"
        else read(operation.session, operation.called, operation.returned, chance.randrange(operations))
        for operation in good
    ]
    return good, bad


def is_linearisable_by_trying_all(history: list[Seen], first: int) -> bool:
    for order in permutations(history):
        value = first
        for at, operation in enumerate(order):
            if any(later.returned < operation.called for later in order[at + 1 :]):
                break
            if operation.kind == "read" and operation.answer != value:
                break
            if operation.kind == "swap" and operation.answer != (operation.expected == value):
                break
            value = value if operation.kind == "read" or operation.answer is False else operation.value
        else:
            return True
    return False


def test_the_search_agrees_with_trying_every_order() -> None:
    chance = random.Random(1)
    answers = set()
    for _ in range(300):
        for history in random_history(chance, 7):
            answer = is_linearisable(history, 0)
            assert answer == is_linearisable_by_trying_all(history, 0)
            answers.add(answer)
    assert answers == {True, False}


def test_long_histories_of_one_copy_are_linearisable_and_changed_ones_are_not() -> None:
    chance = random.Random(2)
    refused = 0
    for _ in range(50):
        good, bad = random_history(chance, 60)
        assert is_linearisable(good, 0)
        refused += not is_linearisable(bad, 0)
    assert refused > 45


def test_a_session_that_misses_its_own_write_is_found() -> None:
    history = [write(1, 0, 1, 5), read(2, 2, 3, 0), read(1, 4, 5, 0)]
    assert misread_own_writes(history) == [history[2]]
    assert misread_own_writes([swap(1, 0, 1, 0, 5, False), read(1, 2, 3, 0)]) == []
    assert went_back(history) == []


def test_a_session_that_goes_back_is_found() -> None:
    history = [read(1, 0, 1, 5), read(2, 2, 3, 0), read(1, 4, 5, 4)]
    assert went_back(history) == [history[2]]
    assert misread_own_writes(history) == []
