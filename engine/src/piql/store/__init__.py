"""Where the data is kept: one interface, its adapters, and `open_store(url)` that chooses one.

base            the interface: reads of one index range, atomic writes or single-row steps
open, schemes   the one list of adapters and what each can do
embedded/ stepwise/ cql/     the adapters            testing/    stores in front of a store, for tests
wrapper, scan, values        what several of them share
"""
