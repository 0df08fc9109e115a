"""Writes on a cluster: records by conditional changes, entries by timestamps (`row_writes`).

`entries` prepares the CQL of one index, `together` sends several changes of one partition as one request, and `copying`
copies a table into one of another order.
"""
