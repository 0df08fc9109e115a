"""Per row, gets the record behind an index entry; a row whose record is gone is dropped."""

from __future__ import annotations

from piql.compiler.logical.expressions import ColumnRef
from piql.compiler.physical import operators as physical
from piql.runtime.execution.execution import Execution, OperatorRun
from piql.runtime.execution.operators.base import Operator, Streaming
from piql.runtime.execution.preparation import Preparation
from piql.runtime.execution.settling import SettledStore
from piql.store.base import Batch, ReadShape, Row


class Dereference(Streaming):
    def __init__(self, node: physical.Dereference, child: Operator, preparation: Preparation) -> None:
        self.child = child
        self.fields = node.fields
        compiler = preparation.over(child.fields)
        held = {
            field.name: field for field in child.fields if isinstance(field, ColumnRef) and field.relation == node.alias
        }
        key = [compiler.stored(held[name]) for name in node.table.primary_key]
        self._key_of = compiler.function("r", compiler.tuple_of(key))
        entry = [compiler.stored(column) for column in held.values()]
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
        asked: dict[Row, int] = {}
        request_of: dict[Row, int] = {}
        for row, entry in zip(rows, entries, strict=True):
            if entry not in records:
                request_of[entry] = asked.setdefault(self._key_of(row), len(asked))
        if any(None in key for key in asked):  # padded by a left join: there is no record
            raise LookupError("a row without a key cannot be dereferenced")
        if asked:
            (answers,) = yield [Batch(self._read, list(asked), self)]
            records.update((entry, answers[number]) for entry, number in request_of.items())
        joined = self._joined
        return [joined(row, record) for row, entry in zip(rows, entries, strict=True) for record in records[entry]]
