"""Processes that compile, predict and answer editors, so that nobody's text takes the time or memory of executions.

pool.py       in the server: hands jobs to the processes, and replaces those that take too much
protocol.py   what passes between server and process

The process itself is in `worker_process/`.
"""
