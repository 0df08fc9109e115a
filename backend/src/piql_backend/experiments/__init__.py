"""Experiments of the papers: `piql experiment` in a process of its own, one at a time for the whole workbench.

service.py      lists, starts and cancels them
stores.py       on which stores they may run, and who may start them there
endpoints.py    the HTTP paths, with `schemas.py`, the shapes of answers
"""
