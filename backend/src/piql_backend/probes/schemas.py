"""What a probe says."""

from __future__ import annotations

from piql_backend.schema import Read


class ProbeRead(Read):
    """`problems` says in a sentence each what is the matter."""

    is_well: bool
    problems: list[str]
