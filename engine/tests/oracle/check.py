"""Runs a world through the public API of `piql` and holds every answer against DuckDB and against its bound."""

from __future__ import annotations

import random
import traceback
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field

import duckdb
import piql
from piql.client.recounts import recount, views_named

from .compare import difference, exact
from .contents import Contents
from .expectations import expectation_of
from .expected_writes import Expectation, ExpectedWrites, rows_before
from .fixes import mended, with_stop_of
from .piql_text import piql_statement
from .query import Read
from .query_generator import QueryCase
from .reference import Reference
from .rewriting import rewritten
from .schema import Schema, Table, piql_ddl
from .values import CLOCK
from .views import readable, without_views
from .world import World, constructs

STRATEGIES = ("parallel", "simple", "lazy")
DUMP_PAGE = 7


@dataclass(frozen=True, slots=True)
class Failure:
    """A broken promise: `kind` is the same for the same fault, `query` names where it showed."""

    kind: str
    query: str
    detail: str
    parameters: Mapping[str, object] | None = None


@dataclass
class Outcome:
    """What came of a world."""

    accepted: Counter[str] = field(default_factory=Counter)
    rejected: Counter[str] = field(default_factory=Counter)
    codes: Counter[str] = field(default_factory=Counter)
    executions: int = 0
    incomparable: int = 0
    rewritten: int = 0
    failures: list[Failure] = field(default_factory=list)


def with_the_clock(url: str) -> piql.Database:
    """Connect as `piql.connect` does, at a time of which the reference knows."""
    return piql.connect(url, now=lambda: CLOCK)


def run_world(world: World, connect: Callable[[str], piql.Database] = with_the_clock) -> Outcome:
    """Compile, deploy, load, execute and compare everything in a world."""
    outcome = Outcome()
    try:
        _Run(world, outcome, connect).run()
    except Exception as crash:
        outcome.failures.append(Failure(f"crash: {_where(crash)}", "", traceback.format_exc(limit=-6)))
    return outcome


def _where(crash: BaseException) -> str:
    frames = traceback.extract_tb(crash.__traceback__)
    inside = [frame for frame in frames if "/piql/" in frame.filename] or frames
    return f"{type(crash).__name__} in {inside[-1].name}"


def errors(compilation: piql.Compilation) -> list[piql.Diagnostic]:
    return [diagnostic for diagnostic in compilation.diagnostics if diagnostic.severity == "error"]


