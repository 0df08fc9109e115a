"""From a profile run and a physical plan to a latency distribution; no Ray, no store, no I/O.

cardinalities, writes          from a plan to its remote operators with their sizes; `sizes` from observed sizes
model                          the interface of all models: an operator's latency at any size, for each interval
  models: paper, surface       the models, with what `measured_model` does for both,
  levels                       where a point lies among the measured ones,
  dependence, conformal        how much operators are slow together, and how wrong the model is
composition                    operators' latencies combined as the plan runs them, in sequence or in parallel
predict, pages                 all of it for one plan, or for a page of several
cells, heatmap, safe_limits    for many values of a query's limits at once; `worst_interval` saves most of the work
names                          queries and tables by the names that a user gives
blame, risk                    which operator is slow, and how often an SLO is broken
openslo                        SLOs as OpenSLO documents
"""
