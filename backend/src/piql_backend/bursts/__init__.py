"""Bursts: many executions of one query at a given concurrency.

service.py     starts, runs and cancels them
endpoints.py   the HTTP paths, with `schemas.py`, the shapes of requests and answers
"""
