"""Typed clients of a deployed set: one file in a language, which needs nothing but that language.

A client is a file that is the same for every set, `runtime`, followed by what `module` writes for the set: a type for
each table and for each query's rows, and `Queries` with one method for each query.
"""
