"""The clock is made of what executions take: no time passes otherwise."""

from collections.abc import Callable
from random import Random

import numpy as np
import pytest
from piql_profiler.measure.clock import VirtualClock
from piql_profiler.measure.mixed_load import Mixed, Part, offer_mixed
from piql_profiler.measure.open_loop import Block


def taking(clock: VirtualClock, us: Callable[[], float]) -> Callable[[], float]:
    def execute() -> float:
        took = us()
        clock.spend(took / 1e6)
        return took

    return execute


def test_each_part_has_its_share_of_the_time_and_the_client_its_load() -> None:
    clock = VirtualClock()
    parts = [Part(taking(clock, lambda: 1_000), 30.0), Part(taking(clock, lambda: 4_000), 10.0)]
    began = clock.now()
    short, long = offer_mixed(parts, load=0.5, seed=1, clock=clock).blocks
    assert clock.now() - began == pytest.approx(40, rel=0.01)
    assert len(short.service_us) == pytest.approx(15_000, rel=0.05)
    assert len(long.service_us) == pytest.approx(1_250, rel=0.1)
    assert short.busy == pytest.approx(0.5, rel=0.05)


def test_what_is_slow_is_waited_for_by_all_that_were_due_behind_it() -> None:
    clock = VirtualClock()
    parts = [Part(taking(clock, lambda: 100), 1.0, 1e-4), Part(taking(clock, lambda: 50_000), 1.0, 0.05)]
    short, _ = offer_mixed(parts, load=0.6, seed=2, clock=clock).blocks
    assert max(short.service_us) == 100
    assert np.quantile(short.response_us, 0.9) > 10_000
    assert not short.is_void


def test_what_the_client_computes_for_all_parts_counts_for_each() -> None:
    class Computing(VirtualClock):
        def computed(self) -> float:
            return self.now()

    clock = Computing()
    parts = [Part(taking(clock, lambda: 1_000), 30.0, 1e-3), Part(taking(clock, lambda: 4_000), 10.0, 4e-3)]
    blocks = offer_mixed(parts, load=0.9, seed=1, clock=clock).blocks
    assert [block.computing for block in blocks] == [pytest.approx(0.9, abs=0.03)] * 2
    assert all(block.is_void for block in blocks)


def test_what_is_too_slow_for_its_time_is_executed_a_few_times_still() -> None:
    clock = VirtualClock()
    parts = [Part(taking(clock, lambda: 100), 0.1, 1e-4), Part(taking(clock, lambda: 5e6), 0.1, 5.0)]
    _, slow = offer_mixed(parts, load=0.5, seed=3, at_least=4, clock=clock).blocks
    assert len(slow.service_us) == 4


def test_what_is_known_well_enough_gives_its_time_back() -> None:
    clock = VirtualClock()
    known = Part(taking(clock, lambda: 1_000), 30.0, 1e-3, lambda service_us: len(service_us) >= 500)
    other = Part(taking(clock, lambda: 1_000), 10.0, 1e-3)
    began = clock.now()
    mixed = offer_mixed([known, other], load=0.5, seed=7, clock=clock)
    assert len(mixed.blocks[0].service_us) == 500
    assert mixed.seconds == [pytest.approx(1, rel=0.2), 10.0]
    assert clock.now() - began == pytest.approx(11, rel=0.1)
    assert len(mixed.blocks[1].service_us) == pytest.approx(5_000, rel=0.1)


def test_in_closed_loop_one_follows_the_other() -> None:
    clock = VirtualClock()
    parts = [Part(taking(clock, lambda: 100), 0.05), Part(taking(clock, lambda: 300), 0.05)]
    short, long = offer_mixed(parts, load=0.0, seed=4, clock=clock).blocks
    assert short.service_us == short.response_us
    assert len(short.service_us) > 2 * len(long.service_us)


@pytest.mark.parametrize("load", [-0.1, 1.0])
def test_a_load_that_no_client_keeps_is_refused(load: float) -> None:
    with pytest.raises(ValueError, match="a load is a share"):
        offer_mixed([], load=load, seed=1)


def test_executions_that_follow_each_other_show_the_cause_that_they_share_whatever_they_are() -> None:
    random = np.random.default_rng(5)
    cause, order, services = 0.0, [], ([], [])
    for _ in range(20_000):
        cause = 0.6 * cause + 0.8 * float(random.standard_normal())
        part = int(random.random() < 0.3)
        order.append(part)
        services[part].append(float(np.exp((0.1, 0.4)[part] * cause)) * (100, 5_000)[part])
    blocks = [Block(service, service, [0.0] * len(service), 0.5) for service in services]
    assert Mixed(blocks, [1.0, 1.0], order).correlations() == pytest.approx([0.6, 0.6], abs=0.03)
    independent = [Random(6).sample(service, len(service)) for service in services]
    blocks = [Block(service, service, [0.0] * len(service), 0.5) for service in independent]
    assert Mixed(blocks, [1.0, 1.0], order).correlations() == pytest.approx([0.0, 0.0], abs=0.03)


def test_too_few_executions_show_nothing() -> None:
    block = Block([1.0, 2.0], [1.0, 2.0], [0.0, 0.0], 0.5)
    assert Mixed([block], [1.0], [0, 0]).correlations() == [0.0]
