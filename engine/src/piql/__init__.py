"""PIQL: queries whose cost is known before they run.

The life of a query, from text to rows:

 1. `text.source` holds the text; every place in it is a `Span` that knows its line and column.
 2. `compiler.syntax` reads text into trees, one statement after another; a broken one hides no other.
 3. `compiler.binding` resolves names: DDL becomes a `Catalog`, each query a logical plan over typed columns.
 4. `compiler.optimizer`, Phase I: rules push predicates down, order joins, insert data-stops and push stops.
 5. `compiler.physical`, Phase II: each section gets a bounded remote operator, or is a gap that nothing bounds.
 6. `compiler.physical.indexes` puts the indexes that the queries and the constraints ask for together.
 7. `compiler.bounds` reads requests, round trips, rows and bytes off the plan, each with the fact that proves it.
 8. `text.diagnostics` and `compiler.fixes` tell what is wrong, and offer fixes that were compiled first.
 9. `versions` deploys: tables and indexes are made in a `store`, the compilation is kept there.
10. `runtime` runs the plan for a `client`: operators ask the store for ranges, requests are counted against the bound.

Each folder imports only what stands below it:

    commands   the `piql` program                    compiler | store   texts to plans and bounds | where rows are kept
    editor     answers and a server for editors      generating         rows that nobody typed
    importing  schemas of another SQL                reporting          counts executions, ships the counts
    pricing    what executions cost in $             errors             what is raised at run time
    files      rows from and to files                schema             tables, keys, limits, types and their values
    client     databases and sessions                text               sources, spans, diagnostics
    versions   deployments, one after another        trees              nodes, shared sequences, caches
    telemetry  executions as other systems count     forking            what a forked process makes anew
    runtime    runs queries and writes
"""

from __future__ import annotations

from piql.client.asynchronous import aconnect
from piql.client.connecting import connect
from piql.client.database import Database, Session
from piql.compiler import compile  # noqa: A004
from piql.compiler.bounds.bound import Bound
from piql.compiler.result import Compilation, CompiledQuery
from piql.errors import (
    BoundExceeded,
    CardinalityViolation,
    CompilationRefused,
    ConditionFailed,
    ConstraintViolation,
    ConversionFailed,
    CredentialsMissing,
    DeployedMeanwhile,
    DeploymentInProgress,
    DuplicateKey,
    ForeignKeyViolation,
    InvalidCursor,
    InvalidParameter,
    InvalidSession,
    NotAStore,
    NotDeployed,
    NumberOutOfRange,
    PiqlError,
    RepairPending,
    SnapshotUnavailable,
    StaleCursor,
    StoreForked,
    StoreReplaced,
    StoreUnavailable,
    WrongStoreAddress,
)
from piql.runtime.execution.prepared_query import Page
from piql.telemetry.exporter import PrometheusExporter
from piql.text.diagnostics.diagnostic import Diagnostic, Edit, Fix, Label
from piql.text.source import Source, Span
from piql.versions.change.build import Build, BuildProgress

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
    "ConversionFailed",
    "CredentialsMissing",
    "Database",
    "DeployedMeanwhile",
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
    "NotAStore",
    "NotDeployed",
    "NumberOutOfRange",
    "Page",
    "PiqlError",
    "PrometheusExporter",
    "RepairPending",
    "Session",
    "SnapshotUnavailable",
    "Source",
    "Span",
    "StaleCursor",
    "StoreForked",
    "StoreReplaced",
    "StoreUnavailable",
    "WrongStoreAddress",
    "aconnect",
    "compile",
    "connect",
]
