"""The Performance Insight Assistant: what would bound a refused query, each way compiled before it is offered.

Enters: the gaps of a query and a way to compile edited text. Leaves: fixes, the smallest sets of edits that work.
To add a kind of fix, write a file in `remedies/`, from gaps to `Remedy`s, and add it to `suggest.REMEDIES`.
"""
