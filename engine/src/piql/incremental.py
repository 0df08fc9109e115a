"""Texts → Compilation, at the cost of what differs from texts compiled before.

cut each file into pieces → assemble them → look for fixes → put everything into its place

What is given depends on the texts alone: a test compares it, field by field, with what a fresh process gives.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain, compress
from operator import attrgetter, ne

from piql.assembly import Assembly, assemble
from piql.compilation import Compilation
from piql.mending import mend
from piql.placing import place
from piql.source import Source
from piql.syntax.pieces import Pieces, cut, differing

MOST_KEPT = 8  # sets of texts
MOST_CHANGED = 8  # files
NEAR = 200  # characters that differ; nothing nearer is looked for then


@dataclass(frozen=True, slots=True, eq=False)
class _Kept:
    """A set of texts that was compiled."""

    texts: dict[str, str]
    cuts: dict[str, Pieces]
    assembly: Assembly
    mended: Compilation


_kept: tuple[_Kept, ...] = ()  # the youngest first


def compile_texts(given: Mapping[str, str]) -> Compilation:
    """Compile all files together."""
    global _kept
    texts = dict(given)
    before, changed, apart = _nearest(texts)
    replaced = before if apart < NEAR else None  # else it may be another project
    if before is None:
        now = _compiled(texts, None, list(texts))
    else:
        now = before if not changed else _compiled(texts, before, changed)
    _kept = (now, *(each for each in _kept if each is not now and each is not replaced))[:MOST_KEPT]
    return place(now.mended, now.cuts)


def _nearest(texts: dict[str, str]) -> tuple[_Kept | None, list[str], int]:
    """Give a set of the same files that differs little, and the names of the files that do: projects may alternate."""
    names = list(texts)
    nearest: tuple[_Kept | None, list[str], int] = (None, [], NEAR)
    for each in _kept:
        if list(each.texts) == names:
            changed = list(compress(names, map(ne, texts.values(), each.texts.values())))
            if len(changed) > MOST_CHANGED:
                continue
            apart = sum(differing(each.texts[name], texts[name]) for name in changed)
            if nearest[0] is None or apart < nearest[2]:
                nearest = (each, changed, apart)
            if apart < NEAR:
                break
    return nearest


def _compiled(texts: dict[str, str], before: _Kept | None, changed: list[str]) -> _Kept:
    cuts: dict[str, Pieces] = dict(before.cuts) if before is not None else {}
    for name in changed:
        cuts[name] = _cut(Source(texts[name], name), before)
    files = list(chain.from_iterable(map(attrgetter("files"), cuts.values())))
    assembly = assemble(files, before.assembly if before is not None else None)
    return _Kept(texts, cuts, assembly, mend(assembly))


def _cut(source: Source, before: _Kept | None) -> Pieces:
    """Cut a file, from how the nearest set, the same text or another file of its name was cut before."""
    known = [pieces for each in _kept if (pieces := each.cuts.get(source.name)) is not None]
    if before is not None:
        return cut(source, before.cuts[source.name])
    for each in known:
        if each.source.text == source.text:
            return each
    return cut(source, known[0] if known else None)
