"""Deployments: immutable versions of a query set."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from piql.compiler.result import QueryKind
from pydantic import Field

from piql_backend.comparisons.schemas import ChangesRead
from piql_backend.compilations.schemas import BoundRead, IndexRead, ParameterRead
from piql_backend.predictions.schemas import SloAtRiskRead
from piql_backend.web.schemas import MOST_FILES, DiagnosticRead, FilePath, Read, SourceFiles, Write

Version = Annotated[int, Field(ge=0, le=2_000_000_000)]
QueryNames = Annotated[list[Annotated[str, Field(max_length=200)]], Field(max_length=1000)]
Revisions = Annotated[
    dict[FilePath, Annotated[str, Field(max_length=100)]],
    Field(
        max_length=MOST_FILES, json_schema_extra={"additionalProperties": False}
    ),  # no other keys than paths of files
]

REQUEST = "request"  # the detail that has the id of the deploy request that a version was deployed by
PERSON = "person"  # the detail that says who of a team deployed; empty where a rollback was nobody's


class PreviewCreate(Write):
    """Compares files with what is live, as the application would deploy them.

    `run_id` names the profile run by which SLOs are judged; without one they are not. `removes` names the queries of
    others that may be removed.
    """

    files: SourceFiles
    removes: QueryNames = Field(default_factory=list)
    run_id: str | None = Field(default=None, max_length=100)


class DeploymentCreate(Write):
    """Deploys the application's saved files; `files`, when given, are deployed instead (what the editor shows).

    `base_version` is the version that the user saw as the live one, 0 for none; where something is live and it is not
    given, the request is refused with 428. `base_revisions` are the revisions of the saved files that `files` were
    edited from. Both are refused with 409 when they have changed since. Queries of others stay live, and are not
    replaced, unless the user agreed to it by naming them in `removes`.
    """

    files: SourceFiles | None = None
    run_id: str | None = Field(default=None, max_length=100)
    base_version: Version | None = None
    base_revisions: Revisions | None = None
    removes: QueryNames = Field(default_factory=list)


class RollbackCreate(Write):
    """Returns to the version before `base_version`, which the reader saw as the live one."""

    base_version: Version


class BuildCreate(DeploymentCreate):
    """Deploys like `DeploymentCreate`, but builds indexes while the live version runs."""

    rows_per_second: float | None = Field(default=None, gt=0, le=1_000_000)


EnvironmentId = Annotated[str, Field(max_length=100)]


class PromotionPreviewCreate(Write):
    """Compares what is live in another environment of the application with what is live here."""

    environment: EnvironmentId
    removes: QueryNames = Field(default_factory=list)
    run_id: str | None = Field(default=None, max_length=100)


class PromotionCreate(Write):
    """Deploys what is live in another environment, whose `version` the reader saw; the rest is as in `BuildCreate`."""

    environment: EnvironmentId
    version: Version
    run_id: str | None = Field(default=None, max_length=100)
    base_version: Version | None = None
    removes: QueryNames = Field(default_factory=list)
    rows_per_second: float | None = Field(default=None, gt=0, le=1_000_000)


class BuildRead(Read):
    """A version on its way; `deployment_id` is set once it is live, `reason` when the data refuse it.

    While it is under way, `reason` says why the server could not go on with it, such as a full disk. In the phase
    `canary` it is tried on a share of the executions, until somebody promotes or withdraws it; `closing` ends that.
    """

    phase: Literal["filling", "checking", "canary", "closing", "in force", "refused", "cancelled"]
    rows_done: int
    rows_estimate: int
    is_paused: bool
    is_running: bool
    started_at: datetime
    reason: str | None
    deployment_id: str | None


class DeployedQueryRead(Read):
    """A query of a deployment, with its prediction as it was at deployment."""

    name: str
    kind: QueryKind
    scaling_class: Literal["I", "II", "III", "IV"] | None
    operations: int
    formula: str
    parameters: list[ParameterRead]
    predicted_p99_ms: float | None


class DeploymentRead(Read):
    """`run_id` and `model` say what the stored predictions were made from; a rollback returns to `is_before`.

    `application_id` is null where a version was deployed by a program or the command line; `deployed_by` names it, or
    the person of a team who deployed. `request` is the number of the deploy request that it came by, null for none.
    """

    id: str
    version: int
    application_id: str | None
    deployed_by: str
    created_at: datetime
    is_live: bool
    is_before: bool = False
    request: int | None = None
    run_id: str | None
    model: str | None
    queries: list[DeployedQueryRead]


class DeployedFileRead(Read):
    """A text that was deployed; a program may have given it another name than a path."""

    path: str
    text: str


class QueryBoundRead(Read):
    """The bound of a deployed query, with the text that it was compiled from."""

    query: str
    text: str
    bound: BoundRead


class DeploymentDetailRead(DeploymentRead):
    """A version with all that was deployed."""

    files: list[DeployedFileRead]
    bounds: list[QueryBoundRead]
    indexes: list[IndexRead]


class OthersQueryRead(Read):
    """A live query that was deployed from elsewhere."""

    query: str
    deployed_by: str


class PreviewRead(ChangesRead):
    """What deploying these files would change against the live deployment, whose version is `base_version`.

    Queries of others that are not in the files are `kept`. Queries of others with the same name are `replaced`, which
    the user has to agree to. `refusal` says why nothing can be deployed although every query compiles. `slos_at_risk`
    are saved SLOs that the files are predicted to break; they do not prevent a deployment.
    """

    can_deploy: bool
    diagnostics: list[DiagnosticRead]
    base_version: int
    kept: list[OthersQueryRead]
    replaced: list[OthersQueryRead]
    refusal: str | None
    slos_at_risk: list[SloAtRiskRead] = Field(default_factory=list)


class PromotionPreviewRead(PreviewRead):
    """What promoting would change here; `version` is the one that is live in the other environment."""

    version: int


class RollbackPreviewRead(ChangesRead):
    """What rolling back would change against the live deployment, whose version is `base_version`."""

    base_version: int
    to: DeploymentRead
