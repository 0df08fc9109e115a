"""Gets the record behind the index entry in each child row; a row whose record is gone is dropped.

The records are asked for by their keys, once each; answers are kept by entry, because on a store without transactions
the settling of an answer depends on the entry that led to it (see `settling.py`).
"""

from __future__ import annotations

from piql.compiler.logical.expressions import ColumnRef
from piql.compiler.physical import operators as physical
from piql.runtime.execution.execution import Execution, OperatorRun
from piql.runtime.execution.operators.base import Operator, Streaming
from piql.runtime.execution.preparation import Preparation
from piql.runtime.execution.settling import SettledStore
from piql.store.base import Batch, ReadShape
from piql.store.rows import Row


class Dereference(Streaming):
    """Adds the record's columns that the index does not hold to rows that hold its entry."""

    def __init__(self, node: physical.Dereference, child: Operator, preparation: Preparation) -> None:
        self.child = child
        self.fields = node.fields
        compiler = preparation.over(child.fields)
        entry_columns = {
            field.name: field for field in child.fields if isinstance(field, ColumnRef) and field.relation == node.alias
        }
        key = [compiler.stored(entry_columns[name]) for name in node.table.primary_key]
        self._key_of = compiler.function("r", compiler.tuple_of(key))
        entry = [compiler.stored(column) for column in entry_columns.values()]
        self._entry_of = compiler.function("r", compiler.tuple_of(entry))
        read_fields = tuple(field for field in node.fields if field not in set(child.fields))
        columns = tuple(column.name for column in read_fields if isinstance(column, ColumnRef))
        primary = node.table.primary_index()
        shape = ReadShape(node.table, primary, columns, len(node.table.primary_key))
        store = preparation.store
        self._read = store.prepare_record(shape) if isinstance(store, SettledStore) else store.prepare(shape)
        pair = preparation.over_pair(child.fields, read_fields)
        self._joined = pair.function("l, r", pair.tuple_of([pair.stored(field) for field in node.fields]))

    def expand(self, execution: Execution, rows: list[Row]) -> OperatorRun:
        if not rows:
            return []
        records = execution.known(self)
        entries = [self._entry_of(row) for row in rows]
        request_of_key: dict[Row, int] = {}
        request_of_entry: dict[Row, int] = {}
        for row, entry in zip(rows, entries, strict=True):
            if entry not in records:
                request_of_entry[entry] = request_of_key.setdefault(self._key_of(row), len(request_of_key))
        # Only rows padded by a left join have no key, and the planner puts no dereference there (`must_cover`).
        if any(None in key for key in request_of_key):
            raise LookupError("a row without a key cannot be dereferenced")
        if request_of_key:
            (answers,) = yield [Batch(self._read, list(request_of_key), self)]
            records.update((entry, answers[request]) for entry, request in request_of_entry.items())
        joined = self._joined
        return [joined(row, record) for row, entry in zip(rows, entries, strict=True) for record in records[entry]]
