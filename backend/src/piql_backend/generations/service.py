"""Generations: a thread makes rows, and loads them unless it is a dry run."""

from __future__ import annotations

import asyncio
import logging
import threading
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex

from piql.errors import PiqlError
from piql.files.generated import Generated, RowsAreThere, dry_run, load_generated, wish_for
from piql.generating.generator import Generator
from piql.generating.wish import Wish
from pydantic import ValidationError

from piql_backend.data_folder.files import write_atomically
from piql_backend.generations.schemas import (
    MOST_ROWS,
    GeneratedLimitRead,
    GeneratedTableRead,
    GenerationCreate,
    GenerationRead,
    GenerationState,
)
from piql_backend.stores.connection import StoreConnection
from piql_backend.web.background_work import BackgroundWork
from piql_backend.web.errors import ApiError, NotFound, from_engine

log = logging.getLogger(__name__)

MOST_KEPT = 10


@dataclass
class _Generation:
    """One generation; the thread that runs it changes it."""

    id: str
    state: GenerationState
    table: str | None = None
    rows_done: int = 0
    rows_asked: int = 0
    generated: list[Generated] = field(default_factory=list)
    message: str | None = None
    stop: threading.Event = field(default_factory=threading.Event)

    @property
    def is_running(self) -> bool:
        return self.state in ("making", "loading")


class Generations:
    """The generations since the environment was opened, the newest ones; one of them runs at a time.

    The last one is kept in a file, so that its outcome is known when the workbench was stopped meanwhile.
    """

    def __init__(self, path: Path, store: StoreConnection) -> None:
        self._path = path
        self._store = store
        self._of_earlier_start = _kept(path)
        self._generations: dict[str, _Generation] = {}
        self._start = token_hex(3)  # so that an id of an earlier start means no generation of this one
        self._number = 0
        self._work = BackgroundWork()

    @property
    def is_under_way(self) -> bool:
        """Whether rows are made or loaded."""
        return self._work.is_under_way

    async def close(self) -> None:
        """Stop what runs behind its batch."""
        for generation in self._generations.values():
            generation.stop.set()
        await self._work.wait()

    async def create(self, request: GenerationCreate) -> GenerationRead:
        """Begin a generation; ApiError 404 where nothing is deployed, 409 beside another and where rows are."""
        wish = Wish(request.rows, request.rows_of, request.full, request.seed, request.null_share)
        await asyncio.to_thread(self._refuse, wish, request)
        if any(generation.is_running for generation in self._generations.values()):
            message = "Rows are already being generated in this environment."
            raise ApiError(409, "generation-under-way", message, "Wait for it, or stop it.")
        self._number += 1
        generation = _Generation(f"g{self._start}-{self._number}", "making" if request.dry_run else "loading")
        self._generations[generation.id] = generation
        for forgotten in list(self._generations)[:-MOST_KEPT]:
            del self._generations[forgotten]
        await asyncio.to_thread(self._keep, generation)
        self._work.begin(asyncio.to_thread(self._carry_out, generation, wish, request))
        return _read(generation)

    def read(self, generation_id: str) -> GenerationRead:
        earlier = self._of_earlier_start
        return earlier if earlier and earlier.id == generation_id else _read(self._generation(generation_id))

    def cancel(self, generation_id: str) -> GenerationRead:
        """Stop a generation behind its batch; ApiError 409 where it does not run."""
        generation = self._generation(generation_id)
        if not generation.is_running:
            raise ApiError(409, "generation-state", f"The generation is {generation.state}: there is nothing to stop.")
        generation.stop.set()
        return _read(generation)

    def _generation(self, generation_id: str) -> _Generation:
        generation = self._generations.get(generation_id)
        if generation is None:
            raise NotFound("unknown-generation", f"There is no generation {generation_id[:60]}.", "Begin a new one.")
        return generation

    def _refuse(self, wish: Wish, request: GenerationCreate) -> None:
        """Raise ApiError for a wish that cannot be fulfilled."""
        database = self._store.database()
        tables = database.deployment.tables
        if not tables:
            raise NotFound("not-deployed", "Nothing is deployed here.", "Deploy a schema first.")
        largest = max(Generator(tables, wish).counts.items(), key=lambda count: count[1])
        if largest[1] > MOST_ROWS:
            message = f"{largest[0]} would get {largest[1]:,} rows, and the workbench makes at most {MOST_ROWS:,}."
            raise ApiError(
                422, "invalid-parameter", message, "Ask for fewer, or use `piql generate`.", parameter="rows"
            )
        if not request.dry_run:
            try:
                wish_for(database, wish, is_adding=request.add)
            except RowsAreThere as refusal:
                raise ApiError(409, "rows-are-there", f"{refusal}.", "Add rows to those that are there.") from None

    def _keep(self, generation: _Generation) -> None:
        """Write down what is known of a generation; without that nothing but its outcome after a restart is lost."""
        try:
            write_atomically(self._path, _read(generation).model_dump_json())
        except OSError:
            log.exception("the outcome of a generation could not be kept")

    def _carry_out(self, generation: _Generation, wish: Wish, request: GenerationCreate) -> None:
        self._generate(generation, wish, request)
        self._keep(generation)

    def _generate(self, generation: _Generation, wish: Wish, request: GenerationCreate) -> None:
        def tell(table: str, rows: int, asked: int) -> None:
            generation.table, generation.rows_done, generation.rows_asked = table, rows, asked

        try:
            database = self._store.database()
            if request.dry_run:
                generated = dry_run(database.deployment.tables, wish, tell, generation.stop.is_set)
            else:
                generated = load_generated(
                    database, wish, is_adding=request.add, tell=tell, stop=generation.stop.is_set
                )
            generation.generated = generated
            done: GenerationState = "made" if request.dry_run else "loaded"
            generation.state = "stopped" if generation.stop.is_set() else done
        except (PiqlError, ApiError) as error:
            body = error.body if isinstance(error, ApiError) else from_engine(error).body
            generation.message, generation.state = body.message + _rows_before(generation), "failed"
        except Exception as error:
            log.exception("rows could not be generated")
            message = f"Rows could not be generated: {error}.{_rows_before(generation)}"
            generation.message, generation.state = message, "failed"


