"""Tells IP addresses from host names, and what only this machine reaches from what others reach."""

from __future__ import annotations

from ipaddress import ip_address


def is_address(name: str) -> bool:
    """Whether a name is an IP address, and not a host name."""
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def is_loopback(name: str) -> bool:
    """Whether a name or address is reached from this machine only."""
    return name == "localhost" or (is_address(name) and ip_address(name).is_loopback)
