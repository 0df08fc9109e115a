"""Probes for machines: is the process alive, can it serve, what has it done.

service.py          answers all three
request_counts.py   counts answers by method and status
of_process.py       what every server tells of its process
of_process.py       what every server tells of its process
exposition.py       writes counts in Prometheus' text format
endpoints.py        the HTTP paths, with `schemas.py`, the shape of an answer
"""
