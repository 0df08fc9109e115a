"""Requests to deploy a text: opened by one person, looked at by others, deployed once nothing is missing.

service.py      opens, revises, reviews, withdraws and deploys requests
repository.py   requests, their revisions and verdicts, in DuckDB
comments.py     what people say about a request
rules.py        what an environment asks of its requests
checks.py       what a request fulfils of that
reading.py      what a request changes, and what is still missing; numbers.py sums it up in three numbers
counting.py     whether the rows of now fit under tighter limits
texts.py        what text a request asks for
endpoints.py    the HTTP paths, with `schemas.py`, the shapes of requests and answers

Whether a request was deployed is not kept here: the store keeps with each version which request it came by.
"""
