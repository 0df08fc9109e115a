"""What a schema declares: tables, columns, types and their values, and what changes between two declarations."""
