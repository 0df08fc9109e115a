"""Secondary indexes: `secondary_index` makes one, `index_set` merges those of a set, and `fewest_indexes` leaves out
those that another can stand in for. `reading_direction` says which are read from their end.
"""
