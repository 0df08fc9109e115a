"""SELECT and UNION.

    [WITH name AS (query), …]
    SELECT [DISTINCT] expression [AS name], … FROM table [alias] [[LEFT] JOIN table ON condition]…
    [WHERE …] [GROUP BY …] [HAVING …] [ORDER BY …] [LIMIT n | PAGINATE n]

A derived table or a query of a UNION stands in parentheses. Clauses in another order, clauses that PIQL does not have
and misspelt words are reported here; names and types are checked by `binding`.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import Literal

from piql.compiler.syntax import ast
from piql.compiler.syntax.cursor import SyntaxFault
from piql.compiler.syntax.unsupported import Unsupported
from piql.compiler.syntax.with_clauses import WithParser
from piql.text.diagnostics.diagnostic import Edit, Fix
from piql.text.source import Span

MAX_TABLES = 64  # in one FROM clause, and queries in one UNION

_UNSUPPORTED_SET_OPERATORS = {"INTERSECT": "IN (SELECT …) or EXISTS", "EXCEPT": "NOT EXISTS (SELECT …)"}
_TAIL = ("ORDER", "LIMIT", "PAGINATE", "OFFSET")

# What may follow a table of FROM: the end of the query, another table, or a clause.
_AFTER_TABLE = (
    *("", ";", ")", ",", "JOIN", "INNER", "LEFT", "CROSS", "WHERE", "GROUP", "HAVING"),
    *("ORDER", "LIMIT", "PAGINATE", "UNION", "FETCH", "NATURAL"),
)
# Words that may be names, but begin a clause where they stand before another.
_WITH_NUMBER = ("WINDOW", "STRIPES")  # clauses of a view, behind its query
_NO_ALIASES = frozenset(
    (("FETCH", "FIRST"), ("FETCH", "NEXT"), ("FOR", "UPDATE"), ("FOR", "SHARE"), ("FOR", "NO"), ("FOR", "KEY"))
)
_MISSPELT_FROM = ("FORM", "FRM", "FRON", "FRO", "FRMO", "FROMM", "ROM")


class QueryParser(WithParser):
    """The part of the parser that reads queries."""

    def query(self) -> ast.QueryExpression:
        """Parse `[WITH …] SELECT … [UNION [ALL] SELECT …]* [ORDER BY …] [LIMIT …]`; a SELECT may be in parentheses."""
        start = self.token.start
        if self.token.word != "WITH":
            return self._query_after_with(start)
        clause = self.with_clause()
        query = self._query_after_with(self.token.start)
        if query.with_clause is not None:
            raise self.fault(
                "syntax-error",
                "a query has one WITH, and this is the second",
                query.with_clause.word_span,
                "put the queries of both into the first one, with a comma between them",
            )
        return replace(query, with_clause=clause, span=self.span_from(start))

    def _query_after_with(self, start: int) -> ast.QueryExpression:
        query, is_parenthesized = self._branch()
        if self.token.word in _UNSUPPORTED_SET_OPERATORS:
            word = self.token.word
            raise self.fault(
                "not-in-piql",
                f"{word} is not part of PIQL",
                self.span_of(self.token),
                f"say the same with {_UNSUPPORTED_SET_OPERATORS[word]}",
            )
        if self.token.word == "UNION":
            return self._union(query, start, is_parenthesized)
        if is_parenthesized and (self.token.word in _TAIL or self._is_fetch_first()):
            raise self.fault(
                "syntax-error",
                f"{self.token.word} cannot follow a query in parentheses",
                self.span_of(self.token),
                "move it into the parentheses, or leave the parentheses out",
            )
        return query

    def _branch(self) -> tuple[ast.QueryExpression, bool]:
        """Parse one query of a UNION; the flag says whether it is in parentheses, with its own ORDER BY and LIMIT."""
        if self.token.word != "(":
            return self._select(), False
        self.enter_level(self.token.start)
        self.advance()
        query = self.query()
        self.expect(")", "after the query in parentheses")
        self.nesting -= 1
        if query.stop is not None and query.stop.is_page:
            raise self.fault(
                "syntax-error",
                "PAGINATE cannot be used inside parentheses",
                query.stop.span,
                "write LIMIT here, and PAGINATE at the end of the whole query",
            )
        return query, True

    def _union(self, first: ast.QueryExpression, start: int, is_parenthesized: bool) -> ast.QueryExpression:
        """Parse the queries after `first`, the left input of a UNION. ORDER BY and LIMIT at the end are of the whole.

        Where UNION and UNION ALL alternate, the inputs so far become one nested UNION: `(a UNION b) UNION ALL c`.
        """
        inputs = [first]
        is_all: bool | None = None
        queries = 1
        words: list[Span] = []
        while self.token.word == "UNION":
            last = inputs[-1]
            if not is_parenthesized and (last.order or last.stop or last.offset):
                clause = last.order or last.stop or last.offset
                assert clause is not None
                raise self.fault(
                    "syntax-error",
                    "ORDER BY and LIMIT come after the last query of a UNION",
                    clause.span,
                    "move it to the end, or put the query into parentheses",
                )
            queries += 1
            if queries > MAX_TABLES:
                raise self.fault("too-many", f"a UNION of more than {MAX_TABLES} queries", self.span_of(self.token))
            word = self.span_of(self.advance())
            all_here = self.accept("ALL") is not None
            self.accept("DISTINCT")
            if is_all is not None and is_all != all_here:
                so_far = ast.UnionQuery(
                    inputs=tuple(inputs), is_all=is_all, unions=tuple(words), span=first.span.to(last.span)
                )
                inputs, words = [so_far], []
            words.append(word)
            is_all = all_here
            query, is_parenthesized = self._branch()
            inputs.append(query)
        last = inputs[-1]
        order, stop, offset = self.tail() if is_parenthesized else (last.order, last.stop, last.offset)
        if not is_parenthesized and (order or stop or offset):  # the last SELECT has read them; move them up
            assert isinstance(last, ast.Select)
            ends = min(clause.span.start for clause in (order, stop, offset) if clause)
            text = self.source.text[last.span.start : ends].rstrip()
            span = Span(self.source, last.span.start, last.span.start + len(text))
            inputs[-1] = replace(last, order=None, stop=None, offset=None, span=span)
        return ast.UnionQuery(
            inputs=tuple(inputs),
            is_all=bool(is_all),
            unions=tuple(words),
            order=order,
            stop=stop,
            offset=offset,
            span=self.span_from(start),
        )

    def _select(self) -> ast.Select:
        """Parse one SELECT with all its clauses."""
        start = self.token.start
        self.expect("SELECT", "at the start of a query")
        distinct = self.accept("DISTINCT")
        distinct_span = self.span_of(distinct) if distinct else None
        if not distinct:
            self.accept("ALL")
        items_start = self.token.start
        items = [self.select_item()]
        while self.accept(","):
            if self.token.word == "FROM":
                comma = self.span_of(self.tokens[self.at - 1])
                fix = Fix("Remove the comma", (Edit(comma.file, comma.start, comma.end, ""),))
                raise self.fault("syntax-error", "a comma too many before FROM", comma, "take it out", (fix,))
            items.append(self.select_item())
        items_span = self.span_from(items_start)
        from_clause = where = group = having = None
        if self.token.word == "FROM":
            from_clause = self._from()
        elif self.token.word not in ("", ";", ")", "UNION"):
            raise self._after_select_list()
        if self.accept("WHERE"):
            where = self.expression()
        if self.token.word == "GROUP":
            group = self._group()
        if self.accept("HAVING"):
            having = self.expression()
        order, stop, offset = self.tail()
        self._check_clause_order()
        return ast.Select(
            items=tuple(items),
            items_span=items_span,
            is_distinct=distinct is not None,
            distinct=distinct_span,
            from_clause=from_clause,
            where=where,
            group=group,
            having=having,
            order=order,
            stop=stop,
            offset=offset,
            span=self.span_from(start),
        )

    def _group(self) -> ast.GroupClause:
        start = self.advance().start
        self.expect("BY", "after GROUP")
        keys = [self.expression()]
        while self.accept(","):
            keys.append(self.expression())
            self.check_terms(len(keys), "GROUP BY")
        return ast.GroupClause(keys=tuple(keys), span=self.span_from(start))

    def tail(self) -> tuple[ast.OrderClause | None, ast.StopClause | None, ast.OffsetClause | None]:
        """Parse the end of a query: ORDER BY, LIMIT or PAGINATE, OFFSET; each is None where it is not written."""
        order = stop = offset = None
        if self.token.word == "ORDER":
            order = self.order()
        while self.token.word in ("LIMIT", "PAGINATE", "OFFSET") or self._is_fetch_first():
            if self.token.word == "OFFSET":
                offset_start = self.advance().start
                count = self.expression()
                if self.token.word in ("ROWS", "ROW"):
                    self.advance()
                offset = ast.OffsetClause(count=count, span=self.span_from(offset_start))
            elif stop is not None:
                raise self.fault(
                    "syntax-error",
                    "a query can have only one LIMIT or PAGINATE, and this is the second",
                    self.span_of(self.token),
                )
            elif self.token.word == "FETCH":
                stop = self._fetch_first()
            else:
                stop = self.stop()
                if self.token.word == "," and not stop.is_page:  # LIMIT offset, count
                    self.advance()
                    skipped, count = stop.count, self._count("LIMIT")
                    span = self.span_from(stop.span.start)
                    stop = replace(stop, count=count, span=span)
                    offset = ast.OffsetClause(count=skipped, span=span)
        return order, stop, offset

    def _is_fetch_first(self) -> bool:
        """Return whether FETCH FIRST or FETCH NEXT stands here, and not the FETCH of an entity that is called so."""
        if self.token.word != "FETCH" or self.peek().word not in ("FIRST", "NEXT"):
            return False
        behind = self.peek(2)
        return behind.kind == "number" or behind.word in ("ROW", "ROWS", "[", ":", "?") or behind.word[:1] == "$"

    def _fetch_first(self) -> ast.StopClause:
        """Parse `FETCH FIRST n ROWS ONLY`, which is LIMIT n; without a number it is LIMIT 1."""
        start = self.advance().start
        first = self.advance()
        count: ast.LiteralValue | ast.ParameterUse
        if self.token.word in ("ROW", "ROWS"):
            count = ast.LiteralValue(value=1, span=self.span_of(first))
        else:
            count = self._count(f"FETCH {first.word}")
        if not self.accept("ROWS"):
            self.expect("ROW", f"after the number of FETCH {first.word}")
        if self.token.word == "WITH":
            raise self.unsupported(Unsupported("WITH TIES", "write ONLY: how many rows are equal depends on the data"))
        self.expect("ONLY", f"at the end of FETCH {first.word}")
        return ast.StopClause(is_page=False, count=count, span=self.span_from(start))

    def is_query_ahead(self) -> bool:
        """Return whether a SELECT or WITH stands behind any number of parentheses."""
        ahead = 0
        while self.peek(ahead).word == "(":
            ahead += 1
        return self.peek(ahead).word in ("SELECT", "WITH")

    def _max_of_literal(self, number: int) -> None:
        """Read the MAX of `LIMIT 10 MAX 10`, of an older dialect; raise SyntaxFault if it is below `number`."""
        self.advance()
        maximum, span = self.positive_number("the number after MAX")
        if maximum < number:
            raise self.fault("bad-number", f"{number} is more than its MAX {maximum}", span)

    def _after_select_list(self) -> SyntaxFault:
        """Return the SyntaxFault of what follows a select list, with a fix for an alias that is a misspelt FROM."""
        last = self.tokens[self.at - 1]
        if last.kind == "word" and last.word in _MISSPELT_FROM:
            span = self.span_of(last)
            fixes = (self.spelling_fix(span, "FROM"),)
            return self.fault("syntax-error", f"{last.text} is not FROM", span, "did you mean FROM?", fixes)
        return self.expecting("a comma or FROM after the select list")

    def _check_clause_order(self) -> None:
        """Raise SyntaxFault if another clause of SELECT stands behind the last one that was expected."""
        if self.token.word in ("FROM", "WHERE", "GROUP", "HAVING", "ORDER", "JOIN", "LEFT", "INNER"):
            raise self.fault(
                "syntax-error",
                f"{self.token.word} is not allowed here",
                self.span_of(self.token),
                "the order is SELECT, FROM, JOIN, WHERE, GROUP BY, HAVING, ORDER BY, LIMIT or PAGINATE",
            )

    def select_item(self) -> ast.SelectItem | ast.Star:
        """Parse a column of a result: `*`, `t.*`, or an expression with its alias."""
        token = self.token
        self.check_length()
        if token.word == "*":
            self.advance()
            return ast.Star(span=self.span_of(token))
        if token.word == "TOP" and self.peek().kind == "number":
            raise self.unsupported(Unsupported("TOP", f"write it at the end: LIMIT {self.peek().text}"))
        if self._is_star_of_table():
            qualifier = self.name("a table")
            self.advance()
            self.advance()
            return ast.Star(qualifier=qualifier, span=self.span_from(token.start))
        expression = self.expression()
        return ast.SelectItem(expression=expression, alias=self._alias(), span=self.span_from(token.start))

    def _is_star_of_table(self) -> bool:
        """Return whether `t.*` stands here; `t` may be in quotes of any kind."""
        if self.token.word == "[" and self.is_bracketed_qualifier():
            ahead = next(ahead for ahead in count(1) if self.peek(ahead).word == ".")
            return self.peek(ahead + 1).word == "*"
        return self.peek().word == "." and self.peek(2).word == "*" and self.is_name()

    def _alias(self, *, is_of_table: bool = False) -> ast.Name | None:
        """Take an alias, if one follows; without AS, only that of a table may stand in brackets."""
        if self.accept("AS"):
            return self.name("a name after AS")
        is_bracketed = is_of_table and self.token.word == "["
        return self.name("an alias") if self.is_alias() or is_bracketed else None

    def is_alias(self) -> bool:
        """Return whether the next token can be an alias without AS: a name that begins no clause."""
        if self.token.word in _WITH_NUMBER and self.peek().kind == "number":
            return False
        return self.is_name() and (self.token.word, self.peek().word) not in _NO_ALIASES

    def _from(self) -> ast.FromClause:
        """Parse FROM with all its joins. ON may be missing from an inner join: WHERE may hold the condition."""
        start = self.advance().start
        first = self._table_source("FROM")
        joins: list[ast.JoinClause] = []
        while True:
            join_start = self.token.start
            natural = self.accept("NATURAL")
            kind = self._join_kind()
            if natural and kind not in ("inner", "left"):
                raise self.expecting("JOIN after NATURAL")
            if kind is None:
                break
            if len(joins) + 2 > MAX_TABLES:
                raise self.fault("too-many", f"more than {MAX_TABLES} tables in one FROM", self.span_from(join_start))
            table = self._table_source("the comma" if kind == "comma" else "JOIN")
            condition = None
            using: tuple[ast.Name, ...] = ()
            if kind in ("inner", "left") and not natural:
                if self.accept("USING"):
                    using = self.names("a column of both tables")
                elif self.token.word == "ON":
                    self.advance()
                    condition = self.expression()
                elif kind == "left" or self.token.word not in _AFTER_TABLE:
                    raise self.expecting("`ON` with the condition of the join")
            if kind == "comma":
                join_start = table.span.start
            joins.append(
                ast.JoinClause(
                    kind=kind,  # type: ignore[arg-type]
                    table=table,
                    condition=condition,
                    using=using,
                    is_natural=natural is not None,
                    natural_span=self.span_of(natural) if natural is not None else None,
                    span=self.span_from(join_start),
                )
            )
        return ast.FromClause(first=first, joins=tuple(joins), span=self.span_from(start))

    def _join_kind(self) -> str | None:
        """Take the words before a joined table and return the kind of `ast.JoinClause`; None where no join follows."""
        word = self.token.word
        if word == ",":
            self.advance()
            return "comma"
        if word == "JOIN":
            self.advance()
            return "inner"
        if word == "INNER":
            self.advance()
            self.expect("JOIN", "after INNER")
            return "inner"
        if word == "LEFT":
            self.advance()
            self.accept("OUTER")
            self.expect("JOIN", "after LEFT")
            return "left"
        if word == "CROSS":
            self.advance()
            self.expect("JOIN", "after CROSS")
            return "cross"
        if word in ("RIGHT", "FULL"):
            way_out = {
                "RIGHT": "write the tables in the other order with LEFT JOIN",
                "FULL": "use UNION of two LEFT JOINs",
            }
            raise self.fault("not-in-piql", f"{word} JOIN is not part of PIQL", self.span_of(self.token), way_out[word])
        return None

    def _table_source(self, after: str) -> ast.TableSource:
        """Parse a table or a derived table with its alias; `after` is what stands before it, for messages."""
        start = self.token.start
        if self.token.word == "(":
            self.advance()
            if not self.is_query_ahead():
                raise self.expecting("SELECT after the parenthesis", "joins are written without parentheses")
            self.replanned += 1
            query = self._nested_query()
            self.expect(")", "after the derived table")
            return ast.DerivedTable(query=query, alias=self._alias(is_of_table=True), span=self.span_from(start))
        table = self.table_name(f"a table after {after}")
        self.reads += 1 + self.copies_read_by(table)
        self.replanned += self.subquery_depth  # each subquery around it is planned by itself first
        return ast.TableName(table=table, alias=self._alias(is_of_table=True), span=self.span_from(start))

    def order(self) -> ast.OrderClause:
        """Parse ORDER BY with its keys."""
        start = self.advance().start
        self.expect("BY", "after ORDER")
        items: list[ast.OrderItem] = []
        while True:
            item_start = self.token.start
            expression = self.expression()
            is_ascending = True
            if self.token.word in ("ASC", "DESC"):
                is_ascending = self.advance().word == "ASC"
            nulls = self._nulls()
            span = self.span_from(item_start)
            items.append(ast.OrderItem(expression=expression, is_ascending=is_ascending, nulls=nulls, span=span))
            self.check_terms(len(items), "ORDER BY")
            if not self.accept(","):
                break
        return ast.OrderClause(items=tuple(items), span=self.span_from(start))

    def _nulls(self) -> Literal["FIRST", "LAST"] | None:
        """Parse the NULLS FIRST or NULLS LAST of a key; None where neither stands here."""
        if not self.accept("NULLS"):
            return None
        if self.accept("FIRST"):
            return "FIRST"
        self.expect("LAST", "or FIRST after NULLS")
        return "LAST"

    def stop(self) -> ast.StopClause:
        """Parse LIMIT or PAGINATE with its count."""
        token = self.advance()
        count = self._count(token.word)
        return ast.StopClause(is_page=token.word == "PAGINATE", count=count, span=self.span_from(token.start))

    def _count(self, word: str) -> ast.LiteralValue | ast.ParameterUse:
        """Parse the count behind LIMIT or PAGINATE (`word`): a number or a parameter."""
        parameter = self.parameter()
        if parameter is not None:
            return parameter
        number, span = self.whole_number(f"a number or a parameter after {word}")
        if number == 0 and word == "PAGINATE":
            raise self.fault("bad-number", "a page holds at least 1 row", span)
        if self.token.word == "MAX":
            self._max_of_literal(number)
        return ast.LiteralValue(value=number, span=span)
