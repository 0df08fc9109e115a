"""Sessions over the Rust driver, experimental: what `session/` does over the Python driver, with the same failures.

connection   connects and sends      reads, reader   reads as generated functions
values       CQL's bytes ↔ values    failures        the driver's errors → PIQL's
"""
