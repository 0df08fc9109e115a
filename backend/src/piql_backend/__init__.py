"""The workbench over HTTP: it owns the DuckDB file and joins compiler, profiler and store."""

__version__ = "0.1.0"
