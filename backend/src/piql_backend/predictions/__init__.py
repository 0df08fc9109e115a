"""Latency predictions of plans from a profile run, and heatmaps of them."""
