"""The parser's position in the tokens: methods that look ahead, take a token, or raise SyntaxFault if it is missing.

Enters: a `Source` and its `Tokens`. The classes that read expressions, queries, writes and definitions are layers over
`Cursor`; they call what is public here. `parser` turns the counters of a statement into the work that it costs.
A name such as `expected` is a part of a message: `self.name("the name of a table")` may raise `expected the name of a
table, but found …`.
"""

from __future__ import annotations

import re
from typing import Literal

from piql.compiler.syntax import ast
from piql.compiler.syntax.lexer import MAX_FINDINGS, Token, Tokens, shortened, unquote
from piql.compiler.syntax.unsupported import KEYSPACE, WORDS, Unsupported
from piql.text.diagnostics.diagnostic import Diagnostic, Edit, Fix, Label
from piql.text.diagnostics.report import report
from piql.text.source import Source, Span

# Keywords that end the construct before them, so they are names only in quotes. All other words (timestamp, text, key,
# date, count, data, max, token, …) can be names anywhere.
RESERVED = frozenset(
    """
    ALL AND AS BETWEEN BY CASE CONSTRAINT CONTAINS CREATE CROSS CURRENT_DATE CURRENT_TIMESTAMP DELETE DISTINCT ELSE
    EXCEPT EXISTS FALSE FOREIGN FROM FULL GROUP HAVING IN INNER INSERT INTERSECT INTO IS JOIN LEFT LIKE LIMIT
    NATURAL NOT NULL OFFSET ON OR ORDER OUTER OVER PAGINATE PRIMARY REFERENCES RIGHT SELECT SET THEN TRUE UNION
    UNIQUE UPDATE USING VALUES WHEN WHERE WITH
    """.split()
)

CREATABLE = ("TABLE", "QUERY", "UNIT", "INDEX", "VIEW", "UNIQUE")
"""Words that follow CREATE where a statement begins, also where the one before it was not finished."""
DEFAULT_WORD = "DEFAULT"
CLOCK_WORDS = frozenset({"CURRENT_TIMESTAMP", "CURRENT_DATE"})  # functions that are called without parentheses

_UNPRINTED = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")

MAX_NESTING = 50  # parentheses, subqueries, NOTs inside one another
MAX_CHAIN = 64  # operators in a chain such as a + b + c; each is a level of the tree
MAX_TOKENS = 50_000  # of one statement
MAX_REPEATED = 5_000  # words and signs of one statement that are bound again
MAX_ELEMENTS = 1_000  # columns and constraints of one table
MAX_KEY_COLUMNS = 32  # of one key, limit, index or row of values
MAX_TERMS = 1_000  # of one GROUP BY or ORDER BY
MAX_DIGITS = 18  # of a limit or count; every such number fits in 64 bits


