"""operators.md: the operators of physical and logical plans, each with a plan that the compiler makes."""

from __future__ import annotations

import re
from importlib import import_module
from typing import get_args

import piql
from piql.compiler.logical.operators import LogicalNode, LogicalWrite, Unit
from piql.compiler.physical.format import format_plan
from piql.compiler.physical.operators import PhysicalNode, RemoteOperator
from piql.compiler.physical.unit_plan import UnitPlan
from piql.compiler.physical.write_plan import WritePlan
from piql.compiler.result import CompiledQuery
from piql.compiler.syntax.parser import parse
from piql.compiler.syntax.printer import print_file

from reference.markdown import block, code, docstring, first_sentence, table

_SCHEMA = """
CREATE TABLE users (username VARCHAR(32) PRIMARY KEY, hometown VARCHAR(64));
CREATE TABLE follows (
  owner VARCHAR(32) REFERENCES users, target VARCHAR(32) REFERENCES users, since INT,
  PRIMARY KEY (owner, target), CARDINALITY LIMIT 100 (owner)
);
CREATE TABLE thoughts (
  owner VARCHAR(32) REFERENCES users, posted TIMESTAMP, text VARCHAR(140), PRIMARY KEY (owner, posted)
);
CREATE TABLE replies (id INT PRIMARY KEY, reply_to INT NULL REFERENCES replies MAX 20);
CREATE TABLE notes (id INT PRIMARY KEY, owner VARCHAR(32), body TEXT);
"""
_EXAMPLES = {
    "IndexScan": "SELECT target FROM follows WHERE owner = [me]",
    "IndexFKJoin": "SELECT u.hometown FROM follows f JOIN users u ON u.username = f.target WHERE f.owner = [me]",
    "SortedIndexJoin": (
        "SELECT t.posted, t.text FROM follows f JOIN thoughts t ON t.owner = f.target WHERE f.owner = [me] "
        "ORDER BY t.posted DESC LIMIT [count] MAX 50"
    ),
    "Dereference": "SELECT body FROM notes WHERE owner = [me] ORDER BY id LIMIT 10",
    "LocalSelection": "SELECT target FROM follows WHERE owner = [me] AND since > 3",
    "LocalJoin": (
        "SELECT a.target, b.target AS other FROM follows a JOIN follows b ON b.since = a.since "
        "WHERE a.owner = [me] AND b.owner = [you]"
    ),
    "LocalSemiJoin": (
        "SELECT a.target FROM follows a WHERE a.owner = [me] "
        "AND EXISTS (SELECT 1 AS one FROM follows b WHERE b.owner = [you] AND b.since = a.since)"
    ),
    "LocalSort": "SELECT target FROM follows WHERE owner = [me] ORDER BY since",
    "LocalTop": (
        "SELECT target FROM follows WHERE owner = [me] AND since > 3 AND target <> owner ORDER BY since LIMIT 3"
    ),
    "LocalStop": "SELECT target FROM follows WHERE owner = [me] AND since > 3 LIMIT 100",
    "LocalGroupBy": "SELECT since, COUNT(*) AS n FROM follows WHERE owner = [me] GROUP BY since",
    "LocalDistinct": "SELECT DISTINCT since FROM follows WHERE owner = [me]",
    "LocalUnion": (
        "SELECT target FROM follows WHERE owner = [me] UNION SELECT username FROM users WHERE username = [you]"
    ),
    "LocalCases": (
        "SELECT username FROM users WHERE hometown = [town] AND ([after] IS NULL OR username > [after]) "
        "ORDER BY username LIMIT 10"
    ),
    "RecursiveUnion": (
        "WITH RECURSIVE thread (id, depth) AS (SELECT id, 0 FROM replies WHERE id = [root] UNION ALL "
        "SELECT r.id, t.depth + 1 FROM replies r JOIN thread t ON r.reply_to = t.id) MAX 3 LEVELS "
        "SELECT id, depth FROM thread"
    ),
    "WorkTableScan": (
        "WITH RECURSIVE above (id, reply_to) AS (SELECT id, reply_to FROM replies WHERE id = [id] UNION ALL "
        "SELECT r.id, r.reply_to FROM replies r JOIN above a ON r.id = a.reply_to) MAX 10 LEVELS SELECT id FROM above"
    ),
    "LocalProjection": "SELECT LOWER(hometown) AS town FROM users WHERE username = [me]",
    "WritePlan": "INSERT INTO follows (owner, target, since) VALUES ([me], [you], [now])",
    "UnitPlan": (
        "LET before = (SELECT hometown FROM users WHERE username = [you]); "
        "INSERT INTO follows (owner, target, since) VALUES ([me], [you], [now]); "
        "UPDATE users SET hometown = [town] WHERE username = [me] AND hometown <> [before];"
    ),
}


def pages() -> dict[str, str]:
    """Return the page about operators, by file name."""
    remote = [arg.__name__ for arg in get_args(RemoteOperator)]
    local = [arg.__name__ for arg in get_args(PhysicalNode) if arg.__name__ not in remote]
    docs = {node.__name__: _about(node) for node in (*get_args(PhysicalNode), WritePlan, UnitPlan)}
    logical = [
        (code(node.__name__), first_sentence(node) or _LOGICAL[node.__name__])
        for node in (*get_args(LogicalNode), *get_args(LogicalWrite), Unit)
    ]
    text = f"""
# Operators

A query has two plans. The *logical* plan says what the query asks for, and the optimizer rewrites it
([rules](optimizer.md)). The *physical* plan says how it is read. Remote operators make requests, and each has a bound.
Local operators work on the rows that remote operators have read. `fields` are the columns of the rows that an operator
passes on. Below each plan is the largest number of requests that it makes.

## Remote operators

{_sections(remote, docs)}

## Local operators

{_sections(local, docs)}

## Writes

{_sections(["WritePlan", "UnitPlan"], docs)}

## Logical operators

{table(("operator", "is"), logical)}
"""
    return {"operators.md": text}


_LOGICAL = {
    "Selection": "The rows for which a predicate is true.",
    "Projection": "The columns of the result, and what each holds.",
}


def _about(operator: type) -> str:
    """Return the docstring of an operator, or that of the module that runs it."""
    if about := docstring(operator):
        return about
    snake = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", operator.__name__).lower()
    return docstring(import_module(f"piql.runtime.execution.operators.{snake}"))


def _sections(names: list[str], docs: dict[str, str]) -> str:
    return "\n\n".join(f"### {name}\n\n{docs[name]}\n\n{_example(name)}" for name in names)


def _example(name: str) -> str:
    statement = f"CREATE QUERY q AS {_EXAMPLES[name]};"
    if name == "UnitPlan":
        statement = f"CREATE UNIT q AS BEGIN {_EXAMPLES[name]} END;"
    query = piql.compile(_SCHEMA + statement).queries["q"]
    assert query.plan is not None, (name, query.diagnostics)
    plan = format_plan(query.plan)
    assert name in plan or name in ("WritePlan", "UnitPlan"), plan
    written = print_file(parse(piql.Source(statement))).split("\n", 1)[1].rstrip(";\n")
    return f"{block(written, 'sql')}\n\n{block(plan)}\n\n{_cost(query)}"


def _cost(query: CompiledQuery) -> str:
    bound = query.bound
    assert bound is not None
    trips = "1 round trip" if bound.round_trips == 1 else f"{bound.round_trips} round trips"
    formula = "" if bound.formula == str(bound.operations) else f"`{bound.formula}` = "
    requests = "1 request" if bound.operations == 1 else f"{bound.operations} requests"
    return f"{formula}{requests}, {trips}."
