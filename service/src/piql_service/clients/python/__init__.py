"""Clients in Python: dataclasses, and the standard library."""
