"""Reads on a cluster: the shape of a read becomes SELECTs when it is prepared (`reads.plan_read`).

Many keys go as one statement each, or as few statements for several keys (`grouping`, `listing`). `shown` says which of
the rows that were selected a read returns, and how.
"""
