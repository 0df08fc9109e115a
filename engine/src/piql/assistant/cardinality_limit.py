"""Remedy: a CARDINALITY LIMIT on the columns that a query fixes."""

from __future__ import annotations

from piql.assistant.remedy import LimitLine, Patient, Remedy
from piql.physical.unbounded import Gap

DEFAULT_LIMIT = 100


def add_cardinality_limit(patient: Patient) -> list[Remedy]:
    """Give for each gap the limits that would bound it, the most natural first."""
    found: dict[LimitLine, Remedy] = {}
    for gap in patient.gaps:
        if gap.kind == "scan" and not patient.has_stop and gap.has_only_flags:
            continue  # a LIMIT is what is missing: nobody has a hundred rows with a flag in all
        for columns in columns_to_limit(gap):
            names = ", ".join(columns)
            shown = f"TOKEN({names})" if gap.words else names
            line = LimitLine(gap.table.name, f"CARDINALITY LIMIT {DEFAULT_LIMIT} ({shown})")
            found.setdefault(line, Remedy(f"Add CARDINALITY LIMIT {DEFAULT_LIMIT} ({shown}) to {gap.table.name}", line))
    return list(found.values())


def columns_to_limit(gap: Gap) -> list[tuple[str, ...]]:
    """Give the columns on which a limit would bound a gap, the most natural first."""
    if gap.words:
        return list(gap.words)
    if not gap.columns:
        return []
    fixed = set(gap.columns)
    table = gap.table
    found = [_beginning(table.primary_key, fixed)]
    found += [key.columns for key in table.foreign_keys if set(key.columns) <= fixed]
    found.append(gap.limit_columns)
    narrow: list[tuple[str, ...]] = []
    for columns in found:
        if columns and not any(set(each) <= set(columns) for each in narrow):
            narrow.append(columns)
    return narrow


def _beginning(key: tuple[str, ...], fixed: set[str]) -> tuple[str, ...]:
    """Give the columns with which the key begins, as far as they are fixed."""
    length = next((at for at, name in enumerate(key) if name not in fixed), len(key))
    return key[:length]
