"""What a worker did, in numbers: tallies in memory, and the text that Prometheus reads."""
