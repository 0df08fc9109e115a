"""Latency predictions of plans from a profile run, and heatmaps of them.

by_workers.py   hands each question to a worker process
service.py      answers it there, by the models of `piql_profiler`; `reading.py` turns the results into schemas
capacity.py     how much load a store takes, with `capacity_schemas.py`
stripe_schemas.py   how many stripes a view needs
questions.py    the questions that other parts of the workbench ask
endpoints.py    the HTTP paths, with `schemas.py`, the shapes of requests and answers
"""
