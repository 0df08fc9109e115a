"""Deploys what is live in one environment to another of the same application: compiled and checked there anew."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from piql_backend.deployments.schemas import (
    BuildCreate,
    BuildRead,
    DeployedFileRead,
    PreviewCreate,
    PreviewRead,
    PromotionCreate,
    PromotionPreviewCreate,
    PromotionPreviewRead,
)
from piql_backend.deployments.service import LIVE, Deployments
from piql_backend.web.errors import ApiError
from piql_backend.web.schemas import SourceFile, is_file_path


def preview_promotion(
    source: Deployments, target: Deployments, request: PromotionPreviewCreate
) -> tuple[PromotionPreviewRead, list[SourceFile]]:
    """What deploying the source's live files in the target would change; ApiError 404 where the source has none."""
    version, files = _live_files(source)
    preview = target.preview(PreviewCreate(files=files, removes=request.removes))
    fields = {name: getattr(preview, name) for name in PreviewRead.model_fields}
    return PromotionPreviewRead(**fields, version=version), files


def promote(
    source: Deployments, target: Deployments, request: PromotionCreate, details: Mapping[str, str]
) -> BuildRead:
    """Begin to deploy the live version of the source; ApiError 409 where it is another than the reader saw."""
    version, files = _live_files(source)
    if version != request.version:
        message = f"Nothing was changed: version {version} is live in {request.environment}, and not {request.version}."
        raise ApiError(409, "deployed-meanwhile", message, "Check again what would change, then promote.")
    fields = request.model_dump(exclude={"environment", "version"})
    return target.begin(BuildCreate(**fields, files=files), details)


def as_files(deployed: Iterable[DeployedFileRead]) -> list[SourceFile]:
    """The files of a version; one that a program named otherwise gets a name of ours."""
    return [
        SourceFile(path=file.path if is_file_path(file.path) else f"deployed-{number}.piql", text=file.text)
        for number, file in enumerate(deployed, 1)
    ]


def _live_files(source: Deployments) -> tuple[int, list[SourceFile]]:
    """The number of the live version and its files."""
    read = source.live(LIVE).read
    return read.version, as_files(read.files)
