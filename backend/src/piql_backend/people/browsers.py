"""The name of a browser, so that people know their sessions apart: only shown, since anybody may send any name."""

from __future__ import annotations

# What the User-Agent has, by the name: each browser also names those further down, whose pages it wants to be sent.
_BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
_SYSTEMS = (
    ("Windows", "Windows"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("CrOS", "ChromeOS"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)


def browser_of(user_agent: str) -> str:
    """`Firefox on Linux`, by a header `User-Agent`; empty for a program that is none of the known browsers."""
    browser = _first(_BROWSERS, user_agent)
    system = _first(_SYSTEMS, user_agent)
    return f"{browser} on {system}" if browser and system else browser


def _first(names: tuple[tuple[str, str], ...], user_agent: str) -> str:
    return next((name for word, name in names if word in user_agent), "")
