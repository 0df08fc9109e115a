"""The OpenAPI document of a deployed set: one path a query, with the types of its parameters and rows, and its bound.

The bound stands in `x-piql-bound`, the type of PIQL in `x-piql-type`: JSON has fewer types.
"""

from __future__ import annotations

from typing import Any

from piql.schema.catalog import Kind, SqlType
from piql.schema.types import COLUMN_TYPES

from piql_service.contract.deployed_set import ServedColumn, ServedParameter, ServedQuery, ServedSet
from piql_service.contract.headers import REQUEST_HEADERS, SESSION

Json = dict[str, Any]

PATH = "/queries/{}"
NDJSON = "application/x-ndjson"

_STATUSES = {
    "400": "The body is not JSON, or a header is wrong.",
    "401": "The token is missing or unknown.",
    "404": "No query of that name is deployed.",
    "413": "The body is too large.",
    "415": "The body is not declared to be JSON.",
    "422": "The engine refuses the parameters, the cursor, the session or the write; the code says why.",
    "429": "The budget of the token is used up; `cost` is what the request would have taken of it.",
    "503": "The store does not answer, or there are too many connections.",
    "504": "The deadline has passed.",
}


def document(served: ServedSet) -> Json:
    """Return the OpenAPI 3.1 document of a set."""
    schemas: Json = {
        "Error": _object(
            {
                "code": {"type": "string"},
                "message": {"type": "string"},
                "help": {"type": ["string", "null"]},
                "parameter": {"type": ["string", "null"]},
                "cost": {"type": ["integer", "null"], "description": "requests that it would have taken of the budget"},
                "retry_after_ms": {"type": ["integer", "null"]},
            },
            required=["code", "message"],
        )
    }
    for entity in served.entities:
        schemas[f"{entity.name}.entity"] = _rows(entity.columns)
    for query in served.queries.values():
        schemas[f"{query.name}.parameters"] = _parameters(query)
        if query.entity is None:
            schemas[f"{query.name}.row"] = _rows(query.columns)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Deployed PIQL queries", "version": str(served.version)},
        "security": [{"token": []}, {}],
        "paths": {PATH.format(name): {"post": _operation(query)} for name, query in served.queries.items()},
        "components": {
            "schemas": schemas,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(query: ServedQuery) -> Json:
    page = _page(query)
    content: Json = {"application/json": {"schema": page}}
    if query.is_paged:
        content[NDJSON] = {"schema": page}
    answers: Json = {
        "200": {
            "description": "The rows." if not query.is_write else "The write is made.",
            "headers": {SESSION: {"schema": {"type": "string"}}},
            "content": content,
        }
    }
    error = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    answers |= {status: {"description": text, "content": error} for status, text in _STATUSES.items()}
    body: Json = {"parameters": _reference(f"{query.name}.parameters")}
    if query.is_paged:
        body["cursor"] = {"type": ["string", "null"]}
    return {
        "operationId": query.name,
        "parameters": [
            {"name": name, "in": "header", "schema": schema, "description": text}
            for name, (schema, text) in REQUEST_HEADERS.items()
        ],
        "requestBody": {
            "required": bool(query.parameters),
            "content": {
                "application/json": {"schema": _object(body, ["parameters"] if query.parameters else [], closed=True)}
            },
        },
        "responses": answers,
        "x-piql-kind": query.kind,
        "x-piql-bound": {"operations": query.operations, "rows": query.rows, "formula": query.formula},
    }


def _page(query: ServedQuery) -> Json:
    row = f"{query.entity}.entity" if query.entity is not None else f"{query.name}.row"
    rows: Json = {"type": "array", "items": _reference(row)}
    if not query.is_write:
        rows["maxItems"] = query.rows
    return _object(
        {
            "rows": rows,
            "cursor": {"type": ["string", "null"]} if query.is_paged else {"type": "null"},
            "rows_affected": {"type": "integer"} if query.is_write else {"type": "null"},
            "operations": {"type": "integer", "description": "requests made to the store"},
        }
    )


def _parameters(query: ServedQuery) -> Json:
    properties = {parameter.name: _parameter(parameter) for parameter in query.parameters}
    return _object(properties, closed=True)


def _parameter(parameter: ServedParameter) -> Json:
    schema = _rows(parameter.row) if parameter.row else _type(parameter.type)
    if parameter.max_value is not None:
        schema |= {"minimum": 0, "maximum": parameter.max_value}
    if parameter.max_items is not None:
        schema = {"type": "array", "items": schema, "maxItems": parameter.max_items}
    return _or_null(schema) if parameter.nullable else schema


def _rows(columns: tuple[ServedColumn, ...]) -> Json:
    return _object(
        {column.name: _or_null(_type(column.type)) if column.nullable else _type(column.type) for column in columns}
    )


def _type(type: SqlType | None) -> Json:
    if type is None:
        return {}
    schema: Json = {**COLUMN_TYPES[type.kind].json, "x-piql-type": str(type)}
    return schema | {"maxLength": type.length} if type.length is not None and type.kind is Kind.VARCHAR else schema


def _or_null(schema: Json) -> Json:
    return {"anyOf": [schema, {"type": "null"}]} if schema else schema


def _object(properties: Json, required: list[str] | None = None, *, closed: bool = False) -> Json:
    schema: Json = {
        "type": "object",
        "properties": properties,
        "required": list(properties) if required is None else required,
    }
    return schema | {"additionalProperties": False} if closed else schema


def _reference(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}
