"""Two sets of queries beside each other: what is live and what would be deployed, or two saves.

service.py         compares queries, indexes and bounds
table_changes.py   compares tables
endpoints.py       the HTTP path, with `schemas.py`, the shapes of requests and answers
"""
