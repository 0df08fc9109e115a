"""Opens a store that must exist already: these commands never create one."""

from __future__ import annotations

from piql.client.connecting import connect
from piql.client.database import Database
from piql.errors import NotDeployed, StoreUnavailable
from piql.store.open import without_login


def open_existing(url: str) -> Database:
    """Connect to a store that holds something; raise StoreUnavailable where there is none at that address."""
    db = connect(url, report="", otel=False)
    try:
        if db.store.is_empty():
            raise StoreUnavailable(f"there is no store at {without_login(url)}: check the address, or {_advice(url)}")
    except BaseException:
        db.close()
        raise
    return db


def refuse_undeployed(db: Database, url: str) -> None:
    """Raise NotDeployed where nothing is in force on a store."""
    if db.deployment.version == 0:
        raise NotDeployed(f"nothing is deployed in {without_login(url)}: {_advice(url)} first")


def _advice(url: str) -> str:
    return f"deploy to it (`piql deploy FOLDER --store {without_login(url)}`)"
