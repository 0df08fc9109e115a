"""What clients can rely on: the queries of a deployment with their types, and how values are written in JSON."""
