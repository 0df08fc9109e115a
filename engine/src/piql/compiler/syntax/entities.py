"""The dialect of the SoCC 2010 paper: entities instead of tables, FETCH along foreign keys instead of joins.

    ENTITY Thought { int timestamp, FOREIGN KEY owner REF User, PRIMARY(owner, timestamp) }

    QUERY thoughts_of_friends
    FETCH Thought OF User AS friend BY owner OF Subscription BY target WHERE Subscription.owner = [me] LIMIT 10

No semicolon is needed behind either. `binding.entities` and `binding.fetch` translate both into SQL.
"""

from __future__ import annotations

from piql.compiler.syntax import ast
from piql.compiler.syntax.cursor import MAX_ELEMENTS, SyntaxFault
from piql.compiler.syntax.definitions import DefinitionParser
from piql.compiler.syntax.queries import MAX_TABLES
from piql.text.source import Span


class EntityParser(DefinitionParser):
    """The part of the parser that reads entities and FETCH."""

    def is_entity(self) -> bool:
        """Return whether `ENTITY name {` follows."""
        return self.token.word == "ENTITY" and self.peek(2).word == "{"

    def is_fetch_query(self) -> bool:
        """Return whether `QUERY name FETCH` follows."""
        return self.token.word == "QUERY" and self.peek(2).word == "FETCH"

    def create_entity(self, start: int) -> ast.CreateEntity:
        """Parse what follows ENTITY; `start` is its offset. A broken attribute is reported and dropped."""
        name = self.name("the name of an entity after ENTITY")
        self.expect("{", "before the attributes of the entity")
        elements: list[ast.ColumnDefinition | ast.EntityReference | ast.TableConstraint] = []
        broken = 0
        while self.token.word != "}":
            if len(elements) + broken >= MAX_ELEMENTS:
                raise self.fault("too-many", f"more than {MAX_ELEMENTS} attributes", name.span)
            began = self.at
            try:
                elements.append(self._entity_element())
                is_last = self.token.word in ("}", "PRIMARY")  # the paper writes no comma before PRIMARY
                if not is_last:
                    self.expect(",", "between two attributes")
            except SyntaxFault as fault:
                self.note(fault.diagnostic)
                broken += 1
                self.nesting = self.chain = 0
                if not self._skip_attribute(began):
                    break
        if self.token.word == "}":
            self.advance()
        return ast.CreateEntity(name=name, elements=tuple(elements), is_broken=broken > 0, span=self.span_from(start))

    def _skip_attribute(self, began: int) -> bool:
        """Skip past the comma that ends an attribute, or up to the brace; return False at the end of the statement."""
        if self.at == began:
            self.advance()
        while self.token.kind != "end" and self.token.word != ";":
            if self.token.word == "}":
                return True
            if self.token.word == "CREATE" or self.is_entity() or self.is_fetch_query():
                return False
            if self.accept(","):
                return True
            self.advance()
        return False

    def _entity_element(self) -> ast.ColumnDefinition | ast.EntityReference | ast.TableConstraint:
        """Parse one element of an entity: `type attribute`, `FOREIGN KEY name REF Entity MAX n`, or a constraint."""
        start = self.token.start
        word = self.token.word
        if word == "PRIMARY":
            self.advance()
            self.accept("KEY")
            return ast.PrimaryKeyClause(columns=self.names("an attribute"), span=self.span_from(start))
        if word == "FOREIGN":
            self.advance()
            self.expect("KEY", "after FOREIGN")
            name = self.name("an attribute after FOREIGN KEY")
            self.expect("REF", "before the entity that is referred to")
            table = self.name("an entity after REF")
            maximum: int | None = None
            maximum_span: Span | None = None
            if self.accept("MAX"):
                maximum, maximum_span = self.positive_number("the number after MAX")
            return ast.EntityReference(
                name=name, table=table, max=maximum, max_span=maximum_span, span=self.span_from(start)
            )
        is_constraint = (word, self.peek().word) in (("CARDINALITY", "LIMIT"), ("CHECK", "("))
        if is_constraint or word in ("UNIQUE", "CONSTRAINT"):
            return self.element()
        type_name = self.type_name()
        name = self.name("the name of an attribute after its type")
        return ast.ColumnDefinition(
            name=name, type=type_name, nullability=self.nullability(), span=self.span_from(start)
        )

    def fetch(self) -> ast.Fetch:
        """Parse `FETCH … OF … BY …` with the clauses after it."""
        start = self.advance().start
        steps = [self._step(start)]
        while self.token.word == "OF":
            if len(steps) >= MAX_TABLES:
                raise self.fault("too-many", f"more than {MAX_TABLES} steps in one FETCH", self.span_of(self.token))
            steps.append(self._step(self.advance().start, has_by=True))
        where = self.expression() if self.accept("WHERE") else None
        order, stop, offset = self.tail()
        span = self.span_from(start)
        return ast.Fetch(steps=tuple(steps), where=where, order=order, stop=stop, offset=offset, span=span)

    def _step(self, start: int, *, has_by: bool = False) -> ast.FetchStep:
        """Parse what follows FETCH, `Entity [AS] alias`, or OF, `Entity [AS] alias BY foreign_key` (`has_by`)."""
        entity = self.name(f"an entity after {'OF' if has_by else 'FETCH'}")
        self.reads += 1
        alias = None
        if self.accept("AS"):
            alias = self.name("an alias after AS")
        elif (
            self.is_alias()
            and self.token.word not in ("OF", "BY")
            and not self.is_entity()
            and not self.is_fetch_query()
        ):
            alias = self.name("an alias")
        by = None
        if has_by:
            self.expect("BY", "and the foreign key that leads there")
            by = self.name("a foreign key after BY")
        return ast.FetchStep(entity=entity, alias=alias, by=by, span=self.span_from(start))
