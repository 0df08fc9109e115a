"""What the engine raises. User mistakes in PIQL text are Diagnostics instead; these are refusals at run time.

PiqlError
├── CompilationRefused      deploy or run of text with errors (.diagnostics)
├── ConstraintViolation     NOT NULL, type, length
├── CardinalityViolation
├── DuplicateKey            primary key of a conditional insert, or UNIQUE
├── ForeignKeyViolation
├── ConditionFailed         UPDATE … IF and DELETE … IF
├── InvalidParameter
├── NumberOutOfRange        what is computed does not fit its type
├── ConversionFailed        CAST of a text that is no value of the type
├── InvalidCursor
│   └── StaleCursor         made by another version of the query
├── InvalidSession          a session's token that is damaged, or of another store
├── NotDeployed
├── DeploymentInProgress    another version is on its way
├── DeployedMeanwhile       somebody deployed between a look at the store and a deployment or an execution
├── BoundExceeded           a fault of the engine: report it
├── RepairPending
├── SnapshotUnavailable     asked of a store without transactions
└── StoreUnavailable
    ├── CredentialsMissing  a user, password or certificate that an address names cannot be read
    ├── StoreForked         connections that a process has from its parent
    ├── StoreFull           no room left on the disk
    ├── StoreNotWritable    this user may not write its file, or the folder of its file
    ├── NotAStore           a file of another program, or of another kind of store
    ├── StoreReplaced       its file was removed, replaced or cut while it was open, or it is another store
    ├── StoreSilent         no answer in time
    └── WrongStoreAddress   what names the store is the address of none; nothing was asked
"""

from __future__ import annotations

from piql.text.diagnostics.diagnostic import Diagnostic


class PiqlError(Exception):
    """Base of everything that the engine raises on purpose."""

    def __init__(self, message: str) -> None:
        """Keep a message; half a surrogate pair in it, which came in with a value, is written as an escape sequence."""
        super().__init__(message if message.isascii() else message.encode("utf-8", "backslashreplace").decode())


def kind_of(given: object) -> str:
    """Return what a message calls something of a wrong type: the name of the type with its article."""
    name = type(given).__name__
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


class CompilationRefused(PiqlError):
    """The text has errors; `diagnostics` says which."""

    def __init__(self, message: str, diagnostics: tuple[Diagnostic, ...] = ()) -> None:
        super().__init__(message)
        self.diagnostics = diagnostics


class ConstraintViolation(PiqlError):
    """A value breaks NOT NULL, its type or its length."""


class CardinalityViolation(PiqlError):
    """One row more would pass a CARDINALITY LIMIT."""


class DuplicateKey(PiqlError):
    """A row with this primary or unique key exists already; `columns` are those of the key."""

    def __init__(self, message: str, columns: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.columns = columns


class ForeignKeyViolation(PiqlError):
    """A referenced row is missing, or a row to delete is still referenced; `advice` says which rows refer to it."""

    def __init__(self, message: str, advice: str | None = None) -> None:
        super().__init__(message)
        self.advice = advice


class ConditionFailed(PiqlError):
    """The IF of an UPDATE or DELETE is not true of the row, or there is no such row."""


class InvalidParameter(PiqlError):
    """A parameter is missing, unknown, of the wrong type, negative or above its MAX; or a list holds NULL.

    `parameter` is its name, None when the fault is not one parameter's.
    """

    def __init__(self, message: str, parameter: str | None = None) -> None:
        super().__init__(message)
        self.parameter = parameter


class NumberOutOfRange(PiqlError):
    """What an execution computes, or another program stored, does not fit its type: it is neither rounded nor left out.

    Nothing is written.
    """


class ConversionFailed(PiqlError):
    """A CAST met a text that stands for no value of its type, or is too long for it. Nothing is written."""


class InvalidCursor(PiqlError):
    """The cursor is damaged, or belongs to another query or to other parameters."""


class StaleCursor(InvalidCursor):
    """The cursor was made by a version of the query that has been replaced."""


class InvalidSession(PiqlError):
    """The token of a session is damaged, or was made by another store."""


class NotDeployed(PiqlError):
    """No query or table of that name is deployed."""


class DeploymentInProgress(PiqlError):
    """Another version is on its way: wait for it, resume it or cancel it first."""


class DeployedMeanwhile(PiqlError):
    """Somebody has deployed since the caller looked: the version in force is not the one that it has seen."""


class BoundExceeded(PiqlError):
    """An execution was stopped before it made more requests than its bound: a fault of the engine."""


class RepairPending(PiqlError):
    """For about a second, interrupted or busy writers left more writes to settle than one execution may settle."""


class SnapshotUnavailable(PiqlError):
    """A read of one moment was asked of a store that has no transactions."""


class StoreUnavailable(PiqlError):
    """The store does not answer; `advice` is one thing to do where the store knows it, and ends the message."""

    def __init__(self, message: str, advice: str | None = None) -> None:
        super().__init__(message if advice is None else f"{message}: {advice}")
        self.advice = advice


class CredentialsMissing(StoreUnavailable):
    """The user, the password or a certificate that a store's address names cannot be read."""


class StoreForked(StoreUnavailable):
    """This process was forked while its parent used the store: what it took over cannot be used safely."""


class StoreFull(StoreUnavailable):
    """The store has no room left for what was to be written; nothing was."""


class StoreNotWritable(StoreUnavailable):
    """The store may not be written to by the user of this process; nothing was."""


class NotAStore(StoreUnavailable):
    """The file is another program's, or another kind of store's: it is left as it is."""


class StoreReplaced(StoreUnavailable):
    """Another store, or none, is where the store was: nothing is written there until somebody opens it anew."""


class StoreSilent(StoreUnavailable):
    """The store did not answer in time. This is raised at once, without a further request."""


class WrongStoreAddress(StoreUnavailable):
    """What was given is the address of no store: it has to be corrected, and no store was asked."""


OUR_FAULT = (BoundExceeded, RepairPending, StoreUnavailable)
"""Errors that count as failed executions of a query; all others of PIQL refuse the request of a caller."""
