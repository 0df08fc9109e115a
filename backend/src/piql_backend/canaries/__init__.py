"""Versions that are tried on a share of the executions, before they are live: watched, promoted, withdrawn.

service.py      changes the share, promotes, withdraws; says what is tried and how it compares
watching.py     looks every two seconds: makes the tests that are due, and withdraws what passed its thresholds
thresholds.py   when errors or the use of an error budget have passed what the user allowed; pure
counting.py     the executions of both versions, counted by SQL
repository.py   what was decided and what looks have shown, in DuckDB
endpoints.py    the HTTP paths, with `schemas.py`, the shapes of requests and answers

What is tried, on which share and with which thresholds is in the store alone; so a kill loses none of it.
"""
