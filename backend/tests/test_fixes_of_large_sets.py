"""The fixes of many refused queries: those of the query that is looked at are given, wherever it stands."""

from __future__ import annotations

import piql
from piql_backend.compilations.reading import LATER, MOST_MENDED, read_diagnostics

QUERIES = MOST_MENDED + 10
TEXT = "CREATE TABLE t (a INT, b INT, PRIMARY KEY (a, b));\n" + "".join(
    f"CREATE QUERY q{number} AS SELECT b, {number} AS n FROM t WHERE a = [a];\n" for number in range(QUERIES)
)


def test_the_query_that_is_looked_at_and_the_first_others_have_their_fixes() -> None:
    last = f"q{QUERIES - 1}"
    findings = {finding.query: finding for finding in read_diagnostics(piql.compile(TEXT), last)}
    assert findings[last].fixes
    assert sum(bool(finding.fixes) for finding in findings.values()) == MOST_MENDED
    assert all(finding.fixes or LATER in finding.help for finding in findings.values())


def test_a_fix_says_what_it_changes_and_costs() -> None:
    fix = read_diagnostics(piql.compile(TEXT))[0].fixes[0]
    assert fix.consequence == "writes beyond 100 rows with the same a are refused; the answer stays the same"
    assert fix.cost == "at most 1 request an execution"
