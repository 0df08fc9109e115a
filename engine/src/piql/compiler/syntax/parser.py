"""Text → tree. One statement after another; a broken one is reported and never hides the others.

Enters: a `Source`. Leaves: a `ParsedFile` with its statements and diagnostics. Next: `binding.binder`.
The parser is built in layers, each a class over the one before:

    Cursor ◀── ExpressionParser ◀── WithParser ◀── QueryParser ◀── WriteParser ◀── DefinitionParser
      ◀── EntityParser ◀── WorkParser ◀── UnitParser ◀── _Parser

This file holds the last one, which reads statement after statement. `work` estimates what compiling them takes.
"""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches
from functools import partial
from typing import Literal

from piql.compiler.syntax import ast
from piql.compiler.syntax.cursor import MAX_TOKENS, SyntaxFault
from piql.compiler.syntax.lexer import MAX_FINDINGS, span_of_first_token, tokenize
from piql.compiler.syntax.units import UnitParser
from piql.compiler.syntax.unsupported import CLAUSES, CREATED, STATEMENTS, TABLE_OPTIONS, Unsupported
from piql.compiler.syntax.work import STATEMENT_WORK
from piql.schema.read_policies import ReadLevel
from piql.schema.write_policies import WriteLevel
from piql.text.diagnostics.diagnostic import Diagnostic, Edit, Fix
from piql.text.diagnostics.report import report
from piql.text.source import Source, Span
from piql.trees.caches import Cached

MAX_WORK = 200_000  # of one file: 1 for each token, and the weights of `work` for planning

SHORT = 4_000  # characters of a text whose tree is cached
_parsed: Cached[ast.ParsedFile] = Cached(128, is_by_value=True)

_BODIES = ("SELECT", "FETCH", "WITH", "INSERT", "UPDATE", "DELETE")
_KINDS: dict[str, Literal["select", "insert", "update", "delete"]] = {
    "INSERT": "insert",
    "UPDATE": "update",
    "DELETE": "delete",
}

_READ_LEVELS: dict[str, ReadLevel] = {"EVENTUAL": "eventual", "QUORUM": "quorum", "SESSION": "session"}
_WRITE_LEVELS: dict[str, WriteLevel] = {"QUORUM": "quorum", "ALL": "all"}
_WEAK_WRITES = ("EVENTUAL", "ONE", "ANY")


def parse(source: Source, most: int | None = None) -> ast.ParsedFile:
    """Return the statements of a text with its syntax errors; never raises.

    Parsing stops before the statement at which the work of those before it exceeds `most`, and reports `too-many`.
    """
    lexed = tokenize(source, most + MAX_TOKENS if most is not None else None)
    parser = _Parser(source, lexed)
    statements = parser.statements(most)
    diagnostics = parser.diagnostics
    if lexed.first_uncut is not None and all(finding.code != "too-many" for finding in diagnostics):
        diagnostics.append(_too_much(source.span(lexed.first_uncut, lexed.first_uncut + 1)))
    if lexed.diagnostics:
        statements, diagnostics = _with_errors_of_lexer(source, statements, diagnostics, lexed.diagnostics)
    return ast.ParsedFile(
        source,
        tuple(statements),
        tuple(diagnostics[:MAX_FINDINGS]),
        lexed.comments,
        parser.work,
    )


def _with_errors_of_lexer(
    source: Source, statements: list[ast.Statement], diagnostics: list[Diagnostic], of_lexer: list[Diagnostic]
) -> tuple[list[ast.Statement], list[Diagnostic]]:
    """Return the statements, broken where the lexer found errors, and all diagnostics in the order of the text.

    Errors of the parser in a statement with errors of the lexer are dropped: they would only repeat these.
    """
    extents = _extents(source, statements)
    spoilt = [_is_any_in(of_lexer, extent) for extent in extents]
    statements = [_broken(statement) if bad else statement for statement, bad in zip(statements, spoilt, strict=True)]
    bad_extents = [extent for extent, bad in zip(extents, spoilt, strict=True) if bad]
    remaining = [
        diagnostic for diagnostic in diagnostics if not any(_is_any_in([diagnostic], extent) for extent in bad_extents)
    ]
    ordered = sorted([*of_lexer, *remaining], key=lambda diagnostic: diagnostic.span.start)
    return statements, [_with_query(diagnostic, statements) for diagnostic in ordered]


def refuse_remainder(source: Source) -> ast.ParsedFile:
    """Return the remainder of a file as one piece without statements, with the error that too much stands before it."""
    first_token = span_of_first_token(source.text)
    return parse(source) if first_token is None else ast.ParsedFile(source, (), (_too_much(source.span(*first_token)),))


