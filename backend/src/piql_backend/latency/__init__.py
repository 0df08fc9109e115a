"""The dashboard: observed latencies beside the predictions stored with a deployment.

service.py        joins observations, predictions and SLOs into one answer
comparing.py      compares executions with the prediction for their own size
promises.py       compares how often an SLO was kept with what is predicted
budgets.py        how much of what an SLO allows is used, and how fast
plans.py          since which version a query has its plan
seen.py           what ran in a window, gathered once and counted in several ways
danger.py         which queries are in danger, and which is the worst
incidents.py      what executions found that must not be: bounds and limits passed, entries without records
unusual.py        the last hours of a query beside its own past;  all_unusual.py   of all queries, once an hour
loads.py          the p99 of a query over the load of its store
sizes.py          the p99 of a query over the size of what it read
shared_reads.py   gives one answer to all who ask the same within a moment;  shared_answers.py   sends it
repository.py     the SQL of charts and of what kept the SLOs
sources.py        what ran by the workbench, by applications, or by both, as one relation
endpoints.py      the HTTP path, with `schemas.py`, the shapes of answers
"""
