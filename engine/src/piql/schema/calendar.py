"""Computing with days and times: adding intervals, the parts of a day or time, and its beginning.

    2024-01-31 + 1 month → 2024-02-29    WEEK of 2021-01-03 → 53    beginning of QUARTER of 2021-05-03 → 2021-04-01

Values are `date`, and `datetime` in UTC. Each function agrees with DuckDB. An OverflowError is raised for what lies
outside of the years 1 to 9999.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple


class Interval(NamedTuple):
    """Months, days and milliseconds, which are added in this order: none is a number of another one."""

    months: int = 0
    days: int = 0
    milliseconds: int = 0


UNITS: dict[str, Interval] = {
    "YEAR": Interval(months=12),
    "QUARTER": Interval(months=3),
    "MONTH": Interval(months=1),
    "WEEK": Interval(days=7),
    "DAY": Interval(days=1),
    "HOUR": Interval(milliseconds=3_600_000),
    "MINUTE": Interval(milliseconds=60_000),
    "SECOND": Interval(milliseconds=1000),
    "MILLISECOND": Interval(milliseconds=1),
}
UNIT_OF_WORD = {word: unit for unit in UNITS for word in (unit, f"{unit}S")}
SHORTER_THAN_A_DAY = frozenset(unit for unit, interval in UNITS.items() if interval.milliseconds)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


def add_interval(moment: date, months: int, days: int, milliseconds: int) -> date:
    """Add an interval to a day or time. A month that has no such day ends on its last: 31 January + 1 month.

    Milliseconds turn a day into a time.
    """
    if months:
        month = moment.year * 12 + moment.month - 1 + months
        year, month = divmod(month, 12)
        if not 1 <= year <= 9999:
            raise OverflowError(f"year {year}")
        moment = moment.replace(year=year, month=month + 1, day=min(moment.day, monthrange(year, month + 1)[1]))
    if days:
        moment += timedelta(days=days)
    if milliseconds:
        moment = as_time(moment) + timedelta(milliseconds=milliseconds)
    return moment


def as_time(moment: date) -> datetime:
    """Return a time as it is, and a day as the time at which it begins."""
    return moment if isinstance(moment, datetime) else datetime(moment.year, moment.month, moment.day, tzinfo=UTC)


def milliseconds_between(later: datetime, earlier: datetime) -> int:
    """Return how many milliseconds lie between two times; negative where the first is the earlier one."""
    return (later - earlier) // _MILLISECOND


def days_between(later: date, earlier: date) -> int:
    """Return how many days lie between two days; negative where the first is the earlier one."""
    return (later - earlier).days


Part = Callable[[datetime], "int | float"]

PARTS: dict[str, Part] = {
    "YEAR": lambda time: time.year,
    "QUARTER": lambda time: (time.month + 2) // 3,
    "MONTH": lambda time: time.month,
    "WEEK": lambda time: time.isocalendar().week,
    "DAY": lambda time: time.day,
    "DOW": lambda time: time.isoweekday() % 7,
    "ISODOW": lambda time: time.isoweekday(),
    "DOY": lambda time: time.timetuple().tm_yday,
    "HOUR": lambda time: time.hour,
    "MINUTE": lambda time: time.minute,
    "SECOND": lambda time: time.second,
    "MILLISECOND": lambda time: time.second * 1000 + time.microsecond // 1000,
    "EPOCH": lambda time: milliseconds_between(time, _EPOCH) / 1000,
}
PART_OF_WORD = (
    {part: part for part in PARTS}
    | {f"{part}S": part for part in PARTS if part in UNITS}
    | {"DAYOFWEEK": "DOW", "WEEKDAY": "DOW", "DAYOFYEAR": "DOY"}
)


def part_of(part: str, moment: date) -> int | float:
    """Return a part of a day or time; a day is the time at which it begins."""
    return PARTS[part](as_time(moment))


def beginning(unit: str, moment: date) -> date:
    """Return when the unit began in which a day or time lies; a week begins on Monday.

    Units shorter than a day turn a day into a time.
    """
    if unit in SHORTER_THAN_A_DAY:
        length = timedelta(milliseconds=UNITS[unit].milliseconds)
        time = as_time(moment)
        return time - (time - _EPOCH) % length
    day = date(moment.year, moment.month, moment.day)
    match unit:
        case "YEAR":
            day = day.replace(month=1, day=1)
        case "QUARTER":
            day = day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1)
        case "MONTH":
            day = day.replace(day=1)
        case "WEEK":
            day -= timedelta(days=day.weekday())
    return as_time(day) if isinstance(moment, datetime) else day
