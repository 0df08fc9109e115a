"""The application whose OpenAPI document also says what is refused before any endpoint is asked."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI

from piql_backend.errors import described
from piql_backend.same_origin import SAFE_METHODS


class DocumentedApi(FastAPI):
    """A FastAPI application; its middleware's refusals are declared where they can come."""

    def openapi(self) -> dict[str, Any]:
        if self.openapi_schema is None:
            document = super().openapi()
            for operations in document["paths"].values():
                for method, operation in operations.items():
                    for status in _refusals(method, operation):
                        operation["responses"].setdefault(str(status), described(status))
        return super().openapi()


def _refusals(method: str, operation: dict[str, Any]) -> tuple[int, ...]:
    if method.upper() in SAFE_METHODS:
        return ()
    return (403, 413, 415) if "requestBody" in operation else (403, 413)
