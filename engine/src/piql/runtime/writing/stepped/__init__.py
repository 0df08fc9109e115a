"""Writes on a store without transactions: single steps, each of which any process can finish or take back."""
