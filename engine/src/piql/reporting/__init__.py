"""Reports of executions: folded into counts, kept on disk, sent to a workbench; with nothing but Python.

cells.py        what executions are counted by: minute, query, version, outcome, classes of size and of time
operator_cells.py  where the time of a sample of the executions went, operator by operator
shipment.py     counts as the compressed JSON that the workbench takes
journal.py      counts of the last seconds, on disk before they are a shipment
spool.py        the folder where shipments wait until the workbench has taken them
hosts.py        whether a host is this machine, and whether its name is an address
address.py      where the workbench takes them, and the token that it may ask for
sending.py      one shipment, sent by HTTP
reporter.py     the thread that does all of this for one database
"""
