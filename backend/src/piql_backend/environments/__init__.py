"""Environments of applications: a store each, with what is live, measured and observed there.

registry.py        finds environments by name; opens and closes them
environment.py     the services of one environment
settings_file.py   which store it uses
allowed_stores.py  which stores may be named for an environment
imported_slos.py   SLOs from an archive, until their environment is opened for the first time
changes.py         adds, changes and removes environments
endpoints.py       the HTTP paths, with `schemas.py`, the shapes of requests and answers
sample.py          puts a template's queries and rows into a new one; `sample_endpoints.py` lets that be tried again
"""
