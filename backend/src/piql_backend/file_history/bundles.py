"""Histories as git bundles: a list of refs, then a pack of every object that they need. `git clone` reads them.

# v2 git bundle
5f3a… refs/heads/main

PACK…
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import IO

from dulwich.objects import ObjectID
from dulwich.pack import write_pack_data
from dulwich.refs import Ref
from dulwich.repo import Repo

_HEAD = b"# v2 git bundle\n"
_REF = re.compile(rb"([0-9a-f]{40}) (HEAD|refs/[\x21-\x7e]{1,200})\n")
_MOST_LINE = 300
_MOST_REFS = 20_000


class NoBundle(Exception):
    """The file is no bundle, or one that needs objects of another repository."""


def write_bundle(repository: Repo, refs: Mapping[Ref, ObjectID], file: IO[bytes]) -> None:
    """Write refs and all objects that they need; objects are read and written one after the other."""
    count, records = repository.object_store.generate_pack_data(have=(), want=set(refs.values()))
    file.write(_HEAD)
    for ref, object_id in refs.items():
        file.write(object_id + b" " + ref + b"\n")
    file.write(b"\n")
    write_pack_data(file.write, records, repository.object_format, num_records=count)


def read_bundle(file: IO[bytes], into: Repo, most_bytes: int) -> dict[bytes, ObjectID]:
    """Put the objects of a bundle into a repository, and return its refs, none of which is set there.

    Raises NoBundle; what dulwich raises for a damaged pack is of many classes.
    """
    if file.readline(_MOST_LINE) != _HEAD:
        raise NoBundle("it does not begin as a git bundle of version 2")
    refs: dict[bytes, ObjectID] = {}
    while (line := file.readline(_MOST_LINE)) != b"\n":
        match = _REF.fullmatch(line)
        if match is None or len(refs) == _MOST_REFS:
            raise NoBundle("its list of refs is damaged")
        refs[match[2]] = ObjectID(match[1])
    into.object_store.add_thin_pack(file.read, None, max_input_size=most_bytes)
    return refs
