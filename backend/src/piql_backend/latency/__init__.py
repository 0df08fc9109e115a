"""Observed latencies beside the predictions stored with a deployment."""
