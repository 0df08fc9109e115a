"""Values of a query's parameters under a name, for everybody who works on the application.

sets_file.py    what the file of an application holds
repository.py   lists, makes, changes and removes sets
endpoints.py    the HTTP paths, with `schemas.py`, the shapes of requests and answers
"""
