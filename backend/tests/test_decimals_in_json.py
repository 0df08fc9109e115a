"""A DECIMAL travels as a string. A JSON number is taken where it cannot have been rounded on its way."""

from __future__ import annotations

import pytest
from piql.compiler.binding.types import BARE
from piql.compiler.logical.operators import QueryParameter
from piql.schema.catalog import Kind
from piql_backend.executions.values import from_json
from piql_backend.web.errors import ApiError

PRICE = QueryParameter(name="price", type=BARE[Kind.DECIMAL])


@pytest.mark.parametrize("given", [9.5, 0.1, 123456789012.34, 7, 12345678901234567890, "12345678901234567.89", None])
def test_a_number_that_comes_as_it_was_written_is_taken(given: object) -> None:
    assert from_json({"price": given}, [PRICE]) == {"price": given}  # type: ignore[dict-item]


@pytest.mark.parametrize("given", [12345678901234567.89, 0.1 + 0.2, float("inf")])
def test_a_number_that_may_have_been_rounded_is_refused(given: float) -> None:
    with pytest.raises(ApiError, match="price has too many digits for a JSON number"):
        from_json({"price": given}, [PRICE])
