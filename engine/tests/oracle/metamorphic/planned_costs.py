"""What queries take by their plans alone: the stages of `piql.compile` up to the plan, of one query at a time.

A campaign compiles the same queries over some ten schemas a world, and compares nothing but the cost of their plans. So
no fixes are looked for, nothing is said about a query, and each text is parsed once.
"""

from __future__ import annotations

from collections.abc import Mapping

from piql.compiler.binding.binder import bind_piece, bind_schema_once
from piql.compiler.binding.scope import TableNames
from piql.compiler.bounds.queries import section_cost
from piql.compiler.index_design import settle
from piql.compiler.one_query import indexes_by_table, plan_once
from piql.compiler.optimizer.analysis.effort import Cost
from piql.compiler.physical.indexes.secondary_index import constraint_indexes
from piql.compiler.syntax import ast
from piql.compiler.syntax.parser import parse
from piql.schema.catalog import Catalog
from piql.text.source import Source
from piql.trees.caches import Caches

from ..schema import Schema, piql_ddl


class PlannedCosts:
    """Plans the queries of one world, each as if it were alone in its set."""

    def __init__(self) -> None:
        self._caches = Caches()  # they go with the world
        self._parsed: dict[str, ast.ParsedFile] = {}

    def __call__(self, schema: Schema, texts: Mapping[str, str]) -> dict[str, Cost]:
        """Return what each bounded query takes over a schema."""
        with self._caches.at_work():
            return self._costs(schema, texts)

    def _costs(self, schema: Schema, texts: Mapping[str, str]) -> dict[str, Cost]:
        bound_schema = bind_schema_once([parse(Source(piql_ddl(schema)))])
        names = TableNames(bound_schema.tables, frozenset(bound_schema.broken))
        catalog = Catalog(bound_schema.tables, bound_schema.indexes, bound_schema.thresholds)
        required = indexes_by_table(constraint_indexes(catalog))
        costs: dict[str, Cost] = {}
        for name, text in texts.items():
            (query,), _, _ = bind_piece(self._file_of(text), bound_schema, names)
            if query.has_errors:
                continue
            planned = [plan_once(query, required)]
            settle([query], planned, catalog, required)  # two reads of one query may share an index
            if planned[0] is not None and planned[0].plan is not None:
                costs[name] = section_cost(planned[0].plan, {})
        return costs

    def _file_of(self, text: str) -> ast.ParsedFile:
        if text not in self._parsed:
            self._parsed[text] = parse(Source(text))
        return self._parsed[text]
