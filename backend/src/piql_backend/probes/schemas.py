"""What a probe says."""

from __future__ import annotations

from piql_backend.web.schemas import Read


class ProbeRead(Read):
    """What a probe answers; `problems` has a sentence for each problem."""

    is_well: bool
    problems: list[str]
