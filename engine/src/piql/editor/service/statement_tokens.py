"""The statement around an offset, as tokens. Works on a text that does not parse, since it is being typed.

Its queries are blocks, one for each SELECT, nested by parentheses:

    CREATE QUERY q AS SELECT … FROM a WHERE id IN (SELECT … FROM b)
                      └ block 0 ───────────────────└ block 1, inside 0
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from piql.compiler.syntax.cursor import CREATABLE, RESERVED
from piql.compiler.syntax.lexer import Token, is_closed, tokenize, unquote
from piql.text.source import Source


@dataclass(slots=True)
class NamedRelation:
    """A table or derived table of a FROM clause, by the name it has in its query."""

    alias: str
    table: str | None  # None for a derived table
    outputs: tuple[str, ...] = ()  # the columns of a derived table


@dataclass(slots=True)
class Block:
    """One SELECT: its relations and the names of its outputs."""

    outer: Block | None
    start: int  # index of its SELECT among the tokens
    end: int = 0  # index of the token behind it
    depth: int = 0  # parentheses around it
    relations: list[NamedRelation] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class TypingContext:
    """Where somebody types: the tokens of the statement, those before the cursor, the word begun, and the blocks."""

    tokens: list[Token]  # of the whole statement, the word begun left out
    before: int  # how many of them stand before the cursor
    prefix: str
    blocks: list[Block]
    with_columns: dict[str, tuple[str, ...]]  # the columns of each query of WITH, by its name
    unit: list[Token] = field(default_factory=list)  # of the unit around the statement, those before it

    def previous(self, back: int = 1) -> Token | None:
        """Return the token `back` tokens before the cursor; None before the first one."""
        at = self.before - back
        return self.tokens[at] if at >= 0 else None

    def word(self, back: int = 1) -> str:
        """Return the word of that token in capital letters, or its symbol; empty if there is none."""
        token = self.previous(back)
        return token.word if token is not None else ""

    def block(self) -> Block | None:
        """Return the innermost SELECT around the cursor."""
        blocks = [block for block in self.blocks if block.start < self.before <= block.end]
        return max(blocks, key=lambda block: block.start) if blocks else None


def context_at(text: str, offset: int) -> TypingContext | None:
    """Return the context of an offset; None inside a comment or a quoted text."""
    lexed = tokenize(Source(text))
    if any(
        comment.start < offset < comment.end or (comment.end == offset and comment.text[:2] == "--")
        for comment in lexed.comments
    ):
        return None
    tokens = lexed.tokens[:-1]
    prefix = ""
    whole_tokens: list[Token] = []
    for token in tokens:
        if token.start < offset <= token.end:
            if token.kind in ("string", "blob") and (offset < token.end or not is_closed(token)):
                return None
            if token.kind in ("word", "quoted"):
                prefix = text[token.start : offset]
                continue
            if token.kind == "number":
                return None
        whole_tokens.append(token)
    before = sum(token.end <= offset for token in whole_tokens)
    start = _statement_start(whole_tokens, before)
    unit, start = _unit_around(whole_tokens, start, before)
    end = before
    while end < len(whole_tokens) and whole_tokens[end].word != ";" and not _is_create(whole_tokens, end):
        end += 1
    statement = whole_tokens[start:end]
    blocks = _blocks(statement)
    return TypingContext(statement, before - start, prefix, blocks, _with_columns(statement, blocks), unit)


def _is_create(tokens: list[Token], at: int) -> bool:
    return tokens[at].word == "CREATE" and at + 1 < len(tokens) and tokens[at + 1].word in CREATABLE


def _statement_start(tokens: list[Token], before: int) -> int:
    """Return the index of the first token of the statement that the token `before` belongs to."""
    for at in range(before - 1, -1, -1):
        if tokens[at].word == ";":
            return at + 1
        if _is_create(tokens, at):
            return at
    return 0


def _unit_around(tokens: list[Token], start: int, before: int) -> tuple[list[Token], int]:
    """Return the tokens of a unit up to the statement of it that begins at `start`, and where that begins.

    The first statement of a unit begins behind BEGIN. Outside of units there are no tokens.
    """
    first = start
    while first > 0 and (first == len(tokens) or not _is_create(tokens, first)):
        if tokens[first - 1].word == ";" and first > 1 and tokens[first - 2].word == "END":
            return [], start
        first -= 1
    words = [token.word for token in tokens[first : first + 5]]
    if words[:2] != ["CREATE", "UNIT"] or words[4:] != ["BEGIN"] or before < first + 5:
        return [], start
    begins = max(start, first + 5)
    return tokens[first:begins], begins


def _blocks(tokens: list[Token]) -> list[Block]:
    """Return the blocks of a statement in the order of their SELECTs, with relations and outputs."""
    blocks: list[Block] = []
    open_blocks: list[Block] = []
    depth = 0
    for at, token in enumerate(tokens):
        if token.word == "(":
            depth += 1
        elif token.word == ")":
            depth -= 1
            while open_blocks and open_blocks[-1].depth > depth:
                open_blocks.pop().end = at
        elif token.word == "SELECT":
            while open_blocks and open_blocks[-1].depth >= depth:  # the next query of a UNION
                open_blocks.pop().end = at
            block = Block(open_blocks[-1] if open_blocks else None, at, len(tokens), depth)
            blocks.append(block)
            open_blocks.append(block)
    for block in reversed(blocks):
        _read_block(tokens, block, blocks)
    return blocks


def _read_block(tokens: list[Token], block: Block, blocks: list[Block]) -> None:
    """Add the relations and outputs of one SELECT to its block; the names in its subqueries are passed over.

    SELECT a.x AS y, … FROM a, (SELECT …) d WHERE …   an output is the last name before a comma or FROM;
                                                      a relation is what stands behind FROM, JOIN or a comma
    """
    clause = "SELECT"
    depth = 0  # of parentheses inside this SELECT
    at = block.start + 1
    last_name: str | None = None
    expects_table = False
    while at < block.end:
        token = tokens[at]
        word = token.word
        if word == "(" and at + 1 < len(tokens) and tokens[at + 1].word == "SELECT":
            inner = next(block for block in blocks if block.start == at + 1)
            at = inner.end + 1
            if clause == "FROM" and depth == 0 and expects_table:
                alias, at = _alias(tokens, at)
                if alias:
                    block.relations.append(NamedRelation(alias, None, tuple(inner.outputs)))
                expects_table = False
            continue
        depth += (word == "(") - (word == ")")
        if depth == 0:
            if word in ("FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "PAGINATE"):
                if clause == "SELECT" and last_name:
                    block.outputs.append(last_name)
                clause = word
                expects_table = word == "FROM"
            elif word == "," and clause == "SELECT":
                if last_name:
                    block.outputs.append(last_name)
                last_name = None
            elif clause == "FROM" and word in ("JOIN", ","):
                expects_table = True
            elif clause == "FROM" and expects_table and _is_name(token):
                alias, following = _alias(tokens, at + 1)
                table = name_of(token)
                block.relations.append(NamedRelation(alias or table, table))
                expects_table = False
                at = following
                continue
            elif clause == "SELECT":
                last_name = name_of(token) if _is_name(token) else None
        at += 1


def _with_columns(tokens: list[Token], blocks: list[Block]) -> dict[str, tuple[str, ...]]:
    """Return the columns of the queries of WITH: those that are named, else the outputs of the query itself."""
    columns: dict[str, tuple[str, ...]] = {}
    for at, token in enumerate(tokens[:-2]):
        if token.word not in ("WITH", "RECURSIVE", ",") or not _is_name(tokens[at + 1]):
            continue
        following = at + 2
        names: tuple[str, ...] = ()
        if tokens[following].word == "(":
            closing = next((end for end in range(following, len(tokens)) if tokens[end].word == ")"), len(tokens))
            names = tuple(name_of(column) for column in tokens[following:closing] if _is_name(column))
            following = closing + 1
        if [keyword.word for keyword in tokens[following : following + 2]] == ["AS", "("]:
            first = next((block for block in blocks if block.start == following + 2), None)
            columns[name_of(tokens[at + 1])] = names or (tuple(first.outputs) if first is not None else ())
    return columns


def is_end_of_with(tokens: list[Token]) -> bool:
    """Return whether tokens end behind the parenthesis of a query of WITH: `WITH name AS (…)`."""
    if not tokens or tokens[-1].word != ")" or all(token.word != "WITH" for token in tokens):
        return False
    depth = 0
    for at in range(len(tokens) - 1, 0, -1):
        depth += (tokens[at].word == ")") - (tokens[at].word == "(")
        if depth == 0:
            return tokens[at - 1].word == "AS"
    return False


def _is_name(token: Token) -> bool:
    return token.kind == "quoted" or (token.kind == "word" and token.word not in RESERVED)


def name_of(token: Token) -> str:
    """Return the name that a token stands for, without its quotes."""
    return unquote(token) if token.kind == "quoted" else token.text


def names_of_lets(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield the names of the values that a unit declares: `LET name = …` or `LET (name, name) = …`."""
    for at, token in enumerate(tokens):
        if token.word == "LET" and at + 1 < len(tokens):
            end = at + 2
            if tokens[at + 1].word == "(":
                end = next((here for here in range(at, len(tokens)) if tokens[here].word == ")"), len(tokens))
            yield from (name for name in tokens[at + 1 : end] if name.kind == "word")


def _alias(tokens: list[Token], at: int) -> tuple[str | None, int]:
    """Return the alias that stands at an index, if one does, and the index behind it."""
    if at < len(tokens) and tokens[at].word == "AS":
        at += 1
    if at < len(tokens) and _is_name(tokens[at]):
        return name_of(tokens[at]), at + 1
    return None, at
