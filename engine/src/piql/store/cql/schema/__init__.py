"""The tables of a keyspace: those of the store, and those that others made."""
