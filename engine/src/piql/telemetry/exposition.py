"""Prometheus' text format: families of samples come in, and the text that its server reads goes out.

# HELP piql_executions_total Executions that ended.
# TYPE piql_executions_total counter
piql_executions_total{query="findUser"} 12
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Sample:
    """One number; `suffix` is added to the family's name: `_bucket`, `_sum` and `_count` of a histogram."""

    value: float
    labels: Mapping[str, str]
    suffix: str = ""


@dataclass(frozen=True, slots=True)
class Family:
    """The samples of one name."""

    name: str
    kind: Literal["counter", "gauge", "histogram"]
    help: str
    samples: Sequence[Sample]


def histogram_samples(
    labels: Mapping[str, str], edges: Iterable[float], counts: Sequence[int], seconds: float
) -> Iterator[Sample]:
    """Yield the samples of one histogram; `counts` are those of each bucket, and of what is beyond the last edge.

    In this format a bucket also counts what all smaller ones count.
    """
    for edge, count in zip([*map(edge_text, edges), "+Inf"], accumulate(counts), strict=True):
        yield Sample(count, {**labels, "le": edge}, "_bucket")
    yield Sample(seconds, labels, "_sum")
    yield Sample(sum(counts), labels, "_count")


def edge_text(seconds: float) -> str:
    """The edge of a bucket as Prometheus 3 keeps it, whole and with a point: 1.0, 0.25. Rules must have the same."""
    return repr(float(seconds))


def text_of(families: Iterable[Family]) -> str:
    """The families as lines."""
    return "".join(f"{line}\n" for family in families for line in _lines(family))


def _lines(family: Family) -> Iterator[str]:
    yield f"# HELP {family.name} {family.help}"
    yield f"# TYPE {family.name} {family.kind}"
    for sample in family.samples:
        labels = ",".join(f'{name}="{escaped(value)}"' for name, value in sample.labels.items())
        number = str(sample.value) if isinstance(sample.value, int) else repr(float(sample.value))
        yield f"{family.name}{sample.suffix}{f'{{{labels}}}' if labels else ''} {number}"


def escaped(value: str) -> str:
    """A value as it stands between quotes, also in a rule."""
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
