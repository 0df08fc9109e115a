"""Saved sets of parameters, in one file of each application, beside its `.piql` files.

    applications/shop/parameter-sets.json     {"sets": [{"id": "5f2c81d0", "query": "cart", "name": "full cart", …}]}

The file is replaced in one step. A set names the query that it was made for, whatever becomes of that query: nothing
here is dropped because a text has changed.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from piql_backend.data_folder.files import write_atomically
from piql_backend.parameter_sets.schemas import KeptSetName, QueryName, Values
from piql_backend.web.errors import ApiError

PARAMETER_SETS = "parameter-sets.json"
MOST_SETS = 500  # of an application


class KeptSet(BaseModel):
    """One set as the file has it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = Field(pattern=r"^[0-9a-f]{8}$")
    query: QueryName
    name: KeptSetName
    parameters: Values = Field(max_length=200)

    @property
    def full_name(self) -> tuple[str, str]:
        """What no two sets share: the query, and the name in small letters."""
        return self.query, self.name.casefold()

    @property
    def revision(self) -> str:
        """The first 16 digits of the SHA-256 of its content."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:16]


class KeptSets(BaseModel):
    """What the file holds."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    sets: tuple[KeptSet, ...] = Field(default=(), max_length=MOST_SETS)

    @model_validator(mode="after")
    def _are_distinct(self) -> Self:
        ids, names = {kept.id for kept in self.sets}, {kept.full_name for kept in self.sets}
        if min(len(ids), len(names)) < len(self.sets):
            raise ValueError("two sets of a query have one name, or two sets one id")
        return self


NO_SETS = KeptSets()


def read_sets(folder: Path) -> KeptSets:
    """The sets in the folder of an application; ApiError 503 where their file cannot be understood."""
    try:
        return KeptSets.model_validate_json((folder / PARAMETER_SETS).read_bytes())
    except FileNotFoundError:
        return NO_SETS
    except ValidationError as error:
        problem = error.errors()[0]
        where = ".".join(str(part) for part in problem["loc"])
        message = f"{PARAMETER_SETS} of {folder.name} cannot be read: {f'{where}: ' if where else ''}{problem['msg']}."
        raise ApiError(503, "parameter-sets-not-read", message[:500], "Correct the file.") from None


def write_sets(folder: Path, sets: KeptSets) -> None:
    """Replace the file in one step."""
    write_atomically(folder / PARAMETER_SETS, sets.model_dump_json(indent=2) + "\n")
