"""SELECTs that are not deployed, over the tables and indexes that are.

compiling.py    compiles one in a worker process, and says how it might be bounded where it is not
service.py      runs it in the pool of executions
endpoints.py    the HTTP path, with `schemas.py`, the shapes of request and answer
"""
