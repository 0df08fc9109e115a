"""Clients in TypeScript: interfaces, and fetch."""
