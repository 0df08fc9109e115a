"""Versions of a query set on one store.

deploy    puts a compiled set into a store as its next version; rolls back      change/   its steps, one after another
pinned    a connection that stays with an earlier version
"""
