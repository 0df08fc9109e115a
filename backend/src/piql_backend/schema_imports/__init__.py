"""A schema of another database, and its queries, written as PIQL.

service.py     imports a text by `piql.importing`
endpoints.py   the HTTP path, with `schemas.py`, the shapes of requests and answers
"""
