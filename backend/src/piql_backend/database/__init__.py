"""The DuckDB file of an environment, opened by the backend alone: SLOs, observations, the history of deployments.

opening.py      opens it; a damaged file is set aside and rebuilt
connection.py   cursors for reading and writing
told_versions.py   which version pages are told of what changes all the time
migrations/     its tables, a numbered SQL file for each change
"""