def refuse_long(source: Source, most: int) -> ast.ParsedFile:
    """Return a file without statements, with the error that it has more than `most` characters."""
    finding = report(
        "too-many",
        f"this file has {len(source.text):,} characters; files of more than {most:,} are not compiled",
        source.span(0, 1),
        help="split it into several files",
    )
    return ast.ParsedFile(source, (), (finding,))


def _too_much(span: Span) -> Diagnostic:
    return report(
        "too-many",
        "this file is too large: nothing is compiled from here on",
        span,
        help="move the statements from here on into another file",
    )


def parse_once(source: Source, most: int | None = None) -> ast.ParsedFile:
    """Parse a text; the results of short texts are cached."""
    if len(source.text) > SHORT:
        return parse(source, most)
    return _parsed.recall((source, most), partial(parse, source, most))


def _extents(source: Source, statements: list[ast.Statement]) -> list[tuple[int, int]]:
    """Return the offsets of each statement up to its semicolon or the next statement, broken ones included."""
    starts = [*(statement.span.start for statement in statements), len(source.text)]
    extents = []
    for statement, following in zip(statements, starts[1:], strict=True):
        semicolon = source.text.find(";", statement.span.end)
        extents.append((statement.span.start, min(following - 1, semicolon) if semicolon >= 0 else following - 1))
    return extents


def _is_any_in(findings: list[Diagnostic], extent: tuple[int, int]) -> bool:
    return any(extent[0] <= finding.span.start <= extent[1] for finding in findings)


def _broken(statement: ast.Statement) -> ast.Statement:
    """Return a statement marked as broken; a bare statement, which has no such mark, as it is."""
    match statement:
        case ast.CreateTable() | ast.CreateEntity() | ast.CreateIndex() | ast.CreateView():
            return replace(statement, is_broken=True)
        case ast.CreateQuery() | ast.CreateUnit():
            return replace(statement, is_broken=True)
        case _:
            return statement


def _with_query(finding: Diagnostic, statements: list[ast.Statement]) -> Diagnostic:
    """Return a diagnostic with the name of the query in whose text it stands."""
    if finding.query is None:
        for statement in statements:
            if (
                isinstance(statement, ast.CreateQuery | ast.CreateUnit)
                and statement.span.start <= finding.span.start < statement.span.end
            ):
                return replace(finding, query=statement.name.text)
    return finding


