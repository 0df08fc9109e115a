"""Which consistency requests to a cluster have: no write less than a majority, and reads as their policy says."""

from __future__ import annotations

import pytest
from piql.store.cql.address import CONSISTENCIES, parse_address
from piql.store.cql.levels import Levels, levels_of
from piql.store.cql.rust.driver_settings import driver_settings


def levels(consistency: str) -> Levels:
    return levels_of(parse_address(f"cql://a/shop?consistency={consistency}"))


@pytest.mark.parametrize(
    ("consistency", "expected"),
    [
        ("LOCAL_QUORUM", Levels("LOCAL_ONE", "LOCAL_QUORUM", "LOCAL_QUORUM", "LOCAL_SERIAL", None)),
        ("LOCAL_ONE", Levels("LOCAL_ONE", "LOCAL_QUORUM", "LOCAL_QUORUM", "LOCAL_SERIAL", "eventual")),
        ("ONE", Levels("ONE", "QUORUM", "QUORUM", "SERIAL", "eventual")),
        ("QUORUM", Levels("ONE", "QUORUM", "QUORUM", "SERIAL", None)),
        ("ALL", Levels("ONE", "QUORUM", "ALL", "SERIAL", None)),
        ("EACH_QUORUM", Levels("ONE", "QUORUM", "EACH_QUORUM", "SERIAL", None)),
    ],
)
def test_each_kind_of_request_has_the_level_that_the_address_leaves_it(consistency: str, expected: Levels) -> None:
    assert levels(consistency) == expected


def _copies(level: str, copies: int) -> int:
    """How many copies answer at a level, in a keyspace of one datacentre."""
    match level.removeprefix("LOCAL_"):
        case "ONE":
            return 1
        case "TWO":
            return 2
        case "THREE" | "ALL":
            return copies
        case _:
            return copies // 2 + 1


@pytest.mark.parametrize("consistency", CONSISTENCIES)
@pytest.mark.parametrize("copies", [1, 2, 3])
def test_a_quorum_read_meets_every_acknowledged_write_with_one_to_three_copies(consistency: str, copies: int) -> None:
    written, read = levels(consistency).write, levels(consistency).quorum
    assert _copies(written, copies) + _copies(read, copies) > copies
    assert _copies(levels(consistency).eventual, copies) == 1


@pytest.mark.parametrize("consistency", CONSISTENCIES)
def test_both_drivers_have_the_same_levels(consistency: str) -> None:
    known, names = driver_settings(parse_address(f"cql://a/shop?consistency={consistency}")), levels(consistency)
    of_driver = {kind: str(level).split(".")[-1].upper() for kind, level in known.levels.items()}
    assert of_driver.pop("all") == "ALL"  # of WITH WRITE ALL
    assert of_driver == {kind: getattr(names, kind).replace("_", "") for kind in ("eventual", "quorum")}
    assert str(known.serial).split(".")[-1].upper() == names.serial.replace("_", "")
