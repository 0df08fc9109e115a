"""The files of an application at each save, and which saves were deployed.

service.py      the histories of all applications
repository.py   one history: a bare git repository
bundles.py      a history as one file, in and out
rebuilding.py   a history from elsewhere, rewritten with plain files only
salvaging.py    what is whole of a damaged history
endpoints.py    the HTTP paths, with `schemas.py`, the shapes of requests and answers
"""
