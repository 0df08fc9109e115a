"""The range reads of an IndexScan or SortedIndexJoin: their shapes, and where they begin when a page is resumed.

The last page ended at a position in the page's order, say `t.posted DESC, s.target`. Each child row `s` has a list of
entries by `posted`. The next page needs of that list:

    child's target comes after that of the position    entries from the position's `posted` on, those at it included
    child's target comes before it, or is the same     entries behind the position's `posted`

A request is called plain if its arguments are just its key, the ends of the range and the limit, as without a cursor.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from piql.compiler.logical.expressions import ColumnRef
from piql.compiler.physical.operators import IndexScan, SortedIndexJoin, null_columns
from piql.runtime.execution.execution import Execution
from piql.runtime.execution.expressions import ExpressionCompiler
from piql.runtime.execution.incidents import is_held_by_limit
from piql.runtime.execution.keys import range_ends
from piql.runtime.execution.ordering import compare
from piql.runtime.execution.preparation import Fields, Preparation, column_names
from piql.schema.catalog import Index
from piql.store.base import Batch, ReadShape
from piql.store.rows import PreparedRead, Row

Key = tuple[Any, ...]


class ShapeKey(NamedTuple):
    """What differs between the shapes of one operator: see `ReadShape`."""

    after_length: int
    is_after_included: bool
    has_low: bool
    has_high: bool


@dataclass(frozen=True, slots=True)
class _Fixed:
    """A key of the page's order that has one value in all rows of a read, so that it can be compared before the read.

    `value` returns it from the child row, the read's key and the parameters; `number` is its position in the order.
    """

    value: Callable[[Row | None, Key, list[Any]], Any]
    number: int
    ascending: bool


@dataclass(frozen=True, slots=True)
class _Walked:
    """A key of the page's order, its position there, that is the next key column in the direction of the read."""

    number: int


class Request(NamedTuple):
    """One request of an operator: equal ones have the same answer."""

    shape: ShapeKey
    arguments: Key


class RequestSource(NamedTuple):
    """The source of a request's arguments, and a test that must run before: it sets the limit `n` and is 0 for none."""

    arguments: str
    limit: str


class _End(NamedTuple):
    """One end of a range, and whether entries at it belong to the range."""

    value: Any
    is_included: bool


