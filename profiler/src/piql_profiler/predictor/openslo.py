"""SLOs as OpenSLO documents (`openslo/v1`), read and written: one document a query, budgeted by time slices.

value 50, op lte             a good execution takes at most 50 ms
timeSliceTarget 0.99         in a good slice a share of 0.99 of them is good
timeSliceWindow 10m          a slice is ten minutes; OpenSLO knows no shorter unit
target 0.99                  a share of 0.99 of the slices is good over the time window

Alerts, data sources and time windows in documents of other tools are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

_MINUTE, _DAY = 60, 86_400
_UNITS = {"s": 1, "m": _MINUTE, "h": 3_600, "d": _DAY, "w": 7 * _DAY, "M": 30 * _DAY, "Q": 90 * _DAY, "Y": 365 * _DAY}
_WRITTEN_UNITS = "mhd"
_MILLISECONDS = {"ms": 1.0, "s": 1_000.0, "us": 0.001}
_TARGET = 0.99  # the share of good slices that a written document asks for
ALL_QUERIES = "*"  # stands for every query, where SLOs are kept by query


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
    """Read all SLO documents of a text; documents of other kinds are ignored. UnreadableSlo says what is wrong."""
    try:
        documents = [document for document in yaml.safe_load_all(text) if document is not None]
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # ValueError: such as a date that does not exist
        raise UnreadableSlo(f"this is not YAML: {_sentence_of(error)}") from None
    objectives = tuple(_objective(document) for document in _slos(documents))
    if not objectives:
        raise UnreadableSlo("the text has no document of kind SLO")
    if repeated := [
        objective.query
        for at, objective in enumerate(objectives)
        if objective.query in {earlier.query for earlier in objectives[:at]}
    ]:
        raise UnreadableSlo(f"{repeated[0]} has two SLOs")
    return objectives


def write_openslo(objectives: Iterable[Objective], service: str = "piql") -> str:
    """Write one document for each objective; ValueError for an interval that is no whole number of minutes."""
    names: set[str] = set()
    documents = [_document(objective, _free_name(objective.query, names), service) for objective in objectives]
    return yaml.safe_dump_all(documents, sort_keys=False, explicit_start=True, allow_unicode=True)


def _sentence_of(error: Exception) -> str:
    """The problem of a YAML error, with its line and column, in one line."""
    if isinstance(error, yaml.MarkedYAMLError) and error.problem and error.problem_mark:
        mark = error.problem_mark
        return f"{error.problem} (line {mark.line + 1}, column {mark.column + 1})"
    return " ".join(str(error).split())


def _slos(documents: Iterable[object]) -> Iterator[Mapping[str, Any]]:
    for document in documents:
        if not isinstance(document, Mapping) or "kind" not in document:
            raise UnreadableSlo("a document is an object with apiVersion and kind")
        if document["kind"] == "SLO":
            if document.get("apiVersion") != "openslo/v1":
                raise UnreadableSlo(f"apiVersion is openslo/v1, not {document.get('apiVersion')}")
            yield document


def _objective(document: Mapping[str, Any]) -> Objective:
    name = _at(document, "metadata", "name")
    spec = _at(document, "spec")
    if not isinstance(spec, Mapping):
        raise UnreadableSlo(f"{name}: spec is an object")
    if spec.get("budgetingMethod") != "Timeslices":
        raise UnreadableSlo(f"{name}: budgetingMethod is Timeslices, which states an interval")
    objectives = spec.get("objectives")
    if not isinstance(objectives, list) or len(objectives) != 1 or not isinstance(objectives[0], Mapping):
        raise UnreadableSlo(f"{name}: exactly one objective is read")
    (objective,) = objectives
    if objective.get("op") not in ("lte", "lt"):
        raise UnreadableSlo(f"{name}: op is lte or lt, since a latency has an upper bound")
    return Objective(
        str(_of_source(spec, "query") or name),
        _number(name, objective, "timeSliceTarget", 1.0),
        _number(name, objective, "value", float("inf")) * _in_ms(name, _of_source(spec, "unit")),
        _seconds(name, objective.get("timeSliceWindow")),
    )


def _of_source(spec: Mapping[str, Any], field: str) -> object:
    """A field of the indicator's metric source; None where it has no such field."""
    try:
        return _at(spec, "indicator", "spec", "thresholdMetric", "metricSource", "spec", field)
    except UnreadableSlo:
        return None


def _in_ms(name: str, unit: object) -> float:
    """The milliseconds of a unit; ms where none is named."""
    if unit is None:
        return 1.0
    if not isinstance(unit, str) or unit not in _MILLISECONDS:
        raise UnreadableSlo(f"{name}: unit is one of {', '.join(_MILLISECONDS)}, not {unit}")
    return _MILLISECONDS[unit]


def _at(document: Mapping[str, Any], *path: str) -> Any:
    """The value at a path of names; UnreadableSlo where there is none."""
    value: Any = document
    for name in path:
        if not isinstance(value, Mapping) or name not in value:
            raise UnreadableSlo(f"{'.'.join(path)} is missing")
        value = value[name]
    return value


def _number(name: str, objective: Mapping[str, Any], field: str, most: float) -> float:
    value = objective.get(field)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < most:
        raise UnreadableSlo(f"{name}: {field} is a number above 0" + (f" and below {most:g}" if most == 1.0 else ""))
    return float(value)


def _seconds(name: str, text: object) -> float:
    match = re.fullmatch(r"(\d{1,9})([smhdwMQY])", str(text))
    if not match or not int(match[1]):
        raise UnreadableSlo(f"{name}: timeSliceWindow is written like 10m, not {text}")
    return float(int(match[1]) * _UNITS[match[2]])


def _document(objective: Objective, name: str, service: str) -> dict[str, Any]:
    source = {"type": "piql", "spec": {"query": objective.query, "unit": "ms"}}
    indicator = {"metadata": {"name": f"{name}-latency"}}
    return {
        "apiVersion": "openslo/v1",
        "kind": "SLO",
        "metadata": {"name": name, "displayName": objective.query},
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
                    "target": _TARGET,
                    "timeSliceTarget": objective.quantile,
                    "timeSliceWindow": _window(objective),
                }
            ],
        },
    }


def _window(objective: Objective) -> str:
    """The interval as OpenSLO writes it, in its largest whole unit; ValueError for no whole number of minutes."""
    seconds = objective.interval_seconds
    if seconds < _MINUTE or seconds % _MINUTE:
        raise ValueError(f"{objective.query}: a time slice of OpenSLO is a whole number of minutes, not {seconds:g} s")
    whole_seconds = round(seconds)
    unit = max(
        (unit_name for unit_name in _WRITTEN_UNITS if whole_seconds % _UNITS[unit_name] == 0), key=_UNITS.__getitem__
    )
    return f"{whole_seconds // _UNITS[unit]}{unit}"


def _free_name(query: str, used_names: set[str]) -> str:
    """A name that OpenSLO accepts (lower case, digits, hyphens, at most 63 characters) and no other document has."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", query).lower()
    name = first = re.sub(r"[^a-z0-9]+", "-", words)[:45].strip("-") or "query"
    number = 1
    while name in used_names:
        number += 1
        name = f"{first}-{number}"
    used_names.add(name)
    return name