class _Run:
    def __init__(self, world: World, outcome: Outcome, connect: Callable[[str], piql.Database]) -> None:
        self.world = world
        self.connect = connect
        self.outcome = outcome
        self.schema: Schema = world.schema
        self.contents = Contents(world.schema, world.rows)
        self.expected = ExpectedWrites(world.schema, self.contents)
        self.deployed: piql.Compilation | None = None

    def fail(self, kind: str, query: str, detail: str, parameters: Mapping[str, object] | None = None) -> None:
        self.outcome.failures.append(Failure(kind, query, detail, parameters))

    def run(self) -> None:
        world = self.world
        cases = (*world.reads, *world.writes)
        together = piql.compile(world.source(*cases))
        accepted = []
        for case in cases:
            compiled = together.queries.get(case.name)
            if compiled is None:
                self.fail("a query is missing from the compilation", case.name, "")
            elif compiled.is_bounded:
                accepted.append(case)
                self.check_rewritten(case, compiled)
                self.outcome.accepted.update(constructs(case) | {"all"})
            else:
                self.outcome.rejected.update(constructs(case) | {"all"})
                self.check_rejected(case)
        schema_errors = errors(piql.compile(world.ddl))
        if schema_errors:
            self.fail("the schema is refused", "", schema_errors[0].message)
            return
        source = world.source(*accepted) + "".join(map(_dump, readable(world.schema).tables))
        self.deployed = piql.compile(source)
        diagnostics = errors(self.deployed)
        if diagnostics:
            self.fail(
                "accepted together with others, refused without them",
                diagnostics[0].query or "",
                diagnostics[0].message,
            )
            return
        reference = Reference(world.schema, self.contents)
        try:
            with self.connect("embedded:") as db:
                self.execute_all(db, reference, accepted)
        finally:
            reference.close()

    def check_rewritten(self, case: QueryCase, compiled: piql.CompiledQuery) -> None:
        """Say the same in another order of predicates, joins and sides of equalities: the bound must be the same."""
        if case not in self.world.reads or compiled.bound is None:
            return
        stop = getattr(case.query, "stop", None)
        if stop is not None and stop.count == 0:
            return  # LIMIT 0 makes no request: join orders whose rows are all counted as none cannot be told apart
        rng = random.Random(f"{self.world.seed} {case.name}")
        variant = rewritten(rng, case)
        if variant == case:
            return
        self.outcome.rewritten += 1
        again = piql.compile(self.world.source(variant)).queries[case.name]
        alone = piql.compile(self.world.source(case)).queries[case.name]
        if again.bound is None or alone.bound is None:
            self.fail("accepted in one order of predicates or joins only", case.name, self.world.source(variant))
        elif (again.bound.operations, again.bound.rows) != (alone.bound.operations, alone.bound.rows):
            detail = f"{alone.bound.operations} = {alone.bound.formula}, {alone.bound.rows} rows; "
            detail += f"{again.bound.operations} = {again.bound.formula}, {again.bound.rows} rows"
            self.fail("another bound for another order", case.name, f"{detail}\n{self.world.source(variant)}")

    def check_rejected(self, case: QueryCase) -> None:
        source = self.world.source(case)
        compilation = piql.compile(source)
        query = compilation.queries[case.name]
        if query.is_bounded or query.bound is not None:
            self.fail("refused with others, accepted alone", case.name, source)
            return
        diagnostics = errors(compilation)
        self.outcome.codes.update(diagnostic.code for diagnostic in diagnostics)
        if not diagnostics:
            self.fail("refused without an error", case.name, source)
        for diagnostic in diagnostics:
            if not 0 <= diagnostic.span.start < diagnostic.span.end <= len(source):
                self.fail("a span outside the text", case.name, f"{diagnostic.code} {diagnostic.span}")
            if not diagnostic.message.strip():
                self.fail("an empty message", case.name, diagnostic.code)
            if diagnostic.code in UNEXPECTED_CODES:
                self.fail(f"refused as {diagnostic.code}", case.name, diagnostic.message)
        for diagnostic in compilation.diagnostics:
            for fix in diagnostic.fixes:
                self.check_fix(case, source, fix)

    def keeps_views(self) -> bool:
        """Return whether the store of these worlds keeps views: one without transactions refuses them."""
        with self.connect("embedded:") as db:
            return db.store.row_writes is None

    def check_fix(self, case: QueryCase, source: str, fix: piql.Fix) -> None:
        fixed_source = mended(source, fix)
        if fixed_source is None:
            self.fail("edits of a fix overlap or leave the text", case.name, fix.title)
            return
        fixed = piql.compile(fixed_source)
        if errors(fixed) or not fixed.queries[case.name].is_bounded:
            messages = "; ".join(error.message for error in errors(fixed))
            self.fail("a fix does not help", case.name, f"{fix.title}: {messages}")
        elif "the view" in fix.title and self.keeps_views():
            self.outcome.accepted["a fix that reads a view"] += 1
            _Fixed(self.world, self.outcome, self.connect, fixed).run_case(with_stop_of(fix, case))

    def execute_all(self, db: piql.Database, reference: Reference, accepted: Sequence[QueryCase]) -> None:
        assert self.deployed is not None
        is_staged = self.world.seed % 3 == 0
        if is_staged:  # views, and the indexes that queries ask for, are then made of rows that are there already
            db.deploy(piql.compile(piql_ddl(without_views(self.schema))))
        else:
            db.deploy(self.deployed)
        self.load(db)
        if is_staged:
            db.deploy(self.deployed)
        reads = [case for case in accepted if case in self.world.reads]
        writes = [case for case in accepted if case not in self.world.reads]
        for case in reads:
            for sample in case.samples:
                self.check_read(db, reference, case, sample)
        for number in range(max((len(case.samples) for case in writes), default=0)):
            for case in writes:
                if number < len(case.samples):
                    self.check_write(db, reference, case, case.samples[number])
        self.check_contents(db)
        if self.schema.views:
            self.check_views(db, reference)
        if writes:
            for case in reads:
                for sample in case.samples[:1]:
                    self.check_read(db, reference, case, sample)

    def load(self, db: piql.Database) -> None:
        for table in self.schema.tables:
            rows = self.world.rows.get(table.name, ())
            if rows:
                db.load(table.name, rows, batch_rows=(1, 7, 1000)[self.world.seed % 3])

    # Reads

    def check_read(
        self, db: piql.Database, reference: Reference, case: QueryCase, sample: Mapping[str, object]
    ) -> None:
        assert self.deployed is not None
        query: Read = case.query  # type: ignore[assignment]
        compiled = self.deployed.queries[case.name]
        bound = compiled.bound
        if bound is None:
            self.fail("accepted together with others, refused without them", case.name, "")
            return
        try:
            written, expected = reference.rows(query, sample)
        except (duckdb.OutOfRangeException, duckdb.ConversionException, duckdb.InvalidInputException):
            self.outcome.incomparable += 1
            self.check_refused(db, case, sample, bound)
            return
        most = None
        if query.stop is not None and query.stop.kind == "LIMIT":
            most = query.stop.count if query.stop.parameter is None else int(sample[query.stop.parameter])  # type: ignore[call-overload]
        for strategy in STRATEGIES:
            self.outcome.executions += 1
            try:
                rows = self.read_all(db, case, sample, strategy, bound)
            except piql.PiqlError as refusal:
                self.fail(f"{type(refusal).__name__} from a read", case.name, str(refusal), sample)
                return
            except Exception as crash:
                self.fail(f"crash in a read: {_where(crash)}", case.name, traceback.format_exc(limit=-5), sample)
                return
            wrong = difference(rows, expected, written.outputs, written.is_total, most)
            if wrong is None and strategy == "lazy" and (self.world.seed + len(rows)) % 8 == 0:
                wrong = self.run_interactively(db, case, sample, rows)
            if wrong is not None:
                expected_rows = [row[: written.outputs] for row in expected][:most]
                detail = f"{strategy}: {wrong}\ngot      {rows}\nexpected {expected_rows}"
                self.fail("wrong rows", case.name, f"{detail}\n{written.text}", sample)
                return

    def check_refused(
        self, db: piql.Database, case: QueryCase, sample: Mapping[str, object], bound: piql.Bound
    ) -> None:
        """Hold a read that DuckDB refuses to its bound; it may end in nothing but the refusal of a number."""
        for strategy in STRATEGIES:
            self.outcome.executions += 1
            try:
                self.read_all(db, case, sample, strategy, bound)
            except piql.NumberOutOfRange:
                continue
            except piql.PiqlError as refusal:
                self.fail(f"{type(refusal).__name__} from a read", case.name, str(refusal), sample)
            except Exception as crash:
                self.fail(f"crash in a read: {_where(crash)}", case.name, traceback.format_exc(limit=-5), sample)

    def read_all(
        self, db: piql.Database, case: QueryCase, sample: Mapping[str, object], strategy: str, bound: piql.Bound
    ) -> list[tuple[object, ...]]:
        """Execute a read, all its pages one after the other, and check each page against the bound."""
        query: Read = case.query  # type: ignore[assignment]
        first = query if not hasattr(query, "selects") else query.selects[0]
        names = [item.name for item in first.items]
        is_paged = query.stop is not None and query.stop.kind == "PAGINATE"
        rows: list[tuple[object, ...]] = []
        cursor: str | None = None
        for _ in range(400):
            page = db.execute(case.name, case.given(sample), cursor=cursor, strategy=strategy)  # type: ignore[arg-type]
            self.check_page(case, page, bound, sample, strategy)
            if any(list(row) != names for row in page.rows):
                self.fail("columns in another order", case.name, f"{list(page.rows[0])} instead of {names}", sample)
            rows += [tuple(row.values()) for row in page.rows]
            is_last = not is_paged or len(page.rows) < query.stop.count  # type: ignore[union-attr]
            if (page.cursor is None) != is_last:
                self.fail("a cursor where there should be none, or none where there should be one", case.name,
                          f"{len(page.rows)} rows, cursor {page.cursor}", sample)  # fmt: skip
            cursor = page.cursor
            if cursor is None:
                return rows
        self.fail("pages without end", case.name, "", sample)
        return rows

    def run_interactively(
        self, db: piql.Database, case: QueryCase, sample: Mapping[str, object], rows: Sequence[tuple[object, ...]]
    ) -> str | None:
        """Run a read as a bare statement; its first page must be what executing it by name gave."""
        page = db.run(piql_statement(case.query, case.style), case.given(sample))
        rows_now = [tuple(row.values()) for row in page.rows]
        return None if rows_now == list(rows[: len(rows_now)]) or not case.query.order else f"run gives {rows_now}"  # type: ignore[union-attr]

    def check_page(
        self, case: QueryCase, page: piql.Page, bound: piql.Bound, sample: Mapping[str, object], strategy: str
    ) -> None:
        if page.operations > bound.operations:
            detail = f"{strategy}: {page.operations} operations, bound {bound.operations} = {bound.formula}"
            self.fail("more operations than the bound", case.name, detail, sample)
        if len(page.rows) > bound.rows:
            self.fail("more rows than the bound", case.name, f"{len(page.rows)} rows, bound {bound.rows}", sample)
        if strategy == "parallel" and page.round_trips > bound.round_trips:
            detail = f"{page.round_trips} round trips, bound {bound.round_trips}"
            self.fail("more round trips than the bound", case.name, detail, sample)

    # Writes

    def check_write(
        self, db: piql.Database, reference: Reference, case: QueryCase, sample: Mapping[str, object]
    ) -> None:
        assert self.deployed is not None
        bound = self.deployed.queries[case.name].bound
        assert bound is not None
        expectation = self.expectation(reference, case, sample)
        if expectation is None:
            return
        self.outcome.executions += 1
        try:
            page = db.execute(case.name, case.given(sample))
        except piql.BoundExceeded as refusal:
            self.fail("more operations than the bound", case.name, str(refusal), sample)
            return
        except piql.PiqlError as refusal:
            if type(refusal).__name__ not in expectation.refusals:
                wanted = sorted(expectation.refusals) or "a write"
                self.fail(f"{type(refusal).__name__} instead of {wanted}", case.name, str(refusal), sample)
            else:
                before = rows_before(str(refusal))
                if before and not expectation.is_in_order:
                    self.take_contents(db, self.schema.table(case.query.table))  # type: ignore[union-attr]
                else:
                    for change in expectation.changes[:before]:
                        change()
                reference.changed(case.query.table)  # type: ignore[union-attr]
            return
        except Exception as crash:
            self.fail(f"crash in a write: {_where(crash)}", case.name, traceback.format_exc(limit=-5), sample)
            return
        if not expectation.may_pass:
            kind = f"a write is accepted instead of {sorted(expectation.refusals)}"
            self.fail(kind, case.name, "", sample)
        self.check_written(db, case, sample, page, bound, expectation)
        if expectation.refusals and not expectation.is_in_order:  # it depends on the order whether one is refused
            self.take_contents(db, self.schema.table(case.query.table))  # type: ignore[union-attr]
        else:
            for change in expectation.changes:
                change()
        reference.changed(case.query.table)  # type: ignore[union-attr]

    def expectation(self, reference: Reference, case: QueryCase, sample: Mapping[str, object]) -> Expectation | None:
        """Return what is expected of a write; None where it is left open, or the reference cannot say."""
        try:
            return expectation_of(self.expected, reference, case.query, sample)  # type: ignore[arg-type]
        except duckdb.Error:
            self.outcome.incomparable += 1
            return None

    def take_contents(self, db: piql.Database, table: Table) -> None:
        """Take the rows of a table as they are: which of them a write has changed is not known."""
        rows = {self.contents.key(table, row): row for row in self.rows_of(db, table.name)}
        self.contents.rows[table.name] = rows

    def rows_of(self, db: piql.Database, name: str) -> list[dict[str, object]]:
        """Return all rows of a table or view, page by page."""
        rows: list[dict[str, object]] = []
        cursor: str | None = None
        while True:
            page = db.execute(f"dump_{name}", cursor=cursor)
            rows += page.rows
            cursor = page.cursor
            if cursor is None:
                return rows

    def check_written(
        self,
        db: piql.Database,
        case: QueryCase,
        sample: Mapping[str, object],
        page: piql.Page,
        bound: piql.Bound,
        expectation: Expectation,
    ) -> None:
        """Hold what a write says of itself against what it should have done."""
        if page.operations > bound.operations:
            detail = f"{page.operations} operations, bound {bound.operations} = {bound.formula}"
            self.fail("more operations than the bound", case.name, detail, sample)
        returned = [[exact(row.get(name)) for name in case.query.returning] for row in page.rows]  # type: ignore[union-attr]
        wanted = [[exact(row[name]) for name in case.query.returning] for row in expectation.returned]  # type: ignore[union-attr]
        if not getattr(db, "knows_rows_affected", True):
            return
        if not expectation.is_in_order:
            returned, wanted = sorted(returned, key=repr), sorted(wanted, key=repr)
            if expectation.refusals:
                returned = wanted = []
        if page.cursor is not None or returned != (wanted if case.query.returning else []):  # type: ignore[union-attr]
            self.fail("a write gives other rows", case.name, f"{page.rows}, expected {wanted}", sample)
        if page.rows_affected != expectation.affected and not (expectation.refusals and not expectation.is_in_order):
            detail = f"{page.rows_affected}, expected {expectation.affected}"
            self.fail("a write affects other rows", case.name, detail, sample)

    def check_contents(self, db: piql.Database) -> None:
        """Read every table to its end, and compare it with what the writes should have left."""
        for table in self.schema.tables:
            rows = [tuple(map(exact, row.values())) for row in self.rows_of(db, table.name)]
            expected_values = [
                tuple(exact(row[column.name]) for column in table.columns) for row in self.contents.all_rows(table.name)
            ]
            if sorted(map(repr, rows)) != sorted(map(repr, expected_values)):
                extra = [row for row in rows if row not in expected_values]
                missing = [row for row in expected_values if row not in rows]
                self.fail(
                    "a table holds other rows after the writes",
                    f"dump_{table.name}",
                    f"extra {extra}, missing {missing}",
                )

    def check_views(self, db: piql.Database, reference: Reference) -> None:
        """Compare all groups with those of DuckDB, and all that is stored with what it should be."""
        for view in self.schema.views:
            rows = sorted(repr(tuple(map(exact, row.values()))) for row in self.rows_of(db, view.name))
            expected = sorted(repr(tuple(map(exact, row))) for row in reference.rows_of(view.name))
            if rows != expected:
                extra = [row for row in rows if row not in expected]
                missing = [row for row in expected if row not in rows]
                detail = f"extra {extra}, missing {missing}"
                self.fail("a view holds other groups than its table gives", f"dump_{view.name}", detail)
        for kept in views_named(db.deployment, ()):
            again = recount(db, kept)
            if not again.is_right:
                self.fail("a recount of a view finds differences", f"dump_{kept.name}", str(again))


