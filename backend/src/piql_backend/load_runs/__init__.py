"""Load runs: `piql load-test` against the store of an environment, each a process of its own.

service.py      starts, follows and cancels them
arguments.py    what is asked for as arguments of the command, and what is refused
repository.py   the runs on disk
results.py      a result in words, as the command prints them, with its seconds
permission.py   who may start one
endpoints.py    the HTTP paths, with `schemas.py`, the shapes of requests and answers
"""
