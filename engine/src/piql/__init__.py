"""PIQL: queries whose cost is known before they run.

The life of a query, from text to rows:

 1. `source` holds the text; every place in it is a `Span` that knows its line and column.
 2. `syntax` reads text into trees, one statement after another; a broken one hides no other.
 3. `binding` resolves names: DDL becomes a `Catalog`, each query a logical plan over typed columns.
 4. `optimizer`, Phase I: rules push predicates down, order joins, insert data-stops and push stops.
 5. `physical.planner`, Phase II: each section gets a bounded remote operator, or is a gap that nothing bounds.
 6. `physical.indexes` puts the indexes that the queries and the constraints ask for together.
 7. `bounds` reads requests, round trips, rows and bytes off the plan, each with the fact that proves it.
 8. `diagnostics` and `assistant` tell what is wrong, and offer fixes that were compiled first.
 9. `database` deploys: tables and indexes are made in a `store`, the compilation is kept there.
10. `execution` runs the plan: operators ask the store for ranges, requests are counted against the bound.
"""

from __future__ import annotations

from piql.asynchronous import aconnect
from piql.bounds.bound import Bound
from piql.compilation import Compilation, CompiledQuery, compile  # noqa: A004
from piql.database import Database, Session, connect
from piql.diagnostics.diagnostic import Diagnostic, Edit, Fix, Label
from piql.errors import (
    BoundExceeded,
    CardinalityViolation,
    CompilationRefused,
    ConditionFailed,
    ConstraintViolation,
    DeploymentInProgress,
    DuplicateKey,
    ForeignKeyViolation,
    InvalidCursor,
    InvalidParameter,
    InvalidSession,
    NotDeployed,
    NumberOutOfRange,
    PiqlError,
    RepairPending,
    SnapshotUnavailable,
    StaleCursor,
    StoreForked,
    StoreUnavailable,
)
from piql.evolution.build import Build, BuildProgress
from piql.execution.executor import Page
from piql.source import Source, Span

__version__ = "0.1.0"

__all__ = [
    "Bound",
    "BoundExceeded",
    "Build",
    "BuildProgress",
    "CardinalityViolation",
    "Compilation",
    "CompilationRefused",
    "CompiledQuery",
    "ConditionFailed",
    "ConstraintViolation",
    "Database",
    "DeploymentInProgress",
    "Diagnostic",
    "DuplicateKey",
    "Edit",
    "Fix",
    "ForeignKeyViolation",
    "InvalidCursor",
    "InvalidParameter",
    "InvalidSession",
    "Label",
    "NotDeployed",
    "NumberOutOfRange",
    "Page",
    "PiqlError",
    "RepairPending",
    "Session",
    "SnapshotUnavailable",
    "Source",
    "Span",
    "StaleCursor",
    "StoreForked",
    "StoreUnavailable",
    "aconnect",
    "compile",
    "connect",
]
