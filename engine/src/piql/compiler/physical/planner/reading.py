"""What is asked of one relation, and one way to read it: data that the choice of an access takes and gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from piql.compiler.logical.expressions import Expression
from piql.compiler.logical.operators import Count
from piql.compiler.optimizer.analysis.facts import Fact
from piql.compiler.optimizer.analysis.restrictions import Restrictions
from piql.compiler.physical.operators import KeyPart, KeyRange, PassingRows, RowLimit
from piql.schema.catalog import Index, Table


@dataclass(frozen=True, slots=True)
class Demand:
    """The order and the stop that a read should give; the order is in its own columns (None: no index has it)."""

    keys: tuple[tuple[str, bool], ...] | None = ()  # column, ascending; a total order, or () where any will do
    count: Count | None = None


@dataclass(frozen=True, slots=True)
class Access:
    """One way to read a relation."""

    index: Index
    prefix: tuple[KeyPart, ...]
    range: KeyRange | None
    is_ascending: bool
    order: tuple[tuple[str, bool], ...]  # the order of one read's rows: the key columns after the prefix
    limit: RowLimit
    residual: tuple[Expression, ...]  # the predicates that the index does not apply
    reads: int  # requests for one row of the child
    needs_dereference: bool  # the index holds keys only: the record is fetched for each entry
    is_new: bool  # the index is made for this read
    serves_order: bool  # the rows of one read come in the order asked
    is_one_row: bool  # a key is fixed: one read gives one row at most
    passing: PassingRows | None = None  # where fewer rows pass the residual tests than all reads may give

    @property
    def rows(self) -> int:
        """The rows of all reads, for one row of the child."""
        return self.reads * self.limit.max

    @property
    def rows_passing(self) -> int:
        """The rows of all reads that pass the residual tests."""
        return self.rows if self.passing is None else self.passing.rows


@dataclass(frozen=True, slots=True)
class Reading:
    """A relation about to be read: all that the choice of its access depends on."""

    table: Table
    restrictions: Restrictions  # what the predicates fix
    facts: tuple[Fact, ...]  # what the schema proves of that, the fewest rows first; empty where no fact may bound it
    demand: Demand
    uses: Mapping[str, int]  # how often the query names each column of it
    indexes: tuple[Index, ...]  # secondary ones that exist
    must_cover: bool = False  # a dereference cannot follow (left joins, pages of unions)
    is_frozen: bool = False  # the indexes are deployed: none can be made or hold more
    is_exact: bool = False  # the first row alone counts: of several buckets each would give one
