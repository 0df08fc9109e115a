"""Remedy: a FOREIGN KEY that a join follows without its being declared, so that a stop may pass the join."""

from __future__ import annotations

from piql.assistant.remedy import LimitLine, Patient, Remedy


def add_foreign_key(patient: Patient) -> list[Remedy]:
    """Give the foreign keys that would tell that each row of a gap has its match."""
    found: dict[LimitLine, Remedy] = {}
    for gap in patient.gaps:
        for reference in gap.references:
            line = LimitLine(gap.table.name, reference.clause)
            found.setdefault(line, Remedy(f"Add {reference.clause} to {gap.table.name}", line))
    return list(found.values())
