"""What an editor asks about a text: completion, hover, renaming and so on; `piql.editor.service` answers all of it.

service.py     asks it, in the schemas of the API
schema_changes.py   changes of a schema, from the shapes of the API to those of the service
endpoints.py   the HTTP paths, with `schemas.py`, the shapes of requests and answers
"""
