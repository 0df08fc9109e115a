"""A store without transactions on one SQLite file, for tests of everything that a cluster does not offer.

It offers single-row conditional writes only (`store`), many of them one after another (`one_by_one`).
"""
