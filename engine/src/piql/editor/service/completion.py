"""What may be typed next: tables, columns of the aliases in scope, functions, types, parameters, keywords.

`complete` is the entry. `_Completion` decides by the words of the statement before the cursor, without parsing:

    CREATE QUERY q AS SELECT t.| FROM thoughts t      → the columns of thoughts
    … FROM users u JOIN follows f ON |                → u.username = f.owner, then columns
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from piql.compiler.binding.functions import AGGREGATES, USAGES
from piql.compiler.binding.supplied import SUPPLIED
from piql.editor.service.completion_items import (
    CompletionItem,
    column_detail,
    column_items,
    key_conditions,
    keywords,
    plain_item,
)
from piql.editor.service.names import Names
from piql.editor.service.renaming import written
from piql.editor.service.statement_tokens import (
    Block,
    NamedRelation,
    TypingContext,
    context_at,
    is_end_of_with,
    name_of,
    names_of_lets,
)
from piql.editor.service.view_clauses import in_view, in_window
from piql.schema.catalog import Table
from piql.schema.thresholds import SETTINGS
from piql.schema.types import KINDS

_CLAUSES = frozenset("FROM WHERE GROUP HAVING ORDER LIMIT PAGINATE SET VALUES IF ON JOIN SELECT RETURNING".split())

# What may follow a complete operand or table in each clause, most likely first.
_NAMED = (["CREATE", "QUERY"], ["CREATE", "VIEW"])  # AS and what it stands for follow the name
_AFTER_CLAUSE = ("WHERE", "GROUP BY", "HAVING", "ORDER BY", "LIMIT", "PAGINATE", "UNION", "UNION ALL")
_FOLLOWING: dict[str, tuple[str, ...]] = {
    "SELECT": ("FROM", "AS"),
    "FROM": ("JOIN", "LEFT JOIN", *_AFTER_CLAUSE),
    "JOIN": ("ON", "USING"),
    "ON": ("AND", "OR", "JOIN", "LEFT JOIN", *_AFTER_CLAUSE),
    "WHERE": ("AND", "OR", "IN", "LIKE", "CONTAINS", "BETWEEN", "IS NULL", "IS NOT NULL", *_AFTER_CLAUSE[1:]),
    "GROUP": _AFTER_CLAUSE[2:],
    "HAVING": ("AND", "OR", *_AFTER_CLAUSE[3:]),
    "ORDER": ("DESC", "ASC", "LIMIT", "PAGINATE", "NULLS FIRST", "NULLS LAST"),
    "LIMIT": ("MAX",),
    "PAGINATE": ("MAX",),
    "SET": ("WHERE",),
    "IF": ("AND", "OR", "IN", "LIKE", "CONTAINS", "BETWEEN", "IS NULL", "IS NOT NULL"),
    "VALUES": ("IF NOT EXISTS", "ON CONFLICT"),
}
# Words behind which an operand is expected.
_OPERAND_FOLLOWS = frozenset(
    "SELECT DISTINCT WHERE AND OR NOT ON BY HAVING LIKE CONTAINS BETWEEN IF CASE WHEN THEN ELSE "
    ", ( = <> != < <= > >= + - * / % ||".split()
)
_ELEMENTS = ("PRIMARY KEY", "FOREIGN KEY", "CARDINALITY LIMIT", "UNIQUE", "CHECK", "CONSTRAINT")
_TYPE_NAMES = tuple(kind.value for kind in KINDS)
_AFTER_TYPE = ("NOT NULL", "NULL", "DEFAULT", "PRIMARY KEY", "UNIQUE", "CHECK", "REFERENCES")


def complete(texts: Mapping[str, str], file: str, offset: int) -> tuple[CompletionItem, ...]:
    """Return what may stand at an offset of one of the files, the likeliest first."""
    context = context_at(texts.get(file, ""), offset)
    if context is None:
        return ()
    tables = Names(texts).tables
    items: dict[tuple[str, str], CompletionItem] = {}
    prefix = context.prefix.strip('"').lower()
    for item in _Completion(context, tables).items():
        if prefix in item.label.lower():
            items.setdefault((item.kind, item.label), item)
    starting = [item for item in items.values() if item.label.lower().startswith(prefix)]
    return (*starting, *(item for item in items.values() if not item.label.lower().startswith(prefix)))


class _Completion:
    """Decides by the words before the cursor what may follow."""

    def __init__(self, context: TypingContext, tables: Mapping[str, Table]) -> None:
        self.context = context
        self.tables = tables
        self.by_fold = {name.lower(): table for name, table in tables.items()}

    def items(self) -> Iterator[CompletionItem]:
        """Yield what may follow, the likeliest first."""
        context = self.context
        words = [token.word for token in context.tokens[: context.before]]
        if context.unit and (not words or words[0] == "LET"):
            yield from self._in_unit(words)
        elif not words:
            yield from keywords(
                "CREATE QUERY",
                "CREATE TABLE",
                "CREATE INDEX",
                "CREATE VIEW",
                "CREATE UNIT",
                "SELECT",
                "INSERT INTO",
                "UPDATE",
                "DELETE FROM",
                "SET",
            )
        elif words == ["SET"]:
            yield from keywords(*SETTINGS)
        elif words == ["CREATE"]:
            yield from keywords("QUERY", "TABLE", "INDEX", "VIEW", "UNIT")
        elif words[-1] == ".":
            yield from self._after_dot()
        elif words[-1] in ("[", ":"):
            yield from self._parameters()
        elif words[:2] == ["CREATE", "TABLE"]:
            yield from self._in_table(words)
        elif words[:2] == ["CREATE", "INDEX"]:
            yield from self._in_index(words)
        elif words[:2] == ["CREATE", "VIEW"] and "WINDOW" in words:
            yield from in_window(words[words.index("WINDOW") + 1 :])
        elif words[:2] == ["CREATE", "UNIT"] and "BEGIN" not in words:
            yield from keywords(*(("AS BEGIN",) if len(words) == 3 else ("BEGIN",) if words[-1] == "AS" else ()))
        elif words[:2] in _NAMED and "AS" not in words:
            yield from self._behind_name(words)
        elif words[:2] in _NAMED and words[-1] == "AS" and words.count("AS") == 1:
            yield from keywords("SELECT")
            if words[1] == "QUERY":
                yield from keywords("INSERT INTO", "UPDATE", "DELETE FROM", "WITH RECURSIVE")
        else:
            yield from in_view(words)
            yield from self._in_statement(words)

    def _in_unit(self, words: list[str]) -> Iterator[CompletionItem]:
        """Yield what begins a statement of a unit, or follows in a LET."""
        if not words:
            yield from keywords("LET", "INSERT INTO", "UPDATE", "DELETE FROM", "END")
        elif len(words) == 2 or ("=" not in words and words[-1] == ")"):
            yield from keywords("=")
        elif "=" in words:
            if words.index("=") == len(words) - 1:
                yield from keywords("(SELECT")
            yield from self._in_statement(words)

    def _behind_name(self, words: list[str]) -> Iterator[CompletionItem]:
        """Yield what follows the name of a query or a view, up to AS."""
        is_query = words[1] == "QUERY"
        if len(words) == 3:
            yield from keywords("AS", *(("WITH READ", "WITH WRITE") if is_query else ()))
        elif is_query and words[3:] == ["WITH"]:
            yield from keywords("READ", "WRITE")
        elif is_query and words[3:] == ["WITH", "READ"]:
            yield from keywords("EVENTUAL", "QUORUM", "SESSION")
        elif is_query and words[3:] == ["WITH", "WRITE"]:
            yield from keywords("QUORUM", "ALL")
        elif is_query and len(words) == 6:
            yield from keywords("AS")

    # Queries and writes

    def _in_statement(self, words: list[str]) -> Iterator[CompletionItem]:
        """Yield what follows in a query or a write."""
        last = words[-1]
        clause = self._clause(words)
        if (last in ("FROM", "JOIN", "INTO", "UPDATE") and "DO" not in words) or (last == "," and clause == "FROM"):
            yield from self._tables()
        elif is_end_of_with(self.context.tokens[: self.context.before]):
            yield from keywords("MAX 5 LEVELS", "SELECT")
        elif last == "WITH":
            yield from keywords("RECURSIVE")
        elif last == "INSERT":
            yield from keywords("INTO")
        elif last == "RETURNING" or (last == "," and clause == "RETURNING"):
            yield from self._target_columns(words)
        elif "CONFLICT" in words and "INTO" in words:
            yield from self._on_conflict(words, words[words.index("CONFLICT") + 1 :])
        elif last == "DELETE":
            yield from keywords("FROM")
        elif last in ("LEFT", "INNER", "CROSS"):
            yield from keywords("JOIN")
        elif last in ("GROUP", "ORDER"):
            yield from keywords("BY")
        elif last == "IS":
            yield from keywords("NULL", "NOT NULL", "DISTINCT FROM", "NOT DISTINCT FROM")
        elif last == "UNION":
            yield from keywords("SELECT", "ALL")
        elif last in ("LIMIT", "PAGINATE"):
            yield from self._parameters(bracketed=True)
        elif "INTO" in words and self.context.block() is None:
            yield from self._in_insert(words)
        elif last in ("SET",) or (last == "," and clause == "SET"):
            yield from self._target_columns(words)
        elif last in _OPERAND_FOLLOWS:
            yield from self._operands(words, clause)
        else:
            if words.count("CASE") > words.count("END"):
                yield from keywords("WHEN", "THEN", "ELSE", "END")
            yield from keywords(*_FOLLOWING.get(clause, ("SET", "WHERE")))
            if clause in ("WHERE", "ORDER", "LIMIT") and self.context.block() is None:
                yield from keywords("IF", "RETURNING")
            if clause == "SELECT" or last == ")":
                yield from keywords("FROM")

    def _clause(self, words: list[str]) -> str:
        """Return the clause keyword that governs the cursor: the last one outside of finished parentheses."""
        depth = 0
        for word in reversed(words):
            depth += (word == ")") - (word == "(")
            if depth < 0:
                depth = 0
            if depth == 0 and word in _CLAUSES:
                return word
        return ""

    def _operands(self, words: list[str], clause: str) -> Iterator[CompletionItem]:
        """Yield what an expression may begin with: conditions of a join, columns, parameters, functions."""
        block = self.context.block()
        if words[-1] == "ON" and block is not None:
            yield from self._join_conditions(block)
        if block is None:
            yield from self._target_columns(words)
        else:
            if clause == "ORDER":
                yield from (plain_item(output, "column", "output of this query") for output in block.outputs)
            yield from self._columns_in_scope(block)
        yield from self._parameters(bracketed=True)
        if clause in ("SELECT", "HAVING", "ORDER"):
            for name in AGGREGATES:
                yield CompletionItem(name, "function", "aggregate", f"{name}(")
        for name, usage in USAGES.items():
            yield CompletionItem(name, "function", usage, usage if name in SUPPLIED else f"{name}(")
        yield from keywords("CASE", "CAST")
        if clause in ("WHERE", "ON", "HAVING"):
            yield from keywords("NOT", "EXISTS", "TRUE", "FALSE", "NULL")
        if words[-1] == "SELECT":
            yield from keywords("DISTINCT")
        if words[-1] == "(":
            yield from keywords("SELECT")

    def _columns_in_scope(self, block: Block) -> Iterator[CompletionItem]:
        """Yield the columns and aliases of a query, then those of the queries around it.

        A column stands alone where the query reads one relation, else behind its alias.
        """
        scope: Block | None = block
        while scope is not None:
            is_qualified = scope is not block or len(scope.relations) > 1
            for relation in scope.relations:
                columns = self._columns(relation)
                counts = Counter(name.lower() for name, _ in columns)
                for name, detail in columns:
                    if is_qualified or counts[name.lower()] > 1:
                        text = f"{written(relation.alias)}.{written(name)}"
                        yield CompletionItem(f"{relation.alias}.{name}", "column", detail, text)
                    else:
                        yield CompletionItem(name, "column", detail, written(name))
            for relation in scope.relations:
                table = relation.table or "derived table"
                yield CompletionItem(relation.alias, "alias", table, f"{written(relation.alias)}.")
            scope = scope.outer

    def _columns(self, relation: NamedRelation) -> list[tuple[str, str]]:
        """Return the columns of a relation, each with the detail that is shown beside it."""
        if relation.table is None:
            return [(name, f"column of {relation.alias}") for name in relation.outputs]
        for name, columns in self.context.with_columns.items():
            if name.lower() == relation.table.lower():
                return [(column, f"column of {name}") for column in columns]
        table = self.by_fold.get(relation.table.lower())
        return [(column.name, column_detail(table, column)) for column in table.columns] if table is not None else []

    def _after_dot(self) -> Iterator[CompletionItem]:
        """Yield the columns of the alias, or else of the table, before the dot."""
        token = self.context.previous(2)
        if token is None:
            return
        alias = name_of(token).lower()
        scope = self.context.block()
        while scope is not None:
            for relation in scope.relations:
                if relation.alias.lower() == alias:
                    for name, detail in self._columns(relation):
                        yield CompletionItem(name, "column", detail, written(name))
                    return
            scope = scope.outer
        words = [token.word for token in self.context.tokens[: self.context.before]]
        if alias == "excluded" and "CONFLICT" in words and "INTO" in words:
            table = self._table(words.index("INTO") + 1)
        elif alias == self._alias_of_write(words):
            table = self._written(words)
        else:
            table = self.by_fold.get(alias)
        if table is not None:
            yield from column_items(table)

    def _join_conditions(self, block: Block) -> Iterator[CompletionItem]:
        """Offer `a.x = b.y` for every foreign key between two tables of the query, those of the last one first."""
        tables = [
            (relation.alias, table)
            for relation in block.relations
            if (table := self.by_fold.get((relation.table or "").lower())) is not None
        ]
        for number in range(len(tables) - 1, 0, -1):
            for earlier in tables[:number]:
                yield from key_conditions(tables[number], earlier)
                yield from key_conditions(earlier, tables[number])

    def _in_insert(self, words: list[str]) -> Iterator[CompletionItem]:
        """Yield what follows in an INSERT: its columns, VALUES, a parameter for each column."""
        at = words.index("INTO")
        after = words[at + 2 :]
        table = self._table(at + 1)
        if table is None:
            return
        if not after:
            columns = ", ".join(written(column.name) for column in table.columns)
            yield plain_item(f"({columns})", "column", "all columns")
            yield from keywords("VALUES")
        elif "VALUES" not in after:
            if after[-1] in ("(", ","):
                yield from column_items(table)
            elif after[-1] == ")":
                yield from keywords("VALUES")
        elif after[-1] in ("(", ","):
            for name in self._insert_columns(at, table):
                yield CompletionItem(f"[{name}]", "parameter", "a parameter called like the column", f"[{name}]")
        elif after[-1] == "VALUES":
            yield CompletionItem(
                "[rows] MAX 50", "parameter", "a list of rows, of a length that is stated", "[rows] MAX 50"
            )
        elif after[-1] == ")" or after[-2:] == ["MAX", ""]:
            yield from keywords("IF NOT EXISTS", "ON CONFLICT", "RETURNING")
        elif after[-1] == "]":
            yield from keywords("MAX 50")
        elif after[-1] == "ON":
            yield from keywords("CONFLICT")

    def _on_conflict(self, words: list[str], after: list[str]) -> Iterator[CompletionItem]:
        """Yield what follows ON CONFLICT: a key, what to do, the changes; `after` are the words behind it."""
        table = self._table(words.index("INTO") + 1)
        last = after[-1] if after else ""
        if not after and table is not None:
            for key in (table.primary_key, *(key.columns for key in table.unique_keys)):
                yield plain_item(f"({', '.join(map(written, key))})", "column", "a key of the table")
        if "DO" not in after:
            if last in ("(", ",") and table is not None:
                yield from column_items(table)
            elif last in ("", ")"):
                yield from keywords("DO NOTHING", "DO UPDATE SET")
        elif last == "DO":
            yield from keywords("NOTHING", "UPDATE SET")
        elif last == "UPDATE":
            yield from keywords("SET")
        elif last in ("SET", ",") and table is not None:
            yield from column_items(table)
        elif last in _OPERAND_FOLLOWS and table is not None:
            yield from self._operands(words, "SET")
            for column in table.columns:
                text = f"EXCLUDED.{written(column.name)}"
                yield CompletionItem(text, "column", f"{column.type} of the row of VALUES", text)

    def _insert_columns(self, into: int, table: Table) -> list[str]:
        """Return the columns that an INSERT names behind its table; all where it names none."""
        names: list[str] = []
        for token in self.context.tokens[into + 3 :]:
            if token.word in (")", "VALUES"):
                break
            if token.kind in ("word", "quoted"):
                names.append(name_of(token))
        return names or [column.name for column in table.columns]

    def _target_columns(self, words: list[str]) -> Iterator[CompletionItem]:
        """Yield the columns of the table that a write changes."""
        table = self._written(words)
        if table is not None:
            yield from column_items(table)

    def _written(self, words: list[str]) -> Table | None:
        """Return the table that a write changes."""
        keyword = next((keyword for keyword in ("INTO", "UPDATE", "FROM") if keyword in words), None)
        return None if keyword is None else self._table(words.index(keyword) + 1)

    def _alias_of_write(self, words: list[str]) -> str:
        """Return the alias of the table that an UPDATE or DELETE changes, in lower case; empty without one."""
        keyword = next((keyword for keyword in ("UPDATE", "DELETE") if keyword in words), None)
        if keyword is None or self.context.block() is not None:
            return ""
        at = words.index(keyword) + (2 if keyword == "UPDATE" else 3)
        at += words[at : at + 1] == ["AS"]
        is_alias = at < len(words) and words[at] not in ("SET", "WHERE", "ORDER", "LIMIT", "IF", "RETURNING")
        return name_of(self.context.tokens[at]).lower() if is_alias else ""

    def _table(self, at: int) -> Table | None:
        """Return the table that the token at an index names."""
        if at >= len(self.context.tokens):
            return None
        return self.by_fold.get(name_of(self.context.tokens[at]).lower())

    def _tables(self) -> Iterator[CompletionItem]:
        for name in self.context.with_columns:
            yield CompletionItem(name, "table", "a query of WITH", written(name))
        for name, table in self.tables.items():
            yield CompletionItem(name, "table", f"key ({', '.join(table.primary_key)})", written(name))

    def _parameters(self, bracketed: bool = False) -> Iterator[CompletionItem]:
        """Yield the parameters that the statement or its unit names, `[name]`, `:name` or `[1: name]`, and its LETs."""
        tokens = [*self.context.unit, *self.context.tokens]
        for token in names_of_lets(self.context.unit):
            text = f"[{name_of(token)}]" if bracketed else name_of(token)
            yield plain_item(text, "parameter", "value of this unit")
        for at, token in enumerate(tokens):
            if token.word not in ("[", ":") or at + 1 >= len(tokens):
                continue
            following = tokens[at + 1]
            if following.kind == "word" and (token.word == "[" or at == 0 or tokens[at - 1].kind != "number"):
                name = following.text
            elif following.kind == "number" and at + 3 < len(tokens) and tokens[at + 3].kind == "word":
                name = tokens[at + 3].text
            else:
                continue
            yield plain_item(f"[{name}]" if bracketed else name, "parameter", "parameter of this query")

    # The schema

    def _in_table(self, words: list[str]) -> Iterator[CompletionItem]:
        """Yield what follows in a CREATE TABLE, by how deep in parentheses the cursor stands."""
        if len(words) < 4:
            return
        last = words[-1]
        open_at: list[int] = []
        for at, word in enumerate(words):
            if word == "(":
                open_at.append(at)
            elif word == ")" and open_at:
                open_at.pop()
        depth, opening = len(open_at), open_at[-1] if open_at else 3
        table = self._table(2)
        if last == "REFERENCES":
            yield from self._tables()
        elif table is not None and any(words[at - 1] == "CHECK" for at in open_at):
            yield from self._in_check(last, table)
        elif depth >= 2:
            inside = words[opening - 1]
            if (
                inside == "TOKEN"
                or words[opening - 2 : opening] in (["PRIMARY", "KEY"], ["FOREIGN", "KEY"])
                or inside in ("UNIQUE", "")
            ):
                if table is not None:
                    yield from column_items(table)
                if inside == "" and last == "(":
                    yield from keywords("TOKEN")
            elif words[opening - 2] == "REFERENCES":
                referenced = self._table(opening - 1)
                if referenced is not None:
                    yield from column_items(referenced)
        elif depth == 1 and last in ("(", ","):
            yield from keywords(*_ELEMENTS)
        elif depth == 1 and last == "CARDINALITY":
            yield from keywords("LIMIT")
        elif depth == 1 and last in ("PRIMARY", "FOREIGN"):
            yield from keywords("KEY")
        elif depth == 1 and last == "NOT":
            yield from keywords("NULL")
        elif depth == 1 and self.context.word(2) in ("(", ","):
            yield from (plain_item(type_name, "type", "type") for type_name in _TYPE_NAMES)
        elif depth == 1:
            yield from keywords(*_AFTER_TYPE, "MAX")

    def _in_check(self, last: str, table: Table) -> Iterator[CompletionItem]:
        """Yield what follows in the test of a CHECK: columns of its table and functions, or what joins them."""
        if last not in _OPERAND_FOLLOWS:
            yield from keywords(*_FOLLOWING["IF"])
            return
        yield from column_items(table)
        for name, usage in USAGES.items():
            if name not in SUPPLIED:
                yield CompletionItem(name, "function", usage, f"{name}(")
        yield from keywords("NOT", "CASE", "CAST", "TRUE", "FALSE", "NULL")

    def _in_index(self, words: list[str]) -> Iterator[CompletionItem]:
        """Yield what follows in a CREATE INDEX."""
        if len(words) == 3:
            yield from keywords("ON")
        elif words[-1] == "ON":
            yield from self._tables()
        elif words[-1] in ("(", ","):
            table = self._table(4)
            if table is not None:
                yield from column_items(table)
            yield from keywords("TOKEN")
        elif words[-1] == ")":
            yield from keywords("COVERING", "BUCKETS")
        else:
            yield from keywords("DESC", "ASC")
