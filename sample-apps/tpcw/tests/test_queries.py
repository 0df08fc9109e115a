"""TPC-W's queries have the bounds and indexes that the README shows, and the two analytical ones are refused.

To rewrite the tables of the README, run `make golden` and read the diff.
"""

from __future__ import annotations

import re
from pathlib import Path

import piql
import pytest

HERE = Path(__file__).resolve().parent.parent
REJECTED = HERE.parent / "tpcw-rejected"
README = HERE / "README.md"

TABLE_1 = {
    "home",
    "newProducts",
    "productDetail",
    "searchByAuthor",
    "searchByTitle",
    "orderDisplayCustomer",
    "orderDisplayLastOrder",
    "orderDisplayLines",
    "buyRequest",
}
READS = TABLE_1 | {"searchBySubject", "shoppingCart"}
WRITES = {
    "addCartLine",
    "updateCartLine",
    "removeCartLine",
    "addAddress",
    "addCustomer",
    "addOrder",
    "addOrderLine",
    "addPayment",
    "takeFromStock",
    "updateItem",
}
INDEXES_OF_TABLE_1 = {
    ("author", ("token(a_fname,a_lname)", "a_id")),
    ("item", ("i_a_id", "i_title", "i_id")),
    ("item", ("i_subject", "i_pub_date", "i_id")),
    ("item", ("token(i_title)", "i_title", "i_id")),
    ("orders", ("o_c_uname", "o_date_time", "o_id")),
}
WHAT_GROWS = {
    "bestSellers": ("order_line of one", "item of one i_subject"),
    "adminConfirm": ("order_line of one ol_i_id", "orders of one o_c_uname", "order_line of one ol_o_id"),
}


@pytest.fixture(scope="module")
def compilation() -> piql.Compilation:
    return piql.compile(HERE)


@pytest.fixture(scope="module")
def rejected() -> piql.Compilation:
    files = {path.name: path.read_text() for path in (HERE / "schema.piql", *REJECTED.glob("*.piql"))}
    return piql.compile(files)


def indexes(query: piql.CompiledQuery) -> list[tuple[str, tuple[str, ...]]]:
    return [(index.table, tuple(column.name for column in index.columns)) for index in query.indexes]


def table_of_reads(compilation: piql.Compilation) -> str:
    lines = [
        "| query | bound | requests | round trips | rows | class | indexes |",
        "| --- | --- | --: | --: | --: | --- | --- |",
    ]
    for name in sorted(READS):
        query = compilation.queries[name]
        assert query.bound is not None
        used = ", ".join(f"`{table}` ({', '.join(columns)})" for table, columns in indexes(query)) or "–"
        numbers = f"{query.bound.operations} | {query.bound.round_trips} | {query.bound.rows}"
        lines.append(f"| `{name}` | `{query.bound.formula}` | {numbers} | {query.scaling_class} | {used} |")
    return "\n".join(lines)


def table_of_writes(compilation: piql.Compilation) -> str:
    lines = ["| update | requests | puts | deletes | reads | counts |", "| --- | --: | --: | --: | --: | --: |"]
    for name in sorted(WRITES):
        bound = compilation.queries[name].bound
        assert bound is not None
        lines.append(
            f"| `{name}` | {bound.operations} | {bound.puts} | {bound.deletes} | {bound.reads} | {bound.counts} |"
        )
    return "\n".join(lines)


def table_of_indexes(compilation: piql.Compilation) -> str:
    lines = ["| index | read by | because |", "| --- | --- | --- |"]
    for index in compilation.indexes.values():
        readers = [f"`{name}`" for name in sorted(READS) if index in compilation.queries[name].indexes]
        names = [column.name for column in index.columns]
        key = ", ".join((f"({', '.join(names[: index.partition_columns])})", *names[index.partition_columns :]))
        held = f" → {', '.join(index.covering)}" if index.covering else ""
        lines.append(f"| `{index.table}` ({key}){held} | {', '.join(readers) or '–'} | {index.reason} |")
    return "\n".join(lines)


def table_of_rejected(rejected: piql.Compilation) -> str:
    lines = ["| query | class | why |", "| --- | --- | --- |"]
    for name in sorted(WHAT_GROWS):
        query = rejected.queries[name]
        why = "; ".join(dict.fromkeys(diagnostic.message.partition(",")[0] for diagnostic in query.diagnostics))
        lines.append(f"| `{name}` | {query.scaling_class} | {why} |")
    return "\n".join(lines)


def test_nothing_is_reported_of_the_application(compilation: piql.Compilation) -> None:
    assert [diagnostic.message for diagnostic in compilation.diagnostics if diagnostic.severity != "info"] == []


def test_every_query_stands_here_in_a_file_of_its_name(compilation: piql.Compilation) -> None:
    assert set(compilation.queries) == READS | WRITES
    assert {path.stem for path in (HERE / "queries").glob("*.piql")} == READS | WRITES
    assert {path.stem for path in REJECTED.glob("*.piql")} == set(WHAT_GROWS)


