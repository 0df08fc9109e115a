"""Rows of a file into a table: all of it checked first, or loaded batch by batch until a batch is refused.

What is atomic: a file that is not well-formed puts no row in. On the embedded store a batch is in whole, together with
the mark from which the next load continues, or not at all. On a store without transactions each row is in whole; of
the batch that was stopped some rows may be in, and putting them again changes nothing.

Two rows with one primary key are refused wherever in the file they stand: the later one with the batch that it is in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, islice, pairwise
from typing import Any, TypeAlias

from piql.client.database import Database
from piql.errors import (
    CardinalityViolation,
    ConstraintViolation,
    DuplicateKey,
    ForeignKeyViolation,
    PiqlError,
)
from piql.files.mapping import ColumnMapping
from piql.files.problems import MOST_PROBLEMS, FileRefused, Problem
from piql.files.row_check import NumberedRow, RowCheck, same_key
from piql.files.seen_keys import SeenKeys
from piql.files.source import Source, SourceRow
from piql.runtime.writing.bulk import BATCH
from piql.runtime.writing.resumed_load import ResumedLoad
from piql.schema.values import ValueMismatch

_SCATTERED_BATCH = 20_000  # rows of a batch whose neighbours are far apart in the table: so more of them share a page
_FEW = 0.1  # the share of neighbours that may be out of order in a file that is in order, up or down
_MOST_LOOKED_AT = 1_000_000  # rows behind a refused batch in which further faults are looked for
_REFUSALS = (ConstraintViolation, CardinalityViolation, DuplicateKey, ForeignKeyViolation)

ProgressCallback: TypeAlias = Callable[[int, int], None]
"""Called after each batch with the rows done so far and the last line of them."""


@dataclass(frozen=True, slots=True)
class DryRun:
    """What a load would do: rows that are new, that replace one with the same key, and that are stored already."""

    rows: int
    new: int
    changed: int
    unchanged: int
    problems: tuple[Problem, ...]
    is_more: bool  # whether further faults were not looked for


@dataclass(frozen=True, slots=True)
class Loaded:
    """How far a load came: `rows` are in, the last of them stands in `line`; `skipped` were in before it began."""

    rows: int
    line: int
    skipped: int
    is_complete: bool


class LoadRefused(FileRefused):
    """A batch was refused; `loaded` says what is in.

    `may_be_partly_in` are the first and the last line of the refused batch, where some of its rows may be in.
    """

    def __init__(
        self, problems: Sequence[Problem], loaded: Loaded, *, is_more: bool, may_be_partly_in: tuple[int, int] | None
    ) -> None:
        super().__init__("rows are refused", problems, is_more=is_more)
        self.loaded = loaded
        self.may_be_partly_in = may_be_partly_in


class _Stopped(Exception):
    """The caller wants no further batch: `stop` has returned True."""


class FileLoad:
    """The load of one file into one table: `dry_run` may be called first, then `load` once."""

    def __init__(
        self,
        db: Database,
        source: Source,
        mapping: ColumnMapping,
        name: str,
        *,
        batch_rows: int | None = None,
        most_problems: int = MOST_PROBLEMS,
    ) -> None:
        """Prepare a load; `name` is that under which the store keeps how far it has come.

        Without `batch_rows` a batch has 5,000 rows, and in a transaction 20,000 of a file that is not in the order of
        the table's key. Raises FileRefused where the file is not well-formed: then no row of it can be taken.
        """
        self._db, self._source, self._mapping, self._name = db, source, mapping, name
        self._given_batch, self._batch_rows, self._most = batch_rows, batch_rows or BATCH, most_problems
        problems = source.structure_problems()
        if problems:
            raise FileRefused("the file is not well-formed", problems[:most_problems], is_more=_fills(problems))
        self._line = 0  # of the row that was taken last
        self._buffer: list[SourceRow] = []  # the rows of the batch that is being loaded
        self._keys = SeenKeys()
        self._twice: dict[int, int] = {}  # the line of the row whose key an earlier row has → the line of that one
        self._rest: Iterator[SourceRow] = iter(())  # the rows of the file that were not taken yet
        self._progress = Loaded(0, 0, 0, is_complete=False)

    @property
    def row_count(self) -> int | None:
        """Return how many rows the file has."""
        return self._source.row_count

    @property
    def table(self) -> str:
        """Return the name of the table."""
        return self._mapping.table.name

    def dry_run(self, tell: ProgressCallback | None = None, stop: Callable[[], bool] | None = None) -> DryRun:
        """Check every row as if all were loaded, and write nothing."""
        check = RowCheck(self._db, self.table)
        problems: list[Problem] = []
        count = 0
        rows = self._opened()
        is_more = False
        while batch := list(islice(rows, self._batch_rows)):
            if stop is not None and stop():
                is_more = True
                break
            count += len(batch)
            problems += self._problems_of(batch, check)
            if len(problems) > self._most:
                is_more = True
                break
            if tell is not None:
                tell(count, batch[-1][0])
        return DryRun(count, check.new, check.changed, check.unchanged, tuple(problems[: self._most]), is_more)

    def load(
        self, tell: ProgressCallback | None = None, stop: Callable[[], bool] | None = None, *, is_resumed: bool = False
    ) -> Loaded:
        """Load the rows, in batches, and return how far that came; `stop` is asked before each batch.

        With `is_resumed`, rows that an earlier load of this name put in are passed over. Raises LoadRefused for a
        batch with rows that cannot be in, InvalidParameter where the file does not begin with the rows that are in.
        """
        earlier = ResumedLoad(self._db.store, self.table, self._name)
        if not is_resumed:
            earlier.forget(self._db.store)
        skipped = earlier.loaded if is_resumed else 0
        self._progress = Loaded(skipped, 0, skipped, is_complete=False)
        self._rest = self._opened()

        def batch_done(rows: int) -> None:
            self._progress = Loaded(rows, self._buffer[-1][0], skipped, is_complete=False)
            self._buffer.clear()
            if tell is not None:
                tell(rows, self._progress.line)

        try:
            rows = self._db.load(self.table, self._rows(skipped, stop), batch_done, self._batch_rows, self._name)
        except _Stopped:
            return self._progress
        except _REFUSALS as refusal:
            raise self._refused(refusal, was_begun=True) from None
        return Loaded(rows, self._line, skipped, is_complete=True)

    def _opened(self) -> Iterator[SourceRow]:
        """Return the rows of the file from the first one, and choose the size of batches by the order of some."""
        rows = self._source.rows()
        first = list(islice(rows, BATCH))
        if self._given_batch is None and self._db.store.row_writes is None and self._is_scattered(first):
            self._batch_rows = _SCATTERED_BATCH
        return chain(first, rows)

    def _is_scattered(self, rows: Sequence[SourceRow]) -> bool:
        """Return whether neighbours are far apart in the table: then their keys neither rise nor fall throughout."""
        positions = self._mapping.key_positions
        keys = [[values[position] for position in positions] for _, values in rows]
        try:
            falls = sum(later < earlier for earlier, later in pairwise(keys))
        except TypeError:  # NULL in a key, which the load will refuse
            return False
        return _FEW < falls / max(1, len(keys) - 1) < 1 - _FEW

    def _rows(self, skipped: int, stop: Callable[[], bool] | None) -> Iterator[dict[str, Any]]:
        """Yield the rows by column, those that an earlier load put in included: the database passes over them.

        Raises LoadRefused for a value that is not of its type, and for two rows of one batch with the same key.
        """
        to_row, take_key, is_new = self._mapping.row, self._mapping.take_key, self._keys.add
        buffer = self._buffer
        for number, (line, values) in enumerate(self._rest):
            if number >= skipped:
                if not buffer and stop is not None and stop():
                    raise _Stopped
                buffer.append((line, values))
            elif number == skipped - 1:
                self._progress = Loaded(skipped, line, skipped, is_complete=False)
            self._line = line
            try:
                row = to_row(values)
                key = take_key(row)
                if not is_new(key) and number >= skipped:
                    self._refuse_second(key, number, line)
            except ValueMismatch as mismatch:
                buffer.extend(islice(self._rest, self._batch_rows - len(buffer)))
                raise self._refused(mismatch, was_begun=False) from None
            yield row

    def _refuse_second(self, key: tuple[Any, ...], number: int, line: int) -> None:
        """Raise ValueMismatch if a row before row `number`, in `line`, has its key: the file is read again for it."""
        for earlier, values in islice(self._source.rows(), number):
            if self._mapping.take_key(self._mapping.row(values)) == key:
                self._twice[line] = earlier
                raise ValueMismatch(same_key(earlier))

    def _refused(self, refusal: Exception, *, was_begun: bool) -> LoadRefused:
        """Return the error for a refused batch: the problems of its rows, and of values in the rows behind it.

        `was_begun` says that the store refused it, so that without transactions some of its rows may be in.
        """
        problems: list[Problem] = []
        with suppress(PiqlError):
            problems = self._problems_of(self._buffer, RowCheck(self._db, self.table))
        key_column = self._mapping.table.primary_key[0]
        for line, values in self._buffer:
            if line in self._twice and not any(problem.line == line for problem in problems):
                twice = Problem(line, same_key(self._twice[line]), key_column)
                problems = sorted([*problems, self._mapping.in_words_of_the_file(twice, values)], key=_line_of)
        if not problems:  # what another writer did in between has refused it
            problems = [Problem(self._buffer[0][0] if self._buffer else None, str(refusal))]
        looked_at = 0
        for line, values in self._rest:
            looked_at += 1
            if len(problems) > self._most or looked_at > _MOST_LOOKED_AT:
                break
            problems += self._mapping.problems(line, values)
        has_transactions = self._db.store.row_writes is None
        lines = [line for line, _ in self._buffer]
        partly_in = (lines[0], lines[-1]) if was_begun and not has_transactions and lines else None
        is_more = len(problems) > self._most or looked_at > _MOST_LOOKED_AT
        return LoadRefused(problems[: self._most], self._progress, is_more=is_more, may_be_partly_in=partly_in)

    def _problems_of(self, batch: Sequence[SourceRow], check: RowCheck) -> list[Problem]:
        """Return the problems of a batch in the order of its lines, in words of the file."""
        problems: list[Problem] = []
        rows: list[NumberedRow] = []
        for line, values in batch:
            faults = self._mapping.problems(line, values)
            problems += faults
            if not faults:
                rows.append(NumberedRow(line, self._mapping.row(values)))
        lines = dict(batch)
        for problem in check.problems(rows):
            problems.append(self._mapping.in_words_of_the_file(problem, lines[problem.line or 0]))
        return sorted(problems, key=_line_of)


def _line_of(problem: Problem) -> int:
    return problem.line or 0


def _fills(problems: Sequence[Problem]) -> bool:
    """Return whether a source has stopped looking for problems."""
    return len(problems) >= MOST_PROBLEMS
