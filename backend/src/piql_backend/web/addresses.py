"""Addresses in figures, and which of them only this machine reaches."""

from __future__ import annotations

from ipaddress import ip_address


def is_address(name: str) -> bool:
    """Whether a name is an address in figures."""
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def is_loopback(name: str) -> bool:
    """Whether only this machine reaches that address."""
    return name == "localhost" or (is_address(name) and ip_address(name).is_loopback)
