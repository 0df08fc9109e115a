"""Fixes at a place, and the words above each query."""

from __future__ import annotations

import piql
from piql.compiler.result import Compilation
from piql.editor.service.lenses import lenses
from piql.editor.service.quick_fixes import quick_fixes
from piql.text.edits import apply_edits

SCHEMA = """CREATE TABLE subscriptions (owner VARCHAR(32), target VARCHAR(32), PRIMARY KEY (owner, target));
"""
QUERIES = """CREATE QUERY followed AS SELECT target FROM subscriptions WHERE owner = [me];
CREATE QUERY also AS SELECT target FROM subscriptions WHERE owner = [you];
CREATE QUERY one AS SELECT target FROM subscriptions WHERE owner = [me] AND target = [you];
"""
TEXTS = {"schema.piql": SCHEMA, "queries.piql": QUERIES}


def titles(compilation: Compilation, file: str, words: str) -> list[str]:
    at = TEXTS[file].index(words)
    return [quick_fix.title for quick_fix in quick_fixes(compilation, file, at, at)]


def test_fixes_are_offered_in_the_query_and_on_the_table_and_each_once() -> None:
    compilation = piql.compile(TEXTS)
    at_query = titles(compilation, "queries.piql", "subscriptions WHERE owner = [me]")
    assert at_query[0] == (
        "Add CARDINALITY LIMIT 100 (owner) to subscriptions (also unblocks also): "
        "writes beyond 100 rows with the same owner are refused"
    )
    assert titles(compilation, "schema.piql", "subscriptions")[0].startswith("Add CARDINALITY LIMIT 100 (owner)")
    assert len(set(at_query)) == len(at_query)
    assert titles(compilation, "queries.piql", "one AS") == []


def test_a_fix_mends_what_it_says() -> None:
    compilation = piql.compile(TEXTS)
    fix = quick_fixes(compilation, "schema.piql", 14, 14)[0].fix
    assert not piql.compile(apply_edits(TEXTS, fix.edits)).has_errors


def test_many_unblocked_queries_are_counted() -> None:
    more = "".join(f"CREATE QUERY q{at} AS SELECT target FROM subscriptions WHERE owner = [x];\n" for at in range(5))
    fix = quick_fixes(piql.compile(TEXTS | {"more.piql": more}), "schema.piql", 14, 14)[0]
    assert " more): " in fix.title
    assert len(fix.title) < 150


def test_every_query_has_a_lens() -> None:
    shown = [lens.text for lens in lenses(piql.compile(TEXTS), "queries.piql")]
    assert shown == ["unbounded", "unbounded", "≤ 1 op · 1 trip · class I"]
    broken = piql.compile({"q.piql": "CREATE QUERY q AS SELECT a FROM nowhere;"})
    assert [lens.text for lens in lenses(broken, "q.piql")] == ["no bound"]


def test_a_warning_can_be_allowed_where_its_query_stands_and_the_reason_is_written_then() -> None:
    text = (
        "CREATE TABLE users (id INT PRIMARY KEY, town VARCHAR(20), CARDINALITY LIMIT 5000 (town));\n"
        "CREATE QUERY q AS SELECT id FROM users WHERE town IN [towns] MAX 10;\n"
    )
    at = text.index("q AS")
    (fix,) = quick_fixes(piql.compile(text), "", at, at)
    assert fix.title == "Allow expensive-query here, with a reason"
    (edit,) = fix.fix.edits
    assert text[edit.start :].startswith("CREATE QUERY")
    comment = edit.text.replace(": \n", ": read once a night\n")
    (finding,) = piql.compile(text[: edit.start] + comment + text[edit.end :]).diagnostics
    assert (finding.severity, finding.allowed) == ("info", "read once a night")
