"""Clients in Go: structs, and net/http."""
