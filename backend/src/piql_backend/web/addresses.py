"""Tells IP addresses from host names, and loopback addresses from others."""

from __future__ import annotations

from ipaddress import ip_address, ip_network


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


def is_network(name: str) -> bool:
    """Whether a name is an address, or a network such as 10.0.0.0/8."""
    try:
        ip_network(name)
    except ValueError:
        return False
    return True
