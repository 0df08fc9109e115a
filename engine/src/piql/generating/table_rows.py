"""Generates the rows of one table: first rows that fill one group of each limit, then any, until there are enough.

Each column gets its values in one of four ways:

    chosen    of a foreign key: those of a parent; of a limit or a key: those of a pool
    counted   of a key: the next value, so that no two rows have the same key
    drawn     any value of the type

A row that breaks a constraint is made anew, up to 12 times. Then the combinations of chosen values are tried one after
the other. If none of 600 gives a row, the table gets no more rows.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isqrt
from typing import Any, TypeAlias

from piql.generating.choices import Choice, Values
from piql.generating.column_values import ColumnValues
from piql.generating.constraints import (
    Constraint,
    WordLimit,
    counted_column,
    has_single_rows,
    keys_of,
    limits_of,
    samples_of,
)
from piql.generating.wish import Wish
from piql.generating.words import Words, in_base_36
from piql.schema.catalog import CardinalityLimit, ForeignKey, Table
from piql.schema.types import WHOLE, convert
from piql.schema.values import ValueMismatch

GeneratedRow: TypeAlias = dict[str, Any]
Fits: TypeAlias = Callable[[GeneratedRow], bool]
"""Tells whether a row keeps all CHECKs of its table."""
Pick: TypeAlias = Callable[[Choice, Mapping[str, Any]], "int | None"]
"""From a choice, and the values that are known so far, to the rank that is taken; None for NULL, and where none is."""

_DRAWN = 12  # times that a refused row is drawn anew
_REDRAWN = 40  # times that values which break a CHECK are drawn anew
_COUNTED = 300  # combinations of chosen values that are counted through after that
_COUNTED_WORDS = 36**3  # of the words that make texts of a key differ, the first
_CANDIDATES = 8  # groups among which the one to fill is chosen


@dataclass(frozen=True, slots=True)
class Parents:
    """The values of the columns that a foreign key refers to, one for each row of the parent, in their order."""

    key: ForeignKey
    values: Sequence[Values]


@dataclass(frozen=True, slots=True)
class LimitFill:
    """How full the fullest group of a limit is."""

    limit: CardinalityLimit
    fullest: int


class TableRows:
    """The rows of one table; iterated once. Rows may refer to earlier ones of the same table."""

    def __init__(
        self,
        table: Table,
        count: int,
        wish: Wish,
        values: Mapping[str, ColumnValues],
        words: Mapping[str, Words],
        parents: Sequence[Parents],
        fits: Fits | None = None,
    ) -> None:
        """Prepare `count` rows; `values` and `words` are by column, `words` for those with a limit on words alone."""
        self._table, self._wanted, self._wish = table, count, wish
        self._rng = random.Random(f"{wish.seed}/{table.name}")  # gives the same numbers on every machine
        self._values, self._words = values, words
        self._fits, self._samples = fits, samples_of(table)
        self._inherited = {name for key in table.foreign_keys for name in key.columns}
        self._nullable = frozenset(
            column.name for column in table.columns if column.nullable and column.name not in table.primary_key
        )
        distinct = {name: values[name].distinct for name in values if name not in self._inherited}
        counted = [counted_column(table, key, distinct) for key in keys_of(table)]
        self._counted = tuple(dict.fromkeys(name for name in counted if name is not None))
        self._number = self._first_number()  # of the next counted value
        self._limits = [Constraint(limit.columns, limit.limit, limit) for limit in limits_of(table)]
        self._word_limits = [WordLimit(limit) for limit in table.limits if limit.is_token]
        self._constraints: list[Constraint | WordLimit] = [*self._keys_to_check(), *self._limits, *self._word_limits]
        self._choices = [*self._references(parents), *self._pools(distinct)]
        self._drawn = self._columns_to_draw()
        self._is_even = wish.full is not None
        self._combination = 0
        self.made = 0

    def _first_number(self) -> int:
        """Return how many values counted columns pass over, as the wish asks, and as their types have values left."""
        passed_over = self._wish.passed_over.get(self._table.name, 0)
        distinct = [self._values[name].distinct for name in self._counted]
        spare = min([number - self._wanted for number in distinct if number is not None], default=None)
        return passed_over if spare is None else max(0, min(passed_over, spare))

    def _keys_to_check(self) -> list[Constraint]:
        """Return the keys that counting alone does not keep unique."""
        return [
            Constraint(key, 1)
            for key in keys_of(self._table)
            if not set(key) & set(self._counted) or any(name in self._nullable for name in key)
        ]

    def _columns_to_draw(self) -> list[str]:
        """Return the columns that are neither chosen, nor counted, nor part of a foreign key."""
        chosen = {name for choice in self._choices for name in choice.columns}
        others = chosen | set(self._counted) | self._inherited
        return [column.name for column in self._table.columns if column.name not in others]

    @property
    def fills(self) -> list[LimitFill]:
        """How full the fullest group of each limit is, of the rows so far."""
        checks: list[Constraint | WordLimit] = [*self._limits, *self._word_limits]
        fullest = {check.limit: check.fullest for check in checks}
        return [LimitFill(limit, fullest.get(limit, self.made)) for limit in self._table.limits]

    def __iter__(self) -> Iterator[GeneratedRow]:
        refers_to_itself = any(key.table == self._table.name for key in self._table.foreign_keys)
        if refers_to_itself and self._wanted and (first := self._any_row()) is not None:
            yield first  # to which the others can refer
        for limit in sorted(self._limits, key=lambda check: -len(check.columns)):
            if limit.limit is not None and not has_single_rows(self._table, limit.limit):
                yield from self._full_group(limit)
        for word_limit in self._word_limits:
            yield from self._full_word(word_limit)
        while self.made < self._wanted:
            row = self._any_row()
            if row is None:
                return
            yield row

    # The ways to make a row.

    def _any_row(self) -> GeneratedRow | None:
        """Return a row that keeps all constraints; None after all tries."""
        for _ in range(_DRAWN):
            row = self._attempt({}, self._draw)
            if row is not None:
                return row
        for has_nulls in (False, True):
            for _ in range(_COUNTED):
                row = self._attempt({}, self._counting(self._combination, has_nulls=has_nulls))
                self._combination += 1
                if row is not None:
                    return row
        return None

    def _full_group(self, limit: Constraint) -> Iterator[GeneratedRow]:
        """Yield rows of one group until it is full, or no further row fits into it."""
        fixed = self._group_to_fill(limit)
        if fixed is None:
            return
        group = limit.group(fixed)
        assert group is not None
        for has_nulls in (False, True):
            failures = combination = 0
            while self.made < self._wanted and limit.count(group) < limit.most and failures < limit.most + _COUNTED:
                row = self._attempt(fixed, self._counting(combination, has_nulls=has_nulls))
                combination += 1
                if row is None:
                    failures += 1
                else:
                    yield row

    def _group_to_fill(self, limit: Constraint) -> GeneratedRow | None:
        """Return the values of the group that has most room under all limits, that of the most wanted values first."""
        best: tuple[int, GeneratedRow] | None = None
        for rank in range(_CANDIDATES):
            fixed = self._group_at(limit.columns, rank)
            if fixed is None:
                break
            room = min(
                check.most - check.count(group)
                for check in self._limits
                if set(check.columns) <= set(limit.columns) and (group := check.group(fixed)) is not None
            )
            if best is None or room > best[0]:
                best = (room, fixed)
            if room >= limit.most:
                break
        return None if best is None else best[1]

    def _group_at(self, columns: Sequence[str], rank: int) -> GeneratedRow | None:
        """Return values for the columns of a limit; None where one of them has none."""
        fixed: GeneratedRow = {}
        for choice in self._choices:
            free_names = [name for name in choice.columns if name in columns and name not in fixed]
            if not free_names:
                continue
            known_values = {name: fixed[name] for name in choice.columns if name in fixed}
            if len(free_names) + len(known_values) < len(choice.columns) and not known_values:
                groups = choice.largest(free_names, rank + 1)
                values = groups[min(rank, len(groups) - 1)] if groups else None
                names: Sequence[str] = [name for name in choice.columns if name in free_names]
            else:
                at = choice.open_from(rank) if not known_values else self._nth_open_with(choice, known_values, rank)
                values = None if at is None else choice.value(at)
                names = choice.columns
            if values is None:
                return None
            fixed.update((name, value) for name, value in zip(names, values, strict=True) if name in columns)
        return fixed if all(name in fixed for name in columns) else None

    def _full_word(self, limit: WordLimit) -> Iterator[GeneratedRow]:
        """Yield rows whose texts hold one word until as many hold it as may."""
        inherited = self._inherited
        column = next((name for name in self._drawn if name in limit.columns), None) or next(
            (name for name in limit.columns if name not in inherited), None
        )
        if column is None:
            return
        length = self._length(column)
        words = self._words[column]
        word = words.first_open(length)
        failures = 0
        while word is not None and limit.count(word) < limit.most and self.made < self._wanted and failures < _COUNTED:
            if column in self._drawn:
                text = words.text(self._rng, length, word)
            else:  # texts of a key, or of a group, must differ
                text = f"{word} {in_base_36(_COUNTED_WORDS + self._number + failures)}"
                if length is not None and len(text) > length:
                    return
            row = self._attempt({column: text}, self._draw) or self._attempt(
                {column: word if column in self._drawn else text}, self._counting(failures, has_nulls=False)
            )
            if row is None:
                failures += 1
            else:
                yield row

    def _attempt(self, fixed: Mapping[str, Any], pick: Pick) -> GeneratedRow | None:
        """Make a row with some fixed values and return it, counted; None where it would break a constraint."""
        row: GeneratedRow = dict(fixed)
        ranks: list[tuple[Choice, int]] = []
        for choice in self._choices:
            known_values = {name: row[name] for name in choice.columns if name in row}
            if None in known_values.values():
                row.update((name, None) for name in choice.columns if name not in row)
            elif len(known_values) < len(choice.columns):
                rank = pick(choice, known_values)
                values = None if rank is None else choice.value(rank)
                if values is not None and rank is not None:
                    row.update(zip(choice.columns, values, strict=True))
                    ranks.append((choice, rank))
                elif not self._leave_out(choice, row):
                    return None
            elif choice.is_reference and not choice.ranks_with(known_values):
                return None
        if not self._fill(row, fixed):
            return None
        for constraint in self._constraints:
            if not constraint.has_room(row):
                self._refuse(constraint, ranks)
                return None
        for constraint in self._constraints:
            if isinstance(constraint, WordLimit):
                for word in constraint.add(row):
                    for words in dict.fromkeys(self._words[name] for name in constraint.columns):
                        words.close(word)
            else:
                constraint.add(row)
        self._number += 1
        self.made += 1
        return {column.name: row[column.name] for column in self._table.columns}

    def _leave_out(self, choice: Choice, row: GeneratedRow) -> bool:
        """Put NULL where a choice has no value, and return whether that is allowed."""
        missing = [name for name in choice.columns if name not in row]
        empty = [name for name in missing if name in self._nullable]
        if not empty:
            return False
        if len(empty) < len(missing):
            values = choice.value(0) if choice.size != 0 else None
            if values is None:
                return False
            row.update((name, value) for name, value in zip(choice.columns, values, strict=True) if name in missing)
        row.update(dict.fromkeys(empty))
        return True

    def _fill(self, row: GeneratedRow, fixed: Mapping[str, Any]) -> bool:
        """Add the values of all other columns; return False where there are none that keep the CHECKs."""
        for _ in range(1 if self._fits is None else _REDRAWN):
            if not self._count_and_draw(row, fixed):
                return False
            if self._fits is None or self._fits(row):
                return True
        self._number += 1
        return False

    def _count_and_draw(self, row: GeneratedRow, fixed: Mapping[str, Any]) -> bool:
        """Add the values of counted and of drawn columns; return False where a counted column has no further value."""
        rng, null_share = self._rng, self._wish.null_share
        for name in self._counted:
            if name in fixed:
                continue
            if name in self._nullable and rng.random() < null_share:
                row[name] = None
                continue
            values = self._values[name]
            if values.distinct is not None and self._number >= values.distinct:
                return False
            row[name] = values.nth(self._number)
        for name in self._drawn:
            if name in fixed:
                continue
            if name in self._nullable and rng.random() < null_share:
                row[name] = None
            elif name in self._words:
                row[name] = self._words[name].text(rng, self._length(name))
            else:
                samples = self._samples.get(name)
                row[name] = rng.choice(samples) if samples and rng.random() < 0.5 else self._values[name].draw(rng)
        for name in self._inherited:
            if name not in row:  # of a foreign key that can name no row
                if name not in self._nullable:
                    return False
                row[name] = None
        return True

    def _refuse(self, constraint: Constraint | WordLimit, ranks: Sequence[tuple[Choice, int]]) -> None:
        """Learn from a refused row: values that alone fill a group are chosen no more."""
        columns = set(constraint.columns)
        if columns & set(self._counted):
            self._number += 1
        for choice, rank in ranks:
            if columns <= set(choice.columns):
                choice.close(rank)

    # The ways to pick chosen values.

    def _draw(self, choice: Choice, known_values: Mapping[str, Any]) -> int | None:
        """Pick common values often, and NULL as often as wished; where all groups are to be full, the first open."""
        if not known_values and choice.nullable and self._rng.random() < self._wish.null_share:
            return None
        if known_values:
            return choice.draw_with(self._rng, known_values)
        if self._is_even and any(set(check.columns) <= set(choice.columns) for check in self._limits):
            return choice.open_from(0)
        return choice.draw(self._rng)

    def _counting(self, combination: int, *, has_nulls: bool) -> Pick:
        """Pick the values of one combination; all combinations together are all that the choices allow.

        With `has_nulls`, what may be NULL is.
        """
        remainder = combination

        def pick(choice: Choice, known_values: Mapping[str, Any]) -> int | None:
            nonlocal remainder
            if has_nulls and not known_values and choice.nullable:
                return None
            ranks = choice.ranks_with(known_values) if known_values else None
            size = choice.size if ranks is None else len(ranks)
            if size == 0:
                return None
            if size is None:
                rank, remainder = remainder, 0
            else:
                remainder, rank = divmod(remainder, size)
            return choice.open_from(rank) if ranks is None else ranks[rank]

        return pick

    def _nth_open_with(self, choice: Choice, known_values: Mapping[str, Any], rank: int) -> int | None:
        ranks = choice.ranks_with(known_values)
        return ranks[min(rank, len(ranks) - 1)] if ranks else None

    def _length(self, name: str) -> int | None:
        column = self._table.column(name)
        return None if column is None else column.type.length

    # What the choices are.

    def _references(self, parents: Sequence[Parents]) -> list[Choice]:
        """Return a choice for each foreign key, those of many columns first, since they fix the most."""
        choices = []
        for parent in sorted(parents, key=lambda parent: -len(parent.key.columns)):
            values = parent.values
            choices.append(
                Choice(
                    parent.key.columns,
                    _converted(self._table, parent.key, values),
                    lambda values=values: len(values),  # type: ignore[misc]
                    lambda values=values: len(values),  # type: ignore[misc]
                    [name for name in parent.key.columns if name in self._nullable],
                    is_reference=True,
                )
            )
        return choices

    def _pools(self, distinct: Mapping[str, int | None]) -> list[Choice]:
        """Return a choice for each column by which a limit or a key groups rows, and no foreign key gives values."""
        grouped = dict.fromkeys(
            name
            for columns in (*keys_of(self._table), *(limit.columns for limit in self._limits))
            for name in columns
            if name in distinct and name not in self._counted
        )
        pools = []
        for name in grouped:
            sizes = [4, isqrt(self._wanted)]
            sizes += [2 * self._wanted // limit.most + 1 for limit in self._limits if name in limit.columns]
            if any(name in key and not set(key) & set(self._counted) for key in keys_of(self._table)):
                sizes.append(self._wanted)
            most = distinct[name]
            usual = max(sizes) if most is None else min(max(sizes), most)
            if self._wish.full is not None and any(name in limit.columns for limit in self._limits):
                usual = min(usual, self._wish.full)
            pools.append(_pool(name, self._values[name], most, usual, is_nullable=name in self._nullable))
        return pools


def _pool(name: str, values: ColumnValues, most: int | None, usual: int, *, is_nullable: bool) -> Choice:
    return Choice(
        (name,), lambda rank: (values.nth(rank),), lambda: most, lambda: usual, (name,) if is_nullable else ()
    )


def _converted(table: Table, key: ForeignKey, parents: Sequence[Values]) -> Callable[[int], Values | None]:
    """Return a function from the position of a parent to the values that refer to it; None where they do not fit."""
    types = [column.type for name in key.columns if (column := table.column(name)) is not None]

    def converted(at: int) -> Values | None:
        try:
            return tuple(
                [
                    convert(_as_whole(value) if column_type.kind in WHOLE else value, column_type)
                    for value, column_type in zip(parents[at], types, strict=True)
                ]
            )
        except ValueMismatch:
            return None

    return converted


def _as_whole(value: Any) -> Any:
    """Return a number without a fraction as an int: a column of whole numbers may refer to one of other numbers."""
    return value if isinstance(value, int) or value != int(value) else int(value)
