"""What a schema declares: tables, columns, types and their values, and the differences between two declarations."""
