"""The service-level objective of each query.

service.py      sets and judges them, and exchanges them as OpenSLO documents
repository.py   keeps them in DuckDB
report.py       `piql slo`, which asks a running workbench
endpoints.py    the HTTP paths, with `schemas.py`, the shapes of requests and answers
"""
