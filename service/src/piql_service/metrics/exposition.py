"""Prometheus' text format, for the samples of all workers together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from piql_service.metrics.tallies import Sample

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_FAMILIES = {
    "piql_service_connections": ("gauge", "Open connections."),
    "piql_service_answers": ("counter", "Requests for a query that were answered, by status."),
    "piql_service_refusals": ("counter", "Requests that were refused, by code."),
    "piql_service_joined": ("counter", "Reads that were answered by the execution of an equal read."),
    "piql_service_operations": ("counter", "Requests to the store."),
    "piql_service_execution_seconds": ("histogram", "Times of executions."),
}


def text_of(samples: Iterable[Sample]) -> str:
    """Return the samples as lines, those of a family together."""
    by_family: dict[str, list[Sample]] = {name: [] for name in _FAMILIES}
    for sample in samples:
        by_family[sample[0]].append(sample)
    return "".join(f"{line}\n" for name, group in by_family.items() if group for line in _lines(name, group))


def _lines(name: str, samples: Iterable[Sample]) -> Iterator[str]:
    kind, meaning = _FAMILIES[name]
    suffix = "_total" if kind == "counter" else ""
    yield f"# HELP {name}{suffix} {meaning}"
    yield f"# TYPE {name}{suffix} {kind}"
    for _, ending, labels, value in samples:
        shown = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
        yield f"{name}{ending}{{{shown}}} {value if isinstance(value, int) else repr(float(value))}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
