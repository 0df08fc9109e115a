"""Deployed PIQL queries over HTTP, for servers in any language.

A request passes these rooms, from the socket to the store:

    processes   a supervisor with the listening sockets, and the workers that it starts anew when one dies
    web         paths, headers, bodies, answers; what a client did wrong is refused here
    admission   tokens and their budgets, in requests of the bound; nothing is asked of the store before
    execution   equal reads together, on the event loop or in a thread, until the deadline
    contract    the deployed set as clients see it: its OpenAPI document, and values between JSON and the engine
    metrics     counts and times, in Prometheus' text format

`commands` starts it, and writes typed clients (`clients`).
"""
