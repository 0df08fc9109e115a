"""A shipment: the cells of some seconds as the workbench takes them, compressed JSON with one list for each column.

{"client": "9f…", "sequence": 7, "lost": 0, "queries": ["findUser"], "outcomes": ["ok"],
 "cells": {"minute": [29404121], "query": [0], "outcome": [0], "version": [3], …, "most_rows": [1]}}

With samples it has `operators` as well, in the same way (`operator_cells.py`), and their kinds in `operator_names`.

`query` and `outcome` are positions in the lists of names. A shipment is known by its client and its sequence: whoever
sends it again, and however often, it is counted once.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields

from piql.reporting.cells import Cell, Folded, Sums
from piql.reporting.operator_cells import OperatorCell, OperatorSums

MOST_CELLS_SENT = 20_000  # in one shipment; more go in several
CELL_COLUMNS = ("minute", "query", "version", "outcome", "bound", "requests_class", "rows_class", "bucket")
SUM_COLUMNS = tuple(field.name for field in fields(Sums))
OPERATOR_SUMS = tuple(field.name for field in fields(OperatorSums))


def shipments(
    folded: Folded,
    client: str,
    first_sequence: int,
    operators: Mapping[OperatorCell, OperatorSums] | None = None,
) -> Iterator[bytes]:
    """Yield what was folded as shipments, numbered from `first_sequence`; the first one has the samples."""
    cells = sorted(folded.cells.items())
    lost = folded.lost
    for number, start in enumerate(range(0, max(1, len(cells)), MOST_CELLS_SENT)):
        samples = sorted(operators.items()) if operators else []
        yield _packed(cells[start : start + MOST_CELLS_SENT], client, first_sequence + number, lost, samples)
        lost, operators = 0, None


def _packed(
    cells: Sequence[tuple[Cell, Sums]],
    client: str,
    sequence: int,
    lost: int,
    samples: Sequence[tuple[OperatorCell, OperatorSums]],
) -> bytes:
    queries = list(dict.fromkeys([*(cell.query for cell, _ in cells), *(cell.query for cell, _ in samples)]))
    outcomes = list(dict.fromkeys(cell.outcome for cell, _ in cells))
    positions = {"query": _positions(queries), "outcome": _positions(outcomes)}
    columns: dict[str, list[int]] = {}
    for name in CELL_COLUMNS:
        values = [getattr(cell, name) for cell, _ in cells]
        columns[name] = [positions[name][value] for value in values] if name in positions else values
    for name in SUM_COLUMNS:
        columns[name] = [getattr(sums, name) for _, sums in cells]
    shipment: dict[str, object] = {
        "client": client,
        "sequence": sequence,
        "lost": lost,
        "queries": queries,
        "outcomes": outcomes,
        "cells": columns,
    }
    if samples:
        names = list(dict.fromkeys(cell.operator for cell, _ in samples))
        shipment |= {"operator_names": names, "operators": _operator_columns(samples, queries, names)}
    return gzip.compress(json.dumps(shipment, separators=(",", ":")).encode(), compresslevel=6, mtime=0)


def _operator_columns(
    samples: Sequence[tuple[OperatorCell, OperatorSums]], queries: Sequence[str], names: Sequence[str]
) -> dict[str, list[object]]:
    positions = {"query": _positions(queries), "operator": _positions(names)}
    columns: dict[str, list[object]] = {}
    for name in OperatorCell._fields:
        values = [getattr(cell, name) for cell, _ in samples]
        columns[name] = [positions[name][value] for value in values] if name in positions else values
    for name in OPERATOR_SUMS:
        columns[name] = [getattr(sums, name) for _, sums in samples]
    return columns


def _positions(names: Sequence[str]) -> dict[str, int]:
    return {name: position for position, name in enumerate(names)}
