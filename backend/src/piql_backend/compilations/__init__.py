"""What the compiler says about a set of files.

service.py     compiles, and keeps the last compilations
reading.py     turns a compilation into the schemas of an answer
answers.py     the JSON of an answer, whose parts that have not changed are kept
in_parts.py    an answer in lines, of which the first may be there before the whole
accesses.py    the tables and indexes that a query goes to, step by step
node_ids.py    how a node of a plan is named in an answer
endpoints.py   the HTTP path, with `schemas.py`, the shapes of requests and answers
"""
