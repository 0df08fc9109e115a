"""The texts of the Rust driver's failures, recorded while nodes were down, and the errors that they become."""

from time import monotonic

import pytest
from piql.errors import StoreSilent, StoreUnavailable
from piql.store.cql.address import parse_address
from piql.store.cql.rust.connection import RustConnection
from piql.store.cql.rust.failures import unavailable, was_not_taken
from piql.store.cql.undecided import Undecided

ADDRESS = parse_address("cql://a/shop?driver=rust&timeout=2")
DATABASE = "Failed to execute statement: Database returned an error: "
CONTENDED = (
    f"{DATABASE}Not enough nodes responded to the write request in time to satisfy required consistency level"
    " (consistency: Serial, received: 1, required: 2, write_type: Cas)"
)
READ_FAILED = f"{DATABASE}A non-timeout error during a read request (consistency: Quorum, received: 1, required: 2)"
LATE = "Failed to execute statement: Request execution exceeded a client timeout of 2000ms"
BROKEN = "Failed to execute statement: Connection broken, reason: Failed to deserialize frame: Connection reset by peer"
SILENT = "Failed to execute statement: Connection broken, reason: Timed out while waiting for response to keepalive"
NOBODY = (
    "Failed to execute statement: No connections in the pool: The pool is broken; Connection refused (os error 111)"
)
REFUSED = f"{DATABASE}The query is syntactically correct but invalid, Error message: Undefined column name"


def said(text: str, *, is_conditional: bool = False) -> StoreUnavailable:
    return unavailable(RuntimeError(text), ADDRESS, is_conditional=is_conditional)


@pytest.mark.parametrize("text", [LATE, BROKEN, SILENT, NOBODY])
def test_a_cluster_that_is_silent_or_away_is_told_from_one_that_refuses(text: str) -> None:
    assert type(said(text)) is StoreSilent
    assert type(said(REFUSED)) is StoreUnavailable


def test_a_late_answer_is_said_in_the_words_of_the_address() -> None:
    assert str(said(LATE)) == "the cluster cql://a:9042/shop does not answer: did not answer within 2 s"


def test_a_late_answer_to_one_conditional_change_is_undecided_and_one_to_many_is_not() -> None:
    failure = unavailable(RuntimeError(LATE), ADDRESS, is_conditional=True, seconds=1)
    assert isinstance(failure, Undecided)
    assert failure.is_silent
    assert "did not answer within 1 s" in str(failure)
    assert type(said(LATE, is_conditional=True)) is StoreSilent


@pytest.mark.parametrize(
    ("text", "expected"), [(BROKEN, True), (SILENT, True), (NOBODY, True), (LATE, False), (REFUSED, False)]
)
def test_what_no_node_took_may_be_sent_again(text: str, expected: bool) -> None:
    assert was_not_taken(RuntimeError(text)) is expected


def test_of_a_change_that_met_others_nobody_knows_what_came() -> None:
    assert isinstance(said(CONTENDED), Undecided)


def test_replicas_that_failed_leave_a_conditional_change_open_and_a_read_refused() -> None:
    failure = said(READ_FAILED, is_conditional=True)
    assert isinstance(failure, Undecided)
    assert failure.have_replicas_failed
    assert not isinstance(said(READ_FAILED), Undecided)


def again(seconds_ago: float) -> list[float]:
    """Try what failed for want of a node again and again, and give the seconds that each try was left."""
    connection = RustConnection.__new__(RustConnection)
    connection.address, connection._pauses = ADDRESS, (0.0,) * ADDRESS.retries
    tries: list[float] = []

    def attempt(seconds: float) -> None:
        tries.append(seconds)
        raise RuntimeError(NOBODY)

    with pytest.raises(StoreSilent):
        connection._tried_again(attempt, RuntimeError(NOBODY), monotonic() - seconds_ago)
    return tries


def test_tries_share_one_timeout_counted_from_the_first() -> None:
    assert len(again(0)) == ADDRESS.retries > 0
    assert all(seconds <= ADDRESS.timeout - 1 for seconds in again(1))
    assert again(ADDRESS.timeout) == []
