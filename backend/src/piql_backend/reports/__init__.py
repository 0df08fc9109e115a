"""Reports of applications: the counts of what they executed, taken once and kept. `otlp/` adds to them.

service.py      takes shipments, refuses what cannot be right, puts old counts together
repository.py   the SQL over what was reported
widths.py       counts by the minute, hour and day, so that any window is read from few rows
slo_counts.py   how many executions kept the SLO of their query, by the minute and hour
slo_days.py     how many intervals of its SLO each query kept in a day
operator_samples.py  where the time of samples went, operator by operator: added, and put together by the hour
tallies.py      what was reported since the start, for `/metrics`
in_sql.py       what a cell says, in SQL
endpoints.py    the HTTP paths, with `schemas.py`, the shapes of requests and answers
"""
