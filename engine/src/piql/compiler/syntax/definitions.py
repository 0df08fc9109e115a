"""CREATE TABLE, CREATE INDEX, CREATE VIEW and SET.

    CREATE TABLE name (column type [NOT NULL] [constraint]…, …, [CONSTRAINT name] constraint, …)
    CREATE INDEX name ON table (column [ASC | DESC] | TOKEN(column, …), …) [COVERING (column, …)] [BUCKETS n]
    CREATE VIEW name AS query [WINDOW length [BY step]] [STRIPES n]
    SET name = number

A broken element of a table is reported and dropped; the table stays, with `is_broken` set. What SQL and CQL have and
PIQL has not is reported with what to write instead.
"""

from __future__ import annotations

from typing import Literal

from piql.compiler.syntax import ast
from piql.compiler.syntax.cursor import CREATABLE, MAX_ELEMENTS, MAX_TOKENS, RESERVED, SyntaxFault
from piql.compiler.syntax.precedence import COMPARISON
from piql.compiler.syntax.unsupported import COLLECTION, COLLECTIONS, PARTITION_KEY
from piql.compiler.syntax.writes import WriteParser
from piql.schema.calendar import UNIT_OF_WORD, UNITS
from piql.text.diagnostics.diagnostic import Edit, Fix
from piql.text.source import Span

Nullability = Literal["NOT NULL", "NULL"]

_ELEMENT_WORDS = ("PRIMARY", "FOREIGN", "UNIQUE", "CONSTRAINT")  # reserved words with which an element may begin
_FIXED_UNITS = tuple(unit for unit, length in UNITS.items() if not length.months)  # always as long


