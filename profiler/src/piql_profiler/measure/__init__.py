"""Measures points on a store: operators as the engine executes them, under a load like that of users.

grid ──▶ workload, write_workload ──▶ benchmark ──▶ measurements
points   tables and queries           executions    a histogram for each point and interval

open_loop, mixed_load, clock     when an execution is due
histogram, precision             latencies in bins, and how well a quantile is known (`normal_scores`)
sampling                         parameters drawn from the data
store_urls, scratch              addresses with passwords, folders that go with their process
"""
