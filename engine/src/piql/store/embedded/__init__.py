"""The embedded store: one SQLite file in WAL mode, one table an index, one connection a thread.

store         the interface of `store.base`             layout       an index as a table, and the SQL on it
connections   one for each thread                       fork         what a forked process may not touch
ownership     whose a file is, before it is written     waiting      other writers of the file, SQLite's errors
"""
