"""Applications: folders of PIQL files that the workbench edits.

repository.py        reads and writes the files of one application
documents_beside.py  where the documents of live sessions lie, which go with their files
file_names.py        which paths cannot both be files of one application
ids.py               ids made of titles
details.py           what an application is called, and whether it is in the archive
templates.py         the sample applications that new ones can be made from
endpoints.py         the HTTP paths, with `schemas.py`, the shapes of requests and answers

Whole applications are made, duplicated, archived and deleted by `lifecycle.py` above the resources.
"""
