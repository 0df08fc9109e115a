"""INSERT of one row, of several that are written out, or of a list; UPDATE and DELETE of the rows that pass WHERE.

    INSERT INTO table (column, …) VALUES (value, …), … [IF NOT EXISTS | ON CONFLICT …] [RETURNING …]
    INSERT INTO table (column, …) VALUES [rows] MAX n [IF NOT EXISTS | ON CONFLICT …] [RETURNING …]
    UPDATE table [alias] SET column = value, … WHERE … [ORDER BY …] [LIMIT …] [IF condition] [RETURNING …]
    DELETE FROM table [alias] WHERE … [ORDER BY …] [LIMIT …] [IF condition] [RETURNING …]

Whether WHERE names one row is a question for `binding.writes`.
"""

from __future__ import annotations

from piql.compiler.syntax import ast
from piql.compiler.syntax.cursor import DEFAULT_WORD, MAX_TOKENS
from piql.compiler.syntax.expressions import FEW_CONDITIONS
from piql.compiler.syntax.precedence import AND
from piql.compiler.syntax.queries import QueryParser
from piql.compiler.syntax.unsupported import CLAUSES, CONFLICT_WHERE, IF_EXISTS, ON_CONSTRAINT, TTL, USING
from piql.text.source import Span

MAX_ROWS = 100  # of one INSERT
_AFTER_TABLE = frozenset(("SET", "USING", "WHERE", "ORDER", "LIMIT", "IF", "RETURNING"))


