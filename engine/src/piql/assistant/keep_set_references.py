"""Remedy: IS NOT NULL on a foreign key that may be NULL, so that a stop may pass the join that follows it."""

from __future__ import annotations

from piql.assistant.remedy import NewTest, Patient, Remedy
from piql.assistant.select_text import place_of


def keep_set_references(patient: Patient) -> list[Remedy]:
    """Give for each join along a foreign key declared NULL the test that leaves out the rows that refer to nothing."""
    found: dict[NewTest, Remedy] = {}
    for gap in patient.gaps:
        place = place_of(patient.body, gap.relation) if gap.unset else None
        if place is None or place.is_optional:
            continue
        for columns in gap.unset:
            test = NewTest(place.select, " AND ".join(f"{place.column(each)} IS NOT NULL" for each in columns))
            found.setdefault(test, Remedy(f"Add {test.text}", test=test))
    return list(found.values())
