"""Fixes for refused queries, each compiled before it is offered."""
