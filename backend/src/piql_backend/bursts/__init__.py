"""Many executions of one query at a given concurrency."""
