"""A simulated store whose service times follow a stated law, so that predictions can be compared with exact quantiles.

The real engine executes real queries on the embedded store; only the time that a call takes is drawn from
`service_times`, and passes on a virtual clock (`store`, `writes`). The same law gives the exact quantile of a query
(`exact`).
"""
