"""WITH READ and WITH WRITE behind the name of a query: read, printed, kept with the plan, or refused."""

from __future__ import annotations

import piql
import pytest
from piql.commands.plan import plan_as_text
from piql.compiler.syntax.parser import parse
from piql.compiler.syntax.printer import print_file
from piql.editor.service.completion import complete
from piql.editor.service.hover import hover
from piql.schema.write_policies import WRITE_POLICIES
from piql.text.source import Source

TABLE = "CREATE TABLE t (id INT PRIMARY KEY, a INT);\n"
SELECT = "SELECT a FROM t WHERE id = [1: id];\n"


def compiled(query: str) -> piql.Compilation:
    return piql.compile({"a.piql": TABLE + query})


@pytest.mark.parametrize("level", ["eventual", "quorum", "session"])
def test_a_policy_is_kept_with_the_query_and_shown_with_its_plan(level: str) -> None:
    query = compiled(f"create query q with read {level} as {SELECT}").queries["q"]
    assert query.read == level
    assert query.bound is not None
    assert query.bound == compiled(f"CREATE QUERY q AS {SELECT}").queries["q"].bound
    assert plan_as_text(query).splitlines()[0].endswith(f"reads {level}")


def test_a_query_without_a_policy_has_none() -> None:
    assert compiled(f"CREATE QUERY q AS {SELECT}").queries["q"].read is None
    assert "reads" not in plan_as_text(compiled(f"CREATE QUERY q AS {SELECT}").queries["q"]).splitlines()[0]


def test_a_policy_alone_makes_another_query_of_it() -> None:
    before, after = (compiled(f"CREATE QUERY q {word} AS {SELECT}") for word in ("", "WITH READ QUORUM"))
    assert before.queries["q"] != after.queries["q"]


def test_the_formatter_writes_the_policy_behind_the_name() -> None:
    for head in ("CREATE QUERY q WITH READ EVENTUAL AS", "CREATE QUERY q WITH READ SESSION AS"):
        text = f"{head}\nSELECT a\nFROM t\nWHERE id = [1: id];\n"
        for written in (text, text.replace(head, head.lower()), text.replace("\n", " ")):
            assert print_file(parse(Source(written, "a.piql"))) == text


def test_a_fetch_may_have_a_policy_and_a_query_with_a_name_for_a_subquery_too() -> None:
    text = "QUERY q WITH READ QUORUM\nFETCH t WHERE id = [1: id]\n"
    assert compiled(text).queries["q"].read == "quorum"
    text = "CREATE QUERY q WITH READ QUORUM AS WITH x AS (SELECT a FROM t WHERE id = 1) SELECT a FROM x;"
    assert compiled(text).queries["q"].read == "quorum"


@pytest.mark.parametrize(
    ("head", "code", "message"),
    [
        ("WITH READ LATER AS SELECT a FROM t WHERE id = 1", "syntax-error", "EVENTUAL, QUORUM or SESSION"),
        ("WITH SPEED AS SELECT a FROM t WHERE id = 1", "syntax-error", "READ or WRITE after WITH"),
        ("WITH WRITE ONE AS DELETE FROM t WHERE id = 1", "read-policy", "by a majority of the copies at least"),
        ("WITH WRITE EVENTUAL AS DELETE FROM t WHERE id = 1", "read-policy", "what one copy alone has, it may lose"),
        ("WITH WRITE SOON AS DELETE FROM t WHERE id = 1", "syntax-error", "QUORUM or ALL after WITH WRITE"),
        ("WITH WRITE ALL AS SELECT a FROM t WHERE id = 1", "read-policy", "WITH WRITE is for an INSERT"),
        ("WITH READ EVENTUAL AS DELETE FROM t WHERE id = 1", "read-policy", "WITH READ is for a SELECT"),
        ("WITH READ QUORUM AS INSERT INTO t VALUES (1, 2)", "read-policy", "WITH READ is for a SELECT"),
    ],
)
def test_what_does_not_fit_is_refused_where_it_stands(head: str, code: str, message: str) -> None:
    compilation = compiled(f"CREATE QUERY q {head};")
    (finding,) = compilation.diagnostics
    assert finding.code == code
    assert message in finding.message
    assert finding.span.text.startswith(("WITH", "LATER", "SPEED", "SOON"))
    assert finding.query == "q"


@pytest.mark.parametrize("level", ["quorum", "all"])
@pytest.mark.parametrize(
    "write", ["DELETE FROM t WHERE id = 1", "UPDATE t SET a = 2 WHERE id = 1", "INSERT INTO t (id, a) VALUES (1, 2)"]
)
def test_a_policy_of_a_write_is_kept_and_shown_and_changes_no_bound(write: str, level: str) -> None:
    query = compiled(f"create query q with write {level} as {write};").queries["q"]
    assert (query.read, query.write) == (None, level)
    assert query.bound == compiled(f"CREATE QUERY q AS {write};").queries["q"].bound
    shown = "acknowledged by " + {"quorum": "a majority", "all": "all copies"}[level]
    assert plan_as_text(query).splitlines()[0].endswith(shown)
    text = print_file(parse(Source(f"create query q with write {level} as {write};", "a.piql")))
    assert text.startswith(f"CREATE QUERY q WITH WRITE {level.upper()} AS\n")
    compilation = compiled(f"CREATE QUERY q WITH WRITE {level.upper()} AS {write};")
    about = hover(compilation, "a.piql", len(TABLE) + len("CREATE QUERY q"))
    assert about is not None
    assert about.markdown.endswith(WRITE_POLICIES[query.write].sees)  # type: ignore[index]


@pytest.mark.parametrize("policy", ["WITH READ EVENTUAL ", "WITH WRITE ONE "])
def test_the_policy_of_a_write_is_left_out_by_its_fix(policy: str) -> None:
    text = TABLE + f"CREATE QUERY q {policy}AS DELETE FROM t WHERE id = 1;"
    (finding,) = piql.compile({"a.piql": text}).diagnostics
    (edit,) = finding.fixes[0].edits
    fixed = text[: edit.start] + edit.text + text[edit.end :]
    assert fixed == TABLE + "CREATE QUERY q AS DELETE FROM t WHERE id = 1;"
    assert not piql.compile({"a.piql": fixed}).has_errors


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("CREATE QUERY q ", ["AS", "WITH READ", "WITH WRITE"]),
        ("CREATE QUERY q WITH ", ["READ", "WRITE"]),
        ("CREATE QUERY q WITH WRITE ", ["QUORUM", "ALL"]),
        ("CREATE QUERY q WITH WRITE ALL ", ["AS"]),
        ("CREATE QUERY q WITH READ ", ["EVENTUAL", "QUORUM", "SESSION"]),
        ("CREATE QUERY q WITH READ SESSION ", ["AS"]),
        ("CREATE VIEW v ", ["AS"]),
    ],
)
def test_the_editor_offers_the_words_of_a_policy(typed: str, offered: list[str]) -> None:
    assert [item.label for item in complete({"a.piql": typed}, "a.piql", len(typed))] == offered
