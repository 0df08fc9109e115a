"""A shipment: the cells of some seconds as the workbench takes them, compressed JSON with one list for each column.

{"client": "9f…", "sequence": 7, "lost": 0, "queries": ["findUser"], "outcomes": ["ok"],
 "cells": {"minute": [29404121], "query": [0], "outcome": [0], "version": [3], …, "most_rows": [1]}}

`query` and `outcome` are positions in the lists of names. A shipment is known by its client and its sequence: whoever
sends it again, and however often, it is counted once.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import fields

from piql.reporting.cells import Cell, Folded, Sums

MOST_CELLS_SENT = 20_000  # in one shipment; more go in several
CELL_COLUMNS = ("minute", "query", "version", "outcome", "bound", "requests_class", "rows_class", "bucket")
SUM_COLUMNS = tuple(field.name for field in fields(Sums))


def shipments(folded: Folded, client: str, first_sequence: int) -> Iterator[bytes]:
    """Yield what was folded as shipments, numbered from `first_sequence`."""
    cells = sorted(folded.cells.items())
    lost = folded.lost
    for number, start in enumerate(range(0, max(1, len(cells)), MOST_CELLS_SENT)):
        yield _packed(cells[start : start + MOST_CELLS_SENT], client, first_sequence + number, lost)
        lost = 0


def _packed(cells: Sequence[tuple[Cell, Sums]], client: str, sequence: int, lost: int) -> bytes:
    queries = list(dict.fromkeys(cell.query for cell, _ in cells))
    outcomes = list(dict.fromkeys(cell.outcome for cell, _ in cells))
    positions = {"query": _positions(queries), "outcome": _positions(outcomes)}
    columns: dict[str, list[int]] = {}
    for name in CELL_COLUMNS:
        values = [getattr(cell, name) for cell, _ in cells]
        columns[name] = [positions[name][value] for value in values] if name in positions else values
    for name in SUM_COLUMNS:
        columns[name] = [getattr(sums, name) for _, sums in cells]
    shipment = {
        "client": client,
        "sequence": sequence,
        "lost": lost,
        "queries": queries,
        "outcomes": outcomes,
        "cells": columns,
    }
    return gzip.compress(json.dumps(shipment, separators=(",", ":")).encode(), compresslevel=6, mtime=0)


def _positions(names: Sequence[str]) -> dict[str, int]:
    return {name: position for position, name in enumerate(names)}