class DefinitionParser(WriteParser):
    """The part of the parser that reads tables and indexes."""

    def create_table(self, start: int) -> ast.CreateTable:
        """Parse what follows CREATE TABLE; `start` is the offset of CREATE."""
        if self.token.word == "IF" and self.peek().word == "NOT":
            self._note_if_not_exists()
        name = self.table_name("the name of a table after CREATE TABLE")
        self.expect("(", "before the columns of the table")
        elements: list[ast.ColumnDefinition | ast.TableConstraint] = []
        broken = 0
        while True:
            if self.token.word == ")" and elements:  # a trailing comma is allowed
                break
            if len(elements) + broken >= MAX_ELEMENTS:
                raise self.fault("too-many", f"more than {MAX_ELEMENTS} columns and constraints", name.span)
            began = self.at
            try:
                elements.append(self.element())
                if self.token.word not in (",", ")"):
                    fault = self._no_comma()
                    if fault.diagnostic.fixes:  # another element follows: continue as if there were a comma
                        self.note(fault.diagnostic)
                        broken += 1
                        continue
                    raise fault
            except SyntaxFault as fault:
                self.note(fault.diagnostic)
                broken += 1
                self.nesting = self.chain = 0
                self._skip_element(began)
            if not self.accept(","):
                break
        if self.token.word == ")":
            self.advance()
        elif not broken:
            raise self.expecting("`)` at the end of the table")
        return ast.CreateTable(name=name, elements=tuple(elements), is_broken=broken > 0, span=self.span_from(start))

    def _note_if_not_exists(self) -> None:
        """Report IF NOT EXISTS behind CREATE TABLE, with the fix that removes it, and skip it."""
        before, start = self.last_end, self.token.start
        for _ in range(3 if self.peek(2).word == "EXISTS" else 2):
            self.advance()
        fault = self.fault(
            "not-in-piql",
            "IF NOT EXISTS is not part of a CREATE TABLE in PIQL",
            self.span_from(start),
            "leave it out: deploying a table that exists already keeps its rows",
            (Fix("Leave it out", (Edit(self.source.name, before, self.last_end, ""),)),),
        )
        self.note(fault.diagnostic)

    def _key_columns(self) -> tuple[ast.Name, ...]:
        """Read the columns of a primary key. CQL's parentheses around a partition key are reported, and ignored."""
        if self.peek().word != "(":
            return self.names("a column")
        self.expect("(", "before a column")
        opened = self.token
        columns = list(self.names("a column"))
        closed = self.tokens[self.at - 1]
        edits = tuple(Edit(self.source.name, token.start, token.end, "") for token in (opened, closed))
        span = self.span_from(opened.start)
        fix = Fix("Leave out the inner parentheses", edits)
        self.note(self.fault("not-in-piql", PARTITION_KEY.message, span, PARTITION_KEY.way_out, (fix,)).diagnostic)
        while self.accept(","):
            columns.append(self.name("a column"))
            self.check_length()
        self.expect(")", "after a column")
        return tuple(columns)

    def _collection(self, start: int) -> SyntaxFault:
        """Skip a type of many values, such as `MAP<…>`, and return the SyntaxFault that refuses it."""
        depth = 0
        while self.token.kind != "end" and self.token.word not in (";", ")", "("):
            depth += (self.token.word == "<") - (self.token.word == ">")
            self.advance()
            if depth <= 0:
                break
        span = self.span_from(start)
        return self.fault("not-in-piql", f"{span.text}: a column holds one value in PIQL", span, COLLECTION)

    def _no_comma(self) -> SyntaxFault:
        """Return the SyntaxFault of an element without a comma behind it, with a fix where another element follows."""
        expected = "a comma or `)` after a column or constraint"
        if self.token.kind == "end" or (self.token.word in RESERVED and self.token.word not in _ELEMENT_WORDS):
            return self.expecting(expected)
        if self.token.kind not in ("word", "quoted"):
            return self.expecting(expected)
        end = self.last_end
        fix = Fix("Add the comma", (Edit(self.source.name, end, end, ","),))
        return self.fault(
            "syntax-error",
            f"expected {expected}, but {self.next_token_shown()}",
            self.span_of(self.token),
            fixes=(fix,),
        )

    def _skip_element(self, began: int) -> None:
        """Skip to the comma or parenthesis that ends the element which began at token `began`."""
        depth = 0
        for token in self.tokens[began : self.at]:
            depth += (token.word == "(") - (token.word == ")")
        while self.token.kind != "end" and self.token.word != ";":
            word = self.token.word
            if depth == 0 and word in (",", ")"):
                return
            if word == "CREATE" and self.peek().word in CREATABLE:
                return
            depth += (word == "(") - (word == ")")
            self.advance()

    def element(self) -> ast.ColumnDefinition | ast.TableConstraint:
        """Parse one column or constraint of a table; raise SyntaxFault if neither stands here."""
        start = self.token.start
        name = None
        if self.accept("CONSTRAINT"):
            name = self.name("the name of the constraint")
        word = self.token.word
        if word == "PRIMARY":
            self.advance()
            self.expect("KEY", "after PRIMARY")
            columns = self._key_columns()
            return ast.PrimaryKeyClause(columns=columns, name=name, span=self.span_from(start))
        if word == "UNIQUE":
            self.advance()
            return ast.UniqueClause(columns=self.names("a column"), name=name, span=self.span_from(start))
        if word == "FOREIGN":
            self.advance()
            self.expect("KEY", "after FOREIGN")
            columns = self.names("a column")
            return self._references(start, columns, name)
        if word == "CARDINALITY" and self.peek().word == "LIMIT":
            return self._limit(start, name)
        if word == "CHECK" and (name is not None or self.peek().word == "("):
            return self._check(start, name)
        if name is not None:
            raise self.expecting(
                "PRIMARY KEY, UNIQUE, FOREIGN KEY, CARDINALITY LIMIT or CHECK after the constraint's name"
            )
        return self._column()

    def _check(self, start: int, name: ast.Name | None) -> ast.CheckClause:
        """Parse `CHECK (test)`; `name` is that of its CONSTRAINT."""
        self.advance()
        self.expect("(", "after CHECK")
        test = self.expression()
        self.expect(")", "after the test of a CHECK")
        return ast.CheckClause(test=test, name=name, span=self.span_from(start))

    def _limited_columns(self) -> tuple[ast.Name, ...]:
        """Read the columns of a CARDINALITY LIMIT; raise SyntaxFault if TOKEN(…) stands among them."""
        ahead = 1
        while self.peek(ahead).kind in ("word", "quoted") and self.peek(ahead + 1).word == ",":
            ahead += 2
        if self.peek(ahead).word == "TOKEN" and self.peek(ahead + 1).word == "(":
            raise self._token_beside_columns()
        return self.names("a column")

    def _token_beside_columns(self) -> SyntaxFault:
        """Return the SyntaxFault of `CARDINALITY LIMIT n (column, TOKEN(column))`."""
        message = "TOKEN(…) cannot be mixed with columns in a CARDINALITY LIMIT"
        way_out = "declare a limit on the columns, or one on the words: CARDINALITY LIMIT 100 (TOKEN(column))"
        return self.fault("syntax-error", message, self.span_of(self.token), way_out)

    def _limit(self, start: int, name: ast.Name | None) -> ast.LimitClause:
        """Parse `CARDINALITY LIMIT n`, `n (columns)` or `n (TOKEN(columns))`; `name` is that of its CONSTRAINT."""
        self.advance()
        self.advance()
        limit, limit_span = self.positive_number("the number of a CARDINALITY LIMIT")
        if self.token.word == "(" and self.peek().word == "TOKEN" and self.peek(2).word == "(":
            self.advance()
            self.advance()
            columns = self.names("a column")
            if self.token.word == ",":
                raise self._token_beside_columns()
            self.expect(")", "after TOKEN(…)")
            is_token = True
        else:
            columns = self._limited_columns() if self.token.word == "(" else ()
            is_token = False
        return ast.LimitClause(
            limit=limit,
            limit_span=limit_span,
            columns=columns,
            is_token=is_token,
            name=name,
            span=self.span_from(start),
        )

    def _references(self, start: int, columns: tuple[ast.Name, ...], name: ast.Name | None) -> ast.ForeignKeyClause:
        """Parse `REFERENCES table (columns) MAX n` behind the columns that refer; `name` is that of the CONSTRAINT."""
        self.expect("REFERENCES", "before the table that is referenced")
        table = self.table_name("a table after REFERENCES")
        referenced = self.names("a column") if self.token.word == "(" else ()
        maximum: int | None = None
        maximum_span: Span | None = None
        if self.accept("MAX"):
            maximum, maximum_span = self.positive_number("the number after MAX")
        while self.token.word == "ON" and self.peek().word in ("DELETE", "UPDATE"):
            self._skip_refusing_action()
        return ast.ForeignKeyClause(
            columns=columns,
            table=table,
            referenced=referenced,
            max=maximum,
            max_span=maximum_span,
            name=name,
            span=self.span_from(start),
        )

    def _skip_refusing_action(self) -> None:
        """Read ON DELETE or ON UPDATE with RESTRICT or NO ACTION; raise SyntaxFault for any other action.

        Deleting a row that is still referenced is refused anyway, so these two change nothing.
        """
        start = self.advance().start
        self.advance()
        if self.accept("RESTRICT"):
            return
        if self.token.word == "NO" and self.peek().word == "ACTION":
            self.advance()
            self.advance()
            return
        if self.token.kind == "word":
            self.advance()
        raise self.fault(
            "not-in-piql",
            "a write changes one row, never those that reference it",
            self.span_from(start),
            "leave it out: deleting a row that is still referenced is refused",
        )

    def _column(self) -> ast.ColumnDefinition:
        """Parse `name type`, then NULL, NOT NULL, DEFAULT and the constraints of this column in any order."""
        name = self.name("a column or a constraint")
        type_name = self.type_name()
        nullability: Nullability | None = None
        constraints: list[ast.TableConstraint] = []
        default: ast.Expression | None = None
        while True:
            start = self.token.start
            constraint_name = self.name("the name of the constraint") if self.accept("CONSTRAINT") else None
            word = self.token.word
            if word in ("NOT", "NULL"):
                declared = self.nullability()
                if nullability is not None and nullability != declared:
                    raise self.fault("syntax-error", "a column is either NULL or NOT NULL", self.span_from(start))
                nullability = declared
            elif word == "PRIMARY":
                self.advance()
                self.expect("KEY", "after PRIMARY")
                constraints.append(
                    ast.PrimaryKeyClause(columns=(name,), name=constraint_name, span=self.span_from(start))
                )
            elif word == "UNIQUE":
                self.advance()
                constraints.append(ast.UniqueClause(columns=(name,), name=constraint_name, span=self.span_from(start)))
            elif word == "REFERENCES":
                constraints.append(self._references(start, (name,), constraint_name))
            elif word == "CHECK":
                constraints.append(self._check(start, constraint_name))
            elif word == "DEFAULT" and default is None:
                self.advance()
                default = self.expression(COMPARISON)
            else:
                break
        return ast.ColumnDefinition(
            name=name,
            type=type_name,
            nullability=nullability,
            constraints=tuple(constraints),
            default=default,
            span=self.span_from(name.span.start),
        )

    def nullability(self) -> Nullability | None:
        """Take NULL or NOT NULL; return None if neither stands here."""
        if self.accept("NULL"):
            return "NULL"
        if self.accept("NOT"):
            self.expect("NULL", "after NOT")
            return "NOT NULL"
        return None

    def type_name(self, expected: str = "the type of the column, such as INT or VARCHAR(32)") -> ast.TypeName:
        """Take the name of a type with its arguments; raise SyntaxFault for a collection type."""
        token = self.token
        if token.word in COLLECTIONS and self.peek().word == "<":
            self.advance()
            raise self._collection(token.start)
        if token.kind != "word" or (token.word not in ("TIMESTAMP", "DATE") and not self.is_name()):
            raise self.expecting(expected)
        self.advance()
        name = token.word
        if name == "DOUBLE" and self.token.word == "PRECISION":
            self.advance()
        arguments: list[int] = []
        if self.accept("("):
            arguments.append(self.whole_number("a number in the type")[0])
            while self.accept(","):
                arguments.append(self.whole_number("a number in the type")[0])
            self.expect(")", "after the type")
        return ast.TypeName(name=name, arguments=tuple(arguments), span=self.span_from(token.start))

    def create_index(self, start: int) -> ast.CreateIndex:
        """Parse what follows CREATE INDEX; `start` is the offset of CREATE."""
        name = self.name("the name of an index after CREATE INDEX")
        self.expect("ON", "after the name of the index")
        table = self.table_name("a table after ON")
        self.expect("(", "before the columns of the index")
        parts = [self._index_part()]
        while self.accept(","):
            parts.append(self._index_part())
            self.check_columns(len(parts))
        self.expect(")", "after the columns of the index")
        covering: tuple[ast.Name, ...] = ()
        if self.token.word in ("COVERING", "INCLUDE"):
            self.advance()
            covering = self.names("a column", MAX_TOKENS)
        buckets = None
        if self.accept("BUCKETS"):
            buckets, _ = self.positive_number("the number of BUCKETS")
        return ast.CreateIndex(
            name=name,
            table=table,
            parts=tuple(parts),
            covering=covering,
            buckets=buckets,
            span=self.span_from(start),
        )

    def create_view(self, start: int) -> ast.CreateView:
        """Parse what follows CREATE VIEW; `start` is the offset of CREATE."""
        name = self.table_name("the name of a view after CREATE VIEW")
        self.expect("AS", "after the name of the view")
        if not self.is_query_ahead() and self.token.word != "SELECT":
            raise self.expecting("SELECT after AS")
        query = self.query()
        window = self._window() if self.token.word == "WINDOW" else None
        stripes, stripes_span = None, None
        if self.accept("STRIPES"):
            stripes, stripes_span = self.positive_number("the number of stripes, such as STRIPES 8,")
        return ast.CreateView(
            name=name,
            query=query,
            window=window,
            stripes=stripes,
            stripes_span=stripes_span,
            span=self.span_from(start),
        )

    def _window(self) -> ast.WindowClause:
        """Parse `WINDOW length BY step`."""
        start = self.advance().start
        length = self._duration("the length of a window, such as 1 HOUR")
        step = self._duration("how far apart windows begin, such as 5 MINUTES") if self.accept("BY") else None
        return ast.WindowClause(length=length, step=step, span=self.span_from(start))

    def _duration(self, expected: str) -> ast.Duration:
        """Parse `5 MINUTES`."""
        start = self.token.start
        count, _ = self.positive_number(expected)
        unit = UNIT_OF_WORD.get(self.token.word)
        if unit is None:
            raise self.expecting(f"the unit of the time: {', '.join(_FIXED_UNITS)}", "write WINDOW 1 HOUR BY 5 MINUTES")
        self.advance()
        return ast.Duration(count=count, unit=unit, span=self.span_from(start))

    def set_setting(self, start: int) -> ast.SetSetting:
        """Parse what follows SET where a statement begins; `start` is the offset of SET."""
        name = self.name("the name of a setting after SET")
        self.expect("=", "after the name of a setting")
        value, value_span = self.positive_number("the number of a setting")
        return ast.SetSetting(name=name, value=value, value_span=value_span, span=self.span_from(start))

    def _index_part(self) -> ast.IndexPart:
        """Parse one key of an index: a column or `TOKEN(columns)`, with ASC or DESC."""
        start = self.token.start
        is_token = self.token.word == "TOKEN" and self.peek().word == "("
        if is_token:
            self.advance()
            columns = self.names("a column")
        else:
            columns = (self.name("a column"),)
        is_ascending = True
        if self.token.word in ("ASC", "DESC"):
            is_ascending = self.advance().word == "ASC"
        return ast.IndexPart(columns=columns, is_token=is_token, is_ascending=is_ascending, span=self.span_from(start))
