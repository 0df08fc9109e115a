"""CREATE UNIT: writes that belong together, and become visible whole or not at all.

    CREATE UNIT name AS BEGIN
      LET value = (SELECT …);
      LET (value, value) = (SELECT …);
      INSERT …;
      UPDATE …;
      DELETE …;
    END;

A broken statement is reported and skipped, and the others are still read.
"""

from __future__ import annotations

from dataclasses import replace

from piql.compiler.syntax import ast
from piql.compiler.syntax.cursor import CREATABLE, SyntaxFault
from piql.compiler.syntax.work import STATEMENT_WORK, WorkParser
from piql.text.diagnostics.diagnostic import Edit, Fix

MOST_STATEMENTS = 50  # of one unit
_WRITES = ("INSERT", "UPDATE", "DELETE")
_STATEMENTS = ("LET", *_WRITES)
_READS = ("SELECT", "FETCH", "WITH")


class UnitParser(WorkParser):
    """The part of the parser that reads units."""

    def create_unit(self, start: int) -> ast.CreateUnit:
        """Parse what follows CREATE UNIT; the unit is broken after an error in it."""
        name = self.name("the name of a unit after CREATE UNIT")
        body_start = self.token.start
        statements: list[ast.UnitStatement] = []
        is_broken = False
        try:
            self.expect("AS", "after the name of the unit")
            body_start = self.expect("BEGIN", "after AS").start
            is_broken = self._statements_of_unit(name, statements)
        except SyntaxFault as fault:
            self.note(replace(fault.diagnostic, query=name.text))
            self._skip_unit()
            is_broken = True
        return ast.CreateUnit(
            name=name,
            statements=tuple(statements),
            body_span=self.span_from(min(body_start, self.last_end)),
            is_broken=is_broken,
            span=self.span_from(start),
        )

    def _statements_of_unit(self, name: ast.Name, statements: list[ast.UnitStatement]) -> bool:
        """Parse statements into a list up to END; return whether one is broken.

        Raise SyntaxFault where END is missing, and for a unit of no or too many statements.
        """
        is_broken = False
        while not self.accept("END"):
            if self.is_at_end() or self.is_definition():
                raise self.expecting("`END` at the end of the unit", "write END; behind its last statement")
            if len(statements) == MOST_STATEMENTS:
                raise self.fault(
                    "too-many",
                    f"a unit holds at most {MOST_STATEMENTS} statements",
                    self.span_of(self.token),
                    "write several units",
                )
            began = self.at
            try:
                statements.append(self._statement_of_unit())
                self._semicolon(name)
            except SyntaxFault as fault:
                self.note(replace(fault.diagnostic, query=name.text))
                self._skip_statement(began)
                is_broken = True
            self.count_work()
            self.planning_work += STATEMENT_WORK
        if not is_broken and all(isinstance(statement, ast.Let) for statement in statements):
            raise self.fault(
                "unit-form",
                "this unit writes nothing" if statements else "this unit holds no statement",
                self.span_of(self.tokens[self.at - 1]),
                "write INSERT, UPDATE or DELETE between BEGIN and END, each with its semicolon",
            )
        return is_broken

    def _statement_of_unit(self) -> ast.UnitStatement:
        """Parse one write or LET without its semicolon."""
        match self.token.word:
            case "LET":
                return self._let()
            case "INSERT":
                return self.insert()
            case "UPDATE":
                return self.update()
            case "DELETE":
                return self.delete()
            case word if word in _READS:
                raise self.fault(
                    "unit-form",
                    "a unit holds writes, and this is a query",
                    self.span_of(self.token),
                    "write LET name = (SELECT …) for a value that the unit needs; a query whose rows the caller needs "
                    "gets a name of its own with CREATE QUERY",
                )
            case _:
                raise self.expecting("LET, INSERT, UPDATE, DELETE or END in the unit")

    def _let(self) -> ast.Let:
        """Parse `LET name = expression`, or `LET (name, …) = (SELECT …)`."""
        start = self.advance().start
        is_row = self.accept("(")
        names = [self._name_of_let()]
        while is_row and self.accept(","):
            names.append(self._name_of_let())
            self.check_columns(len(names))
        if is_row:
            self.expect(")", "after the names of the values")
        self.expect("=", "after the name of the value")
        value = self.expression()
        return ast.Let(name=names[0], more=tuple(names[1:]), value=value, span=self.span_from(start))

    def _name_of_let(self) -> ast.Name:
        if self.token.kind != "word":
            raise self.expecting(
                "the name of a value after LET", "write LET price = …; the statements behind it use it as [price]"
            )
        word = self.advance()
        return ast.Name(text=word.text, span=self.span_of(word))

    def _semicolon(self, name: ast.Name) -> None:
        """Take the semicolon behind a statement; note that it is missing where the next one or END follows."""
        if self.token.word not in ("END", *_STATEMENTS):
            self.expect(";", "behind each statement of the unit")
            return
        end = self.last_end
        fault = self.fault(
            "missing-semicolon",
            "a semicolon is missing behind a statement of a unit",
            self.span_of(self.tokens[self.at - 1]),
            fixes=(Fix("Add the semicolon", (Edit(self.source.name, end, end, ";"),)),),
        )
        self.note(replace(fault.diagnostic, query=name.text))

    def _skip_statement(self, began: int) -> None:
        """Skip to behind the next semicolon, or to END, another write or a definition; at least past token `began`."""
        if self.at <= began:
            self.advance()
        while not self.is_at_end() and not self.is_definition():
            is_end = self.token.word == "END" and self.peek().word in (";", "")
            if self.accept(";") or is_end or self.token.word in _STATEMENTS:
                return
            self.advance()

    def _skip_unit(self) -> None:
        """Skip to behind the END of a broken unit, or to the next definition."""
        while not self.is_at_end() and not self.is_definition():
            if self.accept("END") and self.token.word == ";":
                return
            self.advance()

    def is_definition(self) -> bool:
        """Return whether CREATE … , ENTITY … or QUERY … FETCH begins here."""
        if self.token.word == "CREATE":
            return self.peek().word in CREATABLE
        return self.is_entity() or self.is_fetch_query()
