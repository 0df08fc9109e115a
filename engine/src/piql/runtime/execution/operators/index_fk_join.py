"""Joins each child row with the one row of another table that it names by its key: a foreign key is followed."""

from __future__ import annotations

from piql.compiler.physical import operators as physical
from piql.runtime.execution.execution import Execution, OperatorRun
from piql.runtime.execution.keys import prefixes
from piql.runtime.execution.operators.base import Operator, Streaming
from piql.runtime.execution.operators.matching import Matching
from piql.runtime.execution.preparation import Preparation, column_names
from piql.store.base import Batch, ReadShape
from piql.store.rows import Row


class IndexFKJoin(Streaming):
    """Makes one request for each distinct key among the child rows; a child row with a NULL in its key makes none."""

    def __init__(self, node: physical.IndexFKJoin, child: Operator, preparation: Preparation) -> None:
        self.child = child
        self.fields = node.fields
        index = preparation.deployed(node.index)
        columns = column_names(node.fields, node.alias)
        self._prefixes = prefixes(node.table, index, node.prefix, preparation.over(child.fields), preparation)
        shape = ReadShape(node.table, index, columns, len(node.prefix), nulls=physical.null_columns(node.prefix))
        self._read = preparation.store.prepare(shape)
        self._tail: Row = () if shape.is_get else (1,)
        self._matching = Matching(node, child.fields, preparation)

    def expand(self, execution: Execution, rows: list[Row]) -> OperatorRun:
        parameters, key_of, tail = execution.parameters, self._prefixes, self._tail
        answers_by_key = execution.known(self)
        keys = [row_keys[0] + tail if row_keys else None for row_keys in [key_of(row, parameters) for row in rows]]
        asked = [key for key in dict.fromkeys(keys) if key is not None and key not in answers_by_key]
        if asked:
            (answers,) = yield [Batch(self._read, asked, self)]
            answers_by_key.update(zip(asked, answers, strict=True))
        return self._matching.joined(rows, [answers_by_key[key] if key is not None else [] for key in keys], parameters)
