"""Reads on a cluster.

reads         the shape of a read → its SELECTs, when it is prepared (`plan_read`)
range_ends    numbers that end a range of another type
selection     which columns a read selects
shown         which of the selected rows a read returns, and their columns
pending       a request that takes several statements, one after another
listing       a batch of requests that differ in one column → one statement, known when a read is prepared
grouping      any requests → fewer statements, found out from the requests
"""
