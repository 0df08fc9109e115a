"""All that a write of one table checks about rows that it names, and about rows that name it, on both sides.

Foreign keys (`references`), what views of several tables take of rows that are named (`held_rows`), and the same for
the constraints of another version (`guards`). A write that may be refused by it shows its record first, marked.
"""

from __future__ import annotations

from collections.abc import Sequence

from piql.errors import NotDeployed
from piql.runtime.deployment import Deployment
from piql.runtime.writing.meter import Meter
from piql.runtime.writing.stepped.folding import SteppedViews
from piql.runtime.writing.stepped.held_rows import held_rows
from piql.runtime.writing.stepped.references import SteppedReference, SteppedReferrer, references_of, referrers_to
from piql.runtime.writing.stepped.work import Change, Work
from piql.runtime.writing.stepped.writer_identity import WriterIdentity
from piql.runtime.writing.table_rules.guards import Guards
from piql.runtime.writing.transactional import TableWriter
from piql.store.base import Store
from piql.store.rows import Row


class ReferenceChecks:
    """The checks of one table of a deployment."""

    def __init__(self, writer: TableWriter, deployment: Deployment, store: Store, identity: WriterIdentity) -> None:
        self._writer = writer
        self._store = store
        self.references = references_of(writer, deployment, store, identity)
        held = held_rows(writer, deployment, store, identity)
        self._referrers: Sequence[SteppedReferrer] = [*referrers_to(writer, deployment, store, identity), *held]

    def by_columns(self, columns: Sequence[str]) -> SteppedReference:
        """Return the foreign key of these columns; raise NotDeployed if the version in force has none."""
        for reference in self.references:
            if reference.columns == tuple(columns):
                return reference
        table, names = self._writer.table.name, ", ".join(columns)
        raise NotDeployed(f"the version in force has no foreign key of {table} by {names}: use that version")

    def need_mark(self, old: Row | None, new: Row | None) -> bool:
        """Return whether a record must be marked while references are looked for."""
        if old is None:
            return new is not None and self.are_looked_for(new)
        return bool(self._concerned(old, new))

    def are_looked_for(self, new: Row) -> bool:
        """Return whether a deletion of a record's parent would look for the record itself, not for an index entry."""
        return any(
            reference.is_seen_in_records and reference.key_named(None, new) is not None for reference in self.references
        )

    def meter_of_mark(self, meter: Meter, change: Change) -> Meter:
        """Return what counts the mark of a record: it is outside of the bound where only other versions need it."""
        concerned = self._concerned(change.old, change.new) if change.old is not None else ()
        return Meter() if concerned and not any(referrer.is_counted for referrer in concerned) else meter

    def _concerned(self, old: Row, new: Row | None) -> list[SteppedReferrer]:
        return [referrer for referrer in self._referrers if referrer.is_concerned(old, new)]

    def hold(self, work: Work, meter: Meter, change: Change, views: SteppedViews) -> bool:
        """Return whether the rows that a record names are as they were found for views, so that it can be put.

        Raises ForeignKeyViolation, or another violation of constraints, also of those that another version has.
        """
        old, new = change.old, change.new
        if self._writer.guards != Guards():
            with self._store.transaction() as transaction:
                self._writer.check_guards(transaction, old, new, with_groups=False)
        if new is not None:
            seen = [named for key in self.references if (named := key.check(meter, old, new)) is not None]
            if not views.are_still(meter, old, change.taken, seen):
                return False
        for referrer in self._concerned(old, new) if old is not None else ():
            assert old is not None
            referrer.check(meter if referrer.is_counted else Meter(), work.backoff, old, new, work.key)
        return True
