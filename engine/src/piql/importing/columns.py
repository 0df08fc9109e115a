"""One column of a CREATE TABLE: its name, its type and the clauses behind it, such as NOT NULL or REFERENCES.

The clauses of a whole constraint that also stand alone in a table (`read_references`, `skip_checking`,
`skip_index_options`) are read here for `tables`, too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from piql.importing.collected import Collected
from piql.importing.column_types import read_type
from piql.importing.defaults import read_default
from piql.importing.dialects import TSQL
from piql.importing.schema import ImportedCheck, ImportedColumn, ImportedKey, ImportedReference, ImportedTable
from piql.importing.tokens import ForeignToken, LeftOut, Reader, shown, unquoted

# A type ends before one of these words.
_CLAUSES = frozenset(
    """
    NOT NULL DEFAULT PRIMARY UNIQUE REFERENCES CHECK CONSTRAINT GENERATED AUTO_INCREMENT AUTOINCREMENT IDENTITY COLLATE
    COMMENT STATIC CHARSET ON AS STORED VIRTUAL INVISIBLE VISIBLE KEY ENCODE SPARSE ROWGUIDCOL MASKED ENABLE DISABLE
    USING DEFERRABLE INITIALLY STORAGE COMPRESSION ENCRYPT PERSISTED FOREIGN HIDDEN INDEX SRID OPTIONS FILESTREAM
    """.split()
)
# Behind PRIMARY KEY or UNIQUE, about how the index is kept.
_INDEX_WORDS = frozenset({"CLUSTERED", "NONCLUSTERED", "ASC", "DESC", "AUTOINCREMENT"})
# Behind a constraint, about how and when it is checked: PIQL always checks at once.
_CHECKING = frozenset(
    """
    ENABLE DISABLE VALIDATE NOVALIDATE RELY NORELY DEFERRABLE INITIALLY DEFERRED IMMEDIATE ENFORCED VALID
    """.split()
)
# Clauses that are skipped without a note: nothing is lost with them.
_SILENT = frozenset(
    {"COLLATE", "CHARSET", "CHARACTER", "SPARSE", "ROWGUIDCOL", "VISIBLE", "HIDDEN", "STORED", "VIRTUAL", "PERSISTED"}
)
# Before an index of a constraint: how the database keeps it; a number may follow.
_STORAGE = _CHECKING | {"PCTFREE", "INITRANS", "MAXTRANS", "COMPUTE", "STATISTICS", "LOGGING"}
GENERATED_REASON = "the database numbered new rows; with PIQL the application must give each its value"


def begins_clause(reader: Reader) -> bool:
    """Say whether a clause of a column begins here."""
    word = reader.word()
    if word == "WITH":
        return reader.word(1) not in ("TIME", "LOCAL")
    if word == "CHARACTER":
        return reader.word(1) == "SET"
    return word in _CLAUSES


def read_column(reader: Reader, table: ImportedTable, collected: Collected) -> None:
    """Read a column into the table, with a note for each clause that is changed or left out.

    Raises LeftOut where PIQL has no type for it or its name is taken; the table is then as before.
    """
    line = reader.line
    name = reader.name()
    subject = f"{table.name}.{name}"
    collected.note_name(reader.tokens[0], name)
    type_tokens = take_until_clause(reader, brackets=("(", "<"))
    if not type_tokens and reader.word() in ("AS", "GENERATED") and collected.dialect is TSQL:
        raise LeftOut("it is computed, and its type is not written: let the application compute it")
    type_read = read_type(type_tokens, collected.dialect, collected.types)
    if name.lower() in table.folded:
        raise LeftOut(f"there is a column {table.folded[name.lower()].name} already")
    if type_read.change:
        collected.note(line, "changed", subject, type_read.change)
    column = ImportedColumn(name, type_read.type, line)
    table.add_column(column)
    clauses = _Clauses(reader, table, column, collected, subject)
    if type_read.is_generated:
        clauses.note_generated()
    clauses.read()


def take_until_clause(reader: Reader, brackets: Collection[str] = ("(",)) -> Sequence[ForeignToken]:
    """Take and return the tokens before the next clause of a column.

    Words between brackets of the kinds `brackets` begin no clause.
    """
    start = reader.at
    while not reader.is_at_end and not begins_clause(reader):
        if reader.word() in brackets:
            reader.group()
        else:
            reader.take()
    return reader.tokens[start : reader.at]


class _Clauses:
    """Reads the clauses behind the type of one column: `read` calls one method for each, by its first word.

    `constraint` is the name of a CONSTRAINT that was read and whose clause comes next, '' elsewhere.
    """

    def __init__(
        self, reader: Reader, table: ImportedTable, column: ImportedColumn, collected: Collected, subject: str
    ) -> None:
        self.reader = reader
        self.table = table
        self.column = column
        self.collected = collected
        self.subject = subject
        self.constraint = ""
        self.is_generated = False

    def read(self) -> None:
        """Read all clauses; raise LeftOut where one cannot be read."""
        kinds: dict[str, Callable[[], None]] = {
            "NOT": self._not,
            "NULL": self._null,
            "DEFAULT": self._default,
            "PRIMARY": self._primary_key,
            "KEY": self._primary_key,
            "UNIQUE": self._unique,
            "REFERENCES": self._references,
            "FOREIGN": self._references,
            "CHECK": self._check,
            "GENERATED": self._generated,
            "AS": self._computed,
            "AUTO_INCREMENT": self._numbered,
            "AUTOINCREMENT": self._numbered,
            "IDENTITY": self._numbered,
            "COMMENT": self._comment,
            "STATIC": self._static,
            "ON": self._on,
            "CONSTRAINT": self._constraint_name,
        }
        while not self.reader.is_at_end:
            kinds.get(self.reader.word(), self._other)()

    def note_generated(self) -> None:
        """Note, once a column, that the database gave it its values."""
        if not self.is_generated:
            self.collected.note(self.reader.line, "changed", self.subject, GENERATED_REASON)
        self.is_generated = True

    def _note_left_out(self, clause: str, reason: str, line: int) -> None:
        self.collected.note(line, "left out", f"{clause} of {self.subject}", reason)

    def _take_constraint_name(self) -> str:
        """Return the name before the clause that is read, '' where it has none; the next clause has none."""
        name, self.constraint = self.constraint, ""
        return name

    def _constraint_name(self) -> None:
        self.reader.take()
        self.constraint = self.reader.name()

    def _not(self) -> None:
        self.reader.take()
        if self.reader.accept("NULL"):
            self.column.may_be_null = False
            self._take_constraint_name()
        elif not self.reader.accept("FOR", "REPLICATION") and not self.reader.accept_any(_CHECKING):
            self.reader.take()

    def _null(self) -> None:
        self.reader.take()
        self.column.may_be_null = True

    def _default(self) -> None:
        line = self.reader.line
        self.reader.take()
        self.reader.accept("ON", "NULL")
        first = self.reader.take()
        value = [first, *take_until_clause(self.reader, brackets=("(", "["))]
        self._take_constraint_name()
        words = [token.word for token in value if token.word not in ("(", ")")]
        if words[:1] == ["NULL"]:
            return
        if "NEXTVAL" in words:
            self.note_generated()
            return
        try:
            self.column.default = read_default(value, self.column.type)
        except LeftOut as reason:
            self._note_left_out("DEFAULT", str(reason), line)

    def _primary_key(self) -> None:
        line = self.reader.line
        self.reader.accept("PRIMARY")
        self.reader.accept("KEY")
        while self.reader.accept_any(_INDEX_WORDS):
            pass
        self._take_constraint_name()
        if self.table.primary_key:
            self._note_left_out("PRIMARY KEY", f"the table has one already, of line {self.table.key_line}", line)
            return
        self.table.primary_key, self.table.key_line = (self.column.name,), line
        skip_index_options(self.reader)

    def _unique(self) -> None:
        line = self.reader.line
        self.reader.take()
        self.reader.accept("KEY")
        while self.reader.accept_any(_INDEX_WORDS):
            pass
        self.table.unique_keys.append(ImportedKey((self.column.name,), line, self._take_constraint_name()))
        skip_index_options(self.reader)

    def _references(self) -> None:
        self.reader.accept("FOREIGN", "KEY")
        read_references(self.reader, (self.column.name,), self.table, self.collected, self._take_constraint_name())

    def _check(self) -> None:
        line = self.reader.line
        self.reader.take()
        read_check(self.reader, self.table, self.subject, self._take_constraint_name(), line)

    def _generated(self) -> None:
        self.reader.take()
        if not self.reader.accept("ALWAYS"):
            self.reader.accept("BY", "DEFAULT")
            self.reader.accept("ON", "NULL")
        if self.reader.accept("AS", "IDENTITY"):
            self.reader.skip_group()
            self.note_generated()
            return
        if self.reader.accept("AS", "ROW"):
            self.reader.take()  # START or END
            self._note_left_out("GENERATED AS ROW", "the application writes the time", self.reader.line)
            return
        self._computed()

    def _computed(self) -> None:
        line = self.reader.line
        self.reader.accept("AS")
        inner = self.reader.group()
        reason = f"was computed as {shown(inner)}; PIQL keeps what the application writes"
        self.collected.note(line, "changed", self.subject, reason)

    def _numbered(self) -> None:
        self.reader.take()
        self.reader.skip_group()
        self.note_generated()

    def _comment(self) -> None:
        self.reader.take()
        self.column.comment = unquoted(self.reader.take())

    def _static(self) -> None:
        line = self.reader.line
        self.reader.take()
        self.table.leave_column_out(self.column, line)
        reason = "it is STATIC, one value for a whole partition: keep it in a table of its own"
        self.collected.note(line, "left out", self.subject, reason)

    def _on(self) -> None:
        line = self.reader.line
        self.reader.take()
        if self.reader.accept("CONFLICT"):
            self.reader.take()
            return
        kind = self.reader.word()
        self.reader.take()
        start = self.reader.at
        self.reader.take()
        self.reader.skip_group()
        value = shown(self.reader.tokens[start : self.reader.at])
        self._note_left_out(f"ON {kind}", f"write {value} in each UPDATE", line)

    def _other(self) -> None:
        """Skip a clause that has no method, with a note where it says something about the column."""
        line = self.reader.line
        first = self.reader.take()
        clause = [first, *take_until_clause(self.reader)]
        if first.word not in _SILENT | _CHECKING:
            self._note_left_out(shown(clause), "it changes how a database stores the column, not what it means", line)


def read_references(
    reader: Reader, columns: tuple[str, ...], table: ImportedTable, collected: Collected, name: str
) -> None:
    """Read `REFERENCES table (columns) ON DELETE …` as a foreign key of `columns` into the table.

    `name` is that of the constraint, '' where it has none. Raises LeftOut where it cannot be read.
    """
    line = reader.line
    if not reader.accept("REFERENCES"):
        raise LeftOut("REFERENCES is expected")
    schema, target = reader.dotted_name()
    referenced = reader.names_in_brackets() if reader.word() == "(" else ()
    subject = f"foreign key ({', '.join(columns)}) of {table.name}"
    while not reader.is_at_end:
        if reader.follows("ON", "DELETE") or reader.follows("ON", "UPDATE"):
            _read_action(reader, collected, subject)
        elif reader.accept("MATCH"):
            reader.take()
        elif not skip_checking(reader):
            break
    table.references.append(ImportedReference(columns, schema, target, referenced, line, name))


def read_check(reader: Reader, table: ImportedTable, subject: str, name: str, line: int) -> None:
    """Read what stands behind CHECK into the table; raise LeftOut for one that its database does not check either."""
    inner = reader.group()
    if reader.follows("NOT", "ENFORCED") or reader.follows("DISABLE"):
        raise LeftOut("its database does not check it either")
    skip_checking(reader)
    reader.accept("NO", "INHERIT")
    table.checks.append(ImportedCheck(tuple(inner), line, subject, name))


def skip_checking(reader: Reader) -> bool:
    """Skip words about how and when a constraint is checked; say whether there were any."""
    start = reader.at
    while reader.accept_any(_CHECKING) or reader.accept("NOT", "FOR", "REPLICATION"):
        pass
    if reader.word() == "NOT" and reader.word(1) in _CHECKING:
        reader.at += 2
        skip_checking(reader)
    return reader.at > start


def _read_action(reader: Reader, collected: Collected, subject: str) -> None:
    """Read `ON DELETE CASCADE` and the like, with a note unless PIQL does the same: refuse."""
    line = reader.line
    event = "DELETE" if reader.follows("ON", "DELETE") else "UPDATE"
    reader.at += 2
    if reader.accept("NO", "ACTION") or reader.accept("RESTRICT"):
        return
    action = reader.take().word
    if action == "SET":
        action = f"SET {reader.take().word}"
        reader.skip_group()
    reason = (
        f"ON DELETE {action}: PIQL refuses to delete a row that is still referenced, so delete the others first"
        if event == "DELETE"
        else f"ON UPDATE {action}: a primary key cannot be changed"
    )
    collected.note(line, "changed", subject, reason)


def skip_index_options(reader: Reader) -> None:
    """Skip how a database keeps the index of a constraint: USING INDEX TABLESPACE x, WITH (…), ON [PRIMARY]."""
    while True:
        if reader.follows("USING", "INDEX"):
            reader.at += 2
            reader.skip_group()
        elif reader.word() in ("USING", "TABLESPACE") or reader.follows("ON", "CONFLICT"):
            reader.at += 1 + reader.follows("ON", "CONFLICT")
            if not reader.is_at_end:
                reader.take()
        elif reader.word() == "WITH" and reader.word(1) == "(":
            reader.take()
            reader.group()
        elif reader.word() == "ON" and reader.word(1) not in ("DELETE", "UPDATE") and not reader.is_at_end:
            reader.take()
            reader.name()
            reader.skip_group()
        elif reader.accept_any(_STORAGE):
            token = reader.peek()
            if token is not None and token.kind == "number":
                reader.take()
        elif reader.word() == "STORAGE" and reader.word(1) == "(":
            reader.take()
            reader.group()
        else:
            return
