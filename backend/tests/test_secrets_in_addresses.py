"""Whatever is wrong with the address of a store, an answer has none of what may be a password in it."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest
from piql_backend.application_imports.keyspaces import stage_keyspace
from piql_backend.application_imports.staged import StagingRefused
from piql_backend.environments.allowed_stores import AllowedStores
from piql_backend.environments.schemas import StoreWrite
from piql_backend.profile_runs.stores import MeasurableStores
from piql_backend.web.errors import ApiError

SECRET = "S3cr3tpw"
NO_HOST = "{scheme}://user:{part}/ks"
FORMS = (
    "{scheme}:{part}@h/ks", "{scheme}:user:{part}@h/ks", "{scheme}//user:{part}@h/ks", "{scheme}://user:{part}@h/ks",
    "{scheme}://{part}@h/ks", "{scheme}://user:{part}@h:x/ks", NO_HOST, "{scheme}://[{part}@h/ks",
    "{scheme}://h/ks?password={part}", "{scheme}://h/ks?PASSWORD={part}", "{scheme}://h/ks?{part}=1",
    "{scheme}://user:{part}\n@h/ks", "{scheme}:/x?key={part}", "{scheme}://u:{part}@h,v:{part}@i/ks", "{part}",
)  # fmt: skip
PARTS = (SECRET, f"a/{SECRET}", f"{SECRET}/a", f"a?{SECRET}", f"a@{SECRET}", f"a#{SECRET}", f"a:{SECRET}")
URLS = [
    form.format(scheme=scheme, part=part)
    for scheme, form, part in itertools.product(("cql", "CQL", "embedded", "s3", "postgres"), FORMS, PARTS)
    if form != NO_HOST or "@" not in part  # what follows the @ is a host
]


def said_of(take: Callable[[], object]) -> str:
    """Return the whole refusal; nothing where there is none."""
    try:
        take()
    except ApiError as refusal:
        return refusal.body.model_dump_json()
    except StagingRefused as refusal:
        return str(refusal)
    return ""


def test_an_environment_and_a_profile_run_refuse_an_address_without_repeating_a_secret() -> None:
    stores, measurable = AllowedStores(["cql://other/ks"]), MeasurableStores("embedded:")
    for url in URLS:
        said = said_of(lambda url=url: stores.refuse_other(url)) + said_of(lambda url=url: measurable.url(url))
        assert SECRET not in said, (url, said)


@pytest.mark.parametrize("url", ["cql:user:S3cr3tpw@h/ks", "cql://h/ks?password=S3cr3tpw", "cql://h:S3cr3tpw/ks"])
def test_an_import_of_a_keyspace_refuses_an_address_without_repeating_a_secret(url: str, tmp_path: Path) -> None:
    said = said_of(lambda: stage_keyspace(StoreWrite(url=url), "piql_", tmp_path))
    assert said
    assert SECRET not in said
