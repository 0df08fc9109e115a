"""What an environment asks of its deploy requests, kept in a file of its folder.

deploy-rules.json     {"needs_request": true, "approvals": 1, "excludes_author": true, "checks": {"dearer": "block", …}}

An environment without the file asks for nothing that was not asked before. A file that cannot be read lets nothing be
deployed: who may do what must not depend on damage.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pydantic import ValidationError

from piql_backend.data_folder.files import write_atomically
from piql_backend.deploy_requests.schemas import RulesRead, RulesWrite
from piql_backend.web.errors import ApiError

FILE = "deploy-rules.json"


class DeployRules:
    """The rules of one environment."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def current(self) -> RulesWrite:
        """The rules of now; ApiError 503 where their file cannot be understood."""
        try:
            return RulesWrite.model_validate_json((self._folder / FILE).read_bytes())
        except FileNotFoundError:
            return RulesWrite()
        except ValidationError as error:
            problem = error.errors()[0]
            what = ".".join(str(part) for part in problem["loc"])
            message = f"{self._place}/{FILE} cannot be read: {f'{what}: ' if what else ''}{problem['msg']}."
            raise ApiError(503, "rules-not-read", message, "Save the rules again, or correct the file.") from None

    def read(self) -> RulesRead:
        return RulesRead.model_validate(self.current())

    def save(self, rules: RulesWrite) -> RulesRead:
        """Replace the rules; they hold for requests that are open, too."""
        write_atomically(self._folder / FILE, rules.model_dump_json(indent=2) + "\n")
        return RulesRead.model_validate(rules)

    def refuse_direct(self) -> None:
        """Raise ApiError 403 where nothing is deployed without a request."""
        if self.current().needs_request:
            message = f"Nothing was changed: {self._place} takes deployments by deploy requests alone."
            raise ApiError(403, "request-needed", message, "Open a deploy request for this text.")

    @property
    def _place(self) -> str:
        return f"{self._folder.parent.name}/{self._folder.name}"


def may_approve(rules: RulesWrite, person: str, authors: Iterable[str]) -> bool:
    """Whether the approval of a person counts; `authors` are all who gave the request a text."""
    return not (rules.excludes_author and person in authors)
