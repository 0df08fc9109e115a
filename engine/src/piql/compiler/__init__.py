"""Texts → compilation: every stage's result of every query, all diagnostics, and the indexes of the set.

    syntax ──▶ binding ──▶ optimizer ──▶ physical ──▶ bounds          one query: `one_query`; a unit: `one_unit`
                                                        │
    incremental ◀── fixes ◀── query_set ◀───────────────┘             all queries of a set

`logical` is the plan between `binding` and `optimizer`. `index_design` settles the indexes of a set,
`narrow_indexes` plans a query over shorter ones than are there, `set_diff` compares two sets, `early_answers` tells
some results before the whole set is compiled, `other_numbers` plans a query again for other numbers in limits.
`compiler` is the way in, `result` the data that leaves. The whole never raises for what a user wrote, and what it gives
depends on the texts alone.
"""

from __future__ import annotations

from piql.compiler.compiler import Compiler, compile, compile_statement, paths_of, text_of, texts_of  # noqa: A004

__all__ = ["Compiler", "compile", "compile_statement", "paths_of", "text_of", "texts_of"]
