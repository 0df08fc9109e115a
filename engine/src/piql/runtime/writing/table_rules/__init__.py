"""What a table demands of a row: its values, its index entries, its constraints. The same for every kind of store."""
