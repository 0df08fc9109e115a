"""A step of a unit that arrives when the unit is over: readers of its records are told what holds."""

from __future__ import annotations

import pytest
from piql.runtime.writing.stepped.intents import processes
from piql.runtime.writing.stepped.unit_record import forget_places

from .test_units_by_steps import UNITS, changes_of, stopped
from .units_world import check_units, do, serially
from .world import opened


@pytest.mark.parametrize("is_forgotten", [False, True])
@pytest.mark.parametrize("then", ["", "UPDATE plain SET v = v * 2 WHERE id = 1"])
def test_a_record_that_is_held_late_is_read_as_it_is(then: str, is_forgotten: bool) -> None:
    """The unit only reads the record; its place says that it was refused, or nothing any more."""
    held_late = 0
    for at in range(changes_of(UNITS["a copy"]) + 1):
        store, interruption = stopped(UNITS["a copy"], at)
        reader = opened(store, wait_policy=None)
        reader.sweep(older_than=-1)
        before = [do(reader, f'READ v {{"x": {key}}}') for key in (1, 2, 3)]
        if is_forgotten:
            assert store.row_writes is not None
            for process in processes(store.row_writes):
                assert forget_places(store.row_writes, process)
        if interruption.late is not None:
            interruption.late()
        held_late += "~" in str(reader._prepared.stepped("plain").records.find_held((1,)))
        assert [do(reader, f'READ v {{"x": {key}}}') for key in (1, 2, 3)] == before, at
        if then:
            assert do(reader, then) == "done"
            assert do(reader, 'READ v {"x": 1}') == repr([{"v": 20}])
        reader.sweep(older_than=-1)
        check_units(reader)
        reader.close()
    assert held_late == 1
    assert serially(UNITS["a copy"])[0] == ("done",)
