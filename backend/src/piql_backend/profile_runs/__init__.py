"""Measurements of the remote operators, each run a process of its own."""
