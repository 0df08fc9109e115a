"""From a profile run and a physical plan to a latency distribution; no Ray, no store, no I/O.

A plan's remote operators and their cardinalities come from `cardinalities`; a `Model` gives each operator's latency
at these cardinalities, for each profile interval; `composition` combines them as the plan does, one after the other
or in parallel; `predict` puts it together for one setting, `heatmap` for all cells of two limits.
"""
