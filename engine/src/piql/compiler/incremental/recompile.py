"""Texts → Compilation, at the cost of what differs from texts compiled before.

    cut each file into pieces → assemble them → look for fixes → relocate spans into the files

The result depends on the texts alone: a test compares it, field by field, with that of a fresh process.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import accumulate, chain, compress
from operator import ne

from piql.compiler.early_answers import Early, Listener, listener, listening
from piql.compiler.fixes.working_fixes import with_working_fixes
from piql.compiler.incremental.relocation import relocate, relocate_queries
from piql.compiler.query_set import Assembly, assemble
from piql.compiler.result import Compilation
from piql.compiler.syntax import ast
from piql.compiler.syntax.pieces import Pieces, changed_characters, cut, file_of_piece
from piql.text.source import Source
from piql.trees.caches import Latest, note_compiled
from piql.trees.sharing import LongList, LongMap, common_ends

MOST_RECENT = 8  # sets of texts
MOST_CHARACTERS = 2_000_000  # of all sets that are kept, besides the youngest; each takes some hundred bytes
MOST_CHANGED = 8  # files
NEAR = 200  # characters; a set that differs in fewer is taken at once, and replaced by the new one


@dataclass(frozen=True, slots=True, eq=False)
class _CompiledTexts:
    """A set of texts that was compiled, with what the next compilation of a similar set starts from."""

    texts: dict[str, str]  # by file name
    names: list[str]  # of the files, in their order
    cuts: LongMap[str, Pieces]  # by file name
    firsts: list[int]  # how many pieces stand before each file
    pieces: LongList[ast.ParsedFile]  # of all files
    assembly: Assembly
    compilation: Compilation  # its spans count from the start of each piece


_recent: Latest[tuple[_CompiledTexts, ...]] = Latest(())  # the youngest first


def compile_texts(files: Mapping[str, str]) -> Compilation:
    """Compile all files together."""
    texts = dict(files)
    names = list(texts)
    before, changed, apart = _nearest(texts, names)
    replaced = before if apart < NEAR else None  # else it may be another project
    if before is None:
        latest = _afresh(texts, names)
    elif changed:
        latest = _edited(texts, before, changed)
    else:
        latest = before
    older = [compiled for compiled in _recent.get() if compiled is not latest and compiled is not replaced][
        : MOST_RECENT - 1
    ]
    sizes = accumulate(sum(map(len, compiled.texts.values())) for compiled in (latest, *older))
    kept = (compiled for compiled, size in zip(older, list(sizes)[1:], strict=True) if size <= MOST_CHARACTERS)
    _recent.put((latest, *kept))
    return relocate(latest.compilation, latest.cuts, _files_of(latest.assembly.definitions))


def characters_kept() -> int:
    """Return how many characters the recent sets of texts have."""
    return sum(len(text) for compiled in _recent.get() for text in compiled.texts.values())


def _nearest(texts: dict[str, str], names: list[str]) -> tuple[_CompiledTexts | None, list[str], int]:
    """Return a recent set of the same files that differs little, the files that differ, and by how many characters.

    Several sets are kept since an editor may alternate between projects.
    """
    nearest: tuple[_CompiledTexts | None, list[str], int] = (None, [], NEAR)
    for compiled in _recent.get():
        if compiled.names == names:
            changed = list(compress(names, map(ne, texts.values(), compiled.texts.values())))
            if len(changed) > MOST_CHANGED:
                continue
            apart = sum(changed_characters(compiled.texts[name], texts[name]) for name in changed)
            if nearest[0] is None or apart < nearest[2]:
                nearest = (compiled, changed, apart)
            if apart < NEAR:
                break
    return nearest


def _afresh(texts: dict[str, str], names: list[str]) -> _CompiledTexts:
    """Compile all files; some of them may be known from other sets."""
    cuts = {name: _cut(Source(text, name)) for name, text in texts.items()}
    note_compiled(sum(map(len, texts.values())))
    firsts = list(accumulate((len(file_pieces.files) for file_pieces in cuts.values()), initial=0))
    pieces = LongList.of(chain.from_iterable(file_pieces.files for file_pieces in cuts.values()))
    assembly = assemble(pieces)
    return _CompiledTexts(texts, names, LongMap(cuts), firsts, pieces, assembly, with_working_fixes(assembly))


def _edited(texts: dict[str, str], before: _CompiledTexts, changed: list[str]) -> _CompiledTexts:
    """Compile what differs from an earlier set."""
    cuts = {name: cut(Source(texts[name], name), before.cuts[name]) for name in changed}
    pieces, firsts = before.pieces, before.firsts
    for name, new_cut in cuts.items():
        number = before.names.index(name)
        old, new = before.cuts[name].files, new_cut.files
        head, tail = common_ends(old, new)
        first, more = firsts[number], len(new) - len(old)
        changed_pieces = new.between(head, len(new) - tail)
        note_compiled(sum(len(piece.source.text) for piece in changed_pieces))
        pieces = pieces.with_slice(first + head, first + len(old) - tail, changed_pieces)
        if more:
            firsts = [*firsts[: number + 1], *(count + more for count in firsts[number + 1 :])]
    cuts_now = before.cuts.with_values(cuts)
    with listening(_in_files(listener(), cuts_now)):
        assembly = assemble(pieces, before.assembly)
    compilation = with_working_fixes(assembly)
    return _CompiledTexts(texts, before.names, cuts_now, firsts, pieces, assembly, compilation)


def _in_files(audience: Listener | None, cuts: Mapping[str, Pieces]) -> Listener | None:
    """Return who is told of queries in pieces, and tells an audience of them in the files."""
    if audience is None:
        return None

    def tell(early: Early) -> None:
        queries = relocate_queries(early.queries, cuts, _files_of(early.definitions))
        audience.tell(replace(early, queries=queries))

    return replace(audience, tell=tell)


def _files_of(definitions: Iterable[ast.ParsedFile]) -> tuple[str, ...]:
    """Return the names of the files that hold these pieces."""
    homes = (file_of_piece(piece.source.name) for piece in definitions)
    return tuple(dict.fromkeys(home for home in homes if home is not None))


def _cut(source: Source) -> Pieces:
    """Cut a file, from how the same text or another file of its name was cut before."""
    earlier = [pieces for compiled in _recent.get() if (pieces := compiled.cuts.get(source.name)) is not None]
    for pieces in earlier:
        if pieces.source.text == source.text:
            return pieces
    return cut(source, earlier[0] if earlier else None)
