"""Writes on a cluster.

row_writes    `SingleRowWrites`: records by conditional changes, entries by timestamps
entries       the CQL that writes one index
together      several changes of one partition → one request
copying       copies a table into one of another order
"""
