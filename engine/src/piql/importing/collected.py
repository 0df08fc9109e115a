"""All that an import has read so far; statements add to it, and look up the tables that they refer to."""

from __future__ import annotations

from dataclasses import dataclass, field

from piql.importing.column_types import TypeRead
from piql.importing.dialects import Dialect
from piql.importing.schema import ImportedTable, Note, Outcome
from piql.importing.tokens import ForeignToken, unquoted


@dataclass(slots=True)
class Collected:
    """The tables, types and notes of one import, each in the order of the input.

    Tables are added, removed and renamed by the methods, which keep the look-up by name in step.
    """

    dialect: Dialect
    file: str = ""  # the name of the schema's file in the notes, '' where it has none
    tables: list[ImportedTable] = field(default_factory=list)
    types: dict[str, TypeRead] = field(default_factory=dict)  # domains and enumerations, by name in lower case
    left_out_tables: dict[str, int] = field(default_factory=dict)  # name in lower case → line
    notes: list[Note] = field(default_factory=list)
    _by_name: dict[str, list[ImportedTable]] = field(default_factory=dict)  # by name in lower case, of all schemas

    def note(self, line: int, outcome: Outcome, subject: str, reason: str) -> None:
        """Note one change or omission; `subject` and `reason` are shown to the user, `subject: reason`."""
        self.notes.append(Note(line, outcome, subject, reason, self.file))

    def note_name(self, token: ForeignToken, name: str) -> None:
        """Note that a name had to change, if it had to: the input has `token`, PIQL gets `name`."""
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
        """Return the table `schema.name`; else the first of the name where one of the two gives no schema; else None.

        `schema` is '' where the input names none.
        """
        candidates = self._by_name.get(name.lower(), [])
        exact = [table for table in candidates if table.schema.lower() == schema.lower()]
        if exact:
            return exact[0]
        open_ended = [table for table in candidates if not schema or not table.schema]
        return open_ended[0] if open_ended else None
