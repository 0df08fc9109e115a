"""The workbench over HTTP: it owns the DuckDB file and joins compiler, profiler and store."""
