"""Sessions over the Python driver.

connection   connects, prepares, sends          gate            how many requests are under way at once
direct       reads without the driver's future  routing         to which node a request goes, and where next
frames, protocol     bytes of requests and rows silent_nodes, probe     nodes that do not answer are asked last
failures     the driver's errors → PIQL's       replicas        which nodes keep a partition
"""
