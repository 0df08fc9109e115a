"""Remedy: IS NOT NULL on a foreign key that may be NULL, so that a stop may pass the join that follows it."""

from __future__ import annotations

from piql.assistant.remedy import NewTest, Patient, Remedy
from piql.assistant.select_text import place_of


def keep_set_references(patient: Patient) -> list[Remedy]:
    """Give for each join along a foreign key declared NULL the tests that leave out the rows that refer to nothing.

    Each column is a remedy of its own: where the query tells of some of them already, the others are enough.
    """
    found: dict[NewTest, Remedy] = {}
    for gap in patient.gaps:
        place = place_of(patient.body, gap.relation) if gap.unset else None
        if place is None or place.is_optional:
            continue
        for columns in gap.unset:
            for each in columns:
                test = NewTest(place.select, f"{place.column(each)} IS NOT NULL")
                found.setdefault(test, Remedy(f"Add {test.text}", test=test))
    return list(found.values())
