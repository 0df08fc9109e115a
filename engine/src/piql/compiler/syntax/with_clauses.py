"""WITH: queries with names, which the query behind them reads like tables.

    WITH RECURSIVE thread (id, depth) AS (
      SELECT id, 0 FROM comments WHERE id = [root]
      UNION ALL
      SELECT c.id, t.depth + 1 FROM comments c JOIN thread t ON c.parent = t.id
    ) MAX 5 LEVELS

Whether an entry reads itself is seen by `binding`, which also asks for MAX n LEVELS.
"""

from __future__ import annotations

from piql.compiler.syntax import ast
from piql.compiler.syntax.expressions import ExpressionParser
from piql.text.source import Span

MAX_LEVELS = 64  # that a recursive query may read
MAX_ENTRIES = 64  # of one WITH
MAX_COPIED_READS = 64  # tables that the names of WITH stand for in one statement, each copy counted


class WithParser(ExpressionParser):
    """The part of the parser that reads WITH."""

    def with_clause(self) -> ast.WithClause:
        """Parse `WITH [RECURSIVE] name [(column, …)] AS (query) [MAX n LEVELS], …`."""
        start = self.advance().start
        is_recursive = self.token.word == "RECURSIVE" and self.peek().word not in ("AS", "(")
        if is_recursive:
            self.advance()
        word_span = self.span_from(start)
        entries = [self._with_entry()]
        while self.accept(","):
            if len(entries) == MAX_ENTRIES:
                raise self.fault("too-many", f"a WITH of more than {MAX_ENTRIES} queries", self.span_of(self.token))
            entries.append(self._with_entry())
        return ast.WithClause(
            entries=tuple(entries), is_recursive=is_recursive, word_span=word_span, span=self.span_from(start)
        )

    def _with_entry(self) -> ast.WithEntry:
        """Parse one query with its name. Each later use of the name is planned anew, so what it reads is noted."""
        start = self.token.start
        name = self.name("a name for the query of WITH")
        columns = self.names("the columns of the query") if self.token.word == "(" else ()
        self.expect("AS", f"before the query of {name.text}")
        self.expect("(", "before the query of WITH")
        reads = self.reads
        query = self._nested_query()
        self.with_reads[name.text.lower()] = self.reads - reads
        closing_span = self.span_of(self.expect(")", "after the query of WITH"))
        levels, levels_span = self._levels()
        return ast.WithEntry(
            name=name,
            columns=columns,
            query=query,
            levels=levels,
            levels_span=levels_span,
            closing_span=closing_span,
            span=self.span_from(start),
        )

    def copies_read_by(self, name: ast.Name) -> int:
        """Return how many tables a name in FROM stands for by WITH; raise SyntaxFault when the copies are too many."""
        reads = self.with_reads.get(name.text.lower(), 0)
        self.copied_reads += reads
        if self.copied_reads > MAX_COPIED_READS:
            raise self.fault(
                "too-many",
                f"the names of WITH stand for more than {MAX_COPIED_READS} tables: each use is a copy of its query",
                name.span,
                "use them less often, or read the rows by a query of their own",
            )
        return reads

    def _levels(self) -> tuple[int | None, Span | None]:
        """Parse `MAX n LEVELS` and return n with its span; None where it is not written."""
        if not self.accept("MAX"):
            return None, None
        levels, span = self.positive_number("the number after MAX")
        if levels > MAX_LEVELS:
            raise self.fault("bad-number", f"a recursive query reads at most {MAX_LEVELS} levels", span)
        self.expect("LEVELS", "after the number of levels")
        return levels, span
