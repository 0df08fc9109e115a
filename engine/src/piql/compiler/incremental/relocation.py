"""Spans in pieces → spans in files: a `Compilation` whose values are relocated when they are first read.

Enters: a `Compilation` of pieces, and the cut of each file. Leaves: the `Compilation` that `compile` gives.
A keystroke moves everything behind it; what nobody reads is not relocated. Values are found by identity: whoever adds a
type to a `Compilation` that holds spans makes it a frozen dataclass of `piql`, and `Positions.put` relocates it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, NamedTuple, TypeVar, cast

from piql.compiler.result import Compilation, CompiledQuery
from piql.compiler.syntax.pieces import Pieces, file_of_piece
from piql.text.diagnostics.diagnostic import Edit, Fix, FoundFixes, LaterFixes
from piql.text.source import Source, Span

T = TypeVar("T")

_put = object.__setattr__


class Positions:
    """Where each piece begins in its file. A value relocated twice, such as a table, gives the same object again.

    `defining` are the names of the files that define a part of the schema.
    """

    def __init__(self, cuts: Mapping[str, Pieces], defining: tuple[str, ...]) -> None:
        self.cuts = cuts
        self.defining = defining
        self._homes: dict[str, tuple[Source, int]] = {}
        self._fields: dict[type, _Names] = {}  # by the class of their value
        self._relocated: dict[
            int, tuple[object, object]
        ] = {}  # by id; the value before is held, so that no other gets its id

    def __reduce__(self) -> tuple[type[Positions], tuple[Mapping[str, Pieces], tuple[str, ...]]]:
        # relocated values go by identity, which means nothing in another process
        return Positions, (self.cuts, self.defining)

    def of(self, name: str) -> tuple[Source, int] | None:
        """Return the file of a piece and the offset at which it begins; None for a name that is no piece's."""
        home_and_start = self._homes.get(name)
        if home_and_start is None:
            home = file_of_piece(name)
            if home is None:
                return None
            pieces = self.cuts[home]
            home_and_start = self._homes[name] = (pieces.source, pieces.start_of(name))
        return home_and_start

    def span(self, span: Span) -> Span:
        """Return a span in its file; the same object if it is in no piece."""
        home = self.of(span.source.name)
        return span if home is None else Span(home[0], span.start + home[1], span.end + home[1])

    def edit(self, edit: Edit) -> Edit:
        """Return an edit in its file; the same object if it is in no piece."""
        home = self.of(edit.file)
        return edit if home is None else Edit(home[0].name, edit.start + home[1], edit.end + home[1], edit.text)

    def put(self, value: Any) -> Any:
        """Return a value with its spans and edits in the files; the same object where it holds none."""
        kind = type(value)
        if kind is tuple:
            items = tuple(map(self.put, value))
            return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
        if kind is Span:
            return self.span(value)
        if kind is LaterFixes:
            return self._later(value)
        if kind in _PLAIN:
            return value
        names = self._fields.get(kind)
        if names is None:
            names = self._fields[kind] = _fields_of(kind)
        if not names.with_spans:
            return value
        earlier = self._relocated.get(id(value))
        if earlier is not None:
            return earlier[1]
        if kind is Edit:
            relocated: object = self.edit(value)
        else:
            relocated = self._copy(value, names)
        self._relocated[id(value)] = (value, relocated)
        return relocated

    def _later(self, fixes: LaterFixes) -> LaterFixes:
        """Return fixes that are relocated once they have been looked for."""
        earlier = self._relocated.get(id(fixes))
        if earlier is None:
            earlier = self._relocated[id(fixes)] = (fixes, LaterFixes(lambda: self._found(fixes.found)))
        return earlier[1]  # type: ignore[return-value]

    def _found(self, before: FoundFixes) -> FoundFixes:
        return FoundFixes(cast("tuple[Fix, ...]", self.put(before.fixes)), before.untried)

    def _copy(self, value: object, names: _Names) -> object:
        """Return a copy with its fields relocated; the same object if none changes. Edits of a fix are sorted anew."""
        changed: dict[str, object] = {}
        for name in names.with_spans:
            old = getattr(value, name)
            new = self.put(old)
            if new is not old:
                changed[name] = new
        if not changed:
            return value
        if isinstance(value, Fix):
            changed["edits"] = tuple(sorted(changed["edits"], key=lambda edit: (edit.file, edit.start)))  # type: ignore[call-overload]
        copy = object.__new__(type(value))
        for name in names.every:
            _put(copy, name, changed[name] if name in changed else getattr(value, name))
        return copy


_PLAIN = frozenset((str, int, float, bool, bytes, type(None)))
_PLAIN_FIELDS = frozenset(("str", "int", "bool", "float", "None", "tuple[int, ...]", "tuple[str, ...]"))  # no span


class _Names(NamedTuple):
    """The names of the fields of a class: every one, and those in which spans may be; an `Edit` is a span itself."""

    every: tuple[str, ...] = ()
    with_spans: tuple[str, ...] = ()


