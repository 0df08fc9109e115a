"""SLOs as OpenSLO documents (`openslo/v1`), read and written: one document a query, budgeted by time slices.

value 50, op lte             a good execution takes at most 50 ms
timeSliceTarget 0.99         in a good slice a share of 0.99 of them is good
timeSliceWindow 10m          a slice is ten minutes
target 0.99                  a share of 0.99 of the slices is good over the time window
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_SLICES = 0.99


class UnreadableSlo(Exception):
    """The text holds no SLO that can be used; the message says what is wrong, and where."""


@dataclass(frozen=True, slots=True)
class Objective:
    """A share `quantile` of a query's executions takes at most `threshold_ms`, in each interval."""

    query: str
    quantile: float
    threshold_ms: float
    interval_seconds: float


def read_openslo(text: str) -> tuple[Objective, ...]:
    """Read all SLO documents of a text; documents of other kinds are passed over."""
    try:
        documents = [each for each in yaml.safe_load_all(text) if each is not None]
    except yaml.YAMLError as error:
        raise UnreadableSlo(f"this is no YAML: {' '.join(str(error).split())}") from None
    found = tuple(_objective(each) for each in _slos(documents))
    if not found:
        raise UnreadableSlo("the text holds no document of kind SLO")
    if doubled := [each.query for at, each in enumerate(found) if each.query in {one.query for one in found[:at]}]:
        raise UnreadableSlo(f"{doubled[0]} has two SLOs")
    return found


def write_openslo(objectives: Iterable[Objective], service: str = "piql") -> str:
    """Write one document for each objective."""
    return yaml.safe_dump_all(
        [_document(each, service) for each in objectives], sort_keys=False, explicit_start=True, allow_unicode=True
    )


def _slos(documents: Iterable[object]) -> Iterator[Mapping[str, Any]]:
    for each in documents:
        if not isinstance(each, Mapping) or "kind" not in each:
            raise UnreadableSlo("a document is an object with apiVersion and kind")
        if each["kind"] == "SLO":
            if each.get("apiVersion") != "openslo/v1":
                raise UnreadableSlo(f"apiVersion is openslo/v1, not {each.get('apiVersion')}")
            yield each


def _objective(document: Mapping[str, Any]) -> Objective:
    name = _at(document, "metadata", "name")
    spec = _at(document, "spec")
    if spec.get("budgetingMethod") != "Timeslices":
        raise UnreadableSlo(f"{name}: budgetingMethod is Timeslices, which states an interval")
    objectives = spec.get("objectives")
    if not isinstance(objectives, list) or len(objectives) != 1 or not isinstance(objectives[0], Mapping):
        raise UnreadableSlo(f"{name}: exactly one objective is read")
    (objective,) = objectives
    if objective.get("op") != "lte":
        raise UnreadableSlo(f"{name}: op is lte, since a latency has an upper bound")
    return Objective(
        str(_query(spec) or name),
        _number(name, objective, "timeSliceTarget", 1.0),
        _number(name, objective, "value", float("inf")),
        _seconds(name, objective.get("timeSliceWindow")),
    )


def _query(spec: Mapping[str, Any]) -> object:
    """Give the query that the indicator names, where it is one of ours."""
    try:
        return _at(spec, "indicator", "spec", "thresholdMetric", "metricSource", "spec", "query")
    except UnreadableSlo:
        return None


def _at(document: Mapping[str, Any], *path: str) -> Any:
    found: Any = document
    for name in path:
        if not isinstance(found, Mapping) or name not in found:
            raise UnreadableSlo(f"{'.'.join(path)} is missing")
        found = found[name]
    return found


def _number(name: str, objective: Mapping[str, Any], field: str, most: float) -> float:
    value = objective.get(field)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < most:
        raise UnreadableSlo(f"{name}: {field} is a number above 0" + (f" and below {most:g}" if most == 1.0 else ""))
    return float(value)


def _seconds(name: str, text: object) -> float:
    found = re.fullmatch(r"(\d+)([smhdw])", str(text))
    if not found or not int(found[1]):
        raise UnreadableSlo(f"{name}: timeSliceWindow is written like 10m, not {text}")
    return float(int(found[1]) * _UNITS[found[2]])


def _document(objective: Objective, service: str) -> dict[str, Any]:
    source = {"type": "piql", "spec": {"query": objective.query, "unit": "ms"}}
    indicator = {"metadata": {"name": f"{_dns(objective.query)}-latency"}}
    return {
        "apiVersion": "openslo/v1",
        "kind": "SLO",
        "metadata": {"name": _dns(objective.query), "displayName": objective.query},
        "spec": {
            "service": service,
            "indicator": {**indicator, "spec": {"thresholdMetric": {"metricSource": source}}},
            "timeWindow": [{"duration": "28d", "isRolling": True}],
            "budgetingMethod": "Timeslices",
            "objectives": [
                {
                    "displayName": f"{objective.query} within {objective.threshold_ms:g} ms",
                    "op": "lte",
                    "value": objective.threshold_ms,
                    "target": _SLICES,
                    "timeSliceTarget": objective.quantile,
                    "timeSliceWindow": _window(objective.interval_seconds),
                }
            ],
        },
    }


def _window(seconds: float) -> str:
    whole = max(1, round(seconds))
    unit = max((each for each in "smhd" if whole % _UNITS[each] == 0), key=_UNITS.__getitem__)
    return f"{whole // _UNITS[unit]}{unit}"


def _dns(name: str) -> str:
    """Give a name that OpenSLO accepts: lower case, digits and hyphens, at most 63 characters."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()
    return re.sub(r"[^a-z0-9]+", "-", words).strip("-")[:50] or "query"
