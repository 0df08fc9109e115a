"""Turns errors of the Python driver into errors of PIQL, so that callers of a store need not know its driver."""

from __future__ import annotations

from cassandra import (
    AuthenticationFailed,
    ConsistencyLevel,
    InvalidRequest,
    OperationTimedOut,
    ReadFailure,
    ReadTimeout,
    Unavailable,
    UnresolvableContactPoints,
    WriteFailure,
    WriteTimeout,
    WriteType,
)
from cassandra.cluster import NoHostAvailable

from piql.errors import StoreSilent, StoreUnavailable
from piql.store.cql.address import Address
from piql.store.cql.credentials import without_credentials
from piql.store.cql.undecided import Undecided

REPLICAS_FAILED = (ReadFailure, WriteFailure)
"""A replica could not do what its coordinator asked for, as happens for a moment after a change of the schema, while
only one of the two knows a new column. The error does not name its cause. Nodes agree soon: requests are repeated."""

_SERIAL = (ConsistencyLevel.SERIAL, ConsistencyLevel.LOCAL_SERIAL)


def unavailable(
    failure: BaseException, address: Address, *, is_conditional: bool = False, seconds: float | None = None
) -> StoreUnavailable:
    """Return the error of PIQL for a failure; `is_conditional` of a conditional change or serial read.

    A single one of these, whose answer was waited for so many `seconds`, is undecided without one.
    """
    if isinstance(failure, StoreUnavailable):
        return failure
    is_change = isinstance(failure, WriteTimeout) and failure.write_type == WriteType.CAS
    is_undecided = is_change or (isinstance(failure, ReadTimeout) and failure.consistency in _SERIAL)
    have_failed = is_conditional and isinstance(failure, REPLICAS_FAILED)
    is_silent = isinstance(failure, (OperationTimedOut, NoHostAvailable))
    is_unanswered = isinstance(failure, OperationTimedOut) and seconds is not None
    message = f"the cluster {address.shown()} {_said(failure, address, seconds or address.timeout)}"
    if is_undecided or have_failed or is_unanswered:
        return Undecided(message, have_replicas_failed=have_failed, is_silent=is_unanswered)
    return StoreSilent(message) if is_silent else StoreUnavailable(message)


def _said(failure: BaseException, address: Address, seconds: float) -> str:
    """Return the end of a message whose subject is the cluster; an answer was waited for so many seconds."""
    match failure:
        case OperationTimedOut():
            return f"did not answer within {seconds:g} s"
        case Unavailable():
            return (
                f"has {failure.alive_replicas} of the {failure.required_replicas} copies that"
                f" {address.consistency} needs"
            )
        case ReadTimeout() | WriteTimeout():
            return (
                f"had {failure.received_responses} of {failure.required_responses} answers that"
                f" {address.consistency} needs in time"
            )
        case ReadFailure() | WriteFailure():
            return f"failed in {failure.failures} of its nodes"
        case NoHostAvailable():
            reasons = sorted({_one_line(error, address) for error in failure.errors.values()}) if failure.errors else []
            return "cannot be reached" + (f": {'; '.join(reasons)}" if reasons else "")
        case UnresolvableContactPoints():
            return f"cannot be reached: no address is known for {' or '.join(address.hosts)}"
        case AuthenticationFailed():
            return f"does not let this user in: {_one_line(failure, address)}"
        case InvalidRequest():
            return f"refused a request: {_one_line(failure, address)}"
    return f"does not answer: {_one_line(failure, address)}"


def _one_line(failure: BaseException, address: Address) -> str:
    text = " ".join(str(failure).split())[:300] or type(failure).__name__
    return without_credentials(text, address)
