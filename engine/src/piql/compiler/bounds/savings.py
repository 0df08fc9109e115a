"""What an index saves: a covering index saves the requests that fetch whole records, one with keys only costs them.

The workbench shows the number beside each index.
"""

from __future__ import annotations

from collections.abc import Mapping

from piql.compiler.bounds.distinct_values import Path
from piql.compiler.bounds.formula import number
from piql.compiler.bounds.queries import bound_of
from piql.compiler.bounds.requests import rows_fetched
from piql.compiler.logical.expressions import ColumnRef
from piql.compiler.physical.operators import Dereference, IndexFKJoin, IndexScan, PhysicalNode, SortedIndexJoin, inputs


def requests_saved(plan: PhysicalNode) -> Mapping[str, int]:
    """Return the gets that each secondary index of a plan saves, by the name of the index.

    The number is negative for an index that holds keys only: the records behind its entries are fetched.
    """
    saved_by_index: dict[str, int] = {}
    index_of_alias: dict[str, str] = {}
    requests_by_path = {operator.path: number(operator.operations) for operator in bound_of(plan).by_operator}

    def visit(node: PhysicalNode, path: Path) -> None:
        for at, source in enumerate(inputs(node)):
            visit(source, (*path, at))
        requests = requests_by_path[path]
        if isinstance(node, IndexScan | IndexFKJoin | SortedIndexJoin) and not node.index.is_primary:
            names_read = {
                field.name for field in node.fields if isinstance(field, ColumnRef) and field.relation == node.alias
            }
            saved = rows_fetched(node, requests).value if names_read & set(node.index.covering) else 0
            saved_by_index[node.index.name] = saved_by_index.get(node.index.name, 0) + saved
            index_of_alias[node.alias] = node.index.name
        if isinstance(node, Dereference):
            saved_by_index[index_of_alias[node.alias]] -= requests.value

    visit(plan, ())
    return saved_by_index
