"""A PostgreSQL server on this machine, for tests.

running    starts it, and stops it
fixture    the fixture of pytest that gives a test a database of its own
"""
