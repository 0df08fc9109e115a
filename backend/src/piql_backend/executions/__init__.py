"""Executions of deployed queries, and the observations that they leave.

service.py        runs a query in a pool of threads
observations.py   collects how long executions took, and writes it to DuckDB
tallies.py        counts executions by query and time, for `/metrics`
values.py         values between JSON and the engine
endpoints.py      the HTTP paths, with `schemas.py`, the shapes of requests and answers
"""
