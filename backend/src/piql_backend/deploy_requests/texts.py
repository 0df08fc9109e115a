"""What text a request asks for: the saved files, those of the editor, an earlier version, or what is live elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from piql_backend.applications.repository import Applications
from piql_backend.deploy_requests.schemas import LiveElsewhere, TextWrite
from piql_backend.deployments.promoting import as_files
from piql_backend.deployments.service import LIVE, Deployments
from piql_backend.web.errors import ApiError
from piql_backend.web.pages import PageWish
from piql_backend.web.schemas import SourceFile


@dataclass(frozen=True, slots=True)
class AskedText:
    """Files, where they come from, and the number of the save that has them; None where none has."""

    files: Sequence[SourceFile]
    origin: str
    save: int | None = None


def asked_text(
    wish: TextWrite, application: str, applications: Applications, here: Deployments, source: Deployments | None
) -> AskedText:
    """Find the text; `source` are the deployments of the environment that the wish names.

    Raises ApiError 404 for an unknown version, 409 where another one is live elsewhere than the reader saw, and 422 for
    a wish that names several texts.
    """
    if sum(named is not None for named in (wish.files, wish.version, wish.live_in)) > 1:
        raise ApiError(422, "several-texts", "A request asks for one text.", "Name files, version or live_in.")
    if wish.live_in is not None and source is not None:
        return _live_elsewhere(wish.live_in, source)
    if wish.version is not None:
        return AskedText(as_files(here.read(f"d{wish.version}").files), f"version {wish.version}")
    newest = applications.saves(application, PageWish(1), None).items
    save = applications.save(application, newest[0].number) if newest else None
    saved = {file.path: file.text for file in save.files} if save else {}
    if wish.files is None:
        texts = applications.texts(application)
        files = [SourceFile(path=path, text=text) for path, text in texts.items()]
    else:
        files = list(wish.files)
    is_saved = save is not None and {file.path: file.text for file in files} == saved
    return AskedText(files, "files", save.number if save is not None and is_saved else None)


def _live_elsewhere(wish: LiveElsewhere, source: Deployments) -> AskedText:
    read = source.live(LIVE).read
    if read.version != wish.version:
        message = f"Nothing was changed: version {read.version} is live in {wish.environment}, and not {wish.version}."
        raise ApiError(409, "deployed-meanwhile", message, "Look at what is live there, then ask again.")
    return AskedText(as_files(read.files), f"{wish.environment} {wish.version}")
