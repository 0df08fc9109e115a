"""The tables of an environment: their rows by pages, single rows written, and all rows as a file.

service.py     reads pages and writes rows
exports.py     writes and sends the file
endpoints.py   the HTTP paths, with `schemas.py`, the shapes of requests and answers
"""
