"""Applications that come from elsewhere: looked at first, made when somebody says so.

    archive, files, folder, repository   →  process.py, a process with limits of its own  →  a staged application
    keyspace                             →  keyspaces.py                                   →  a staged application

staged.py           what a staged application is: its folder, and what is said of it
archives.py         from an archive
texts.py            which of some files are those of an application; SQL becomes PIQL
folders.py          from a folder of the server
repositories.py     from a git repository
keyspaces.py        from the tables of a keyspace
allowed_sources.py  which folders and repositories may be named
staging.py          starts the process, and says how it ended
service.py          the imports under way, and the applications that are made of them
endpoints.py        the HTTP paths, with `schemas.py`, the shapes of requests and answers
"""
