"""Typed clients of a deployed set: one file in a language, which needs nothing but that language.

A client begins with `runtime`, which is the same for every set: one file, or a folder of parts that are joined.
`module` writes the rest for the set: a type for each table and for each query's rows, and `Queries` with one method for
each query.
"""
