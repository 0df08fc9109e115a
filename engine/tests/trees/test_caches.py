"""What is kept between compilations: unchanged queries are not compiled again, and nothing stale is given."""

from __future__ import annotations

import pickle
import weakref
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import piql
import pytest
from piql.compiler import Compiler, one_query
from piql.compiler.incremental import recompile
from piql.trees.caches import TURN, Cached, Caches, Latest, Memory, note_compiled, with_these_caches

SCHEMA = """CREATE TABLE users (name VARCHAR(20) PRIMARY KEY, town VARCHAR(20));
CREATE TABLE notes (owner VARCHAR(20), id INT, body VARCHAR(50), PRIMARY KEY (owner, id), CARDINALITY LIMIT 5 (owner));
"""
FILES = {
    "schema.piql": SCHEMA,
    "found.piql": "CREATE QUERY found AS SELECT town FROM users WHERE name = [name];",
    "notes.piql": "CREATE QUERY noted AS SELECT body FROM notes WHERE owner = [me];",
    "write.piql": "CREATE QUERY write AS INSERT INTO notes (owner, id, body) VALUES ([me], [id], [body]);",
}


def fresh(files: dict[str, str]) -> piql.Compilation:
    """Compile texts by a compiler that has compiled nothing before."""
    return Compiler().compile(files)


def as_values(compilation: piql.Compilation) -> list[tuple[object, ...]]:
    return [
        (query.name, query.bound, query.plan, query.diagnostics, query.indexes)
        for query in compilation.queries.values()
    ]


