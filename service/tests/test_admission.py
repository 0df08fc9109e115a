"""Tokens and budgets: who may ask, and how much, before the store is asked."""

import math
import os
from pathlib import Path

import pytest
from piql_service.admission.budgets import Budgets
from piql_service.admission.tokens import Caller, TokensInvalid, line_of, new_token, read_tokens
from piql_service.commands.service_token import service_token

from .conftest import MakeWorld

SHOP = Caller("shop", 200.0, b"s" * 32)


async def test_a_refusal_by_budget_says_what_it_would_have_cost_and_asks_nothing_of_the_store(
    make_world: MakeWorld,
) -> None:
    token = new_token()
    world = make_world(line_of("shop", 150, token))
    await world.parts.live_queries.look()
    ask = {"authorization": f"Bearer {token}"}
    first = await world.client.query("thoughtstream", {"me": "ada", "count": 5}, **ask)
    world.store.reads.clear()
    second = await world.client.query("thoughtstream", {"me": "ada", "count": 5}, **ask)
    assert (first.status, second.status) == (200, 429)
    assert second.json["code"] == "budget-used-up"
    assert second.json["cost"] == 101
    assert second.headers["retry-after"] == "1"
    assert 0 < second.json["retry_after_ms"] <= 1000
    assert world.store.reads == []


async def test_nobody_without_a_token_of_the_file_is_answered(make_world: MakeWorld) -> None:
    world = make_world(line_of("shop", math.inf, new_token()))
    await world.parts.live_queries.look()
    for headers in ({}, {"authorization": "Bearer piql_wrong"}, {"authorization": "Basic YTpi"}):
        assert (await world.client.query("findUser", {"username": "ada"}, **headers)).status == 401
        assert (await world.client.send("GET", "/openapi.json", **headers)).status == 401
        assert (await world.client.send("GET", "/metrics", **headers)).status == 401
    assert (await world.client.send("GET", "/healthz")).status == 200


def test_a_budget_is_one_for_all_workers_and_comes_back_with_time(tmp_path: Path) -> None:
    now = 50.0
    files = [os.open(tmp_path / "budgets", os.O_RDWR | os.O_CREAT) for _ in range(2)]
    first, second = (Budgets(file, lambda: now) for file in files)
    assert first.take(SHOP, 101) == 0.0
    assert second.take(SHOP, 101) == pytest.approx(0.01)
    assert first.take(Caller("reports", 200.0, b"r" * 32), 101) == 0.0
    now += 0.02
    assert second.take(SHOP, 101) == 0.0
    for file in files:
        os.close(file)


def test_a_cost_above_the_whole_budget_is_paid_back_by_a_longer_rest(tmp_path: Path) -> None:
    now = 50.0
    file = os.open(tmp_path / "budgets", os.O_RDWR | os.O_CREAT)
    budgets = Budgets(file, lambda: now)
    assert budgets.take(SHOP, 1000) == 0.0
    assert budgets.take(SHOP, 1) == pytest.approx(4.005)
    os.close(file)


def test_the_file_holds_a_hash_and_only_this_user_reads_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "tokens"
    assert service_token([str(file), "shop", "--budget", "2000"]) == 0
    token = capsys.readouterr().out.strip()
    assert token.startswith("piql_")
    assert token not in file.read_text()
    assert file.stat().st_mode & 0o777 == 0o600
    assert [(caller.name, caller.budget) for caller in read_tokens(file.read_text(), "").values()] == [("shop", 2000)]
    assert service_token([str(file), "shop"]) == 1
    assert "has a token for shop" in capsys.readouterr().err


@pytest.mark.parametrize("line", ["shop", "shop 5 abc", f"shop many {'0' * 64}", f"shop 0 {'0' * 64}"])
def test_a_wrong_line_is_named_by_its_number_and_not_shown(line: str) -> None:
    with pytest.raises(TokensInvalid, match=r"tokens, line 2:") as refusal:
        read_tokens(f"# names\n{line}\n", "tokens")
    assert "0000" not in str(refusal.value)
