"""Runs that ask a server: plans with prices, limits, the cache between starts, and no key in any file."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("aiohttp", reason="engines that ask a model need the extra: pip install 'samsim[llm]'")

from aiohttp import web

from samsim.agents.prompt_files import prompt_hashes
from samsim.data.gold import load_reviews_gold
from samsim.data.shipped import load_reviews
from samsim.errors import ConfigError
from samsim.experiments.config import ExperimentConfig
from samsim.experiments.planning import plan_experiment
from samsim.reports.build import build_report
from tests.experiments.runs import configure, only_folder, outputs_of, rows, run, store_hash
from tests.servers.faults import FAULTS, NO_FAULTS, FaultPlan
from tests.servers.faulty import PATH, FaultyServer, with_half_a_pair
from tests.servers.hosting import hosted

pytestmark = pytest.mark.loopback

CANARY = "sk-canary-51f0c9e37ab2"
SAMPLES = 8


def asking(server: FaultyServer, folder: Path, **changes: Any) -> ExperimentConfig:
    engine = {
        "kind": "openai_compatible",
        "model": "tested",
        "base_url": server.url,
        "api_key_env": "TESTED_KEY",
        "price_per_million": {"input": 1.0, "output": 2.0},
    }
    settings = {
        "data": {"evaluation": {"name": "reviews", "language": "en", "limit": SAMPLES}},
        "engines": {"default": engine},
        "run": {"out": str(folder / "runs"), "cache": str(folder / "cache.sqlite")},
    }
    return configure(folder, **(settings | changes))


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESTED_KEY", CANARY)


@pytest.mark.parametrize("protocol", ["cr_v2", "debate"])
def test_a_second_start_asks_nothing_and_no_file_holds_the_key(protocol: str, tmp_path: Path) -> None:
    with FaultyServer(NO_FAULTS).running() as server:
        memory = {"condition": "C2", "visibility": "epoch:4"}
        config = asking(server, tmp_path, protocol=protocol, episodic_memory=memory)
        run(config, limit=5)
        run(config)
        folder = only_folder(config)
        cards = rows(folder / "scorecards.jsonl")
        assert sum(card["usage"]["calls"] for card in cards) == len(rows(folder / "traces.jsonl"))
        assert all(card["usage"]["cost"] > 0 for card in cards)
        asked = server.requests
        first = (folder / "outputs.jsonl").read_bytes(), store_hash(folder)
        folder.rename(tmp_path / "away")
        run(config, concurrency=1)
        assert server.requests == asked, "everything was in the cache"
        assert ((folder / "outputs.jsonl").read_bytes(), store_hash(folder)) == first
        again = rows(folder / "scorecards.jsonl")
        assert all(card["usage"]["cost"] == 0 and card["usage"]["cached_calls"] for card in again)
    for path in tmp_path.rglob("*"):
        assert path.is_dir() or CANARY.encode() not in path.read_bytes()


@pytest.mark.parametrize("protocol", ["cr_v2", "debate"])
def test_rerun_from_the_cache_with_the_gold_permuted_the_store_is_the_same(protocol: str, tmp_path: Path) -> None:
    shipped = [one for one in load_reviews() if one.language == "en"][:SAMPLES]
    known = load_reviews_gold()
    gold = [known[one.uid].model_dump(mode="json")["tuples"] for one in shipped]
    seen, asked = [], 0
    with FaultyServer(NO_FAULTS).running() as server:
        for name, labels in (("own", gold), ("permuted", gold[1:] + gold[:1]), ("none", [None] * SAMPLES)):
            (tmp_path / name).mkdir()
            file = tmp_path / name / "data.jsonl"
            lines = [
                {"id": one.uid, "text": one.text} | ({} if tuples is None else {"tuples": tuples})
                for one, tuples in zip(shipped, labels, strict=True)
            ]
            file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
            places = {"out": str(tmp_path / name / "runs"), "cache": str(tmp_path / "cache.sqlite")}
            data = {"evaluation": {"path": str(file), "format": "jsonl"}}
            memory = {"condition": "C2"}
            config = asking(server, tmp_path / name, protocol=protocol, data=data, run=places, episodic_memory=memory)
            run(config)
            folder = only_folder(config)
            seen.append(((folder / "outputs.jsonl").read_bytes(), store_hash(folder)))
            asked = asked or server.requests
        assert server.requests == asked, "only the first run asked"
    assert seen[0] == seen[1] == seen[2]


def test_a_plan_measures_a_few_samples_and_the_run_does_not_pay_for_them_again(tmp_path: Path) -> None:
    with FaultyServer(NO_FAULTS).running() as server:
        config = asking(server, tmp_path)
        plan_experiment(config, probes=3)
        probed = server.requests
        assert probed > 0
        plan = plan_experiment(config, probes=3)
        assert server.requests == probed, "what the cache saved is counted as if it had been asked"
        run(config)
    (cell,) = plan.cells
    cards = rows(only_folder(config) / "scorecards.jsonl")
    usages = [card["usage"] for card in cards]
    calls = sum(usage["calls"] for usage in usages)
    tokens = sum(usage[part] for usage in usages for part in TOKENS)
    assert sum(usage["cached_calls"] for usage in usages) >= 9
    assert cell.calls is not None
    assert cell.tokens is not None
    assert cell.cost is not None
    assert cell.calls.low <= calls <= cell.calls.high
    assert cell.tokens.low <= tokens <= cell.tokens.high
    assert 0 < cell.cost.low <= cell.cost.high


TOKENS = ("input_tokens", "output_tokens", "saved_input_tokens", "saved_output_tokens")


def test_terse_answers_are_another_run_with_other_prompts_planned_and_asked_anew(tmp_path: Path) -> None:
    with FaultyServer(NO_FAULTS).running() as server:
        full, terse = (asking(server, tmp_path, pipeline={"answer": answer}) for answer in ("full", "terse"))
        plans = [plan_experiment(config, 2).cells[0].tokens for config in (full, terse)]
        run(full)
        with pytest.raises(ConfigError, match="configuration, prompts"):
            run(terse)
        asked = server.requests
        outcome = run(asking(server, tmp_path, pipeline={"answer": "terse"}, name="terse"))
        assert server.requests > asked
    assert plans[0] is not None
    assert plans[1] is not None
    assert plans[1].high < plans[0].high
    assert terse.config_hash() != full.config_hash()
    manifest = outcome.cells[0]
    assert manifest.config["pipeline"]["answer"] == "terse"
    traces = rows(outcome.cell_folders[0] / "traces.jsonl")
    assert {line["prompt_hash"] for line in traces} <= set(manifest.prompt_hashes.values())
    assert manifest.prompt_hashes != prompt_hashes("full")


def test_an_unknown_price_stays_unknown(tmp_path: Path) -> None:
    with FaultyServer(NO_FAULTS).running() as server:
        engine = {"kind": "openai_compatible", "model": "tested", "base_url": server.url}
        config = asking(server, tmp_path, engines={"default": engine})
        (cell,) = plan_experiment(config, probes=1).cells
        run(config)
    assert cell.cost is None
    assert cell.tokens is not None
    usages = [card["usage"] for card in rows(only_folder(config) / "scorecards.jsonl")]
    assert {usage["cost"] for usage in usages if not usage["cached_calls"]} == {None}


def test_the_spending_limit_stops_cleanly_and_more_money_goes_on(tmp_path: Path) -> None:
    with FaultyServer(NO_FAULTS).running() as server:
        free = asking(server, tmp_path / "free")
        run(free)
        total = sum(card["usage"]["cost"] for card in rows(only_folder(free) / "scorecards.jsonl"))
        folder = {"out": str(tmp_path / "runs"), "cache": str(tmp_path / "cache.sqlite")}
        poor = asking(server, tmp_path, run={**folder, "max_cost": total / 2, "concurrency": 1})
        stopped = run(poor)
        assert stopped.stopped == "the spending limit is reached"
        assert 0 < len(rows(only_folder(poor) / "outputs.jsonl")) < SAMPLES
        rich = asking(server, tmp_path, run={**folder, "max_cost": 2 * total})
        assert run(rich).stopped is None
    assert [row["uid"] for row in rows(only_folder(rich) / "outputs.jsonl") if "error" in row] == []
    assert len(rows(only_folder(rich) / "outputs.jsonl")) == SAMPLES


@pytest.mark.parametrize("protocol", ["cr_v2", "debate", "single"])
def test_half_a_surrogate_pair_in_a_reply_does_not_end_the_run(protocol: str, tmp_path: Path) -> None:
    with FaultyServer(NO_FAULTS).running() as server:
        plain = asking(server, tmp_path / "plain", protocol=protocol)
        run(plain)
    half = tuple(fault for fault in FAULTS if fault.name == "half_a_surrogate_pair")
    with FaultyServer(FaultPlan(0.5, half)).running() as server:
        config = asking(server, tmp_path / "hostile", protocol=protocol)
        assert run(config).errors == 0
        assert server.faults["half_a_surrogate_pair"] > 0
        asked = server.requests
        only_folder(config).rename(tmp_path / "away")
        run(config)
        assert server.requests == asked, "what was repaired is in the cache"
    assert outputs_of(only_folder(config)) == outputs_of(only_folder(plain))


def test_a_cache_with_half_a_surrogate_pair_heals_without_the_user_doing_anything(tmp_path: Path) -> None:
    with FaultyServer(NO_FAULTS).running() as server:
        config = asking(server, tmp_path)
        run(config)
        good, asked = outputs_of(only_folder(config)), server.requests
        spoilt = spoil(tmp_path / "cache.sqlite", count=4)
        probe = 1
        for _ in range(2):
            shutil.rmtree(only_folder(config))
            assert run(config).errors == 0
            assert server.requests == asked + probe + spoilt, "only what was spoilt is asked again, and only once"
            assert outputs_of(only_folder(config)) == good


def spoil(cache: Path, count: int) -> int:
    """Make some cached responses what an earlier version would have kept; returns how many."""
    with sqlite3.connect(cache) as connection:
        kept = connection.execute("SELECT key, reply FROM replies ORDER BY key").fetchall()
        replies = [(key, json.loads(reply)) for key, reply in kept]
        with_items = [(key, reply) for key, reply in replies if any(json.loads(reply["text"]).values())]
        for key, reply in with_items[:count]:
            bad = json.dumps(reply | {"text": with_half_a_pair(json.loads(reply["text"]))})
            connection.execute("UPDATE replies SET reply = ? WHERE key = ?", (bad, key))
    connection.close()
    return len(with_items[:count])


def test_what_a_server_quotes_of_the_request_is_written_nowhere(tmp_path: Path) -> None:
    """The address holds a key, the body another; the server fails, and quotes the address and all it was sent."""

    async def quoting(request: web.Request) -> web.Response:
        return web.json_response({"error": f"{request.path_qs} {await request.text()}"}, status=400)

    with hosted(quoting, PATH) as url:
        engine = {
            "kind": "openai_compatible",
            "model": "tested",
            "base_url": f"{url}/v1?api_key=hush-hush-1",
            "extra_body": {"user": "hush-hush-2", "meta": ["hush-hush-3"]},
        }
        config = configure(
            tmp_path,
            data={"evaluation": {"name": "reviews", "language": "en", "limit": 2}},
            engines={"default": engine},
            run={"out": str(tmp_path / "runs"), "cache": str(tmp_path / "cache.sqlite")},
        )
        (tmp_path / "experiment.yaml").unlink()
        outcome = run(config)
    assert outcome.errors == 2
    build_report(outcome.cell_folders, outcome.folder)
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert (only_folder(config) / "manifest.json") in written
    assert [path.name for path in written if b"hush-hush" in path.read_bytes()] == []
    assert "[hidden]" in (only_folder(config) / "traces.jsonl").read_text(encoding="utf-8")
