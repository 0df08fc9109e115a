"""All that an import has read so far, and where its statements look tables up."""

from __future__ import annotations

from dataclasses import dataclass, field

from piql.importing.column_types import TypeRead
from piql.importing.dialects import Dialect
from piql.importing.schema import ImportedTable, Note, Outcome
from piql.importing.tokens import ForeignToken, unquoted


@dataclass(slots=True)
class Collected:
    """Tables in the order of the input, the types that it defines, and notes; statements add to it."""

    dialect: Dialect
    file: str = ""
    tables: list[ImportedTable] = field(default_factory=list)
    types: dict[str, TypeRead] = field(default_factory=dict)  # domains and enumerations by their folded name
    left_out_tables: dict[str, int] = field(default_factory=dict)  # folded name → line
    notes: list[Note] = field(default_factory=list)
    _by_name: dict[str, list[ImportedTable]] = field(default_factory=dict)

    def note(self, line: int, outcome: Outcome, subject: str, reason: str) -> None:
        self.notes.append(Note(line, outcome, subject, reason, self.file))

    def note_name(self, token: ForeignToken, name: str) -> None:
        """Note a name that had to change: `name` is what it is called now."""
        if name != unquoted(token):
            self.note(token.line, "changed", f"the name {unquoted(token)!r}", f"it is called {name} here")

    def add(self, table: ImportedTable) -> None:
        self.tables.append(table)
        self._by_name.setdefault(table.name.lower(), []).append(table)

    def remove(self, table: ImportedTable) -> None:
        self.tables.remove(table)
        self._by_name[table.name.lower()].remove(table)

    def rename(self, table: ImportedTable, name: str) -> None:
        self._by_name[table.name.lower()].remove(table)
        table.name = name
        self._by_name.setdefault(name.lower(), []).append(table)

    def find(self, schema: str, name: str) -> ImportedTable | None:
        """Return the table of a name; where no schema is named, or the table has none, any of the name."""
        candidates = self._by_name.get(name.lower(), [])
        exact = [table for table in candidates if table.schema.lower() == schema.lower()]
        if exact:
            return exact[0]
        open_ended = [table for table in candidates if not schema or not table.schema]
        return open_ended[0] if open_ended else None