def _fields_of(kind: type) -> _Names:
    """Return the fields of a dataclass of this project; none for other types."""
    if not (kind.__module__.startswith("piql.") and is_dataclass(kind)) or kind is Source:
        return _Names()
    with_spans = tuple(field.name for field in fields(kind) if kind is Edit or _may_hold_spans(field.type))
    return _Names(tuple(field.name for field in fields(kind)), with_spans)


def _may_hold_spans(annotation: object) -> bool:
    return not isinstance(annotation, str) or not _PLAIN_FIELDS.issuperset(annotation.split(" | "))


class _RelocatedQuery(CompiledQuery):
    """A query whose fields are relocated when they are first read."""

    __slots__ = ("_before", "_positions")
    _before: CompiledQuery
    _positions: Positions

    def __getattr__(self, name: str) -> Any:
        if name in ("_before", "_positions"):
            raise AttributeError(name)
        value = self._positions.put(getattr(self._before, name))
        _put(self, name, value)
        return value

    def before(self) -> tuple[CompiledQuery, Callable[[Any], Any]]:
        """Return the query before it was relocated, and what relocates a value of it."""
        return self._before, self._positions.put

    def identity(self) -> tuple[object, ...]:
        """Return the query before it was relocated, and the cuts of the files that its spans are in.

        These files are its own, those of the schema, and those that its findings point at.
        """
        spans = [self._before.span]
        for diagnostic in self._before.diagnostics:
            spans += (diagnostic.span, *(label.span for label in diagnostic.labels))
        homes = (file_of_piece(span.source.name) for span in spans)
        names = dict.fromkeys((*(home for home in homes if home is not None), *self._positions.defining))
        return (self._before, *(self._positions.cuts[name] for name in names))


def _unread(kind: type[T], before: object, positions: Positions) -> T:
    """Make a value without its fields: `__getattr__` gives them."""
    lazy = object.__new__(kind)
    _put(lazy, "_before", before)
    _put(lazy, "_positions", positions)
    return lazy


def identity_of(query: CompiledQuery) -> tuple[object, ...]:
    """Return objects that two queries share only if they are equal in each field, their places in the files included.

    Whoever keeps something by them holds them, so that no other object gets the identity of one.
    """
    return query.identity() if isinstance(query, _RelocatedQuery) else (query,)


def before_relocation(query: CompiledQuery) -> tuple[CompiledQuery, Callable[[T], T]]:
    """Return a query whose spans are not in the files yet, and what relocates a value of it.

    For those who read much of a plan and few of its spans: a plan is not copied then.
    """
    return query.before() if isinstance(query, _RelocatedQuery) else (query, lambda value: value)


class _RelocatedQueries(Mapping[str, CompiledQuery]):
    """The queries by name, each relocated when it is first read."""

    def __init__(self, before: Mapping[str, CompiledQuery], positions: Positions) -> None:
        self._before = before
        self._positions = positions
        self._by_name: dict[str, CompiledQuery] = {}

    def __getitem__(self, name: str) -> CompiledQuery:
        query = self._by_name.get(name)
        if query is None:
            query = self._by_name[name] = _unread(_RelocatedQuery, self._before[name], self._positions)
        return query

    def __iter__(self) -> Iterator[str]:
        return iter(self._before)

    def __len__(self) -> int:
        return len(self._before)

    def __repr__(self) -> str:
        return repr(dict(self))


class _RelocatedCompilation(Compilation):
    """A compilation whose fields are relocated when they are first read."""

    __slots__ = ("_before", "_positions")
    _before: Compilation
    _positions: Positions

    def __getattr__(self, name: str) -> Any:
        if name in ("_before", "_positions"):
            raise AttributeError(name)
        value = self._field_of(name)
        _put(self, name, value)
        return value

    def __reduce__(self) -> tuple[Callable[..., Compilation], tuple[object, ...]]:
        return relocate, (self._before, self._positions.cuts, self._positions.defining)

    def _field_of(self, name: str) -> object:
        before, put = self._before, self._positions.put
        match name:
            case "sources":
                return tuple(cut.source for cut in self._positions.cuts.values())
            case "catalog":
                indexes = {name: put(value) for name, value in before.catalog.indexes.items()}
                return replace(before.catalog, tables=self.tables, indexes=indexes)
            case "tables":
                return {name: put(value) for name, value in before.tables.items()}
            case "indexes":
                return {name: put(value) for name, value in before.indexes.items()}
            case "queries":
                return _RelocatedQueries(before.queries, self._positions)
        return put(getattr(before, name))


def relocate(compilation: Compilation, cuts: Mapping[str, Pieces], defining: tuple[str, ...]) -> Compilation:
    """Return the compilation with its spans in the files; each field is relocated when it is first read.

    `defining` are the names of the files that define a part of the schema.
    """
    return _unread(_RelocatedCompilation, compilation, Positions(cuts, defining))


def relocate_queries(
    queries: Iterable[CompiledQuery], cuts: Mapping[str, Pieces], defining: tuple[str, ...]
) -> tuple[CompiledQuery, ...]:
    """Return queries with their spans in the files, as they are in the compilation that `relocate` gives."""
    positions = Positions(cuts, defining)
    return tuple(_unread(_RelocatedQuery, query, positions) for query in queries)
