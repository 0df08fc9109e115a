"""Measures PIQL's remote operators on a store and predicts the latency of plans from them."""
