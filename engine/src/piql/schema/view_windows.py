"""Windows of a view: the periods in which a row counts, by a time that it holds. All times are in UTC.

    WINDOW 1 HOUR BY 5 MINUTES, a row of 10:42:    09:45, 09:50 … 10:40    the beginnings of its 12 windows

Windows begin at multiples of the step from Monday, 3 January 2000, so that those of weeks begin on Mondays. A window
holds the rows from its beginning on, up to the one before its end. So which windows a row is in follows from the row
alone: no clock is read, and a row that comes late counts where it belongs.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from piql.schema.calendar import UNITS

DAY = 86_400_000
"""Milliseconds of a day."""

ORIGIN = datetime(2000, 1, 3, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True)
class ViewWindow:
    """The windows of a view by a `column` of its rows; `length` is a multiple of `step`, both are in milliseconds."""

    column: str
    length: int
    step: int

    def __str__(self) -> str:
        begin = f", of which one begins each {written_time(self.step)}" if self.count > 1 else ""
        return f"a window of {written_time(self.length)}{begin}"

    @property
    def count(self) -> int:
        """In how many windows a row is."""
        return self.length // self.step

    def beginnings(self, moment: date) -> list[date]:
        """Return when the windows of a time begin, the latest first; for a day they are days.

        Those that would begin before the year 1 do not exist.
        """
        is_day = not isinstance(moment, datetime)
        time = moment if isinstance(moment, datetime) else datetime(moment.year, moment.month, moment.day, tzinfo=UTC)
        first = (time - ORIGIN) // _MILLISECOND // self.step * self.step
        times: list[date] = []
        for number in range(self.count):
            try:
                beginning = ORIGIN + timedelta(milliseconds=first - number * self.step)
            except OverflowError:
                break
            times.append(beginning.date() if is_day else beginning)
        return times


def written_time(milliseconds: int) -> str:
    """Return a time in the longest unit that divides it: `90 seconds`, `1 hour`."""
    lengths = {name: unit.days * DAY + unit.milliseconds for name, unit in UNITS.items() if not unit.months}
    name = next(name for name, length in lengths.items() if milliseconds % length == 0)
    count = milliseconds // lengths[name]
    return f"{count} {name.lower()}{'s' if count > 1 else ''}"
