"""INSERT, UPDATE and DELETE, each of one row.

    INSERT INTO table (column, …) VALUES (value, …) [IF NOT EXISTS]
    UPDATE table SET column = value, … WHERE … [IF condition]
    DELETE FROM table WHERE … [IF condition]

Whether WHERE names one row is a question for `binding.writes`.
"""

from __future__ import annotations

from piql.compiler.syntax import ast
from piql.compiler.syntax.cursor import MAX_TOKENS
from piql.compiler.syntax.expressions import FEW_CONDITIONS
from piql.compiler.syntax.precedence import AND
from piql.compiler.syntax.queries import QueryParser
from piql.compiler.syntax.unsupported import IF_EXISTS, TTL, USING


class WriteParser(QueryParser):
    """The part of the parser that reads writes."""

    def insert(self) -> ast.Insert:
        """Parse INSERT; raise SyntaxFault for more than one row."""
        start = self.advance().start
        self.expect("INTO", "after INSERT")
        table = self.table_name("a table after INSERT INTO")
        self.reads += 1
        columns: tuple[ast.Name, ...] = ()
        if self.token.word == "(":
            columns = self.names("a column", MAX_TOKENS)
        if self.token.word == "SELECT":
            raise self.fault(
                "bulk-write",
                "INSERT … SELECT writes as many rows as the SELECT finds",
                self.span_of(self.token),
                "a write names one row: INSERT INTO … VALUES (…)",
            )
        values_start = self.expect("VALUES", "before the values of INSERT").start
        self.expect("(", "after VALUES")
        values = [self.expression()]
        while self.accept(","):
            values.append(self.expression())
        self.expect(")", "after the values")
        values_span = self.span_from(values_start)
        if self.token.word == ",":
            raise self.fault(
                "bulk-write",
                "INSERT puts one row",
                self.span_of(self.token),
                "write one INSERT for each row, or use load for many",
            )
        condition = None
        if self.token.word == "IF":
            condition_start = self.advance().start
            self.expect("NOT", "after IF: INSERT … IF NOT EXISTS")
            self.expect("EXISTS", "after IF NOT")
            condition = self.span_from(condition_start)
        return ast.Insert(
            table=table,
            columns=columns,
            values=tuple(values),
            values_span=values_span,
            is_conditional=condition is not None,
            condition=condition,
            span=self.span_from(start),
        )

    def update(self) -> ast.Update:
        """Parse UPDATE with its WHERE and IF."""
        start = self.advance().start
        table = self.table_name("a table after UPDATE")
        self.reads += 1
        if self.token.word == "USING":
            raise self.unsupported(TTL if self.peek().word == "TTL" else USING)
        self.expect("SET", "after the table of UPDATE")
        changes = [self._set_item()]
        while self.accept(","):
            changes.append(self._set_item())
        self.conditions += max(0, len(changes) - FEW_CONDITIONS)
        where = self.expression() if self.accept("WHERE") else None
        return ast.Update(
            table=table,
            changes=tuple(changes),
            where=where,
            condition=self._condition(),
            span=self.span_from(start),
        )

    def _set_item(self) -> ast.SetItem:
        """Parse `column = value` of SET."""
        column = self.name("a column")
        self.expect("=", "after the column")
        value = self.expression(AND)  # tighter than AND, so that a list of changes joined by it is refused
        return ast.SetItem(column=column, value=value, span=self.span_from(column.span.start))

    def _condition(self) -> ast.Expression | None:
        """Parse `IF …` behind UPDATE or DELETE, a condition on the row before the write; None where there is none."""
        if not self.accept("IF"):
            return None
        if self.token.word == "EXISTS" and self.peek().word != "(":
            raise self.unsupported(IF_EXISTS)
        return self.expression()

    def delete(self) -> ast.Delete:
        """Parse DELETE with its WHERE and IF."""
        start = self.advance().start
        self.expect("FROM", "after DELETE")
        table = self.table_name("a table after DELETE FROM")
        self.reads += 1
        where = self.expression() if self.accept("WHERE") else None
        return ast.Delete(table=table, where=where, condition=self._condition(), span=self.span_from(start))
