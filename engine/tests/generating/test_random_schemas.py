"""For random schemas: generated rows are loaded without a refusal, and fill a group of each limit."""

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import piql
import pytest
from oracle.schema import piql_ddl
from oracle.schema_generator import random_schema, with_times
from piql.generating.generator import Generator
from piql.generating.wish import Wish
from piql.schema.catalog import CardinalityLimit, Kind, Table
from piql.schema.words import words_of

ROWS = 40
Rows = Mapping[str, Sequence[Mapping[str, Any]]]


def tables_of(seed: int) -> tuple[piql.Compilation, Wish]:
    rng = random.Random(seed)
    compilation = piql.compile(piql_ddl(with_times(random.Random(f"hours {seed}"), random_schema(rng))))
    full = 3 if seed % 4 == 0 else None
    return compilation, Wish(ROWS, seed=seed, full=full, null_share=rng.choice((0, 0.1, 0.5)))


def generate(tables: Mapping[str, Table], wish: Wish) -> Rows:
    generator = Generator(tables, wish)
    return {table.name: list(generator.rows(table.name)) for table in generator.tables}


def groups(rows: Sequence[Mapping[str, Any]], limit: CardinalityLimit) -> Counter[Any]:
    """Count the rows of each group of a limit, as the reference does."""
    counts: Counter[Any] = Counter()
    for row in rows:
        values = tuple(row[name] for name in limit.columns)
        if limit.is_token:
            counts.update(words_of(*values))
        elif None not in values:
            counts[values] += 1
    return counts


def can_be_full(table: Table, limit: CardinalityLimit, rows: Rows) -> bool:
    """Return whether nothing but the limit itself keeps its groups small.

    That is so where every other key and limit has a column with many values that no foreign key and no limit groups.
    """
    inherited = {name for key in table.foreign_keys for name in key.columns}
    grouping = {name for declared in table.limits for name in declared.columns}
    free = {
        column.name
        for column in table.columns
        if column.name not in inherited | grouping and column.type.kind is not Kind.BOOLEAN
    }
    grouped = [set(key) for key in (table.primary_key, *(key.columns for key in table.unique_keys))]
    grouped += [set(declared.columns) for declared in table.limits if declared is not limit]
    has_parents = all(key.table == table.name or rows[key.table] for key in table.foreign_keys)
    return (
        has_parents
        and not (limit.is_token and set(limit.columns) & inherited)
        and all(columns & free for columns in grouped)
        and (not limit.is_token or any(name not in table.primary_key for name in limit.columns))
    )


def promised(tables: Mapping[str, Table], rows: Rows) -> Iterator[tuple[int, int]]:
    """Yield the fullest group and the limit, of each limit that nothing else keeps from being full."""
    for table in tables.values():
        for limit in table.limits:
            if can_be_full(table, limit, rows):
                yield max(groups(rows[table.name], limit).values(), default=0), limit.limit


@pytest.mark.parametrize("store", ["embedded:", "stepwise:"])
def test_rows_are_loaded_without_a_refusal(store: str) -> None:
    """Of few schemas; the long test takes four hundred."""
    for seed in range(16 if store == "embedded:" else 5):
        compilation, wish = tables_of(seed)
        with piql.connect(store) as db:
            db.deploy(compilation)
            for name, rows in generate(compilation.tables, wish).items():
                assert db.load(name, rows) == len(rows)
                assert len(db.some_rows(name, compilation.tables[name].primary_key, 10_000)) == len(rows)


def test_no_group_passes_its_limit_and_the_fullest_is_full() -> None:
    checked = 0
    for seed in range(150):
        compilation, wish = tables_of(seed)
        rows = generate(compilation.tables, wish)
        for table in compilation.tables.values():
            for limit in table.limits:
                assert max(groups(rows[table.name], limit).values(), default=0) <= limit.limit
        for fullest, most in promised(compilation.tables, rows):
            assert fullest == most, f"seed {seed}"
            checked += 1
    assert checked > 60


def test_reports_say_what_was_made() -> None:
    for seed in range(40):
        compilation, wish = tables_of(seed)
        generator = Generator(compilation.tables, wish)
        for table in generator.tables:
            rows = list(generation := generator.rows(table.name))
            report = generation.report
            assert (report.rows, report.asked) == (len(rows), generator.counts[table.name])
            assert [(fill.limit, fill.fullest) for fill in report.fills] == [
                (limit, max(groups(rows, limit).values(), default=0)) for limit in table.limits
            ]


@pytest.mark.long
def test_many_more_schemas_load_without_a_refusal() -> None:
    for seed in range(1000, 1400):
        compilation, wish = tables_of(seed)
        with piql.connect("embedded:") as db:
            db.deploy(compilation)
            for name, rows in generate(compilation.tables, wish).items():
                assert db.load(name, rows) == len(rows)
