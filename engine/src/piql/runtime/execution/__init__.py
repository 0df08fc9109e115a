"""Runs physical plans: reads go to the store, rows come back, requests are counted."""
