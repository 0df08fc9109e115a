"""The logical plan: what a query asks for. Data only: `expressions`, `operators`, and `format` which prints both.

`binding` builds a plan, `optimizer` rewrites it, `physical` maps it to reads. Nodes are frozen; equal plans are `==`.
"""
