"""The saved sets of parameters of all applications: listed, made, changed and removed, one request after the other."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from piql_backend.parameter_sets.schemas import ParameterSetCreate, ParameterSetRead, ParameterSetWrite
from piql_backend.parameter_sets.sets_file import MOST_SETS, KeptSet, KeptSets, read_sets, write_sets
from piql_backend.web.errors import ApiError, NotFound
from piql_backend.web.pages import Listing, Page, PageWish

MOST_ALL = 2_000_000  # characters of all sets of an application as JSON
MOST_CHARACTERS = 20_000  # of one set as JSON
_SETS = Listing[ParameterSetRead, str]("parameter-sets", str, lambda kept: f"{kept.query}\n{kept.name}")


class ParameterSets:
    """The sets of all applications; `folder` finds an application's folder, or raises ApiError 404."""

    def __init__(self, folder: Callable[[str], Path]) -> None:
        self._folder = folder
        self._saving = threading.Lock()

    def page(self, application: str, wish: PageWish) -> Page[ParameterSetRead]:
        """The sets of an application by the names of their queries, then by their own."""
        return _SETS.page_of(wish, map(_read, self.kept(application).sets))

    def kept(self, application: str) -> KeptSets:
        """All sets of an application; ApiError 503 where their file cannot be understood."""
        return read_sets(self._folder(application))

    def create(self, application: str, request: ParameterSetCreate) -> ParameterSetRead:
        """Keep a set; ApiError 409 where the query has one of that name, 422 where it or their number is too large."""
        new = KeptSet(id=secrets.token_hex(4), query=request.query, name=request.name, parameters=request.parameters)
        with self._saving:
            sets = self.kept(application).sets
            if len(sets) >= MOST_SETS:
                message = f"An application has at most {MOST_SETS} sets of parameters."
                raise ApiError(422, "too-many-to-keep", message, "Remove one that nobody needs.")
            self._write(application, (*sets, new), new)
        return _read(new)

    def save(self, application: str, set_id: str, request: ParameterSetWrite) -> ParameterSetRead:
        """Change a set; ApiError 404 where it is gone, 409 where it has changed or its new name is taken."""
        with self._saving:
            sets = self.kept(application).sets
            current = _found(sets, set_id, request.base_revision)
            changed = KeptSet(id=set_id, query=current.query, name=request.name, parameters=request.parameters)
            self._write(application, tuple(changed if kept.id == set_id else kept for kept in sets), changed)
        return _read(changed)

    def delete(self, application: str, set_id: str, base_revision: str | None) -> None:
        """Remove a set; ApiError 404 where it is gone, 409 where it has another revision than one that is given."""
        with self._saving:
            sets = self.kept(application).sets
            current = _found(sets, set_id, base_revision)
            write_sets(self._folder(application), KeptSets(sets=tuple(kept for kept in sets if kept is not current)))

    def _write(self, application: str, sets: Sequence[KeptSet], new: KeptSet) -> None:
        if len(new.model_dump_json()) > MOST_CHARACTERS:
            message = f"A set of parameters has at most {MOST_CHARACTERS:,} characters as JSON."
            raise ApiError(422, "too-large-to-keep", message, "Keep shorter values.")
        if sum(len(kept.model_dump_json()) for kept in sets) > MOST_ALL:
            message = f"The sets of an application have at most {MOST_ALL:,} characters as JSON."
            raise ApiError(422, "too-many-to-keep", message, "Remove one that nobody needs.")
        if any(kept.full_name == new.full_name for kept in sets if kept.id != new.id):
            message = f"{new.query[:60]} already has a set {new.name}."
            raise ApiError(409, "parameter-set-exists", message, "Choose another name, or change that set.")
        write_sets(self._folder(application), KeptSets(sets=tuple(sets)))


def _found(sets: Sequence[KeptSet], set_id: str, base_revision: str | None) -> KeptSet:
    current = next((kept for kept in sets if kept.id == set_id), None)
    if current is None:
        raise NotFound("unknown-parameter-set", "This set of parameters is gone.", "Save it under a name again.")
    if base_revision not in (None, current.revision):
        message = f"{current.name} has been changed since it was read."
        raise ApiError(409, "parameter-set-changed", message, "Read it again, then change it.")
    return current


def _read(kept: KeptSet) -> ParameterSetRead:
    return ParameterSetRead.model_validate(kept)
