"""Compiles what is sent, and keeps the last compilations: texts that come again are not compiled again."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import piql
from piql.compiler.early_answers import Early, Listener, listening
from piql.compiler.result import Compilation, CompiledQuery

from piql_backend.compilations.answers import Answers
from piql_backend.compilations.schemas import CompilationInParts
from piql_backend.web.errors import ApiError, NotFound
from piql_backend.web.schemas import SourceFile

_KEPT = 32
_KEPT_BYTES = 2_000_000  # of text; a compilation takes some two hundred times as much

Texts = tuple[tuple[str, str], ...]  # path and text of each file


@dataclass(slots=True)
class _Entry:
    """A compilation, how long it took, and the last JSON that was made of it."""

    compilation: Compilation
    elapsed_ms: float
    json: dict[str | None, bytes] = field(default_factory=dict)  # at most one, by its `stages_of`


class Compilations:
    """A small cache of compilations by their texts; compiling is pure, so an entry is never wrong."""

    def __init__(self, compile: Callable[[Mapping[str, str]], Compilation] = piql.compile) -> None:
        self._compile = compile
        self._answers = Answers()
        self._entries: OrderedDict[Texts, _Entry] = OrderedDict()
        self._lock = threading.Lock()

    def compile(self, files: Sequence[SourceFile]) -> Compilation:
        return self._entry(files).compilation

    def compile_texts(self, texts: Mapping[str, str]) -> Compilation:
        """Compile texts by their names, such as deployed ones: a program may use names that no file could have."""
        return self._entry_of(tuple(texts.items())).compilation

    def compile_to_json(self, files: Sequence[SourceFile], stages_of: str | None = None) -> bytes:
        """The `CompilationRead` as JSON, with the stages of one query or of all."""
        entry = self._entry(files)
        json = entry.json.get(stages_of)
        if json is None:
            json = self._answers.json_of(entry.compilation, entry.elapsed_ms, stages_of)
            entry.json = {stages_of: json}  # whoever asks next most likely asks for the same
        return json

    def compile_in_parts(self, request: CompilationInParts, tell: Callable[[bytes], None]) -> bytes:
        """As `compile_to_json`, and tells before it the bounds that are known early as JSON, those of `first` first."""

        def tell_json(early: Early) -> None:
            tell(self._answers.json_of_bounds(early.queries))

        with listening(Listener(frozenset(request.first), tell_json)):
            return self.compile_to_json(request.files, request.stages_of)

    def compile_query(self, files: Sequence[SourceFile], name: str) -> tuple[Compilation, CompiledQuery]:
        """The compilation and one bounded query of it; ApiError 404 for an unknown query, 422 for an unbounded one."""
        compilation = self.compile(files)
        query = compilation.queries.get(name)
        if query is None:
            raise NotFound("unknown-query", f"There is no query {name} in these files.")
        if not query.is_bounded:
            raise ApiError(
                422,
                "unbounded-query",
                f"{name} has no bound, so there is nothing to predict.",
                "Fix its problems first.",
            )
        return compilation, query

    def _entry(self, files: Sequence[SourceFile]) -> _Entry:
        return self._entry_of(tuple((file.path, file.text) for file in files))

    def _entry_of(self, texts: Texts) -> _Entry:
        with self._lock:
            if texts in self._entries:
                self._entries.move_to_end(texts)
                return self._entries[texts]
        started = time.perf_counter()
        compilation = self._compile(dict(texts))
        entry = _Entry(compilation, (time.perf_counter() - started) * 1000)
        with self._lock:
            self._entries[texts] = entry
            while len(self._entries) > _KEPT or (len(self._entries) > 1 and self._kept_bytes() > _KEPT_BYTES):
                self._entries.popitem(last=False)
        return entry

    def _kept_bytes(self) -> int:
        return sum(len(text) for texts in self._entries for _, text in texts)
