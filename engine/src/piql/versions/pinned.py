"""A connection that stays with one version: it runs the queries of that version while another one is in force."""

from __future__ import annotations

import re

from piql.compiler.result import CompiledQuery
from piql.errors import NotDeployed
from piql.runtime.deployment import Deployment
from piql.schema.table_changes import added_constraints
from piql.store.base import Store
from piql.versions.change.composition import reason_beside
from piql.versions.deploy import versions


def pinned_to(store: Store, number: int) -> Deployment:
    """Return a version by its number: the one in force or the one before it, whose indexes writers keep up.

    Raises NotDeployed for any other number.
    """
    living = [version.deployment for version in versions(store) if version.state != "coming"]
    for deployment in living:
        if number in (deployment.version, *deployment.earlier_numbers):
            return deployment
    numbers = " and ".join(str(version.version) for version in living) or "none"
    raise NotDeployed(f"version {number} does not exist any more, or not yet; there is {numbers}")


_SYMBOLS = re.compile(r" \+ |·")  # between the symbols of a formula


def refuse_overtaken(query: CompiledQuery, pinned: Deployment, in_force: Deployment) -> None:
    """Raise NotDeployed for a query that relies on a limit or key which the version in force no longer enforces."""
    bound = query.bound
    formulas = (bound.formula, *(operator.rows_formula for operator in bound.by_operator)) if bound is not None else ()
    for name, table in pinned.tables.items():
        if name not in in_force.tables:
            continue
        loosened = added_constraints(in_force.record_of(in_force.tables[name]), table)
        counts_on_limit = loosened.limits and any(
            f"{name}." in formula or name in _SYMBOLS.split(formula) for formula in formulas
        )
        counts_on_key = loosened.unique and any(index.is_unique and index.table == name for index in query.indexes)
        if counts_on_limit or counts_on_key:
            raise NotDeployed(
                f"{query.name} of version {pinned.version} relies on a limit of {name} that version "
                f"{in_force.version} has raised: use that version"
            )


def refuse_overtaken_unit(unit: CompiledQuery, pinned: Deployment, in_force: Deployment) -> None:
    """Raise NotDeployed for a unit that a store without transactions does not make by the rules in force."""
    reason = reason_beside(unit, in_force.compilation)
    if reason is not None:
        raise NotDeployed(
            f"{unit.name} of version {pinned.version} {reason} in version {in_force.version}, and this store has no "
            "transactions: use that version"
        )
