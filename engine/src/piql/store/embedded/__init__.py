"""The embedded store: one SQLite file in WAL mode, one table an index, one connection a thread.

store         the interface of `store.base`
layout        an index as a SQLite table, and the SQL of its reads and writes
connections   one for each thread
fork          closes connections before a fork, and refuses a file that was still open then
ownership     whether a file is a store, before anything is written to it
turns         whose turn it is to write, of all who wait
waiting       retries while others write to the file; SQLite's errors → PIQL's
log_files     the log beside the file of an open store
"""