class SyntaxFault(Exception):
    """A syntax error that ends the current statement; the statement loop catches it, so `parse` never raises it."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


class Cursor:
    """A position in the tokens of one source, with counters for the limits of a statement.

    The parser sets the counters back to 0 before each statement.
    """

    def __init__(self, source: Source, lexed: Tokens) -> None:
        self.source = source
        self.tokens = lexed.tokens
        self.at = 0
        self.token = lexed.tokens[0]
        self.last_end = 0  # end offset of the token taken last
        self.nesting = 0
        self.chain = 0
        self.last_of_statement = MAX_TOKENS  # index of the last token that the statement may have
        self.reads = 0  # table names in the statement
        self.subquery_depth = 0  # subqueries of expressions around this position
        self.replanned = 0  # how many more times reads are planned, as parts of subqueries or derived tables
        self.branches = 0  # of ORs; each may become a separate read
        self.values_of_rows = 0  # values in row comparisons
        self.repeated = 0  # words and signs that are bound again: what CASE or BETWEEN compares
        self.extremes = 0  # calls of MIN and MAX
        self.conditions = 0  # of ANDs, without the first few of each
        self.terms = 0  # of GROUP BY and ORDER BY
        self.question_marks = 0  # parameters written as ?
        self.first_parameter: ast.ParameterUse | None = None
        self.has_mixed_parameters = False  # it is reported
        self.copied_reads = 0  # table names in copies of queries of WITH
        self.with_reads: dict[str, int] = {}  # table names in each query of WITH, by its name in lower case
        self.diagnostics: list[Diagnostic] = []

    def advance(self) -> Token:
        """Take the next token and return it; at the end of the text, return the end token without moving."""
        token = self.token
        if token.kind != "end":
            self.at += 1
            self.last_end = token.end
            self.token = self.tokens[self.at]
        return token

    def peek(self, ahead: int = 1) -> Token:
        """Return a token further on without taking it; the end token where there is none."""
        at = self.at + ahead
        return self.tokens[at] if at < len(self.tokens) else self.tokens[-1]

    def is_at_end(self) -> bool:
        """Return whether no token is left."""
        return self.token.kind == "end"

    def accept(self, word: str) -> Token | None:
        """Take and return the next token if it is this word or symbol, else return None."""
        return self.advance() if self.token.word == word else None

    def expect(self, word: str, where: str) -> Token:
        """Take and return this word or symbol; raise SyntaxFault `expected word where` if something else follows."""
        if self.token.word == word:
            return self.advance()
        raise self.expecting(f"`{word}` {where}")

    def span_from(self, start: int) -> Span:
        """Return the span from offset `start` to the end of the token taken last."""
        return Span(self.source, start, self.last_end if self.last_end > start else start)

    def span_of(self, token: Token) -> Span:
        """Return a token's span; for the end of the text, that of the last token."""
        if token.kind != "end":
            return Span(self.source, token.start, token.end)
        if self.at > 0:
            last = self.tokens[self.at - 1]
            return Span(self.source, last.start, last.end)
        return Span(self.source, 0, len(self.source.text))

    def fault(
        self, code: str, message: str, span: Span, help: str | tuple[str, ...] = (), fixes: tuple[Fix, ...] = ()
    ) -> SyntaxFault:
        """Return a SyntaxFault with a new diagnostic, for the caller to raise or to `note`."""
        return SyntaxFault(report(code, message, span, help=help, fixes=fixes))

    def note(self, finding: Diagnostic) -> None:
        """Keep a diagnostic; those beyond MAX_FINDINGS are dropped."""
        if len(self.diagnostics) < MAX_FINDINGS:
            self.diagnostics.append(finding)

    def next_token_shown(self) -> str:
        """Return the next token as an error message quotes it."""
        token = self.token
        if token.kind == "end":
            return "the text ends here"
        return f"found `{shortened(token.text)}`"

    def expecting(self, expected: str, help: str | tuple[str, ...] = ()) -> SyntaxFault:
        """Return the SyntaxFault that `expected` is missing here; `not-in-piql` for an SQL word that PIQL lacks."""
        unsupported = WORDS.get(self.token.word)
        if unsupported is not None:
            return self.unsupported(unsupported)
        return self.fault(
            "syntax-error", f"expected {expected}, but {self.next_token_shown()}", self.span_of(self.token), help
        )

    def unsupported(self, construct: Unsupported, fixes: tuple[Fix, ...] = ()) -> SyntaxFault:
        """Return the SyntaxFault `not-in-piql` at the next token, for a construct of SQL or CQL."""
        return self.fault("not-in-piql", construct.message, self.span_of(self.token), construct.way_out, fixes)

    def name(self, expected: str) -> ast.Name:
        """Take a name: a word that is not reserved, or a quoted one: "a b", `a b` or [a b].

        Raise SyntaxFault if none follows, or for a quoted name that no store could hold.
        """
        token = self.token
        if token.kind == "word" and token.word not in RESERVED:
            self.advance()
            return ast.Name(text=token.text, span=Span(self.source, token.start, token.end))
        if token.kind == "quoted":
            self.advance()
            return self._quoted_name(unquote(token), self.span_of(token))
        if token.word == "[":
            return self._bracketed_name()
        if token.kind == "word" and self.peek().word not in ("", "("):
            raise self.expecting(expected, f'`{token.text}` is a keyword; to use it as a name, write "{token.text}"')
        raise self.expecting(expected)

    def _quoted_name(self, text: str, span: Span) -> ast.Name:
        """Return a name that stands in quotes; raise SyntaxFault if no store could hold it."""
        if not text:
            raise self.fault("syntax-error", "a quoted name cannot be empty", span)
        if _UNPRINTED.search(text):
            raise self.fault(
                "syntax-error", "a quoted name cannot hold control characters or halves of characters", span
            )
        if text.startswith("#"):
            message = "a quoted name cannot begin with #: stores use such names for columns of their own"
            raise self.fault("syntax-error", message, span)
        return ast.Name(text=text, is_quoted=True, span=span)

    def _bracketed_name(self) -> ast.Name:
        """Take `[a b]`, where only a name can stand; raise SyntaxFault if it has no end, or holds a quote."""
        opening = self.advance()
        while self.token.word != "]":
            if self.token.kind in ("end", "string", "blob", "quoted") or self.token.word in ("[", ";"):
                raise self.expecting("`]` behind the name", "a name that holds quotes or signs is written in quotes")
            self.advance()
        text = self.source.text[opening.end : self.advance().start]
        return self._quoted_name(text, self.span_from(opening.start))

    def is_bracketed_qualifier(self) -> bool:
        """Return whether `[a b].` stands here: before a dot, brackets hold a name and no parameter."""
        ahead = 1
        while self.peek(ahead).kind in ("word", "number"):
            ahead += 1
        return self.token.word == "[" and self.peek(ahead).word == "]" and self.peek(ahead + 1).word == "."

    def table_name(self, expected: str) -> ast.Name:
        """Take the name of a table. A keyspace before it, as in `shop.orders`, is reported and ignored."""
        name = self.name(expected)
        if self.token.word != ".":
            return name
        self.advance()
        table = self.name(expected)
        start = name.span.start
        fix = Fix("Leave out the keyspace", (Edit(self.source.name, start, table.span.start, ""),))
        fault = self.fault("not-in-piql", KEYSPACE.message, self.span_from(start), KEYSPACE.way_out, (fix,))
        self.note(fault.diagnostic)
        return table

    def is_name(self) -> bool:
        """Return whether the next token can be a name."""
        token = self.token
        return token.kind == "quoted" or (token.kind == "word" and token.word not in RESERVED)

    def names(self, expected: str, most: int = MAX_KEY_COLUMNS) -> tuple[ast.Name, ...]:
        """Take `(name, name, …)`, at most `most` of them; raise SyntaxFault for more."""
        self.expect("(", f"before {expected}")
        names = [self.name(expected)]
        while self.accept(","):
            names.append(self.name(expected))
            self.check_length()
            self.check_columns(len(names), most)
        self.expect(")", f"after {expected}")
        return tuple(names)

    def whole_number(self, expected: str) -> tuple[int, Span]:
        """Take a literal of at most MAX_DIGITS digits, and return its value and span.

        Raise SyntaxFault for anything else.
        """
        token = self.token
        if token.kind == "number" and token.text.isdigit() and token.text.isascii() and len(token.text) <= MAX_DIGITS:
            self.advance()
            return int(token.text), self.span_of(token)
        raise self.expecting(expected)

    def positive_number(self, number_name: str) -> tuple[int, Span]:
        """Take a whole number of at least 1 and return its value and span; raise SyntaxFault for anything else."""
        number, span = self.whole_number(number_name)
        if number < 1:
            raise self.fault("bad-number", f"{number_name} must be at least 1", span)
        return number, span

    def parameter(self) -> ast.ParameterUse | None:
        """Take `[1: name]`, `[name]`, `:name`, `?` or `$1` with its MAX; return None if no parameter stands here."""
        token = self.token
        ordinal = None
        style: Literal["[", ":", "?", "$"] = "["
        if token.word == "[":
            self.advance()
            if self.token.kind == "number":
                ordinal, _ = self.whole_number("the ordinal of a parameter, such as [1: name]")
                self.expect(":", "after the ordinal of a parameter")
            name = self._parameter_name()
            self.expect("]", "after the name of a parameter")
        elif token.word == ":":
            style = ":"
            self.advance()
            name = self._parameter_name()
        elif token.word == "?":
            style = "?"
            self.advance()
            self.question_marks += 1
            ordinal = self.question_marks
            name = f"p{ordinal}"
        elif token.word[:1] == "$":
            style = "$"
            ordinal = self._number_of_parameter()
            name = f"p{ordinal}"
        else:
            return None
        maximum, maximum_span = None, None
        end = self.last_end
        if self.token.word == "MAX" and self.peek().kind == "number":
            self.advance()
            maximum, maximum_span = self.positive_number("the number after MAX")
        parameter = ast.ParameterUse(
            name=name,
            ordinal=ordinal,
            max=maximum,
            max_span=maximum_span,
            style=style,
            span=Span(self.source, token.start, end),
        )
        self._check_style(parameter)
        return parameter

    def _number_of_parameter(self) -> int:
        """Take `$1` and return its number; raise SyntaxFault if it is not from 1 up."""
        token = self.advance()
        digits = token.text[1:].lstrip("0")
        if not digits or len(digits) > MAX_DIGITS:
            raise self.fault("bad-number", "parameters are numbered $1, $2, …", self.span_of(token))
        return int(digits)

    def _check_style(self, parameter: ast.ParameterUse) -> None:
        """Report the first parameter of a statement that is written in another way than those before it.

        `[name]` and `:name` are one way, `?` is another, `$1` a third.
        """
        first = self.first_parameter
        if first is None:
            self.first_parameter = parameter
            return
        if self.has_mixed_parameters or parameter.style.replace(":", "[") == first.style.replace(":", "["):
            return
        self.has_mixed_parameters = True
        ways = {"[": "names", ":": "names", "?": "?", "$": "numbers such as $1"}
        message = f"this statement writes its parameters as {ways[first.style]}, and this one as {parameter.span.text}"
        way_out = "write all parameters of a statement in one way: [name], ? or $1"
        labels = (Label(first.span, "the first parameter"),)
        self.note(report("parameter-style", message, parameter.span, labels=labels, help=way_out))

    def _parameter_name(self) -> str:
        """Take the name of a parameter, which may be a reserved word; raise SyntaxFault if none follows."""
        token = self.token
        if token.kind == "word":
            self.advance()
            return token.text
        raise self.expecting("the name of a parameter", "parameters are written [1: name], [name], :name, ? or $1")

    def check_length(self) -> None:
        """Raise SyntaxFault when the statement has more than MAX_TOKENS tokens."""
        if self.at > self.last_of_statement:
            raise self.fault(
                "too-many",
                f"this statement has more than {MAX_TOKENS:,} words and signs",
                self.span_of(self.token),
                "give long lists as a parameter: IN [name] MAX n",
            )

    def words_since(self, first: int, repeated: int) -> int:
        """Return how many words and signs were taken since token `first`, those `repeated` since then counted again."""
        return self.at - first + self.repeated - repeated

    def repeat(self, words: int) -> None:
        """Count words that are bound once more; raise SyntaxFault beyond MAX_REPEATED, in nested CASEs for instance."""
        self.repeated += words
        if self.repeated > MAX_REPEATED:
            message = (
                f"the values that CASE, BETWEEN and IS DISTINCT FROM compare have more than {MAX_REPEATED:,} words and "
                "signs, where nested ones count again"
            )
            raise self.fault(
                "too-many",
                message,
                self.span_of(self.tokens[self.at - 1]),
                "give it a name in a derived table: FROM (SELECT … AS name) AS t",
            )

    def check_terms(self, terms: int, clause: str) -> None:
        """Count one more term of GROUP BY or ORDER BY; raise SyntaxFault when the clause has more than MAX_TERMS."""
        self.terms += 1
        if terms > MAX_TERMS:
            raise self.fault("too-many", f"more than {MAX_TERMS:,} terms in one {clause}", self.span_of(self.token))

    def check_columns(self, columns: int, most: int = MAX_KEY_COLUMNS) -> None:
        """Raise SyntaxFault when a list of columns is longer than `most`."""
        if columns > most:
            message = f"more than {most:,} columns are listed here"
            raise self.fault("too-many", message, self.span_of(self.tokens[self.at - 1]))

    def check_row(self, values: int) -> None:
        """Raise SyntaxFault when a row value has more than MAX_KEY_COLUMNS values.

        A comparison of two rows tests each value once for each value behind it.
        """
        if values > MAX_KEY_COLUMNS:
            message = f"more than {MAX_KEY_COLUMNS} values are in one row"
            raise self.fault("too-many", message, self.span_of(self.tokens[self.at - 1]), "compare the first of them")

    def spelling_fix(self, span: Span, text: str) -> Fix:
        """Return the fix that replaces a span by `text`."""
        return Fix(f"Change to {text}", (Edit(span.file, span.start, span.end, text),))

    def enter_level(self, span_start: int) -> None:
        """Count one level of nesting; raise SyntaxFault beyond MAX_NESTING, before the parser's recursion overflows."""
        self.nesting += 1
        self.check_length()
        if self.nesting + self.chain // 2 > MAX_NESTING:
            raise self.fault(
                "nesting-too-deep",
                f"more than {MAX_NESTING} levels are nested here",
                Span(self.source, span_start, max(self.last_end, span_start + 1)),
                "rewrite the condition with fewer levels",
            )
