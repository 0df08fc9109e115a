"""The store in a bucket of an object store, by Amazon's protocol S3: pages of rows, in trees, below one root.

address.py       the URL s3://bucket/prefix?…;  credentials.py   keys, from the environment only
keys.py          an index's key → bytes in its order;  ranges.py   a read → a range of keys
pages.py         what an object holds
tree.py          reads and changes of a tree;  packing.py   a changed tree → new pages
root.py          the one object that changes;  turn.py   whose turn it is to change it
objects.py       the requests;  cache.py   pages that are kept
reading.py       answers in one state;  transaction.py   the next state
store.py         the store itself
"""

from piql.store.s3.store import S3Store, open_s3

__all__ = ["S3Store", "open_s3"]
