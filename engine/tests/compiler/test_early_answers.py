"""What is told before the whole set is compiled is what the whole says; work that is given up leaves nothing wrong."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import fields
from pathlib import Path

import piql
import pytest
from piql.compiler import early_answers
from piql.compiler.early_answers import Early, Listener, listening
from piql.compiler.result import CompiledQuery
from piql.trees.giving_up import GivenUp, while_wanted

from .syntax.test_incremental import compiled_afresh, described
from .syntax.test_incremental_schemas import begun, changed, in_files

SAMPLES = Path(__file__).parents[3] / "sample-apps"
APPLICATIONS = {
    name: {path.name: path.read_text() for path in sorted((SAMPLES / name).rglob("*.piql"))}
    for name in ("scadr", "tpcw", "shop", "chat")
}
NUMBER = re.compile(r"(?<=LIMIT )\d+|(?<=MAX )\d+|(?<=VARCHAR\()\d+")


@pytest.fixture
def all_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(early_answers, "FEW", 0)


@contextmanager
def early_queries(names: Mapping[str, object]) -> Iterator[list[CompiledQuery]]:
    """The queries of these names that are told early by what is compiled inside."""
    queries: list[CompiledQuery] = []
    with listening(Listener(frozenset(names), lambda early: queries.extend(early.queries))):
        yield queries


def said_of(query: CompiledQuery) -> dict[str, object]:
    """All that is said of a query but for its findings, whose fixes are looked for later."""
    return {field.name: described(getattr(query, field.name)) for field in fields(query) if field.name != "diagnostics"}


def check(texts: dict[str, str], rng: random.Random) -> int:
    """Compile texts after they were given up somewhere; return how many queries were told early."""
    steps = iter(range(rng.randrange(40)))
    with suppress(GivenUp), while_wanted(lambda: next(steps, None) is not None):
        piql.compile(texts)
    afresh = compiled_afresh(texts)
    with early_queries(afresh.queries) as early:
        whole = piql.compile(texts)
    assert described(whole) == described(afresh)
    for query in early:
        assert said_of(query) == said_of(whole.queries[query.name])
    return len(early)


def with_another_number(rng: random.Random, texts: dict[str, str]) -> dict[str, str]:
    """Change a limit, a MAX or a length somewhere, or put a space before it."""
    name = rng.choice([name for name, text in texts.items() if NUMBER.search(text)])
    place = rng.choice(list(NUMBER.finditer(texts[name])))
    number = rng.choice((f" {place[0]}", f"{place[0]}0"[-5:], str(rng.randrange(1, 3000)), "1", f"{place[0]}x"))
    return {**texts, name: texts[name][: place.start()] + number + texts[name][place.end() :]}


def check_numbers(application: str, seed: int, count: int) -> int:
    rng = random.Random(seed)
    first = texts = APPLICATIONS[application]
    piql.compile(texts)
    early = 0
    for _ in range(count):
        texts = with_another_number(rng, first if rng.randrange(4) == 0 else texts)
        early += check(texts, rng)
    return early


def check_schemas(seed: int, count: int) -> int:
    rng = random.Random(seed)
    statements = begun(rng)
    piql.compile(in_files(statements, seed % 3))
    early = 0
    for _ in range(count):
        statements = changed(rng, statements)
        early += check(in_files(statements, seed % 3), rng)
    return early


@pytest.mark.usefixtures("all_are_told")
def test_what_is_told_early_is_what_the_whole_says_when_numbers_change() -> None:
    assert check_numbers("scadr", 1, 12) > 0


@pytest.mark.usefixtures("all_are_told")
def test_what_is_told_early_is_what_the_whole_says_when_the_schema_changes() -> None:
    assert check_schemas(3, 8) > 0


@pytest.mark.long
@pytest.mark.usefixtures("all_are_told")
@pytest.mark.parametrize("application", APPLICATIONS)
@pytest.mark.parametrize("seed", range(10))
def test_what_is_told_early_is_what_the_whole_says_after_many_numbers(application: str, seed: int) -> None:
    check_numbers(application, seed, 60)


@pytest.mark.long
@pytest.mark.usefixtures("all_are_told")
@pytest.mark.parametrize("seed", range(10))
def test_what_is_told_early_is_what_the_whole_says_after_many_changes(seed: int) -> None:
    check_schemas(seed, 60)


SCHEMA = """CREATE TABLE follows (owner INT, target INT, since INT, CARDINALITY LIMIT {} (owner),
PRIMARY KEY (owner, target));
CREATE TABLE users (name INT PRIMARY KEY, town INT);
"""


def many(limit: int) -> str:
    reads = (
        f"CREATE QUERY q{number} AS SELECT u.town FROM follows f JOIN users u ON u.name = f.target"
        f" WHERE f.owner = [me] AND f.since > {number};\n"
        for number in range(30)
    )
    fans = "CREATE QUERY fans AS SELECT owner FROM follows WHERE target = [me] LIMIT 5;\n"
    return SCHEMA.format(limit) + "".join(reads) + fans


def test_queries_that_are_looked_at_are_told_first_and_none_that_others_change() -> None:
    piql.compile(many(10))
    answers: list[list[tuple[str, int | None]]] = []

    def tell(early: Early) -> None:
        answers.append([(query.name, query.bound and query.bound.operations) for query in early.queries])

    with listening(Listener(frozenset({"q7", "q8", "fans", "another"}), tell)):
        piql.compile(many(20))
    first, others = answers
    assert first == [("q7", 21), ("q8", 21)]
    assert others == [(f"q{number}", 21) for number in range(30) if number not in (7, 8)]


def test_nothing_is_told_where_few_queries_are_compiled_again() -> None:
    piql.compile(many(10))
    with early_queries({"q7": None}) as early:
        piql.compile(many(10).replace("f.since > 7", "f.since > 70"))
    assert early == []


def test_what_is_given_up_ends_between_two_queries() -> None:
    piql.compile(many(10))
    answers: list[Early] = []
    names = frozenset({"q7"})
    with listening(Listener(names, answers.append)), pytest.raises(GivenUp), while_wanted(lambda: not answers):
        piql.compile(many(30))
    assert [query.name for query in answers[0].queries] == ["q7"]
    assert described(piql.compile(many(30))) == described(compiled_afresh({"": many(30)}))
