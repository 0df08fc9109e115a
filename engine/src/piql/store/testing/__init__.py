"""Stores in front of a store, for tests and measurements: `latency` answers late, `recording` keeps every read."""
