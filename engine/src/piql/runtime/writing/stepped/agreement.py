"""Makes the entries and slots that a write may have touched agree with the record, whoever left it as it is."""

from __future__ import annotations

from collections.abc import Sequence

from piql.runtime.writing.meter import Meter
from piql.runtime.writing.stepped.slots import Slots
from piql.runtime.writing.stepped.touched_entries import TouchedEntries
from piql.store.row_writes import SingleRowWrites
from piql.store.rows import Row

Moves = list[tuple[Slots, Row]]
"""Groups, each with the slots of its constraint."""


class Agreement:
    """The entries and slots of the records of one table, which are laid out by `columns`."""

    def __init__(
        self, entries: TouchedEntries, slots: Sequence[Slots], columns: tuple[str, ...], row_writes: SingleRowWrites
    ) -> None:
        self._entries = entries
        self._slots = slots
        self._columns = columns
        self._row_writes = row_writes

    def moves(self, old: Row | None, new: Row | None) -> tuple[Moves, Moves]:
        """Return the groups that a record enters, then those that it leaves."""
        entered: Moves = []
        left: Moves = []
        for slots in self._slots:
            before, after = slots.groups(old), slots.groups(new)
            entered += [(slots, group) for group in after - before]
            left += [(slots, group) for group in before - after]
        return entered, left

    def restore(self, key: Row, images: Sequence[Row], image: Row | None, stamp: int, meter: Meter) -> None:
        """Make all entries and slots of `images` of a record as the record says, which a write with this stamp left.

        The requests are counted as lost.
        """
        changes = self._entries.as_record_says(self._entries.of_all(images), image, stamp)
        meter.lose(len(changes))
        self._row_writes.change_entries(changes)
        for slots in self._slots:
            now = slots.groups(image)
            for group in set().union(*(slots.groups(touched_image) for touched_image in images)):
                meter.lose(1 + slots.give_back(group, key, stamp, is_in=group in now))

    def as_now(self, columns: tuple[str, ...], image: Row) -> Row:
        """Return an image that was noted with other columns, in the columns that the table has now."""
        if columns == self._columns:
            return image
        values = dict(zip(columns, image, strict=True))
        return tuple([values.get(name) for name in self._columns])
