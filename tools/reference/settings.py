"""settings.md: the settings of the server, of a store's URL, of commands and of tests."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from unittest.mock import patch

from piql.store.cql import address
from piql.store.open import open_store
from piql.store.s3 import address as s3_address
from piql_backend.settings import ROOT, SampleSize, Settings

from reference.commands import MEANING, parser_of
from reference.markdown import code, docstring, table

_PROBES = ("9000", "local", "elsewhere", "/elsewhere")  # values of a variable, one of which changes its setting

# Variables that are no settings of the server.
OTHERS = {
    "RAY_ADDRESS": "of a running Ray cluster, on which `piql profile` then measures (read by Ray itself)",
    "AWS_ACCESS_KEY_ID": "with `AWS_SECRET_ACCESS_KEY`, and `AWS_SESSION_TOKEN` if there is one: the keys of a bucket",
    "AWS_WEB_IDENTITY_TOKEN_FILE": "or the role of a pod",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "or `AWS_CONTAINER_CREDENTIALS_FULL_URI`: the role of a container",
    "AWS_REGION": "where a bucket is, if its address does not say",
    "AWS_DEFAULT_REGION": "the same, if that is not set either (`us-east-1`)",
    "PIQL_OTEL": "1: executions are told to [OpenTelemetry](../observing.md#opentelemetry), where no argument says so",
    "PIQL_CACHE": "where `make cluster` keeps the jars it downloads (`~/.cache/piql`)",
    "PIQL_CLUSTER_OPTIONS": "options of the address that tests on a cluster use, such as `driver=rust`",
    "PIQL_CLUSTER_FOLDER": "where a cluster that `make cluster` starts keeps its data and logs (`.cluster`)",
    "PIQL_CONFORMANCE": "the folder of [conformance cases](../decisions/0003-conformance-cases-stay-outside.md)",
    "PIQL_ORACLE_CASES": "how many random queries the tests compare with DuckDB",
    "PIQL_ORACLE_LONG_CASES": "the same in `make test-long`",
    "PIQL_FUZZ_TEXTS": "how many random texts the tests compile",
    "PIQL_FUZZ_LONG_TEXTS": "the same in `make test-long`",
    "PIQL_FORMAT_WORLDS": "how many random schemas with their queries the tests format",
    "PIQL_FORMAT_LONG_WORLDS": "the same in `make test-long`",
}


def pages() -> dict[str, str]:
    """Return the page about settings, by file name."""
    server = [(code(variable), flag, default, about) for variable, flag, default, about in _server()]
    flags = [("–", code(flag), default, about) for flag, default, about in _flags_alone()]
    further = [(code(name), about) for name, about in OTHERS.items()]
    sample = SampleSize()
    introduction, _, options = inspect.cleandoc(address.__doc__ or "").partition("\n\n")
    of_bucket, options_of_bucket, keys = inspect.cleandoc(s3_address.__doc__ or "").split("\n\n")
    text = f"""
# Settings

## Of the server

`piql serve` reads them once, at its start. A flag overrides the variable.

{table(("variable", "flag", "default", "is"), [*server, *flags])}

The first start fills empty stores: of SCADr with {sample.users:,} users, {sample.thoughts_per_user} thoughts and
{sample.subscriptions_per_user} subscriptions each, of TPC-W with as many customers and books.
`make run PORT=9000` passes the port on.

## Of a store

{docstring(open_store)}

`FULL`, the default, has every write on the disk before it is answered; with `NORMAL` a power cut may take the last
writes back, never half of one.

## Of a cluster

{introduction}

```text
{options}
```

`make cluster` starts three nodes to try things on: `piql serve --store cql://127.0.0.1/scadr`.

## Of a bucket

{of_bucket}

```text
{options_of_bucket}
```

{keys.replace(" (`credentials.py`)", "")}
[Operations](../operations.md#a-store-in-a-bucket) says what it costs.

## Of commands and tests

{table(("variable", "is"), further)}
"""
    return {"settings.md": text}


def variables() -> dict[str, str]:
    """Return the variables that the server reads, each with the setting that it changes."""
    values = {}
    for name in _names_read():
        for probe in _PROBES:
            try:
                with patch.dict("os.environ", {name: probe}, clear=True):
                    changed = Settings.from_environment()
            except ValueError:
                continue
            names = [field.name for field in fields(Settings) if getattr(changed, field.name) != _default(field.name)]
            if names:
                (values[name],) = names
                break
    return values


def _names_read() -> list[str]:
    return list(dict.fromkeys(re.findall(r"environ\.get\(\"(\w+)\"", inspect.getsource(Settings))))


def _default(name: str) -> object:
    return getattr(Settings(), name, None)  # some flags are no settings of their own


def _server() -> Iterator[tuple[str, str, str, str]]:
    """Yield variable, flag, default and meaning of each setting that a variable changes."""
    flags = _flags()
    comments = dict(re.findall(r"^    (\w+): .*?  # (.*)$", inspect.getsource(Settings), re.MULTILINE))
    for variable, name in variables().items():
        flag, about = flags.get(name, ("", ""))
        yield variable, code(flag) if flag else "–", _shown(_default(name)), about or comments.get(name, "") or name


def _flags_alone() -> Iterator[tuple[str, str, str]]:
    """Yield flag, default and meaning of each setting that only a flag changes."""
    variables_read = set(variables().values())
    for name, (flag, about) in _flags().items():
        if name not in variables_read:
            yield flag, _shown(_default(name)), about or name


def _flags() -> dict[str, tuple[str, str]]:
    """Return the flags of `piql serve` and their meaning, by the name of the setting."""
    return {
        action.dest: (action.option_strings[0], action.help or MEANING[action.option_strings[0]])
        for action in parser_of("serve")._actions
        if action.dest != "help"
    }


def _shown(value: object) -> str:
    if value in (None, (), ""):
        return "none"
    if value is False:
        return "off"
    if isinstance(value, tuple):
        value = " ".join(value)
    if isinstance(value, SampleSize):
        value = value.users
    if isinstance(value, Path) and value.is_relative_to(ROOT):
        value = value.relative_to(ROOT)
    return code(str(value))
