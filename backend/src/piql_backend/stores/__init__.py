"""The store of an environment.

connection.py   connects, and asks for its health
known.py        knows a store again
schemas.py      what is known of a store, and of the cluster behind it
"""
