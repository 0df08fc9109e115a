"""Writes a schema of another database, and queries of it, as PIQL by `piql.importing`, in the schemas of the API."""

from __future__ import annotations

from piql.importing import ImportRefused, import_text

from piql_backend.schema_imports.schemas import SchemaImportCreate, SchemaImportRead, SchemaNoteRead
from piql_backend.web.errors import ApiError

QUERIES = "queries"  # the name of the file of queries, in the comments of the PIQL


def import_schema(request: SchemaImportCreate) -> SchemaImportRead:
    """Return the schema as PIQL; ApiError 422 with the line where it cannot be read: it is cut off, or no SQL."""
    try:
        imported = import_text(
            request.text, request.dialect, "", {QUERIES: request.queries} if request.queries else None
        )
    except ImportRefused as refused:
        where = "the queries" if refused.file else "the schema"
        line = f"Line {refused.line} of {where}: " if refused.line is not None else ""
        end = "" if refused.reason.endswith("?") else "."
        raise ApiError(422, "import-refused", f"{line}{refused.reason}{end}", "Nothing was imported.") from refused
    return SchemaImportRead(
        text=imported.text,
        dialect=imported.dialect,
        tables=list(imported.tables),
        queries=list(imported.queries),
        statements=sum(statement.count for statement in imported.statements),
        taken=sum(statement.count for statement in imported.statements if statement.outcome != "left out"),
        notes=[
            SchemaNoteRead(
                line=note.line,
                is_query=note.file == QUERIES,
                outcome=note.outcome,
                subject=note.subject,
                reason=note.reason,
            )
            for note in imported.notes
        ],
    )
