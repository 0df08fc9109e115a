"""Generated rows: a thread makes them and loads them, or only counts them. The outcomes of the last ones are kept.

service.py     begins, follows and stops a generation
endpoints.py   the HTTP paths, with `schemas.py`, the shapes of requests and answers
"""
