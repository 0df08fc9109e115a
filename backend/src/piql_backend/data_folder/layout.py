"""Where things lie in the data folder.

applications/scadr/                       its .piql files
environments/scadr/development/           its store, measurements and history
people.db                                 the people of a team; there is none where somebody works alone
"""

from __future__ import annotations

from pathlib import Path

DEVELOPMENT = "development"
PEOPLE_FILE = "people.db"


def applications_folder(data: Path) -> Path:
    return data / "applications"


def environment_folder(data: Path, application: str, environment: str) -> Path:
    return data / "environments" / application / environment