class WriteParser(QueryParser):
    """The part of the parser that reads writes."""

    def insert(self) -> ast.Insert:
        """Parse INSERT; raise SyntaxFault for more than MAX_ROWS rows."""
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
        rows = self.parameter()
        values = self._row("after VALUES").items if rows is None else ()
        values_span = self.span_from(values_start)
        more: list[ast.Row] = []
        while self.token.word == "," and rows is None:
            if len(more) + 1 == MAX_ROWS:
                raise self.fault(
                    "bulk-write",
                    f"INSERT puts at most {MAX_ROWS} rows",
                    self.span_of(self.token),
                    "write several INSERTs, or use load for many rows",
                )
            self.advance()
            more.append(self._row("before the values of a further row"))
        condition = None
        if self.token.word == "IF":
            condition_start = self.advance().start
            self.expect("NOT", "after IF: INSERT … IF NOT EXISTS")
            self.expect("EXISTS", "after IF NOT")
            condition = self.span_from(condition_start)
        conflict = self._conflict(condition) if self.token.word == "ON" else None
        return ast.Insert(
            table=table,
            columns=columns,
            values=values,
            values_span=values_span,
            more=tuple(more),
            rows=rows,
            is_conditional=condition is not None,
            condition=condition,
            conflict=conflict,
            returning=self._returning(),
            span=self.span_from(start),
        )

    def _row(self, where: str) -> ast.Row:
        """Parse `(value, …)`; `where` is for the error that there is none."""
        start = self.token.start
        self.expect("(", where)
        values = [self._value()]
        while self.accept(","):
            values.append(self._value())
            self.check_length()
        self.expect(")", "after the values")
        return ast.Row(items=tuple(values), span=self.span_from(start))

    def _conflict(self, condition: Span | None) -> ast.OnConflict:
        """Parse `ON CONFLICT …`; `condition` is the span of an IF NOT EXISTS before it, which contradicts it."""
        if self.peek().word == "DUPLICATE":
            raise self.unsupported(CLAUSES["ON", "DUPLICATE"])
        if self.peek().word != "CONFLICT":
            raise self.expecting("ON CONFLICT or the end of the statement")
        start = self.advance().start
        self.advance()
        if condition is not None:
            raise self.fault(
                "syntax-error",
                "IF NOT EXISTS and ON CONFLICT contradict each other",
                condition,
                "leave one out: IF NOT EXISTS refuses the row, ON CONFLICT does not",
            )
        target: tuple[ast.Name, ...] = ()
        if self.token.word == "(":
            target = self.names("a column of the key")
        if self.token.word == "ON":
            raise self.unsupported(ON_CONSTRAINT)
        if self.token.word == "WHERE":
            raise self.unsupported(CONFLICT_WHERE)
        self.expect("DO", "after ON CONFLICT: DO NOTHING or DO UPDATE SET")
        changes: tuple[ast.SetItem, ...] = ()
        if not self.accept("NOTHING"):
            self.expect("UPDATE", "or NOTHING after DO")
            self.expect("SET", "after DO UPDATE")
            changes = self._set_items()
            if self.token.word == "WHERE":
                raise self.unsupported(CONFLICT_WHERE)
        return ast.OnConflict(target=target, changes=changes, span=self.span_from(start))

    def _value(self) -> ast.Expression:
        """Parse a value of INSERT; the word DEFAULT alone is a call without arguments."""
        token = self.token
        if token.word != DEFAULT_WORD or self.peek().word not in (",", ")"):
            return self.expression()
        self.advance()
        name = ast.Name(text=token.word, span=self.span_of(token))
        return ast.Call(name=name, arguments=(), span=name.span)

    def update(self) -> ast.Update:
        """Parse UPDATE with its WHERE, LIMIT and IF."""
        start = self.advance().start
        source = self._written_table("a table after UPDATE")
        if self.token.word == "USING":
            raise self.unsupported(TTL if self.peek().word == "TTL" else USING)
        self.expect("SET", "after the table of UPDATE")
        changes = self._set_items()
        where = self.expression() if self.accept("WHERE") else None
        order, stop = self._first_rows("UPDATE")
        return ast.Update(
            source=source,
            changes=changes,
            where=where,
            order=order,
            stop=stop,
            condition=self._condition(),
            returning=self._returning(),
            span=self.span_from(start),
        )

    def _written_table(self, what: str) -> ast.TableName:
        """Parse the table of UPDATE or DELETE and its alias; `what` is for the error that there is no table."""
        start = self.token.start
        table = self.table_name(what)
        self.reads += 1
        alias = None
        if self.accept("AS"):
            alias = self.name("a name after AS")
        elif self.is_alias() and (self.token.kind == "quoted" or self.token.word not in _AFTER_TABLE):
            alias = self.name("an alias")
        return ast.TableName(table=table, alias=alias, span=self.span_from(start))

    def _first_rows(self, verb: str) -> tuple[ast.OrderClause | None, ast.StopClause | None]:
        """Parse `ORDER BY … LIMIT n` behind WHERE: which rows a write changes of those that pass it."""
        order, stop, offset = self.tail()
        if offset is not None or (stop is not None and stop.is_page):
            span = (offset or stop).span  # type: ignore[union-attr]
            raise self.fault(
                "syntax-error",
                f"{verb} has no {'OFFSET' if offset is not None else 'PAGINATE'}",
                span,
                "write LIMIT n, and execute the write until `rows_affected` is less than n",
            )
        if order is not None and stop is None:
            raise self.fault(
                "syntax-error",
                f"ORDER BY says which rows {verb} takes first, so it needs a LIMIT",
                order.span,
                "add LIMIT n, or leave ORDER BY out",
            )
        return order, stop

    def _returning(self) -> tuple[ast.SelectItem | ast.Star, ...]:
        """Parse `RETURNING column, …`; empty where there is none."""
        if not self.accept("RETURNING"):
            return ()
        items = [self.select_item()]
        while self.accept(","):
            items.append(self.select_item())
        return tuple(items)

    def _set_items(self) -> tuple[ast.SetItem, ...]:
        """Parse the changes behind SET."""
        changes = [self._set_item()]
        while self.accept(","):
            changes.append(self._set_item())
        self.conditions += max(0, len(changes) - FEW_CONDITIONS)
        return tuple(changes)

    def _set_item(self) -> ast.SetItem:
        """Parse `column = value` or `table.column = value` of SET."""
        table, column = None, self.name("a column")
        if self.accept("."):
            table, column = column, self.name("a column")
        self.expect("=", "after the column")
        value = self.expression(AND)  # tighter than AND, so that a list of changes joined by it is refused
        start = (table or column).span.start
        return ast.SetItem(column=column, value=value, table=table, span=self.span_from(start))

    def _condition(self) -> ast.Expression | None:
        """Parse `IF …` behind UPDATE or DELETE, a condition on the row before the write; None where there is none."""
        if not self.accept("IF"):
            return None
        if self.token.word == "EXISTS" and self.peek().word != "(":
            raise self.unsupported(IF_EXISTS)
        return self.expression()

    def delete(self) -> ast.Delete:
        """Parse DELETE with its WHERE, LIMIT and IF."""
        start = self.advance().start
        self.expect("FROM", "after DELETE")
        source = self._written_table("a table after DELETE FROM")
        where = self.expression() if self.accept("WHERE") else None
        order, stop = self._first_rows("DELETE")
        return ast.Delete(
            source=source,
            where=where,
            order=order,
            stop=stop,
            condition=self._condition(),
            returning=self._returning(),
            span=self.span_from(start),
        )
