"""Reads the numbers of a bound off a physical plan."""
