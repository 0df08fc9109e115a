"""Classes of columns that are equal in every row of a join: `t.owner = s.target` puts the two into one class."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from piql.compiler.logical.expressions import ColumnRef, Expression
from piql.compiler.optimizer.analysis.predicates import ColumnKey, equated_columns, key_of


class Equalities:
    """Union-find over columns: the equalities among some predicates, in the order in which the query names them."""

    def __init__(self, predicates: Iterable[Expression]) -> None:
        self._classes: dict[ColumnKey, list[ColumnRef]] = {}
        for predicate in predicates:
            pair = equated_columns(predicate)
            if pair is not None:
                self._join(*pair)

    def _join(self, left: ColumnRef, right: ColumnRef) -> None:
        left_class = self._classes.setdefault(key_of(left), [left])
        right_class = self._classes.setdefault(key_of(right), [right])
        if left_class is right_class:
            return
        left_class.extend(right_class)
        for column in right_class:
            self._classes[key_of(column)] = left_class

    def equal_to(self, column: ColumnRef) -> tuple[ColumnRef, ...]:
        """Return all columns equal to one, itself first."""
        members = self._classes.get(key_of(column))
        if members is None:
            return (column,)
        return (column, *(member for member in members if key_of(member) != key_of(column)))

    def members(self, column: ColumnKey) -> Sequence[ColumnRef]:
        """Return the class of a column; empty where it equals no other."""
        return self._classes.get(column, ())

    def are_equal(self, left: ColumnKey, right: ColumnKey) -> bool:
        """Whether two columns hold the same value."""
        members = self._classes.get(left)
        return left == right or (members is not None and members is self._classes.get(right))

    def classes(self) -> tuple[tuple[ColumnRef, ...], ...]:
        """Return each class of at least two columns once."""
        seen: dict[int, list[ColumnRef]] = {id(members): members for members in self._classes.values()}
        return tuple(tuple(members) for members in seen.values())
