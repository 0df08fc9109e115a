"""The SLOs of an environment as a rule file for Prometheus.

endpoints.py  HTTP
rules.py      SLOs and where their metrics come from → the file; pure
"""
