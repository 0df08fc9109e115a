"""Clients in Java: records, and java.net.http."""