def test_the_readme_shows_what_the_compiler_finds(
    compilation: piql.Compilation, rejected: piql.Compilation, request: pytest.FixtureRequest
) -> None:
    text = shown = README.read_text()
    tables = {
        "Queries": table_of_reads(compilation),
        "Indexes": table_of_indexes(compilation),
        "Updates": table_of_writes(compilation),
        "Refused": table_of_rejected(rejected),
    }
    for title, table in tables.items():
        section = re.search(rf"^## {title}$.*?(?P<table>^\|.*?)(?=\n\n)", shown, re.MULTILINE | re.DOTALL)
        assert section, f"no table under {title}"
        shown = shown[: section.start("table")] + table + shown[section.end("table") :]
    if request.config.getoption("--update-golden", default=False):
        README.write_text(shown)
    else:
        assert text == shown


def test_the_queries_of_table_1_read_the_five_indexes_of_the_paper(compilation: piql.Compilation) -> None:
    assert {index for name in TABLE_1 for index in indexes(compilation.queries[name])} == INDEXES_OF_TABLE_1


def test_a_subject_in_the_order_of_titles_needs_the_only_index_more(compilation: piql.Compilation) -> None:
    more = {index for name in READS for index in indexes(compilation.queries[name])} - INDEXES_OF_TABLE_1
    assert more == {("item", ("i_subject", "i_title", "i_id"))}


def test_no_index_begins_as_another_of_its_table(compilation: piql.Compilation) -> None:
    keys = [(index.table, tuple(column.name for column in index.columns)) for index in compilation.indexes.values()]
    declared = [(table, columns[: -len(compilation.tables[table].primary_key)]) for table, columns in keys]
    for table, short in declared:
        longer = [columns for table_of_key, columns in keys if table_of_key == table and columns[: len(short)] == short]
        assert len(longer) == 1


@pytest.mark.parametrize("name", sorted(WRITES))
def test_a_write_is_bounded(compilation: piql.Compilation, name: str) -> None:
    query = compilation.queries[name]
    assert query.scaling_class == "I"
    assert query.bound is not None
    assert query.bound.operations <= 20


@pytest.mark.parametrize("name", sorted(WHAT_GROWS))
def test_an_analytical_query_is_refused_where_it_grows(rejected: piql.Compilation, name: str) -> None:
    query = rejected.queries[name]
    assert not query.is_bounded
    errors = [diagnostic for diagnostic in query.diagnostics if diagnostic.severity == "error"]
    texts = {source.name: source.text for source in rejected.sources}
    for diagnostic in errors:
        assert diagnostic.code == "unbounded-aggregate"
        assert texts[f"{name}.piql"][diagnostic.span.start : diagnostic.span.end].strip()
        assert diagnostic.span.file == f"{name}.piql"
        assert "nothing limits how many there are" in diagnostic.message
        assert diagnostic.fixes
    for growing in WHAT_GROWS[name]:
        assert any(diagnostic.message.startswith(growing) for diagnostic in errors)


def test_without_its_limit_only_the_cart_has_no_bound() -> None:
    files = {path.name: path.read_text() for path in HERE.rglob("*.piql")}
    lines = files["schema.piql"].splitlines(keepends=True)
    files["schema.piql"] = "".join(line for line in lines if "CARDINALITY LIMIT 100 (scl_c_uname)" not in line)
    compilation = piql.compile(files)
    assert {name for name, query in compilation.queries.items() if not query.is_bounded} == {"shoppingCart"}
    titles = [fix.title for diagnostic in compilation.diagnostics for fix in diagnostic.fixes]
    assert any("CARDINALITY LIMIT" in title and "scl_c_uname" in title for title in titles)


@pytest.mark.parametrize("name", sorted(WHAT_GROWS))
def test_the_limits_offered_bound_an_analytical_query(name: str) -> None:
    files = {path.name: path.read_text() for path in (HERE / "schema.piql", REJECTED / f"{name}.piql")}
    fix = piql.compile(files).queries[name].diagnostics[0].fixes[0]
    for edit in sorted(fix.edits, key=lambda edit: edit.start, reverse=True):
        text = files[edit.file]
        files[edit.file] = text[: edit.start] + edit.text + text[edit.end :]
    query = piql.compile(files).queries[name]
    assert query.is_bounded
    assert query.scaling_class == "II"


def test_best_sellers_kept_up_to_date_take_what_the_readme_says() -> None:
    text = README.read_text()
    says = re.search(r"at most\s(?P<requests>\d+)\srequests:\n\n```piql[^\n]*\n(?P<block>.*?)^```$", text, re.M | re.S)
    assert says
    files = {"schema.piql": (HERE / "schema.piql").read_text(), "sales.piql": says["block"]}
    bound = piql.compile(files).queries["bestSellers"].bound
    assert bound is not None
    assert bound.operations == int(says["requests"])
