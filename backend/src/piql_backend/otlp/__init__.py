"""Metrics over OTLP/HTTP, as OpenTelemetry's SDKs and collectors send them: histograms of executions become reports.

messages.py     bodies in protobuf or JSON, and the answers to them
points.py       what the data points of a request say of executions, and what is wrong with the others
histograms.py   counts by buckets, explicit or exponential; what one has more than another
series.py       a series and its next point → what is new in it: duplicates, resets, deltas
cells.py        what is new → the cells in which reports are kept
repository.py   keeps the series in DuckDB
service.py      all of this in one transaction
endpoints.py    HTTP
"""
