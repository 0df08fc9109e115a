"""SLOs in DuckDB: a row for each query that has one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from piql_backend.database.connection import Database, aware, now
from piql_backend.reports.slo_counts import count_again
from piql_backend.slos.schemas import SloRead
from piql_backend.web.errors import NotFound
from piql_backend.web.pages import Listing, Page, PageWish
from piql_backend.web.schemas import SloWrite

_COLUMNS = "query, quantile, threshold_ms, interval_seconds, updated_at"
_SLOS = Listing[SloRead, str]("slos", str, lambda slo: slo.query)


class SloTable:
    """The table `slos`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def page(self, wish: PageWish) -> Page[SloRead]:
        return _SLOS.page(wish, self._behind)

    def list(self) -> Sequence[SloRead]:
        """All SLOs, by the names of their queries."""
        return self._behind(None, None)

    def _behind(self, query: str | None, count: int | None) -> Sequence[SloRead]:
        """The SLOs of the `count` queries that come after `query` by name; from the first, and all, for None."""
        selection = f"SELECT {_COLUMNS} FROM slos WHERE ? IS NULL OR query > ? ORDER BY query LIMIT ?"
        with self._database.read() as cursor:
            rows = cursor.execute(selection, [query, query, count]).fetchall()
        return [
            SloRead(
                query=query,
                quantile=quantile,
                threshold_ms=threshold_ms,
                interval_seconds=interval_seconds,
                updated_at=aware(updated_at),
            )
            for query, quantile, threshold_ms, interval_seconds, updated_at in rows
        ]

    def save(self, slos: Mapping[str, SloWrite]) -> Sequence[SloRead]:
        """Set the SLOs of queries, all of them or none."""
        updated_at = now()
        with self._database.write() as cursor:
            for query, slo in slos.items():
                cursor.execute(
                    f"INSERT OR REPLACE INTO slos ({_COLUMNS}) VALUES (?, ?, ?, ?, ?)",
                    [query, slo.quantile, slo.threshold_ms, slo.interval_seconds, updated_at],
                )
            count_again(cursor, [*slos])
        return [SloRead(query=query, updated_at=aware(updated_at), **slo.model_dump()) for query, slo in slos.items()]

    def delete(self, query: str) -> None:
        """Remove a query's SLO; ApiError 404 where it has none."""
        with self._database.write() as cursor:
            deleted = cursor.execute("DELETE FROM slos WHERE query = ? RETURNING query", [query]).fetchall()
            count_again(cursor, [query])
        if not deleted:
            raise NotFound("unknown-slo", f"{query[:60]} has no SLO.")
