"""Turns failures of the Rust driver into errors of PIQL, and says which requests may be sent again.

The driver says in its messages alone what has failed, so this module looks for words in them:

not taken           no node of the plan has a connection, a connection broke, nodes are overloaded or starting
replicas failed     some do not know a column yet (see session/failures.py)
others contend      a conditional change or serial read met another one of its partition
"""

from __future__ import annotations

import re

from piql.errors import StoreSilent, StoreUnavailable
from piql.store.cql.address import Address
from piql.store.cql.credentials import without_credentials
from piql.store.cql.undecided import Undecided

_OTHERS_CONTEND = re.compile(r"write_type: \"?cas|consistency: (local)?serial", re.IGNORECASE)
_REPLICAS_FAILED = re.compile(r"non-timeout error during a (read|write) request", re.IGNORECASE)
_NOT_TAKEN = re.compile(
    r"empty plan|no connections in the pool|working connection pool|connection (has been )?broken|overloaded"
    r"|bootstrapping",
    re.IGNORECASE,
)
_LATE = "exceeded a client timeout"
_UNREADABLE = "DeserializationError"


def text_of(failure: BaseException) -> str:
    """Return the driver's message in one line of at most 300 characters."""
    return " ".join(str(failure).split())[:300] or type(failure).__name__


def have_replicas_failed(failure: BaseException) -> bool:
    """Return whether replicas answered with an error."""
    return _REPLICAS_FAILED.search(str(failure)) is not None


def was_not_taken(failure: BaseException) -> bool:
    """Return whether no node took a request, or its connection broke: then it may have been executed."""
    return _NOT_TAKEN.search(str(failure)) is not None


def unavailable(
    failure: BaseException, address: Address, *, is_conditional: bool = False, seconds: float | None = None
) -> StoreUnavailable:
    """Return the error of PIQL for a failure; `is_conditional` says that of a conditional change or a serial read.

    `seconds` is given for a single one of these: how long its answer was awaited. Without an answer it is Undecided.
    """
    if isinstance(failure, StoreUnavailable):
        return failure
    message = without_credentials(text_of(failure), address)
    is_late = _LATE in message or isinstance(failure, TimeoutError)
    if is_late:
        message = f"did not answer within {seconds or address.timeout:g} s"
    is_unreadable = message.startswith(_UNREADABLE)
    problem = (
        "holds a value that another program stored and this driver cannot read" if is_unreadable else "does not answer"
    )
    message = f"the cluster {address.shown()} {problem}: {message}"
    have_failed = is_conditional and have_replicas_failed(failure)
    is_unanswered = is_late and seconds is not None
    if have_failed or is_unanswered or _OTHERS_CONTEND.search(str(failure)):
        return Undecided(message, have_replicas_failed=have_failed, is_silent=is_unanswered)
    return StoreSilent(message) if is_late or was_not_taken(failure) else StoreUnavailable(message)
