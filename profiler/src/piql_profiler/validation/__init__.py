"""Compares predictions with what queries take: on the same store, in the same intervals, under open-loop load.

    case ──▶ validate ──▶ scores, agreement, compliance, goals ──▶ report, charts
    one query's executions    errors, with how certain the actual values are

`two_versions` compares one version of a query with another beside it, by the exact test in `two_shares`.

`baseline` holds the last hours of a query against its own past, `over_load` its p99 in busy hours against quiet ones.

`known_truth/` is a simulated store whose quantiles are known exactly, `simulated_cluster` a cluster under load.
"""
