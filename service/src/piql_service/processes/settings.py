"""What the supervisor tells each worker, by a pipe: the address of a store may hold a password."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from piql_service.admission.tokens import TokenSource


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """The settings of one worker. `queries` are the only ones that are served, None for all deployed ones.

    `socket` and `budgets` are descriptors that the worker inherits; `folder` holds a socket for each worker, by which
    they share their tallies.
    """

    store: str
    number: int
    socket: int
    budgets: int
    folder: str
    queries: tuple[str, ...] | None = None
    tokens_file: str | None = None
    tokens_variable: str | None = None
    hosts: tuple[str, ...] = ()
    most_connections: int = 1000
    drain_seconds: float = 0.0

    @property
    def tokens(self) -> TokenSource:
        return TokenSource(None if self.tokens_file is None else Path(self.tokens_file), self.tokens_variable)

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> WorkerSettings:
        content = json.loads(text)
        if content["queries"] is not None:
            content["queries"] = tuple(content["queries"])
        return cls(**content | {"hosts": tuple(content["hosts"])})
