"""HTTP: the application that uvicorn calls, and what it refuses before anything is executed.

application.py    the paths, and the steps of a request for a query
live_queries.py   the queries that can be called now; a new version replaces them
hosts.py          which Host headers are answered
bodies.py         what becomes of a body that is refused
requests.py       reads the body and the headers of a request
refusals.py       a refusal: status, code, message, one thing to do
"""
