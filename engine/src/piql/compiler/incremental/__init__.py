"""Compiles texts at the cost of what differs from texts compiled before.

`recompile.compile_texts` cuts files into pieces (one statement each), compiles those that changed, and puts the set
together. `relocation.relocate` moves spans in pieces to spans in files, when they are first read.
"""
