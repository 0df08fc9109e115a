"""Expressions, by operator precedence (Pratt's top-down parsing): `a + b * c = d AND NOT e`.

`ExpressionParser.expression` reads one operand (`_prefix`) and then goes on for as long as operators follow that bind
more tightly than the operator before it. Subqueries are read by `QueryParser`, the next layer.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from decimal import Decimal
from typing import Literal, cast

from piql.compiler.syntax import ast
from piql.compiler.syntax.arguments import arguments_of
from piql.compiler.syntax.case import case_expression
from piql.compiler.syntax.cursor import CLOCK_WORDS, MAX_CHAIN, RESERVED, Cursor, SyntaxFault
from piql.compiler.syntax.dates import begins_interval, extract, interval
from piql.compiler.syntax.lexer import unquote
from piql.compiler.syntax.precedence import AND, CAST, COMPARISON, NOT, OF_OPERATOR, SIGN
from piql.compiler.syntax.unsupported import CALLS, TESTS, TYPED_TEXTS, Unsupported
from piql.text.diagnostics.diagnostic import Edit, Fix
from piql.text.source import Span

MAX_CONDITIONS = 2_000  # joined by AND; every rule of the optimizer looks at each of them
MAX_NUMBER = 60  # characters of a number; no type holds as many digits
FEW_CONDITIONS = 10  # joined by AND; beyond these, the optimizer compares all with each other
MAX_BRANCHES = 3_000  # joined by OR; each may become a separate read

_QUANTIFIERS = ("ANY", "SOME", "ALL")
_SEARCHES: dict[str, Literal["LIKE", "CONTAINS", "ILIKE"]] = {
    "LIKE": "LIKE",
    "CONTAINS": "CONTAINS",
    "ILIKE": "ILIKE",
}

_WORD_LITERALS: dict[str, object] = {"TRUE": True, "FALSE": False, "NULL": None}


class ExpressionParser(Cursor, ABC):
    """The part of the parser that reads expressions."""

    @abstractmethod
    def query(self) -> ast.QueryExpression:
        """Parse a query; `QueryParser` implements it."""

    @abstractmethod
    def order(self) -> ast.OrderClause:
        """Parse ORDER BY; `QueryParser` implements it."""

    @abstractmethod
    def type_name(self, expected: str) -> ast.TypeName:
        """Parse a type; `DefinitionParser` implements it."""

    def expression(self, power: int = 0) -> ast.Expression:
        """Parse an expression whose operators all bind more tightly than `power` (a number of `precedence`).

        Raise SyntaxFault where none stands here, or where it has too many operators, levels or operands.
        """
        start = self.token.start
        self.enter_level(start)
        first, repeated = self.at, self.repeated
        chain_before = self.chain
        left = self._prefix()
        has_compared = False
        while True:
            word = self.token.word
            operator_power = OF_OPERATOR.get(word, 0)
            if operator_power <= power:
                break
            if operator_power == COMPARISON:
                if has_compared:
                    raise self.fault(
                        "syntax-error",
                        "comparisons cannot be chained",
                        self.span_of(self.token),
                        "join two comparisons with AND",
                    )
                has_compared = True
                left = self._comparison(left, start, word)
                if isinstance(left, ast.Between) and not isinstance(left.operand, ast.ColumnName):
                    self.repeat(self.words_since(first, repeated))
                if isinstance(left, ast.DistinctTest):
                    self.repeat(2 * self.words_since(first, repeated))
            elif operator_power == CAST:
                self._count_link()
                left = self._cast_behind(left, start)
            elif operator_power <= AND:
                left = self._junction(left, start, word, operator_power)
            else:
                self._count_link()
                self.advance()
                right = self.expression(operator_power)
                left = ast.Binary(operator=word, left=left, right=right, span=self.span_from(start))  # type: ignore[arg-type]
        self.nesting -= 1
        if self.nesting == 0:
            self.chain = 0
        elif power == 0:
            self.chain = max(self.chain, chain_before)
        return left

    def _count_link(self) -> None:
        """Count one more operator of a chain such as a + b + c; raise SyntaxFault beyond MAX_CHAIN."""
        self.chain += 1
        if self.chain > MAX_CHAIN:
            raise self.fault(
                "too-many",
                f"more than {MAX_CHAIN} operators are in one expression",
                self.span_of(self.token),
            )

    def _cast_behind(self, left: ast.Expression, start: int) -> ast.Cast:
        """Parse the `::type` behind an operand."""
        self.advance()
        type_name = self.type_name("a type after ::, such as INT or VARCHAR(32)")
        return ast.Cast(operand=left, type=type_name, has_colons=True, span=self.span_from(start))

    def _cast(self, name: ast.Name) -> ast.Cast:
        """Parse `(operand AS type)` behind the word CAST."""
        self.expect("(", "after CAST")
        operand = self.expression()
        self.expect("AS", "and a type after the value of CAST")
        type_name = self.type_name("a type after AS, such as INT or VARCHAR(32)")
        self.expect(")", "after the type of CAST")
        return ast.Cast(operand=operand, type=type_name, span=self.span_from(name.span.start))

    def _junction(self, left: ast.Expression, start: int, word: str, power: int) -> ast.Expression:
        """Parse what follows the first operand of an AND or OR (`word`), all operands of the chain as one node."""
        operands = [left]
        junctions = int(isinstance(left, ast.Junction))  # operands of an OR that are ANDs
        while self.accept(word):
            operands.append(self.expression(power))
            if word == "AND" and len(operands) > MAX_CONDITIONS:
                span = self.span_of(self.tokens[self.at - 1])
                raise self.fault("too-many", f"more than {MAX_CONDITIONS:,} conditions are joined by AND", span)
            if isinstance(operands[-1], ast.Junction) and word == "OR":
                junctions += 1
                if junctions > MAX_BRANCHES:
                    span = self.span_of(self.tokens[self.at - 1])
                    message = f"more than {MAX_BRANCHES:,} branches of several conditions are joined by OR"
                    raise self.fault("too-many", message, span, "split the query into several")
        if word == "AND":
            self.conditions += max(0, len(operands) - FEW_CONDITIONS)
        else:
            self.branches += len(operands)
        return ast.Junction(
            operator="AND" if word == "AND" else "OR", operands=tuple(operands), span=self.span_from(start)
        )

    def _comparison(self, left: ast.Expression, start: int, word: str) -> ast.Expression:
        """Parse what follows the left operand of a comparison; `word` is its first word or symbol, not yet taken."""
        self.advance()
        is_negated = False
        if word == "IS":
            return self._is_test(left, start)
        if word == "NOT":
            is_negated = True
            word = self.token.word
            if word not in ("IN", "BETWEEN", *_SEARCHES):
                raise self.expecting("IN, LIKE, CONTAINS or BETWEEN after NOT")
            self.advance()
        if word == "IN":
            return self._in(left, start, is_negated)
        if word in _SEARCHES:
            pattern = self.expression(COMPARISON)
            return ast.Like(
                operand=left,
                pattern=pattern,
                keyword=_SEARCHES[word],
                is_negated=is_negated,
                span=self.span_from(start),
            )
        if word == "BETWEEN":
            low = self.expression(COMPARISON)
            self.expect("AND", "between the two ends of BETWEEN")
            high = self.expression(COMPARISON)
            return ast.Between(operand=left, low=low, high=high, is_negated=is_negated, span=self.span_from(start))
        if word == "=" and self.token.word == "=":
            span = self.span_of(self.tokens[self.at - 1]).to(self.span_of(self.token))
            fix = Fix("Change to =", (Edit(span.file, span.start, span.end, "="),))
            raise self.fault("syntax-error", "values are compared with a single =", span, "write =", (fix,))
        if self.token.word in _QUANTIFIERS and self.peek().word == "(":
            among = self._among_parameter(left, start, word)
            if among is not None:
                return among
        right = self.expression(COMPARISON)
        operator = "<>" if word == "!=" else word
        if isinstance(left, ast.Row):
            self._count_values_of_rows(len(left.items))
        return ast.Binary(operator=operator, left=left, right=right, span=self.span_from(start))  # type: ignore[arg-type]

    def _is_test(self, left: ast.Expression, start: int) -> ast.Expression:
        """Parse what follows IS: NULL or DISTINCT FROM, with or without NOT."""
        before = self.last_end
        is_negated = self.accept("NOT") is not None
        if self.token.word in ("TRUE", "FALSE"):
            raise self._truth_test(is_negated, before)
        if self.accept("DISTINCT"):
            self.expect("FROM", "after IS DISTINCT")
            right = self.expression(COMPARISON)
            return ast.DistinctTest(left=left, right=right, is_negated=is_negated, span=self.span_from(start))
        if self.token.word in TESTS:
            raise self.unsupported(TESTS[self.token.word])
        self.expect("NULL", "after IS")
        return ast.NullTest(operand=left, is_negated=is_negated, span=self.span_from(start))

    def _count_values_of_rows(self, values: int) -> None:
        """Count the values of a row comparison as branches, as of an OR; raise SyntaxFault beyond MAX_BRANCHES."""
        self.branches += values
        self.values_of_rows += values
        if self.values_of_rows > MAX_BRANCHES:
            message = f"more than {MAX_BRANCHES:,} values are compared as rows in one statement"
            raise self.fault(
                "too-many", message, self.span_of(self.tokens[self.at - 1]), "split the query into several"
            )

    def _truth_test(self, is_negated: bool, before: int) -> SyntaxFault:
        """Return the SyntaxFault of IS TRUE or IS FALSE; `before` is the offset behind IS.

        The fix `= TRUE` means the same where NULL and FALSE need not be told apart.
        """
        word = self.token.word
        if is_negated:
            opposite = "FALSE" if word == "TRUE" else "TRUE"
            return self.unsupported(Unsupported(f"IS NOT {word}", f"write (column = {opposite} OR column IS NULL)"))
        edit = Edit(self.source.name, before - len("IS"), self.token.end, f"= {word}")
        fix = Fix(f"Change to = {word}", (edit,))
        return self.unsupported(Unsupported(f"IS {word}", f"write column = {word}"), (fix,))

    def _in(self, left: ast.Expression, start: int, is_negated: bool) -> ast.Expression:
        """Parse what follows IN: a list parameter, a list of values in parentheses, or a subquery."""
        parameter = self.parameter()
        if parameter is not None:
            return ast.In(
                operand=left, items=(parameter,), is_list=True, is_negated=is_negated, span=self.span_from(start)
            )
        if self.token.word != "(":
            raise self.expecting(
                "a list after IN", "write IN (1, 2, 3), IN [ids] MAX 50 for a list parameter, or IN (SELECT …)"
            )
        self.advance()
        if self.token.word in ("SELECT", "WITH"):
            query = self._subquery()
            self.expect(")", "after the subquery")
            return ast.InQuery(operand=left, query=query, is_negated=is_negated, span=self.span_from(start))
        items = [self.expression()]
        while self.accept(","):
            items.append(self.expression())
        self.expect(")", "after the list of IN")
        if isinstance(left, ast.Row):
            self.branches += len(items)  # each is a test of several columns, as in an OR
            if len(items) > MAX_BRANCHES:
                message = f"more than {MAX_BRANCHES:,} rows are in one IN"
                raise self.fault("too-many", message, items[MAX_BRANCHES].span, "split the query into several")
        only = items[0]
        is_list = len(items) == 1 and isinstance(only, ast.ParameterUse) and only.max is not None
        return ast.In(
            operand=left, items=tuple(items), is_list=is_list, is_negated=is_negated, span=self.span_from(start)
        )

    def _among_parameter(self, left: ast.Expression, start: int, word: str) -> ast.Expression | None:
        """Parse `= ANY($1)` as `IN $1`, and `<> ALL($1)` as `NOT IN $1`; None where no parameter stands there.

        `word` is the comparison, already taken.
        """
        if word not in (("=",) if self.token.word in ("ANY", "SOME") else ("<>", "!=")):
            return None
        if self.peek(2).word not in ("[", ":", "?") and self.peek(2).word[:1] != "$":
            return None
        quantifier = self.advance().word
        self.advance()
        parameter = cast(ast.ParameterUse, self.parameter())
        self.expect(")", f"after the list of {quantifier}")
        return ast.In(
            operand=left, items=(parameter,), is_list=True, is_negated=word != "=", span=self.span_from(start)
        )

    def _subquery(self) -> ast.QueryExpression:
        """Parse a subquery of an expression; tables read inside count how many such subqueries are around them."""
        self.subquery_depth += 1
        query = self._nested_query()
        self.subquery_depth -= 1
        return query

    def _nested_query(self) -> ast.QueryExpression:
        """Parse a subquery or derived table; the chain of operators is counted anew inside it."""
        self.enter_level(self.token.start)
        query = self.query()
        self.nesting -= 1
        return query

    def _prefix(self) -> ast.Expression:
        """Parse an operand with the NOT, minus or plus before it; raise SyntaxFault if none stands here."""
        token = self.token
        kind = token.kind
        if kind == "word":
            word = token.word
            if word == "INTERVAL" and begins_interval(self):
                return interval(self)
            if word in TYPED_TEXTS and self.peek().kind == "string":
                return self._typed_text()
            if word not in RESERVED:
                return self._name_or_call()
            return self._reserved_word()
        if kind == "number":
            self.advance()
            return self._number(token.text, token.start)
        if kind == "string":
            self.advance()
            return ast.LiteralValue(value=unquote(token), span=self.span_of(token))
        if kind == "quoted":
            return self._name_or_call()
        if kind == "blob":
            self.advance()
            return self._blob(token.text, self.span_of(token))
        if kind == "symbol":
            if token.word == "(":
                return self._parenthesis()
            if token.word == "[" and self.is_bracketed_qualifier():
                return self._name_or_call()
            if token.word in ("[", ":", "?") or token.word[0] == "$":
                return cast(ast.ParameterUse, self.parameter())
            if token.word == "-":
                self.advance()
                if self.token.kind == "number" and self.peek().word != "::":  # that binds more tightly than the minus
                    number = self.advance()
                    return self._number("-" + number.text, token.start)
                operand = self.expression(SIGN)
                return ast.Unary(operator="-", operand=operand, span=self.span_from(token.start))
            if token.word == "+":
                self.advance()
                return self.expression(SIGN)
        raise self.expecting("a value or a column")

    def _clock_word(self) -> ast.Expression:
        """Parse CURRENT_TIMESTAMP or CURRENT_DATE, with `()` behind it or without, as a call."""
        token = self.advance()
        name = ast.Name(text=token.word, span=self.span_of(token))
        return self._call(name) if self.token.word == "(" else ast.Call(name=name, arguments=(), span=name.span)

    def _reserved_word(self) -> ast.Expression:
        """Parse an operand that begins with a reserved word; raise SyntaxFault if none does."""
        token = self.token
        word = token.word
        if word in _WORD_LITERALS:
            self.advance()
            return ast.LiteralValue(value=_WORD_LITERALS[word], span=self.span_of(token))
        if word in CLOCK_WORDS:
            return self._clock_word()
        if word == "NOT":
            self.advance()
            operand = self.expression(NOT)
            return ast.Unary(operator="NOT", operand=operand, span=self.span_from(token.start))
        if word == "EXISTS":
            self.advance()
            self.expect("(", "after EXISTS")
            query = self._subquery()
            self.expect(")", "after the subquery")
            return ast.ExistsQuery(query=query, span=self.span_from(token.start))
        if word in ("LEFT", "RIGHT") and self.peek().word == "(":
            self.advance()
            return self._call(ast.Name(text=token.text, span=self.span_of(token)))
        if word == "CASE":
            return case_expression(self)
        way_out = "a query that is a value stands in parentheses: (SELECT …)" if word == "SELECT" else ()
        raise self.expecting("a value or a column", way_out)

    def _typed_text(self) -> ast.Expression:
        """Parse `DATE '2024-01-01'` as a CAST of the text."""
        word, text = self.advance(), self.advance()
        literal = ast.LiteralValue(value=unquote(text), span=self.span_of(text))
        type_name = ast.TypeName(name=word.word, span=self.span_of(word))
        return ast.Cast(operand=literal, type=type_name, span=self.span_from(word.start))

    def _number(self, text: str, start: int) -> ast.Expression:
        """Return a number as int, Decimal (with a point) or float (with an exponent); raise SyntaxFault if too long."""
        span = self.span_from(start)
        if len(text) > MAX_NUMBER:
            raise self.fault("bad-number", "this number has too many digits", span)
        if "e" in text or "E" in text:
            value: object = float(text)
            if value in (float("inf"), float("-inf")):
                raise self.fault("bad-number", f"{text} is larger than any DOUBLE", span)
        else:
            value = Decimal(text) if "." in text else int(text)
        return ast.LiteralValue(value=value, span=span)

    def _blob(self, text: str, span: Span) -> ast.Expression:
        try:
            return ast.LiteralValue(value=bytes.fromhex(text[2:-1]), span=span)
        except ValueError:
            message = "a BLOB literal is pairs of hexadecimal digits, such as X'00FF'"
            raise self.fault("bad-number", message, span) from None

    def _parenthesis(self) -> ast.Expression:
        """Parse `(expression)`, a row `(a, b)`, or a subquery `(SELECT …)`."""
        start = self.advance().start
        if self.token.word in ("SELECT", "WITH"):
            query = self._subquery()
            self.expect(")", "after the subquery")
            return ast.ScalarQuery(query=query, span=self.span_from(start))
        inner = self.expression()
        if self.token.word == ",":
            items = [inner]
            while self.accept(","):
                items.append(self.expression())
                self.check_row(len(items))
            self.expect(")", "after the last value")
            return ast.Row(items=tuple(items), span=self.span_from(start))
        self.expect(")", "to close the parenthesis")
        return inner

    def _name_or_call(self) -> ast.Expression:
        name = self.name("a column")
        if self.token.word == ".":
            self.advance()
            column = self.name("a column after the dot")
            return ast.ColumnName(qualifier=name, name=column, span=self.span_from(name.span.start))
        if self.token.word == "(" and not name.is_quoted:
            return self._call(name)
        return ast.ColumnName(qualifier=None, name=name, span=name.span)

    def _call(self, name: ast.Name) -> ast.Expression:
        """Parse the arguments of a call; raise SyntaxFault for a construct of SQL that only looks like one."""
        if name.text.upper() == "CAST":
            return self._cast(name)
        if name.text.upper() == "EXTRACT":
            return extract(self, name)
        unsupported = CALLS.get(name.text.upper())
        if unsupported is not None and (unsupported.name in ("CONVERT", "ANY", "SOME") or self.peek().word == "SELECT"):
            raise self.fault("not-in-piql", unsupported.message, name.span, unsupported.way_out)
        self.advance()
        if name.text.upper() in ("MIN", "MAX"):
            self.extremes += 1 + (self.subquery_depth > 0)  # a subquery is also planned once by itself
        arguments: Sequence[ast.Expression] = ()
        is_distinct = is_star = False
        if self.token.word == "*" and self.peek().word == ")":
            self.advance()
            is_star = True
        elif self.token.word != ")":
            is_distinct = self.accept("DISTINCT") is not None
            name, arguments = arguments_of(self, name)
        order = self.order() if arguments and self.token.word == "ORDER" else None
        self.expect(")", f"after the arguments of {name.text.upper()}")
        condition = over = None
        if self.token.word == "FILTER" and self.peek().word == "(":
            condition = self._filter()
        if self.token.word == "OVER":
            over = self._over()
        return ast.Call(
            name=name,
            arguments=tuple(arguments),
            is_distinct=is_distinct,
            is_star=is_star,
            over=over,
            filter=condition,
            order=order,
            span=self.span_from(name.span.start),
        )

    def _filter(self) -> ast.Expression:
        """Parse the `FILTER (WHERE condition)` behind an aggregate."""
        self.advance()
        self.expect("(", "after FILTER")
        self.expect("WHERE", "in FILTER")
        condition = self.expression()
        self.expect(")", "after the condition of FILTER")
        return condition

    def _over(self) -> Span:
        """Skip an OVER clause and return its span; binding refuses it."""
        start = self.advance().start
        if self.token.word == "(":
            depth = 0
            while self.token.kind != "end":
                word = self.advance().word
                depth += (word == "(") - (word == ")")
                if depth == 0:
                    break
        elif self.is_name():
            self.advance()
        return self.span_from(start)
