"""Versions of the deployed query set."""
