"""Versions of a query set on one store: how one is deployed, and connections that stay with another."""