class RangeRead:
    """Makes the requests of one operator for pairs of a child row (None for a scan) and a key."""

    def __init__(
        self, node: IndexScan | SortedIndexJoin, index: Index, child: Fields, preparation: Preparation
    ) -> None:
        compiler = preparation.over(child)
        self._store = preparation.store
        self._ends = range_ends(node.table, node.range, compiler, preparation)
        self._count = node.limit.count
        self._limit = preparation.count(self._count) if self._count else None
        self._most = node.limit.max
        self._spare = int(preparation.watches is not None and is_held_by_limit(node.limit))
        ends = self._ends
        self._shape = ReadShape(
            node.table,
            index,
            column_names(node.fields, node.alias),
            len(node.prefix),
            node.is_ascending,
            has_low=ends is not None and ends.has_low,
            is_low_included=ends is not None and ends.is_low_included,
            has_high=ends is not None and ends.has_high,
            is_high_included=ends is not None and ends.is_high_included,
            skips_nulls=ends is not None,
            nulls=null_columns(node.prefix),
        )
        self._read = preparation.store.prepare(self._shape)
        self._plain = ShapeKey(0, False, self._shape.has_low, self._shape.has_high)
        self._reads: dict[ShapeKey, PreparedRead] = {self._plain: self._read}
        self._is_get = self._shape.is_get
        self._is_exact = True  # no two entries of a list have the same position in the page's order
        is_resumed = node.is_resumable and bool(preparation.page_order)
        self._position_parts = self._parts_of_position(node, index, compiler, preparation) if is_resumed else None

    def _prepared(self, shape: ShapeKey) -> PreparedRead:
        """Return the prepared read of a shape; those of resumed pages are prepared when they are first needed."""
        read = self._reads.get(shape)
        if read is None:
            read = self._reads[shape] = self._store.prepare(replace(self._shape, **shape._asdict()))
        return read

    def limit(self, parameters: list[Any]) -> int:
        """Return the most rows of one request that the operator takes; it asks for one more where that is watched."""
        return self._limit(parameters) if self._limit else self._most

    @property
    def is_always_plain(self) -> bool:
        """Return whether no read has a range and no page is ever resumed."""
        return self._ends is None and self._position_parts is None

    def is_plain(self, execution: Execution) -> bool:
        """Return whether every request is just its key and the limit: no range, and no page to resume."""
        return self._ends is None and (execution.position is None or self._position_parts is None)

    @property
    def is_always_get(self) -> bool:
        """Return whether each request is a get, and none is left out by a LIMIT of 0."""
        return self._is_get and self._limit is None and self._most > 0

    @property
    def read(self) -> PreparedRead:
        """Return the prepared read of plain requests."""
        return self._read

    def plain_arguments(self, keys: list[Key], limit: int) -> list[Key]:
        """Return the arguments of plain requests; a limit of 0 leaves none to make."""
        if self._is_get and limit:
            return keys
        tail = (limit + self._spare,)
        return [key + tail for key in keys] if limit else []

    def plain_source(self, key: list[str], preparation: Preparation) -> RequestSource:
        """Return the sources of a plain request, given those of its key's values."""
        limit = preparation.count_source(self._count) if self._count else str(self._most + self._spare)
        arguments = "".join(f"{source}, " for source in (key if self._is_get else [*key, "n"]))
        return RequestSource(f"({arguments})", f"(n := {limit})")

    def plain_batch(self, keys: list[Key], limit: int, operator: object) -> Batch:
        """Return the plain requests of these keys as a batch of the operator."""
        return Batch(self._read, self.plain_arguments(keys, limit), operator)

    def requests(self, execution: Execution, keys: list[tuple[Row | None, Key]]) -> list[Request | None]:
        """Return the request of each pair of a child row and a key; None where no entry can match."""
        parameters = execution.parameters
        limit = self.limit(parameters)
        if limit == 0:
            return [None] * len(keys)
        plain_limit, limit = limit, limit + self._spare
        if execution.position is not None and self._position_parts is not None:
            return [self._request(execution, row, key, limit) for row, key in keys]
        if self._ends is None:
            return [
                Request(self._plain, argument)
                for argument in self.plain_arguments([key for _, key in keys], plain_limit)
            ]
        ranged: list[Request | None] = []
        for row, key in keys:
            ends = self._ends.ends(row, parameters)
            ranged.append(None if ends is None else Request(self._plain, (*key, *ends, limit)))
        return ranged

    def batches(self, requests: Sequence[Request], operator: object) -> tuple[list[Batch], list[tuple[int, int]]]:
        """Return a batch for each shape, and for each request where its answer stands: batch, number in the batch."""
        batches: dict[ShapeKey, tuple[int, list[Key]]] = {}
        positions: list[tuple[int, int]] = []
        for shape, arguments in requests:
            number, many = batches.setdefault(shape, (len(batches), []))
            positions.append((number, len(many)))
            many.append(arguments)
        return [Batch(self._prepared(shape), many, operator) for shape, (_, many) in batches.items()], positions

    def _parts_of_position(
        self,
        node: IndexScan | SortedIndexJoin,
        index: Index,
        compiler: ExpressionCompiler,
        preparation: Preparation,
    ) -> tuple[_Fixed | _Walked, ...]:
        """Return the leading keys of the page's order that are fixed in a read, or walked by it.

        Where the order goes on by something else, `_is_exact` becomes False: several entries may have the position of
        the cursor, so those at it are read again, and the stop above drops the ones of the page before.
        """
        has_bucket = index.buckets > 1
        fixed = {column.name: at + has_bucket for at, column in enumerate(index.columns[: len(node.prefix)])}
        walked = list(index.columns[len(node.prefix) :])
        parts: list[_Fixed | _Walked] = []
        walked_names: set[str] = set()
        for number, key in enumerate(preparation.page_order):
            match key.expression:
                case ColumnRef(relation=relation, name=name) if relation == node.alias:
                    if name in fixed:
                        parts.append(_Fixed(_from_key(fixed[name]), number, key.ascending))
                    elif (
                        walked
                        and walked[0].name == name
                        and (walked[0].ascending == node.is_ascending) == key.ascending
                    ):
                        walked_names.add(walked.pop(0).name)
                        parts.append(_Walked(number))
                    elif name not in walked_names:
                        self._is_exact = False
                        break
                case expression:
                    try:
                        read = compiler.function("r, k, p", compiler.stored(expression))
                    except LookupError:
                        self._is_exact = False
                        break
                    parts.append(_Fixed(read, number, key.ascending))
        self._is_exact = self._is_exact and not walked
        return tuple(parts)

    def _request(self, execution: Execution, row: Row | None, key: Key, limit: int) -> Request | None:
        """Return the request of what follows the execution's position in one list; None if nothing can."""
        position, parameters, shape = execution.position, execution.parameters, self._shape
        assert position is not None
        assert self._position_parts is not None
        ends: Key = ()
        if self._ends is not None:
            ends_of_row = self._ends.ends(row, parameters)
            if ends_of_row is None:
                return None
            ends = ends_of_row
        after: list[Any] = []
        order = 0
        for part in self._position_parts:
            if isinstance(part, _Walked):
                after.append(position[part.number])
                continue
            order = compare(part.value(row, key, parameters), position[part.number], part.ascending)
            if order:
                break
        if not after:
            whole = key if shape.is_get else (*key, *ends, limit)
            return None if order < 0 else Request(self._plain, whole)
        column = shape.index.columns[shape.prefix_length]
        walks_up = column.ascending == shape.is_ascending
        near, far = self._near_and_far(ends, walks_up)
        if near is not None:
            gap = compare(near.value, after[0], walks_up)
            if gap > 0 or (gap == 0 and not near.is_included):  # the whole range follows the position
                return Request(self._plain, (*key, *ends, limit))
        if far is not None and compare(after[0], far.value, walks_up) > 0:  # the whole range precedes it
            return None
        is_tied = order == 0 and not self._is_exact
        resumed = ShapeKey(
            after_length=len(after),
            is_after_included=order > 0 or is_tied,
            has_low=shape.has_low and not walks_up,
            has_high=shape.has_high and walks_up,
        )
        kept_ends = () if far is None else (far.value,)
        return Request(resumed, (*key, *after, *kept_ends, limit + is_tied))

    def _near_and_far(self, ends: Key, walks_up: bool) -> tuple[_End | None, _End | None]:
        """Return the end where the read begins and the end where it stops; None for an end that there is not."""
        shape = self._shape
        low = _End(ends[0], shape.is_low_included) if shape.has_low else None
        high = _End(ends[-1], shape.is_high_included) if shape.has_high else None
        return (low, high) if walks_up else (high, low)


def _from_key(at: int) -> Callable[[Row | None, Key, list[Any]], Any]:
    return lambda row, key, parameters: key[at]
