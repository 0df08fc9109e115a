"""The service-level objective of each query."""
