"""Versions of the query set that is deployed in an environment.

service.py         deploys, rolls back, and answers which version is live
building.py        follows a version whose indexes are still built
history.py         follows the store's own document, which says what is live
naming.py          gives versions their names in the history of the application's files
repository.py      the history of versions, in DuckDB
comparing.py       what a deployment would change, with `table_changes.py` for the tables
promoting.py       deploys what is live in one environment to another
endpoints.py       the HTTP paths, with `schemas.py`, the shapes of requests and answers
"""
