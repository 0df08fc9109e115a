"""Profile runs: from start to end, spread over processes, kept on disk and brought in from elsewhere."""
