"""The store of an environment: `connection.py` connects, asks for its health and knows it again by `known.py`."""
