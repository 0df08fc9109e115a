"""The way into the compiler: `compile` for files, `compile_statement` for one statement, `Compiler` with its caches.

Enters: texts. Leaves: a `Compilation`, or a `CompiledQuery`. Nothing here raises for what a user wrote; a caller that
gives no texts gets InvalidParameter.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from piql.compiler.incremental.recompile import characters_kept, compile_texts
from piql.compiler.one_query import compile_bare
from piql.compiler.result import Compilation, CompiledQuery
from piql.errors import InvalidParameter, kind_of
from piql.schema.catalog import Catalog
from piql.text.source import Source
from piql.trees.caches import Caches

_COMPILED = "give a text, a Path, or texts by file name"


class Compiler(Caches):
    """Compiles, and holds the caches of what it compiled; they go with it.

    What it gives depends on the texts alone, whatever it compiled before. Several threads may use one, and a forked
    process may go on with its parent's. `at_work` lets all code inside use its caches, `piql.compile` too.
    """

    def compile(self, source: str | Path | Mapping[str, str]) -> Compilation:
        """Compile PIQL: a text, a file or folder of `*.piql`, or texts by file name. Never raises for their content."""
        with self.at_work():
            return compile(source)

    @property
    def characters_kept(self) -> int:
        """How many characters are in the sets of texts that it keeps as the base of the next compilation."""
        with self.at_work():
            return characters_kept()


def compile(source: str | Path | Mapping[str, str]) -> Compilation:  # noqa: A001
    """Compile PIQL: a text, a file or folder of `*.piql`, or texts by file name. Never raises for their content.

    What is compiled again costs what changed: the `Compiler` at work keeps the rest, or one that the process shares.
    """
    return compile_texts(texts_of(source))


def compile_statement(text: str, deployed: Compilation | Catalog) -> CompiledQuery:
    """Compile one bare statement against a deployed schema, for the interactive mode; its name is empty."""
    if isinstance(deployed, Catalog):
        return compile_bare(Source(text), deployed, None)
    return compile_bare(Source(text), deployed.catalog, deployed.indexes)


def texts_of(source: str | Path | Mapping[str, str]) -> Mapping[str, str]:
    """Return the texts to compile by file name: those of a folder in the order of their paths, named relative to it."""
    if isinstance(source, str):
        return {"": source}
    if isinstance(source, Path):
        return {name: text_of(path.read_bytes()) for name, path in paths_of(source).items()}
    if not isinstance(source, Mapping):  # Python lets callers give anything
        raise InvalidParameter(f"what to compile is {kind_of(source)}: {_COMPILED}")
    for name, text in source.items():
        if not isinstance(name, str) or not isinstance(text, str):
            raise InvalidParameter(f"what to compile has {kind_of(text)} under the name {name!r}: {_COMPILED}")
    return source


def paths_of(source: Path) -> dict[str, Path]:
    """Return the files to compile by the names that `texts_of` gives them."""
    if source.is_dir():
        paths = sorted(path for path in source.rglob("*.piql") if path.is_file())
        return {path.relative_to(source).as_posix(): path for path in paths}
    return {source.name: source}


def text_of(content: bytes) -> str:
    """Return the text of a file as the editor shows it: line ends stay, bytes that are not UTF-8 are marked."""
    return content.decode("utf-8-sig", errors="replace")
