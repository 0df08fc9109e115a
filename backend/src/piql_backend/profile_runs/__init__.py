"""Profile runs: measurements of a store's operators, each a process of its own.

service.py      queues, starts, cancels and resumes them
repository.py   the runs on disk
stores.py       which stores may be measured
summary.py      what a run measured, by operator
logs.py         the histograms of a run as an HdrHistogram log
drift.py        how the store compares with its profile since
endpoints.py    the HTTP paths, with `schemas.py`, the shapes of requests and answers
"""
