"""Texts: their sources and spans, and what a user is told about them."""
