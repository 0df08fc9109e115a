"""What each page asks every few seconds: how the workbench and the environment are, and which answers are out of date.

    page  →  pulse  →  the version of its comments is another one  →  asks for the comments that are new

A version is worked out without reading what it is the version of, and once for all who ask within a moment.

versions.py    the versions of what a page shows
service.py     joins them with the health of the environment
endpoints.py   the HTTP path, with `schemas.py`, the shape of the answer
"""
