"""A process that is forked from one with a store in a bucket refuses it at once, and its parent goes on."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

PARENT = """
import os, sys
from piql.errors import StoreForked
from store.s3_clients import TABLE, client, make_tables, put, rows_of

def refuses(use):
    try:
        use()
    except StoreForked:
        return True

with client(sys.argv[1]) as store:
    make_tables(store)
    child = os.fork()
    if not child:
        uses = (store.version, store.settings, lambda: rows_of(store), lambda: make_tables(store),
                lambda: store.start_many([], print), lambda: store.snapshot().__enter__())
        os._exit(0 if all(map(refuses, uses)) else 1)
    assert os.waitpid(child, 0)[1] == 0
    with store.transaction() as transaction:
        put(store, transaction, [(1, 1)])
    print(rows_of(store))
"""


def test_a_forked_process_refuses_the_store_of_its_parent(bucket_url: Callable[..., str]) -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    run = subprocess.run([sys.executable, "-c", PARENT, bucket_url()], env=environment, capture_output=True, text=True)
    assert (run.stdout, run.returncode) == ("[(1, 1)]\n", 0), run.stderr
