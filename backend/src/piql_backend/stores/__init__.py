"""The store of an environment: `connection.py` connects and asks for its health, `schemas.py` has the answers."""
