"""What people say about a line of a file, a query's bound or a node of its plan: threads of comments.

lines.py         where a line of a text is in a later one
nodes.py         where a node of a plan is in a later one
queries.py       which query has taken the place of one that was renamed
anchors.py       brings threads to where what they are about is now
thread_file.py   the SQLite file of an application
repository.py    lists, adds and changes what the file holds
service.py       who may say, change and remove what
endpoints.py     the HTTP paths, with `schemas.py`, the shapes of requests and answers
"""