def _rows_before(generation: _Generation) -> str:
    """Return a sentence on the rows that a generation had loaded before it failed, with a blank before it."""
    if generation.state != "loading" or generation.table is None:
        return ""
    return f" Rows loaded before are in, of {generation.table} {generation.rows_done:,}."


def _kept(path: Path) -> GenerationRead | None:
    """Return the last generation of an earlier start; one that had not ended was killed with its workbench."""
    try:
        generation = GenerationRead.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None
    if generation.state not in ("making", "loading"):
        return generation
    fate = (
        "Nothing was written."
        if generation.state == "making"
        else "Rows that it had loaded by then are in: see how many each table has, then generate what is missing."
    )
    return generation.model_copy(
        update={"state": "failed", "message": f"The workbench was ended while it was at work. {fate}"}
    )


def _read(generation: _Generation) -> GenerationRead:
    return GenerationRead(
        id=generation.id,
        state=generation.state,
        table=generation.table,
        rows_done=generation.rows_done,
        rows_asked=generation.rows_asked,
        tables=[_table(table) for table in generation.generated],
        message=generation.message,
    )


def _table(generated: Generated) -> GeneratedTableRead:
    report = generated.report
    return GeneratedTableRead(
        table=report.table,
        rows=report.rows,
        asked=report.asked,
        bytes=report.bytes,
        left_out=generated.left_out,
        limits=[
            GeneratedLimitRead(
                columns=list(fill.limit.columns),
                is_token=fill.limit.is_token,
                limit=fill.limit.limit,
                fullest=fill.fullest,
            )
            for fill in report.fills
        ],
    )
