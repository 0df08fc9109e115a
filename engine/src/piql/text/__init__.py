"""Texts: their sources and spans, and the diagnostics about them."""
