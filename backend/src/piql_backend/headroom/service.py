"""Counts how full groups are in a thread, keeps the last two counts in a file, and compares them.

The file holds keys of rows, which are data of users: it is for the user of the server alone.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from piql.client.group_levels import GroupLevel, LimitLevels, all_levels, rows_that_share, walk_cost
from piql.client.raised_limit import bounds_with_limit, limit_on, texts_with_limit
from piql.compiler.result import Compilation
from piql.errors import PiqlError
from piql.schema.json_values import to_json
from pydantic import ValidationError

from piql_backend.data_folder.files import write_atomically
from piql_backend.headroom.schemas import (
    CountState,
    GroupLevelRead,
    HeadroomRead,
    KeptCount,
    KeptCounts,
    LevelsBeforeRead,
    LimitHeadroomRead,
    RaiseCreate,
    RaisedBoundRead,
    RaisedTextRead,
    RaiseRead,
    SharedCreate,
    SharedRead,
)
from piql_backend.stores.connection import StoreConnection
from piql_backend.web.errors import ApiError, from_engine

log = logging.getLogger(__name__)

_MOST_SHARED = 200_000  # rows that are read for one answer


class HeadroomCounts:
    """The counts of one environment; one runs at a time."""

    def __init__(
        self, file: Path, store: StoreConnection, compile_texts: Callable[[Mapping[str, str]], Compilation]
    ) -> None:
        """Keep the counts in a file; `compile_texts` compiles texts by their names."""
        self._file = file
        self._store = store
        self._compile_texts = compile_texts
        self._state: CountState | None = None  # of the last count since the environment was opened
        self._message: str | None = None
        self._table: str | None = None
        self._rows = self._requests = 0
        self._stop = threading.Event()
        self._task: asyncio.Task[None] | None = None

    @property
    def is_under_way(self) -> bool:
        """Whether groups are counted."""
        return self._state == "counting"

    async def close(self) -> None:
        """Stop counting."""
        self._stop.set()
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)

    def read(self) -> HeadroomRead:
        """Return the last count, and what a new one costs."""
        known = self._state  # before the file is read: a count that ends meanwhile is not in what was read
        kept = self._kept()
        cost = walk_cost(self._store.database())
        state: CountState = known or ("counted" if kept.last else "none")
        return HeadroomRead(
            state=state,
            cost_requests=cost.requests,
            cost_rows=cost.rows,
            table=self._table,
            rows_done=self._rows,
            requests_done=self._requests,
            limits=kept.last.limits if kept.last else [],
            counted_at=kept.last.counted_at if kept.last else None,
            before_at=kept.before.counted_at if kept.before else None,
            message=self._message,
        )

    async def count(self) -> HeadroomRead:
        """Begin to count; ApiError 409 while a count goes on."""
        if self.is_under_way:
            raise ApiError(409, "count-under-way", "Groups are already being counted.", "Wait for it, or stop it.")
        self._state, self._message, self._table = "counting", None, None
        self._rows = self._requests = 0
        self._stop.clear()
        self._task = asyncio.create_task(asyncio.to_thread(self._carry_out))
        return await asyncio.to_thread(self.read)

    def cancel(self) -> HeadroomRead:
        """Stop counting behind a request; ApiError 409 where nothing is counted."""
        if not self.is_under_way:
            raise ApiError(409, "no-count", "No count is running.")
        self._stop.set()
        return self.read()

    async def shared(self, request: SharedCreate) -> SharedRead:
        """Count the rows of groups by some columns, of 200,000 rows at most; ApiError 422 for one that there is not."""
        database = self._store.database()
        counted = await asyncio.to_thread(rows_that_share, database, request.table, request.columns, _MOST_SHARED)
        return SharedRead(
            rows=counted.rows,
            groups=counted.groups,
            fullest=[_group_read(group) for group in counted.fullest],
            limit=counted.limit,
            is_complete=counted.is_complete,
        )

    async def raised(self, request: RaiseCreate) -> RaiseRead:
        """Return the bounds that change with another limit; ApiError 422 for a limit that there is not."""
        return await asyncio.to_thread(self._raised, request)

    def _raised(self, request: RaiseCreate) -> RaiseRead:
        deployment = self._store.database().deployment
        limit = limit_on(deployment.tables, request.table, request.columns, is_token=request.is_token)
        texts = texts_with_limit(deployment.texts, limit, request.limit)
        after = self._compile_texts(texts)
        bounds = bounds_with_limit(deployment.compilation, after)
        return RaiseRead(
            bounds=[RaisedBoundRead.model_validate(bound) for bound in bounds if bound.before != bound.after],
            queries=len(bounds),
            files=[RaisedTextRead(path=path, text=text) for path, text in texts.items()],
        )

    def _carry_out(self) -> None:
        def tell(table: str, rows: int, requests: int) -> None:
            self._table, self._rows, self._requests = table, rows, requests

        try:
            levels = all_levels(self._store.database(), tell, self._stop.is_set)
            self._keep(levels)
            self._state = "stopped" if self._stop.is_set() else "counted"
        except (PiqlError, ApiError) as error:
            body = error.body if isinstance(error, ApiError) else from_engine(error).body
            self._message, self._state = body.message, "failed"
        except Exception as error:
            log.exception("the groups could not be counted")
            self._message, self._state = f"The groups could not be counted: {error}", "failed"

    def _keep(self, levels: list[LimitLevels]) -> None:
        """Write a count into the file; the last one becomes the one before it, a stopped one excepted."""
        kept = self._kept()
        is_whole = kept.last is not None and all(limit.is_complete for limit in kept.last.limits)
        before = kept.last if is_whole else kept.before
        earlier = {} if before is None else {_name(limit): limit for limit in before.limits}
        limits = [_read(level, earlier) for level in levels]
        kept_now = KeptCounts(last=KeptCount(counted_at=datetime.now(UTC), limits=limits), before=before)
        write_atomically(self._file, kept_now.model_dump_json())

    def _kept(self) -> KeptCounts:
        """Return the counts of the file; none where it cannot be read, since counting again makes it anew."""
        try:
            return KeptCounts.model_validate_json(self._file.read_text())
        except FileNotFoundError:
            return KeptCounts()
        except (OSError, ValidationError) as damage:
            log.error("%s cannot be read: %s", self._file, damage)
            return KeptCounts()


def _name(limit: LimitHeadroomRead) -> tuple[str, tuple[str, ...], bool]:
    return limit.table, tuple(sorted(limit.columns)), limit.is_token


def _group_read(group: GroupLevel) -> GroupLevelRead:
    return GroupLevelRead(key=[to_json(value) for value in group.key], rows=group.rows)


def _read(level: LimitLevels, earlier: dict[tuple[str, tuple[str, ...], bool], LimitHeadroomRead]) -> LimitHeadroomRead:
    before = earlier.get((level.table, tuple(sorted(level.limit.columns)), level.limit.is_token))
    return LimitHeadroomRead(
        table=level.table,
        columns=list(level.limit.columns),
        is_token=level.limit.is_token,
        limit=level.limit.limit,
        groups=level.groups,
        histogram=list(level.histogram),
        nearly_full=level.nearly_full,
        full=level.full,
        fullest=[_group_read(group) for group in level.fullest],
        is_complete=level.is_complete,
        before=None
        if before is None
        else LevelsBeforeRead(
            groups=before.groups,
            nearly_full=before.nearly_full,
            full=before.full,
            most_rows=before.fullest[0].rows if before.fullest else 0,
        ),
    )
