"""What a pulse says."""

from __future__ import annotations

from pydantic import Field

from piql_backend.health.schemas import EnvironmentHealthRead
from piql_backend.web.schemas import Read


class VersionsRead(Read):
    """What was read under one of these is read again once the pulse has another one; they are compared, not read.

    Empty: there is nothing of that kind, or nobody knows.
    """

    files: str = Field(description="Of the files of the application, as `version` of the application.")
    comments: str
    environments: str = Field(description="Of what the environments of the application are called and store in.")
    live: str = Field(description="Of what is live in the environment; it begins with the id of the deployment.")
    observed: str = Field(description="Of what was executed and measured there, and of its alerts.")


class PulseRead(Read):
    """How an environment is, also one that cannot be opened, and the versions of what a page shows of it."""

    health: EnvironmentHealthRead
    versions: VersionsRead
