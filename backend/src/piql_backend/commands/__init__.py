"""The commands that this package adds to `piql`.

serve.py                 `piql serve` and `piql slo`
applications.py          `piql app`, over HTTP to a running workbench
environments.py          `piql app env`
application_imports.py   `piql app export` and `piql app import`
people.py                `piql user`, on the data folder
openapi.py               `python -m piql_backend.commands.openapi`: the API as a document
"""
