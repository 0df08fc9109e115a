"""Secondary indexes: those that constraints need, and those that the plans of queries read.

secondary_index      one index: its columns and name, the rows that it finds, whether it holds copies of columns
fewest_indexes       leaves out the indexes of a table that others can stand in for
index_set            merges and names what is left, for the whole set of queries
reading_direction    which indexes are read from their end
"""
