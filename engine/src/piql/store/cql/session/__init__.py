"""Sessions over the Python driver.

connection            connects, prepares, and sends in the driver's ordinary way
flight                the requests of one call, sent together in that way
direct                reads sent over the driver's connections without its futures, which is quicker
frames, protocol      the bytes of requests, and of rows
replicas              which nodes keep a partition
routing               to which node a request goes first, and to which after a failure
silent_nodes, probe   nodes that do not answer are asked last
gate                  how many requests are under way at once
failures              the driver's errors → PIQL's
"""
