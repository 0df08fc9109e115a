"""Which reads may be given an answer that was begun before them: those that ask one copy, and no others."""

from __future__ import annotations

import pytest
from piql.schema.read_policies import ReadLevel
from piql.store.base import Consistency
from piql_service.contract.deployed_set import ServedQuery
from piql_service.execution.executor import Request, may_be_older


@pytest.mark.parametrize(
    ("level", "asked", "may_be"),
    [
        (None, None, False),
        (None, "eventual", True),
        (None, "quorum", False),
        ("eventual", None, True),
        ("eventual", "eventual", True),
        ("eventual", "quorum", False),
        ("quorum", None, False),
        ("quorum", "eventual", False),
        ("session", None, False),
        ("session", "eventual", True),
    ],
)
def test_an_older_answer_is_given_only_where_policy_and_caller_let_it(
    level: ReadLevel | None, asked: Consistency | None, may_be: bool
) -> None:
    query = ServedQuery("q", "select", (), (), is_paged=False, operations=1, rows=1, formula="1", read=level)
    assert may_be_older(Request(query, b"", {}, consistency=asked)) is may_be