class _Fixed(_Run):
    """Runs a query as a fix writes it, which must answer what was asked before."""

    def __init__(
        self, world: World, outcome: Outcome, connect: Callable[[str], piql.Database], fixed: piql.Compilation
    ) -> None:
        super().__init__(world, outcome, connect)
        self.deployed = fixed

    def run_case(self, case: QueryCase) -> None:
        assert self.deployed is not None
        with closing(Reference(self.schema, self.contents)) as reference, self.connect("embedded:") as db:
            db.deploy(self.deployed)
            try:
                self.load(db)
            except piql.ConstraintViolation:  # the sum of a group is too large for the view
                self.outcome.incomparable += 1
                return
            for sample in case.samples:
                self.check_read(db, reference, case, sample)

    def run_interactively(
        self, db: piql.Database, case: QueryCase, sample: Mapping[str, object], rows: Sequence[tuple[object, ...]]
    ) -> str | None:
        return None  # the statement as it was is refused


def _dump(table: Table) -> str:
    columns, key = ", ".join(column.name for column in table.columns), ", ".join(table.primary_key)
    select = f"SELECT {columns} FROM {table.name} ORDER BY {key} PAGINATE {DUMP_PAGE}"
    return f"CREATE QUERY dump_{table.name} AS {select};\n"


# What the generator never writes: refusing a query for these is a fault, not a judgement on its bound.
UNEXPECTED_CODES = frozenset(
    """syntax-error unknown-column unknown-table type-mismatch unknown-character unclosed-quote parameter-conflict
    parameter-ordinal duplicate-alias bad-number missing-max not-grouped duplicate-output unknown-function""".split()
)
