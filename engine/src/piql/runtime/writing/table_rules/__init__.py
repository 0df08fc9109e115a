"""What a table demands of a row, the same for every kind of store.

records        values given → a record in stored form      entries       a record → its index entries
constraints    limits, UNIQUE keys and foreign keys        column_check  columns that become NOT NULL or narrower
guards         what other versions demand                  headroom      how many more rows a group may take
check_constraint  CHECK, the test of one row
"""
