"""The sheets of prices that an environment may have: of a bucket, of requests, or of nodes."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Literal, TypeAlias, assert_never

from piql.pricing.sheets import LEVELS, MOST_LEVELS, SHEETS, NodeSheet, RequestSheet, Sheet
from pydantic import Field

from piql_backend.web.schemas import Write

Dollars = Annotated[float, Field(gt=0, le=1e9, allow_inf_nan=False)]
Text = Annotated[str, Field(min_length=1, max_length=100, pattern=r"^[^\x00-\x1f]*\S[^\x00-\x1f]*$")]


class BucketPrices(Write):
    """A sheet that the workbench knows, of a bucket whose trees have so many levels."""

    kind: Literal["bucket"]
    name: Literal["amazon", "amazon-2007"]
    levels: Annotated[int, Field(ge=1, le=MOST_LEVELS)] = LEVELS


class RequestPrices(Write):
    """What somebody pays for requests: $ for 1,000,000 reads and for as many writes, whose prices, and since when."""

    kind: Literal["requests"]
    of: Text
    date: Text
    read: Dollars
    write: Dollars


class NodePrices(Write):
    """What somebody pays for a node a month, and how many requests a second it takes."""

    kind: Literal["nodes"]
    of: Text
    date: Text
    node_month: Dollars
    requests_a_second: Dollars


ChosenPrices: TypeAlias = Annotated[BucketPrices | RequestPrices | NodePrices, Field(discriminator="kind")]


def sheet_of(prices: BucketPrices | RequestPrices | NodePrices) -> Sheet:
    """The sheet as the engine has it."""
    match prices:
        case BucketPrices():
            return SHEETS[prices.name]
        case RequestPrices():
            return RequestSheet(prices.of, prices.date, _exactly(prices.read), _exactly(prices.write))
        case NodePrices():
            return NodeSheet(prices.of, prices.date, _exactly(prices.node_month), _exactly(prices.requests_a_second))
        case _:
            assert_never(prices)


def _exactly(amount: float) -> Decimal:
    """The amount as it was typed."""
    return Decimal(str(amount))
