"""Why a question about capacity has no answer: one class for each reason, whose message names what the user gave.

A command and a server say differently what to do about it, so the messages leave that out.
"""

from __future__ import annotations

from piql_profiler.predictor.model import NotPredictable


class Unanswerable(NotPredictable):
    """What is asked cannot be told of these queries; `name` is the query, limit or table that it is about."""

    def __init__(self, message: str, name: str = "") -> None:
        super().__init__(message)
        self.name = name


class NoRates(Unanswerable):
    """Nothing has a rate."""

    def __init__(self) -> None:
        super().__init__("no query has a rate, so there is no load to tell of")


class NoBound(Unanswerable):
    """A rate is given of a query whose work has no bound."""

    def __init__(self, query: str) -> None:
        super().__init__(f"the query {query} is not bounded, so no load of it can be told", query)


class SloWithoutRate(Unanswerable):
    """An SLO is given of a query that has no rate."""

    def __init__(self, query: str) -> None:
        super().__init__(f"the query {query} has an SLO and no rate", query)


class LimitOfNoQuery(Unanswerable):
    """A limit is set that no query with a rate has."""

    def __init__(self, limit: str) -> None:
        super().__init__(f"no query with a rate has a limit {limit!r}", limit)


class BadQuestion(Unanswerable):
    """The question lacks something, or contradicts itself."""


class NotGrowing(BadQuestion):
    """The three points of a range are not in their order."""

    def __init__(self, low: float, mid: float, high: float) -> None:
        super().__init__(f"a range is given by low, mid and high, and {low:g}, {mid:g}, {high:g} do not grow")


class IsOneNode(BadQuestion):
    """The size of a cluster is given, and an embedded store was profiled."""

    def __init__(self) -> None:
        super().__init__("the run is of an embedded store, which is one node and answers one request after another")


class SizeMissing(BadQuestion):
    """A cluster was profiled, and its size is not given."""

    def __init__(self) -> None:
        super().__init__("the run is of a cluster, and does not hold how many nodes and cores it has")


class PartTooLarge(BadQuestion):
    """More than the whole time of a request is said to keep a core busy."""

    def __init__(self, part: float) -> None:
        super().__init__(f"a request keeps a core busy for a part of its time, at most 1, not {part:g}")


class UsersMissing(BadQuestion):
    """Something of each user is given, and not how many users there are."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} are of users, and how many users make these rates is not given")


class DataMissing(BadQuestion):
    """Something of the data is given, and not how much there is."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} are of the data, and how many rows a user has is not given")
