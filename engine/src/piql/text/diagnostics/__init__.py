"""Diagnostics: the messages of the compiler, the catalog of their codes, and how they are printed."""
