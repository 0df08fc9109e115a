"""An application as one file: what is in it, and how it is written.

layout.py      what such a file holds, with its version number and its limits
writing.py     exports an application
endpoints.py   the HTTP path

It is read by `application_imports/archives.py`.
"""
