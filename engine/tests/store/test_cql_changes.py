"""Conditional changes whose outcome is unknown: sent twice, without an answer, or overwritten since.

The cluster here is a dictionary that loses answers; a real one is tried in `faults`.
"""

from __future__ import annotations

from collections.abc import Callable

import piql
import pytest
from piql.errors import StoreSilent
from piql.store.cql.address import Address
from piql.store.cql.layout import layout_of
from piql.store.cql.link import Reach
from piql.store.cql.undecided import Undecided
from piql.store.cql.writes.entries import CqlEntries, entries_of
from piql.store.cql.writes.row_writes import CqlRowWrites
from piql.store.rows import State

Fault = Callable[[], None]


class OneRecord:
    """The connection to a cluster of one record; `faults` happen to its next conditional changes, one each.

    lost: the change is made, and not answered     twice: made by the first copy, refused to the second
    silent: nothing is made, and nothing answered
    """

    def __init__(self) -> None:
        self.address = Address(("here",), 9042, "shop", timeout=120)
        self.noted: str | None = None
        self.faults: list[str] = []
        self.meanwhile: Fault | None = None
        self.made = 0

    def change_if(self, cql: str, values: list[bytes | None], reach: Reach | None = None) -> tuple[bool, bool]:
        is_insert = cql.startswith("INSERT")
        if self.faults and self.faults[0] == "silent":
            self.faults.pop(0)
            raise Undecided("did not answer within 1 s", is_silent=True)
        write = next(value for value in values if value is not None and value.startswith(b"w")).decode()
        if is_insert:
            holds = self.noted is None
        else:
            low, high = (value.decode() for value in values[-2:] if value is not None)
            holds = self.noted is not None and low <= self.noted < high
        if holds:
            self.noted = write
            self.made += 1
        fault = self.faults.pop(0) if self.faults else ""
        if fault and self.meanwhile is not None:
            self.meanwhile()
        if fault == "lost":
            raise Undecided("nobody knows")
        if fault == "twice":
            return False, False
        return holds, True

    def answer(
        self, cql: str, values: list[bytes | None], consistency: Reach | None = None, *, is_serial: bool = False
    ) -> list[tuple[object, ...]]:
        return [] if self.noted is None else [(self.noted, 0, 1)]


@pytest.fixture
def here() -> OneRecord:
    return OneRecord()


@pytest.fixture
def records() -> CqlEntries:
    table = piql.compile("CREATE TABLE items (id INT PRIMARY KEY, price INT);").tables["items"]
    return entries_of(layout_of(table, table.primary_index()))


Change = Callable[[str, str | None], bool]


@pytest.fixture
def change(here: OneRecord, records: CqlEntries) -> Change:
    row_writes = CqlRowWrites(here)  # type: ignore[arg-type]
    return lambda write, known: row_writes.change(records, (1, 5), State.VISIBLE, write, known)[0]


@pytest.mark.parametrize("fault", ["lost", "twice"])
def test_a_change_that_was_made_without_an_answer_is_found_and_not_made_again(
    here: OneRecord, change: Change, fault: str
) -> None:
    here.faults = [fault]
    assert change("w1", None)
    here.faults = [fault]
    assert change("w2", "w1")
    assert here.made == 2


@pytest.mark.parametrize("fault", ["lost", "twice"])
def test_a_change_that_was_overwritten_since_is_still_known_to_have_been_made(
    here: OneRecord, change: Change, records: CqlEntries, fault: str
) -> None:
    assert change("w1", None)
    other = CqlRowWrites(here)  # type: ignore[arg-type]

    def overwrite() -> None:
        for write, known in (("w3", "w2"), ("w4", "w3"), ("w5", "w4")):
            other.find(records, (1,))
            assert other.change(records, (1, 6), State.VISIBLE, write, known)[0]

    here.faults, here.meanwhile = [fault], overwrite
    assert change("w2", "w1")
    assert here.noted == "w5 w4 w3 w2 w1"


def test_a_change_that_lost_to_another_is_known_not_to_have_been_made(here: OneRecord, change: Change) -> None:
    assert change("w1", None)
    here.noted = "w9 w1"
    here.faults = ["lost"]
    assert not change("w2", "w1")


def test_a_change_of_which_nothing_can_be_told_any_more_is_a_typed_error(here: OneRecord, change: Change) -> None:
    assert change("w1", None)
    here.noted = "w9 w8 w7 w6 w5"
    here.faults = ["lost"]
    with pytest.raises(piql.StoreUnavailable, match="did not say whether it made a change"):
        change("w2", "w1")


def test_a_change_without_an_answer_is_looked_for_and_sent_once_more(here: OneRecord, change: Change) -> None:
    here.faults = ["silent"]
    assert change("w1", None)
    assert here.made == 1
    here.faults = ["silent", "silent"]
    with pytest.raises(StoreSilent, match="did not answer within 1 s"):
        change("w2", "w1")
    assert here.noted == "w1"


def test_a_change_that_was_not_made_is_made_when_it_is_sent_again(here: OneRecord, change: Change) -> None:
    assert change("w1", None)
    change_if, here.change_if = here.change_if, lambda *_: (False, False)  # type: ignore[method-assign]
    here.address = Address(("here",), 9042, "shop", timeout=0.01)
    with pytest.raises(piql.StoreUnavailable, match="again and again"):
        change("w2", "w1")
    here.change_if = change_if  # type: ignore[method-assign]
    assert change("w2", "w1")
