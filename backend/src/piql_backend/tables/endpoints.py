"""HTTP for the rows of deployed tables: read them by the page, write or delete one, export all."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from piql_backend.tables.schemas import (
    ExportFormat,
    RowCreate,
    RowDelete,
    RowsRead,
    RowUpdate,
    RowWriteRead,
    TablesRead,
)
from piql_backend.web.dependencies import TheEnvironment
from piql_backend.web.errors import declared
from piql_backend.web.guarded_routes import GuardedRoute
from piql_backend.web.needs import in_application, needs

router = APIRouter(route_class=GuardedRoute, prefix="/tables", tags=["tables"])

MOST_ROWS = 200
_Filter = Annotated[
    str | None,
    Query(
        max_length=4000, description='Values by column as a JSON object, `{"owner": "ada"}`: the first of `filters`.'
    ),
]
_Cursor = Annotated[str | None, Query(max_length=20_000, description="`cursor` of the page before.")]
_Limit = Annotated[int, Query(ge=1, le=MOST_ROWS, description="Rows at most.")]


@router.get("", responses=declared(503))
@needs(in_application("viewer"))
async def list_tables(environment: TheEnvironment) -> TablesRead:
    """The tables of the live version with their constraints, and about how many rows each holds."""
    return await asyncio.to_thread(environment.tables.tables)


@router.get("/{name:path}/rows", responses=declared(404, 503))
@needs(in_application("viewer"))
async def list_rows(
    name: str, environment: TheEnvironment, filter: _Filter = None, cursor: _Cursor = None, limit: _Limit = 50
) -> RowsRead:
    """A page of rows in the order of the key, or of the index that serves the filter: limit + 1 requests at most.

    422 with `invalid-parameter` for a filter that neither the key nor an index serves.
    """
    return await asyncio.to_thread(environment.tables.rows, name, filter, cursor, limit)


@router.post("/{name:path}/rows", status_code=201, responses=declared(404, 503))
@needs(in_application("developer"))
async def create_row(name: str, request: RowCreate, environment: TheEnvironment) -> RowWriteRead:
    """Insert a row; 422 with `duplicate-key` where there is one. `parameter` names the column that is refused."""
    return await asyncio.to_thread(environment.tables.insert, name, request)


@router.patch("/{name:path}/rows", responses=declared(404, 503))
@needs(in_application("developer"))
async def update_row(name: str, request: RowUpdate, environment: TheEnvironment) -> RowWriteRead:
    """Change columns of a row; 422 with `condition-failed` where one of them has changed since it was seen."""
    return await asyncio.to_thread(environment.tables.update, name, request)


@router.post("/{name:path}/rows/delete", responses=declared(404, 503))
@needs(in_application("developer"))
async def delete_row(name: str, request: RowDelete, environment: TheEnvironment) -> RowWriteRead:
    """Delete a row; 422 with `condition-failed` where it has changed since it was seen."""
    return await asyncio.to_thread(environment.tables.delete, name, request)


@router.get("/{name:path}/export", response_class=Response, responses=declared(404, 503))
@needs(in_application("viewer"))
async def export_table(name: str, environment: TheEnvironment, format: ExportFormat = "csv") -> Response:
    """All rows of a table as a file, exact to the last digit: each read is one request of 1,000 rows at most."""
    return await environment.exports.of_table(name, format)
