"""One version of what a store can execute: the texts deployed, what they compile to, and the indexes that are kept."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from piql.catalog import Index, Table
from piql.compilation import Compilation
from piql.errors import NotDeployed

SETTING = "deployment"  # the name under which a store keeps it


@dataclass(frozen=True, slots=True)
class Deployment:
    """`texts` are the sources by file name; `kept` are the names of the indexes as the store knows them."""

    version: int
    deployed_at: datetime | None
    texts: Mapping[str, str]
    compilation: Compilation
    kept: frozenset[str] = frozenset()
    tables: Mapping[str, Table] = field(default_factory=dict)

    @property
    def indexes(self) -> Mapping[str, Index]:
        return self.compilation.indexes

    def table(self, name: str) -> Table:
        found = self.tables.get(name)
        if found is None:
            known = ", ".join(self.tables) or "no tables"
            raise NotDeployed(f"no table {name!r} is deployed; there are {known}")
        return found

    def indexes_of(self, table: Table) -> tuple[Index, ...]:
        """Give the secondary indexes of a table."""
        return tuple(index for index in self.indexes.values() if index.table == table.name)

    def deployed(self, index: Index) -> Index:
        """Give an index of a plan as it is kept: it may hold more than that plan reads."""
        if index.is_primary:
            return index
        kept = self.indexes.get(index.name)
        if kept is None or kept.columns != index.columns or not set(index.covering) <= kept.held_columns:
            raise NotDeployed(f"the index {index.name} is not deployed: deploy the query that reads it")
        return kept

    def as_text(self) -> str:
        """Give what the store keeps of a deployment."""
        assert self.deployed_at is not None
        columns = {
            name: [[column.name, str(column.type), column.nullable] for column in table.columns]
            for name, table in self.tables.items()
        }
        keys = {name: list(table.primary_key) for name, table in self.tables.items()}
        return json.dumps(
            {
                "version": self.version,
                "deployed_at": self.deployed_at.isoformat(),
                "texts": dict(self.texts),
                "columns": columns,
                "keys": keys,
            }
        )
