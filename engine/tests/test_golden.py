"""Golden files: Markdown that shows, under each heading, a text and what comes of it.

A heading is followed by one ```piql block and by blocks of the outputs asked for, each named by its fence. To rewrite
the outputs, run `pytest --update-golden` and read the diff. To add an output, add a function to OUTPUTS.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

import piql
import pytest
from piql.commands.storage import describe_storage
from piql.compiler.binding.binder import BoundProgram, bind
from piql.compiler.binding.conversion import as_sql
from piql.compiler.logical.format import format_plan
from piql.compiler.physical.format import format_plan as format_physical
from piql.compiler.syntax.parser import parse
from piql.compiler.syntax.printer import print_file
from piql.text.diagnostics.render import render_all
from piql.text.source import Source

GOLDEN = Path(__file__).parent / "golden"
SECTION = re.compile(r"^#+ (?P<title>[^\n]*)\n(?P<body>.*?)(?=^#+ |\Z)", re.MULTILINE | re.DOTALL)
FENCE = re.compile(r"^```(?P<name>[a-z]+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


def bound(text: str) -> BoundProgram:
    return bind((parse(Source(text, "text.piql")),))


def diagnostics(text: str) -> str:
    """What reading and binding the text finds, as it is printed."""
    return render_all(bound(text).diagnostics) or "none"


def plans(text: str) -> str:
    """The canonical logical plan of every query."""
    return "\n\n".join(
        f"{query.name}: " + (format_plan(query.plan) if query.plan is not None else "broken")
        for query in bound(text).queries
    )


def parameters(text: str) -> str:
    """The parameters of every query, in order."""
    lines = []
    for query in bound(text).queries:
        for parameter in query.parameters:
            most = f" MAX {parameter.max_items} items" if parameter.max_items else ""
            most += f" MAX {parameter.max_value}" if parameter.max_value is not None else ""
            lines.append(f"{query.name}: {parameter.name} {parameter.type}{most}")
    return "\n".join(lines)


def formatted(text: str) -> str:
    """The text as the formatter writes it."""
    return print_file(parse(Source(text, "text.piql"))).rstrip("\n")


def sql(text: str) -> str:
    """The text with its ENTITY and FETCH statements written in SQL."""
    (converted,) = as_sql([parse(Source(text, "text.piql"))])
    return print_file(converted).rstrip("\n")


def trace(text: str) -> str:
    """The steps of the optimizer for every query, and the logical plan that they end in."""
    parts = []
    for query in piql.compile(text).queries.values():
        steps = "".join(f"{step.rule}: {step.note}\n" for step in query.steps)
        parts.append(f"{query.name}\n{steps}{format_plan(query.logical) if query.logical is not None else 'broken'}")
    return "\n\n".join(parts)


def plan(text: str) -> str:
    """The bound and the physical plan of every query."""
    return "\n\n".join(_plan(query) for query in piql.compile(text).queries.values())


def _plan(query: piql.CompiledQuery) -> str:
    if query.plan is None or query.bound is None:
        return f"{query.name}: class {query.scaling_class}\n" + "\n".join(
            segment.sentence for segment in query.unbounded
        )
    bound = query.bound
    head = f"{query.name}: {bound.operations} = {bound.formula}, {bound.round_trips} trips, {bound.rows} rows"
    return f"{head}, class {query.scaling_class}\n{format_physical(query.plan)}"


def bounds(text: str) -> str:
    """What each operator of every query adds, and the facts that prove it."""
    parts = []
    for query in piql.compile(text).queries.values():
        if query.bound is None:
            continue
        lines = [query.name]
        for operator in query.bound.by_operator:
            path = ".".join(map(str, operator.path)) or "root"
            lines.append(
                f"  {path} {operator.operator}: {operator.operations} requests ({operator.formula}), "
                f"{operator.rows} rows ({operator.rows_formula}), {operator.bytes} bytes"
            )
        lines += [
            f"  {term.symbol} = {term.value}: {term.reason}" + (f" — {term.span.text}" if term.span else "")
            for term in query.bound.terms
        ]
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def indexes(text: str) -> str:
    """The secondary indexes of the set, and why each holds what it holds."""
    lines = []
    for index in piql.compile(text).indexes.values():
        columns = ", ".join(column.name + ("" if column.ascending else " DESC") for column in index.columns)
        held = f" → {', '.join(index.covering)}" if index.covering else ""
        lines.append(f"{index.name} ({columns}){held}: {index.reason}")
    return "\n".join(lines) or "none"


def storage(text: str) -> str:
    """How tables and indexes are kept, as `piql plan` lists it."""
    return "\n\n".join(describe_storage(piql.compile(text), None))


def findings(text: str) -> str:
    """What the whole compiler finds, as it is printed."""
    return render_all(piql.compile(text).diagnostics) or "none"


def fixes(text: str) -> str:
    """Each fix that is offered, with the lines that it changes."""
    compilation = piql.compile(text)
    parts = []
    for fix in dict.fromkeys(fix for diagnostic in compilation.diagnostics for fix in diagnostic.fixes):
        fixed = text
        for edit in sorted(fix.edits, key=lambda fix_edit: -fix_edit.start):
            fixed = fixed[: edit.start] + edit.text + fixed[edit.end :]
        changed = [
            line
            for line in unified_diff(text.splitlines(), fixed.splitlines(), lineterm="", n=0)
            if line[0] in "+-" and line[:3] not in ("+++", "---")
        ]
        unblocks = f" (also bounds {', '.join(fix.unblocks)})" if fix.unblocks else ""
        parts.append("\n".join([fix.title + unblocks, *changed]))
    return "\n\n".join(parts) or "none"


OUTPUTS: dict[str, Callable[[str], str]] = {
    "diagnostics": diagnostics,
    "plans": plans,
    "parameters": parameters,
    "formatted": formatted,
    "sql": sql,
    "trace": trace,
    "plan": plan,
    "bounds": bounds,
    "indexes": indexes,
    "storage": storage,
    "findings": findings,
    "fixes": fixes,
}


@dataclass(frozen=True)
class Example:
    file: Path
    title: str
    body: str


def examples() -> list[Example]:
    examples = []
    for file in sorted(GOLDEN.glob("**/*.md")):
        for section in SECTION.finditer(file.read_text()):
            if "```piql" in section["body"]:
                examples.append(Example(file, section["title"], section["body"]))
    return examples


def test_there_are_golden_files() -> None:
    assert len(examples()) >= 15


@pytest.mark.parametrize(
    "example",
    [pytest.param(example, id=f"{example.file.relative_to(GOLDEN)}: {example.title}") for example in examples()],
)
def test_the_output_is_the_one_in_the_file(example: Example, request: pytest.FixtureRequest) -> None:
    fences = list(FENCE.finditer(example.body))
    source, *outputs = fences
    assert source["name"] == "piql"
    assert outputs, "a section shows at least one output"
    body = example.body
    for output in outputs:
        now = f"```{output['name']}\n{OUTPUTS[output['name']](source['text'])}\n```"
        body = body.replace(output[0], now, 1)
    if body != example.body and request.config.getoption("--update-golden", default=False):
        example.file.write_text(example.file.read_text().replace(example.body, body, 1))
        return
    assert body == example.body
