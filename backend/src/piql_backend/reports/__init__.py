"""Reports of applications: the counts of what they executed, taken once and kept.

service.py      takes shipments, refuses what cannot be right, makes old counts coarser
repository.py   the SQL over the table `reported`
endpoints.py    the HTTP paths, with `schemas.py`, the shapes of requests and answers
"""
