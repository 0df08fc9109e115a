"""PIQL: queries whose cost is known before they run."""
