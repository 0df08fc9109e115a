"""Bare SELECTs that were compiled elsewhere, run over the deployment that they were compiled for.

    deployment = db.deployment
    query = compile_statement(text, deployment.compilation)         perhaps in another process
    page = Selects(db).run(query, deployment, parameters)

A statement can read only the indexes of the deployment, and is never a write: nothing is made for it, or changed by it.
"""

from __future__ import annotations

from collections.abc import Mapping

from piql.client.database import Database
from piql.compiler.physical.unit_plan import UnitPlan
from piql.compiler.physical.write_plan import WritePlan
from piql.compiler.result import CompiledQuery
from piql.errors import CompilationRefused
from piql.runtime.deployment import Deployment, Redeployed
from piql.runtime.execution.prepared_query import Page, PreparedQuery
from piql.runtime.execution.seals import signing_key


class Selects:
    """Runs SELECTs without a name in a database; may be used from any thread."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._key: bytes | None = None

    def run(
        self,
        query: CompiledQuery,
        deployment: Deployment,
        parameters: Mapping[str, object] | None = None,
        cursor: str | None = None,
    ) -> Page:
        """Run a SELECT with a value for each parameter, and return its page of rows.

        Raises CompilationRefused for what has errors, no bound, or writes; Redeployed where another version than
        `deployment` is in force by the end; RepairPending where interrupted writes are in the way; everything else is
        as in `Database.execute`.
        """
        refuse_unless_select(query)
        database = self._database
        if self._key is None:
            self._key = signing_key(database.store)
        prepared = PreparedQuery(query, database.store, deployment.deployed, deployment.version, self._key)
        freshness = prepared.freshness(None, database.consistency)
        page = prepared.execute(parameters, cursor, database.strategy, None, freshness)
        if database.deployment.epoch != deployment.epoch:
            raise Redeployed
        return page


def refuse_unless_select(query: CompiledQuery) -> None:
    """Raise CompilationRefused where a statement has errors, writes, or has no bound."""
    errors = [diagnostic for diagnostic in query.diagnostics if diagnostic.severity == "error"]
    if errors:
        raise CompilationRefused(f"not run: {errors[0].message}", query.diagnostics)
    if query.kind != "select" or isinstance(query.plan, WritePlan | UnitPlan):
        raise CompilationRefused(f"not run: this is {query.kind.upper()}, and only a SELECT is run here")
    if query.plan is None or query.bound is None:
        raise CompilationRefused("not run: no bound was found", query.diagnostics)