@pytest.fixture
def planned(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that gets an item for each plan that is made."""
    plans: list[int] = []
    real = one_query.plan_query

    def plan_query(*arguments: Any, **options: Any) -> Any:
        plans.append(1)
        return real(*arguments, **options)

    monkeypatch.setattr(one_query, "plan_query", plan_query)
    return plans


def test_an_unchanged_query_is_not_compiled_again(planned: list[int]) -> None:
    piql.compile(FILES)
    planned.clear()
    assert piql.compile({**FILES, "found.piql": FILES["found.piql"].replace("town", "name")}).queries["noted"].bound
    assert len(planned) == 1


def test_a_query_is_not_compiled_again_when_what_stands_before_it_changes(planned: list[int]) -> None:
    texts = {"all.piql": "".join(FILES.values())}
    piql.compile(texts)
    planned.clear()
    after = piql.compile({"all.piql": texts["all.piql"].replace("SELECT town", "SELECT town, name")})
    assert len(planned) == 1
    assert after.queries["noted"].span.text == FILES["notes.piql"].rstrip(";")


def test_a_changed_table_changes_the_queries_that_read_it_only(planned: list[int]) -> None:
    piql.compile(FILES)
    planned.clear()
    files = {**FILES, "schema.piql": SCHEMA.replace("LIMIT 5", "LIMIT 7")}
    bound = piql.compile(files).queries["noted"].bound
    assert len(planned) == 1
    assert bound is not None
    assert bound.rows == 7


def test_a_limit_that_goes_refuses_the_query_and_comes_back_with_it() -> None:
    assert piql.compile(FILES).queries["noted"].is_bounded
    files = {**FILES, "schema.piql": SCHEMA.replace(", CARDINALITY LIMIT 5 (owner)", "")}
    assert not piql.compile(files).queries["noted"].is_bounded
    assert piql.compile(FILES).queries["noted"].is_bounded


def test_spans_follow_a_schema_that_moves() -> None:
    piql.compile(FILES)
    files = {**FILES, "schema.piql": "-- moved\n" + SCHEMA}
    bound = piql.compile(files).queries["noted"].bound
    assert bound is not None
    term = next(term for term in bound.terms if term.symbol == "notes.owner")
    assert term.span is not None
    assert term.span.line == 3
    assert term.span.text == "CARDINALITY LIMIT 5 (owner)"


def test_a_write_costs_more_once_another_query_needs_an_index() -> None:
    before = piql.compile(FILES).queries["write"].bound
    index = "CREATE QUERY by_body AS SELECT id FROM notes WHERE body = [body] LIMIT 5;"
    after = piql.compile({**FILES, "by_body.piql": index}).queries["write"].bound
    assert before is not None
    assert after is not None
    assert after.operations == before.operations + 4


def test_an_index_widened_by_one_query_is_used_by_the_other() -> None:
    first = "CREATE QUERY one AS SELECT id FROM notes WHERE body = [body] LIMIT 5;"
    schema = SCHEMA.replace("body VARCHAR(50)", "body VARCHAR(50), at INT")
    files = {"schema.piql": schema, "one.piql": first}
    (index,) = piql.compile(files).queries["one"].indexes
    assert index.covering == ()
    files["two.piql"] = "CREATE QUERY two AS SELECT at FROM notes WHERE body = [body] LIMIT 5;"
    compilation = piql.compile(files)
    (index,) = compilation.queries["one"].indexes
    assert index.covering == ("at",)
    assert compilation.indexes[index.name] == index


def test_what_is_kept_equals_what_is_compiled_afresh() -> None:
    for files in (FILES, {**FILES, "schema.piql": SCHEMA.replace(", CARDINALITY LIMIT 5 (owner)", "")}, FILES):
        assert as_values(piql.compile(files)) == as_values(fresh(files))


def test_a_memory_forgets_what_was_not_asked_for_longest() -> None:
    memory: Memory[int] = Memory(2)
    keys = [object() for _ in range(3)]
    memory.put((keys[0],), 0)
    memory.put((keys[1],), 1)
    assert memory.get((keys[0],)) == 0
    memory.put((keys[2],), 2)
    assert [memory.get((key,)) for key in keys] == [0, None, 2]


@pytest.mark.parametrize("is_looked_at", [False, True])
def test_a_compilation_is_the_same_after_a_journey_to_another_process(is_looked_at: bool) -> None:
    unlimited = {**FILES, "schema.piql": "-- moved\n" + SCHEMA.replace(", CARDINALITY LIMIT 5 (owner)", "")}
    for files in (
        FILES,
        unlimited,
        FILES,
    ):  # an edit leaves values that are put into their place when they are asked for
        compilation = piql.compile(files)
        if is_looked_at:
            as_values(compilation)
        copied = pickle.loads(pickle.dumps(compilation))
        assert as_values(copied) == as_values(compilation)
        assert (copied.tables, copied.catalog, copied.sources) == (
            compilation.tables,
            compilation.catalog,
            compilation.sources,
        )
        assert copied.diagnostics == compilation.diagnostics
        assert [diagnostic.fixes for diagnostic in copied.diagnostics] == [
            diagnostic.fixes for diagnostic in compilation.diagnostics
        ]


def test_large_sets_of_texts_are_not_all_kept(planned: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    size = sum(map(len, FILES.values()))
    monkeypatch.setattr(recompile, "MOST_CHARACTERS", 3 * size)
    compiler = Compiler()
    for number in range(8):
        compiler.compile({f"{number}/{name}": text for name, text in FILES.items()})
        compiler.compile(FILES)
    assert size <= compiler.characters_kept <= 3 * size


class Thing:
    """A key of its own."""


def test_what_nobody_asked_for_during_a_turn_of_text_is_forgotten() -> None:
    memory: Memory[int] = Memory(100)
    asked, idle = Thing(), Thing()
    memory.put((asked,), 1)
    memory.put((idle,), 2)
    for _ in range(2):
        memory.turn()
        assert memory.get((asked,)) == 1
    assert memory.get((idle,)) is None
    assert len(memory) == 1


def test_a_memory_holds_no_more_than_its_most_over_turns() -> None:
    memory: Memory[int] = Memory(3)
    keys = [Thing() for _ in range(9)]
    for number, key in enumerate(keys):
        memory.put((key,), number)
        if number % 2:
            memory.turn()
        assert len(memory) <= 3
    assert memory.get((keys[8],)) == 8


COUNTS: Cached[int] = Cached(100)
LENGTHS: Cached[int] = Cached(100, is_by_value=True)
NEWEST: Latest[str] = Latest("none")


def test_every_memory_takes_a_turn_after_enough_text() -> None:
    key = Thing()
    with Caches().at_work():
        COUNTS.put((key,), 1)
        note_compiled(TURN)
        assert COUNTS.get((key,)) == 1
        note_compiled(TURN)
        note_compiled(TURN)
        assert COUNTS.get((key,)) is None


def test_what_one_compiler_keeps_no_other_finds() -> None:
    key = Thing()
    one, two = Caches(), Caches()
    with one.at_work():
        COUNTS.put((key,), 1)
        NEWEST.put("one")
        with two.at_work():
            assert COUNTS.get((key,)) is None
            assert NEWEST.get() == "none"
        assert COUNTS.get((key,)) == 1
        assert NEWEST.get() == "one"
    assert COUNTS.get((key,)) is None


def test_equal_keys_are_the_same_where_values_count() -> None:
    with Caches().at_work():
        assert LENGTHS.recall((("a", "b"),), lambda: 2) == 2
        assert LENGTHS.recall((tuple("ab"),), lambda: 3) == 2
        assert COUNTS.recall(([],), lambda: 2) == 2
        assert COUNTS.recall(([],), lambda: 3) == 3


def test_what_is_found_later_is_kept_where_it_was_asked_for() -> None:
    key = Thing()
    caches = Caches()
    with caches.at_work():
        later = with_these_caches(lambda: COUNTS.put((key,), 7))
    assert later() == 7
    assert COUNTS.get((key,)) is None
    with caches.at_work():
        assert COUNTS.get((key,)) == 7


def test_fixes_that_are_asked_for_later_use_the_compiler_they_came_from(planned: list[int]) -> None:
    files = {**FILES, "schema.piql": SCHEMA.replace(", CARDINALITY LIMIT 5 (owner)", "")}
    compiler = Compiler()
    first = compiler.compile(files).queries["noted"].diagnostics[0].fixes
    assert len(first) > 0
    planned.clear()
    again = compiler.compile({**files, "found.piql": "-- moved\n" + FILES["found.piql"]})
    assert list(again.queries["noted"].diagnostics[0].fixes) == list(first)
    assert len(planned) <= 1  # only the query that was edited


def test_a_compiler_goes_with_all_that_it_keeps() -> None:
    compiler = Compiler()
    key = Thing()
    with compiler.at_work():
        COUNTS.put((key,), 1)
    watched = weakref.ref(key)
    del key
    assert watched() is not None
    del compiler
    assert watched() is None


def test_a_thread_uses_the_compiler_that_it_is_given() -> None:
    compiler = Compiler()
    with ThreadPoolExecutor(4) as threads:
        bounds = list(threads.map(lambda _: compiler.compile(FILES).queries["noted"].bound, range(16)))
    assert bounds == [fresh(FILES).queries["noted"].bound] * 16
