"""Applications: folders of PIQL files that the workbench edits.

repository.py   reads and writes the files of one application
lifecycle.py    makes, duplicates, archives and deletes whole applications
templates.py    the sample applications that new ones can be made from
endpoints.py    the HTTP paths, with `schemas.py`, the shapes of requests and answers
"""
