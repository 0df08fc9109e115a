"""The tables of a keyspace: those of the store (`tables`), and those that others made (`foreign_tables`)."""
