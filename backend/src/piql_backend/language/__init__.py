"""What an editor asks about a text: completion, hover, renaming and so on; `piql.editor.service` answers all of it.

service.py     asks it, in the schemas of the API
endpoints.py   the HTTP paths, with `schemas.py`, the shapes of requests and answers
"""