class _Parser(UnitParser):
    """The whole parser: reads all statements of one text."""

    work = 0  # of all statements parsed so far

    def statements(self, most: int | None) -> list[ast.Statement]:
        """Parse to the end of the text, or until the work exceeds `most`."""
        statements: list[ast.Statement] = []
        while True:
            while self.accept(";"):
                pass
            self.count_work()
            self.question_marks = 0
            self.first_parameter, self.has_mixed_parameters = None, False
            self.work = self.at + self.planning_work + STATEMENT_WORK * len(statements)
            if self.is_at_end():
                return statements
            began = self.at
            if most is not None and self.work > most:
                self.note(_too_much(self.span_of(self.token)))
                return statements
            self.last_of_statement = began + MAX_TOKENS
            self.nesting = self.chain = self.subquery_depth = 0
            if len(self.diagnostics) >= MAX_FINDINGS and not self._is_start():
                self._recover(began)  # no more diagnostics are kept, so skip the statement
                continue
            try:
                noted_before = len(self.diagnostics)
                statement = self._statement()
                if self.token.word != ";" and not self.is_at_end():
                    self._after_statement(statement)
                statements.append(self._marked_broken(statement, noted_before))
            except SyntaxFault as fault:
                self.note(fault.diagnostic)
                self._recover(began)

    def _marked_broken(self, statement: ast.Statement, noted_before: int) -> ast.Statement:
        """Return a query as broken if diagnostics were noted in or behind it after the first `noted_before`."""
        noted = self.diagnostics[noted_before:]
        if not isinstance(statement, ast.CreateQuery | ast.CreateUnit) or all(
            diagnostic.code == "missing-semicolon" for diagnostic in noted
        ):
            return statement
        self.diagnostics[noted_before:] = [replace(diagnostic, query=statement.name.text) for diagnostic in noted]
        return replace(statement, is_broken=True)

    def _after_statement(self, statement: ast.Statement) -> None:
        """Report what follows a statement without a semicolon, and skip it unless it begins a new statement."""
        name = statement.name.text if isinstance(statement, ast.CreateQuery | ast.CreateUnit) else None
        if (
            isinstance(statement, ast.CreateTable | ast.CreateEntity | ast.CreateQuery | ast.CreateUnit)
            and statement.is_broken
        ):
            self._recover(self.at - 1)
            return
        clause = self._unsupported_clause(statement)
        if clause is not None:
            self.note(replace(self.unsupported(clause, self._without(clause)).diagnostic, query=name))
            self._recover(self.at)
            return
        if self._is_start():
            if isinstance(statement, ast.CreateEntity) or self._ends_by_itself(statement):
                return
            end = self.last_end
            fix = Fix("Add the semicolon", (Edit(self.source.name, end, end, ";"),))
            fault = self.fault(
                "missing-semicolon",
                "a semicolon is missing between two statements",
                self.span_of(self.tokens[self.at - 1]),
                fixes=(fix,),
            )
            self.note(replace(fault.diagnostic, query=name))
            return
        self.note(replace(self.expecting("`;` at the end of the statement").diagnostic, query=name))
        self._recover(self.at)

    def _unsupported_clause(self, statement: ast.Statement) -> Unsupported | None:
        """Return the SQL clause that follows a statement, which PIQL does not have; None if none does."""
        here = self.token.word
        if here == "WITH" and isinstance(statement, ast.CreateTable):
            return TABLE_OPTIONS
        return CLAUSES.get((here, self.peek().word))

    def _without(self, clause: Unsupported) -> tuple[Fix, ...]:
        """Return the fix that deletes a clause behind a statement, up to its semicolon or the next statement."""
        if not clause.is_needless:
            return ()
        ahead = 1
        while self.peek(ahead).kind != "end" and self.peek(ahead).word not in (";", "CREATE", "ENTITY"):
            ahead += 1
        edit = Edit(self.source.name, self.last_end, self.peek(ahead - 1).end, "")
        return (Fix("Leave it out", (edit,)),)

    def _ends_by_itself(self, statement: ast.Statement) -> bool:
        """Return whether a statement needs no semicolon: those of the ENTITY/FETCH dialect."""
        body = statement.body if isinstance(statement, ast.CreateQuery) else statement
        return isinstance(body, ast.Fetch)

    def _is_start(self) -> bool:
        """Return whether a statement begins here."""
        return self.is_definition() or self.token.word in _BODIES

    def _recover(self, began: int) -> None:
        """Skip to the next semicolon or CREATE, but at least past token `began`."""
        if self.at <= began:
            self.advance()
        while self.token.kind != "end":
            if self.token.word == ";":
                self.advance()
                return
            if self.is_definition():
                return
            self.advance()

    def _statement(self) -> ast.Statement:
        token = self.token
        word = token.word
        if word == "CREATE":
            self.advance()
            if self.accept("TABLE"):
                return self.create_table(token.start)
            if self.accept("QUERY"):
                return self._create_query(token.start)
            if self.accept("INDEX"):
                return self.create_index(token.start)
            if self.accept("VIEW"):
                return self.create_view(token.start)
            if self.accept("UNIT"):
                return self.create_unit(token.start)
            if self.token.word in CREATED:
                raise self.unsupported(CREATED[self.token.word])
            words = ("TABLE", "QUERY", "UNIT", "VIEW", "INDEX")
            raise self._misspelt("TABLE, QUERY, UNIT, VIEW or INDEX after CREATE", words)
        if word == "SET":
            self.advance()
            return self.set_setting(token.start)
        if word == "ENTITY" and self.peek().kind in ("word", "quoted"):
            self.advance()
            return self.create_entity(token.start)
        if word == "QUERY" and self.peek().kind in ("word", "quoted"):
            self.advance()
            return self._create_query(token.start, is_fetch=True)
        if word in _BODIES or (word == "(" and self.is_query_ahead()):
            return self._body()
        if word in STATEMENTS:
            raise self.unsupported(STATEMENTS[word])
        raise self._misspelt("CREATE TABLE, CREATE QUERY or CREATE INDEX", ("CREATE", *_BODIES))

    def _misspelt(self, expected: str, words: tuple[str, ...]) -> SyntaxFault:
        """Return the SyntaxFault that one of `words` was expected, with the nearest of them as a fix."""
        fault = self.expecting(expected)
        if self.token.kind != "word" or len(self.diagnostics) >= MAX_FINDINGS:
            return fault
        close = get_close_matches(self.token.word, words, n=1)
        if not close:
            return fault
        fix = self.spelling_fix(self.span_of(self.token), close[0])
        return SyntaxFault(replace(fault.diagnostic, fixes=(fix,), help=(f"did you mean {close[0]}?",)))

    def _body(self) -> ast.BareStatement:
        word = self.token.word
        if word == "INSERT":
            return self.insert()
        if word == "UPDATE":
            return self.update()
        if word == "DELETE":
            return self.delete()
        if word == "FETCH":
            return self.fetch()
        return self.query()

    def _create_query(self, start: int, is_fetch: bool = False) -> ast.CreateQuery:
        """Parse what follows CREATE QUERY, or with `is_fetch` what follows QUERY; a broken body is skipped."""
        name = self.name("the name of a query after CREATE QUERY")
        body: ast.BareStatement | None = None
        body_start = self.token.start
        kind: Literal["select", "insert", "update", "delete"] = "select"
        policy: ast.WithRead | ast.WithWrite | None = None
        try:
            policy = self._policy()
            if is_fetch and self.token.word != "FETCH":
                raise self.expecting("FETCH after the name of the query", "or write CREATE QUERY name AS SELECT …")
            if not is_fetch:
                self.expect("AS", "after the name of the query")
            body_start = self.token.start
            kind = _KINDS.get(self.token.word, "select")
            if self.token.word in STATEMENTS:
                raise self.unsupported(STATEMENTS[self.token.word])
            if self.token.word not in _BODIES and not self.is_query_ahead():
                raise self._misspelt("SELECT, INSERT, UPDATE or DELETE after AS", _BODIES)
            if policy is not None and isinstance(policy, ast.WithRead) != (kind == "select"):
                raise self._misplaced(policy)
            body = self._body()
        except SyntaxFault as fault:
            self.note(replace(fault.diagnostic, query=name.text))
            self._skip_body()
        return ast.CreateQuery(
            name=name,
            body=body,
            body_span=self.span_from(min(body_start, self.last_end)),
            kind=kind,
            is_broken=body is None,
            read=policy if isinstance(policy, ast.WithRead) else None,
            write=policy if isinstance(policy, ast.WithWrite) else None,
            span=self.span_from(start),
        )

    def _policy(self) -> ast.WithRead | ast.WithWrite | None:
        """Parse WITH READ or WITH WRITE and its level behind the name of a query; None where neither is written."""
        start = self.token.start
        if not self.accept("WITH"):
            return None
        if self.accept("WRITE"):
            return self._with_write(start)
        if not self.accept("READ"):
            raise self._misspelt("READ or WRITE after WITH, or AS after the name of the query", ("READ", "WRITE"))
        level = _READ_LEVELS.get(self.token.word)
        if level is None:
            raise self._misspelt("EVENTUAL, QUORUM or SESSION after WITH READ", tuple(_READ_LEVELS))
        self.advance()
        return ast.WithRead(level=level, span=self.span_from(start))

    def _with_write(self, start: int) -> ast.WithWrite:
        """Parse the level behind WITH WRITE; one that keeps an acknowledged write in one copy alone is refused."""
        level = _WRITE_LEVELS.get(self.token.word)
        if level is None and self.token.word in _WEAK_WRITES:
            self.advance()
            span = self.span_from(start)
            raise self.fault(
                "read-policy",
                "a write is acknowledged by a majority of the copies at least: what one copy alone has, it may lose",
                span,
                "leave it out: a majority acknowledges each write; or write WITH WRITE ALL",
                fixes=(self._leave_out(span),),
            )
        if level is None:
            raise self._misspelt("QUORUM or ALL after WITH WRITE", tuple(_WRITE_LEVELS))
        self.advance()
        return ast.WithWrite(level=level, span=self.span_from(start))

    def _misplaced(self, policy: ast.WithRead | ast.WithWrite) -> SyntaxFault:
        """Return the SyntaxFault that a policy is of the other kind of query, with the fix that leaves it out."""
        message = "WITH WRITE is for an INSERT, UPDATE or DELETE: a SELECT has WITH READ"
        if isinstance(policy, ast.WithRead):
            message = "WITH READ is for a SELECT: what a write reads, it needs as it is now"
        return self.fault("read-policy", message, policy.span, "leave it out", fixes=(self._leave_out(policy.span),))

    def _leave_out(self, span: Span) -> Fix:
        return Fix("Leave it out", (Edit(self.source.name, span.start, min(span.end + 1, self.token.start), ""),))

    def _skip_body(self) -> None:
        """Skip to the semicolon, which is not taken, or to the next definition."""
        while self.token.kind != "end" and self.token.word != ";":
            if self.is_definition():
                return
            self.advance()
