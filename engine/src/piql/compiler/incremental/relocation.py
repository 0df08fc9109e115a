"""From places in pieces to places in files: a `Compilation` that puts each of its values where it stands when asked.

Enters: a `Compilation` of pieces, and the cut of each file. Leaves: the `Compilation` that `compile` gives.
After a keystroke all that stands behind it has moved; what nobody looks at is not moved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

from piql.compiler.result import Compilation, CompiledQuery
from piql.compiler.syntax.pieces import Pieces, home_of
from piql.schema.catalog import Catalog
from piql.text.diagnostics.diagnostic import Edit, Fix, LaterFixes
from piql.text.source import Source, Span

T = TypeVar("T")

_put = object.__setattr__


class Places:
    """Where each piece stands. Values that are put into their place twice, such as tables, are the same value again."""

    def __init__(self, cuts: Mapping[str, Pieces]) -> None:
        self.cuts = cuts
        self._found: dict[str, tuple[Source, int]] = {}
        self._placed: dict[int, tuple[object, object]] = {}  # with the value before, so that its id stays its own

    def __reduce__(self) -> tuple[type[Places], tuple[Mapping[str, Pieces]]]:
        return Places, (self.cuts,)  # what was found goes by identity, which means nothing in another process

    def of(self, name: str) -> tuple[Source, int] | None:
        """Return the file of a piece, and where it begins there; None for what is no piece."""
        found = self._found.get(name)
        if found is None:
            home = home_of(name)
            if home is None:
                return None
            pieces = self.cuts[home]
            found = self._found[name] = (pieces.source, pieces.start_of(name))
        return found

    def span(self, span: Span) -> Span:
        place = self.of(span.source.name)
        return span if place is None else Span(place[0], span.start + place[1], span.end + place[1])

    def edit(self, edit: Edit) -> Edit:
        place = self.of(edit.file)
        return edit if place is None else Edit(place[0].name, edit.start + place[1], edit.end + place[1], edit.text)

    def put(self, value: Any) -> Any:
        """Return a value with all places in it those of the files; the same value where it holds none."""
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
        names = _FIELDS.get(kind)
        if names is None:
            names = _FIELDS[kind] = _fields_of(kind)
        if not names:
            return value
        known = self._placed.get(id(value))
        if known is not None:
            return known[1]
        if kind is Edit:
            placed: object = self.edit(value)
        else:
            placed = self._copy(value, names)
        self._placed[id(value)] = (value, placed)
        return placed

    def _later(self, fixes: LaterFixes) -> LaterFixes:
        known = self._placed.get(id(fixes))
        if known is None:
            known = self._placed[id(fixes)] = (fixes, LaterFixes(lambda: self.put(fixes.all)))
        return known[1]  # type: ignore[return-value]

    def _copy(self, value: object, names: tuple[str, ...]) -> object:
        changed: dict[str, object] = {}
        for name in names:
            old = getattr(value, name)
            new = self.put(old)
            if new is not old:
                changed[name] = new
        if not changed:
            return value
        if isinstance(value, Fix):
            changed["edits"] = tuple(sorted(changed["edits"], key=lambda each: (each.file, each.start)))  # type: ignore[call-overload]
        copy = object.__new__(type(value))
        for name in names:
            _put(copy, name, changed[name] if name in changed else getattr(value, name))
        return copy


_PLAIN = frozenset((str, int, float, bool, bytes, type(None)))
_FIELDS: dict[type, tuple[str, ...]] = {}  # of values that may hold places; empty for others


def _fields_of(kind: type) -> tuple[str, ...]:
    is_ours = kind.__module__.startswith("piql.") and is_dataclass(kind) and kind is not Source
    return tuple(field.name for field in fields(kind)) if is_ours else ()


class _PlacedQuery(CompiledQuery):
    """A query whose fields are put into their place when they are asked for."""

    __slots__ = ("_before", "_places")
    _before: CompiledQuery
    _places: Places

    def __getattr__(self, name: str) -> Any:
        if name in ("_before", "_places"):
            raise AttributeError(name)
        value = self._places.put(getattr(self._before, name))
        _put(self, name, value)
        return value


def _later(kind: type[T], before: object, places: Places) -> T:
    """Make a value without its fields: `__getattr__` gives them."""
    made = object.__new__(kind)
    _put(made, "_before", before)
    _put(made, "_places", places)
    return made


class _PlacedQueries(Mapping[str, CompiledQuery]):
    """The queries by name, each put into its place when it is asked for."""

    def __init__(self, before: Mapping[str, CompiledQuery], places: Places) -> None:
        self._before = before
        self._places = places
        self._found: dict[str, CompiledQuery] = {}

    def __getitem__(self, name: str) -> CompiledQuery:
        found = self._found.get(name)
        if found is None:
            found = self._found[name] = _later(_PlacedQuery, self._before[name], self._places)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._before)

    def __len__(self) -> int:
        return len(self._before)

    def __repr__(self) -> str:
        return repr(dict(self))


class _PlacedCompilation(Compilation):
    """A compilation whose fields are put into their place when they are asked for."""

    __slots__ = ("_before", "_places")
    _before: Compilation
    _places: Places

    def __getattr__(self, name: str) -> Any:
        if name in ("_before", "_places"):
            raise AttributeError(name)
        value = self._made(name)
        _put(self, name, value)
        return value

    def __reduce__(self) -> tuple[Callable[..., Compilation], tuple[Compilation, Mapping[str, Pieces]]]:
        return place, (self._before, self._places.cuts)

    def _made(self, name: str) -> object:
        before, put = self._before, self._places.put
        match name:
            case "sources":
                return tuple(cut.source for cut in self._places.cuts.values())
            case "catalog":
                indexes = {name: put(each) for name, each in before.catalog.indexes.items()}
                return Catalog(self.tables, indexes)
            case "tables":
                return {name: put(each) for name, each in before.tables.items()}
            case "indexes":
                return {name: put(each) for name, each in before.indexes.items()}
            case "queries":
                return _PlacedQueries(before.queries, self._places)
        return put(getattr(before, name))


def place(compilation: Compilation, cuts: Mapping[str, Pieces]) -> Compilation:
    """Return a compilation of pieces with its places in the files."""
    return _later(_PlacedCompilation, compilation, Places(cuts))
