"""Engines and memories opened from names, files and mappings, as the command line opens them."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

import samsim

TEXT = "The soup was cold, but I love the screen."
KEY = "OPENAI_API_KEY"


class Silent:
    """An engine of a user's own; it never answers."""

    name = "silent"

    async def complete(self, request: samsim.EngineRequest) -> samsim.EngineReply:  # noqa: ARG002 - the signature of an engine
        return samsim.EngineReply(output=None, failure="empty")


def engines_of(pipeline: samsim.Pipeline) -> dict[str, str]:
    """The names of the engines that answered for each agent at Stage 1."""
    return {call.agent: call.engine for call in pipeline.analyze(TEXT).calls if call.stage == "stage1"}


@pytest.mark.parametrize("spec", ["embedded", {"default": "embedded"}, {"engines": {"C": {"kind": "embedded"}}}, None])
def test_an_engine_may_be_a_name_or_a_mapping(spec: Any) -> None:
    assert samsim.Pipeline(engine=spec).analyze(TEXT) == samsim.analyze(TEXT)


def test_an_engine_may_be_a_file(tmp_path: Path) -> None:
    file = tmp_path / "engines.yaml"
    file.write_text("engines: {default: embedded}\n", encoding="utf-8")
    assert samsim.Pipeline(engine=file).analyze(TEXT) == samsim.Pipeline(engine=str(file)).analyze(TEXT)


def test_a_model_is_opened_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, "sk-of-the-test")
    opened = samsim.open_engine("openai:gpt-4.1-mini", cache=False)
    assert opened.concurrency == 16
    assert opened.table.engine_for("A", "stage1").name == "openai_compatible:gpt-4.1-mini"
    assert samsim.Pipeline(engine="openai:gpt-4.1-mini").config.protocol == "cr_v2"


def test_only_what_the_protocol_asks_needs_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEY, raising=False)
    roles = {"debate": "openai:gpt-4.1-mini"}
    assert samsim.Pipeline({"protocol": "cr_v2"}, engine=roles).analyze(TEXT).final_tuples
    with pytest.raises(samsim.ConfigError, match=f"set the environment variable {KEY}"):
        samsim.Pipeline({"protocol": "debate"}, engine=roles)


def test_agents_may_have_engines_of_their_own_and_named_ones() -> None:
    pipeline = samsim.Pipeline(engine={"A": "embedded", "B": Silent(), "C": "embedded"})
    assert engines_of(pipeline) == {"A": "embedded", "B": "silent", "C": "embedded"}


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("opnai:gpt", "Did you mean openai:MODEL"),
        ("nowhere.yaml", "Cannot read the engine file nowhere.yaml"),
        ({"defualt": "embedded"}, "did you mean default"),
        ({"default": "opnai:gpt"}, "Did you mean openai:MODEL"),
        ({"default": {"kind": "google"}}, "needs a model"),
        ({"default": "embedded", "max_cost": 1}, "max_cost"),
    ],
)
def test_a_wrong_engine_is_named(spec: Any, words: str) -> None:
    with pytest.raises(samsim.ConfigError, match=words):
        samsim.open_engine(spec)


def test_what_is_given_replaces_what_the_mapping_says_and_is_checked() -> None:
    with pytest.raises(samsim.ConfigError, match="max_cost"):
        samsim.open_engine({"default": "embedded"}, max_cost=-1.0)
    with pytest.raises(samsim.ConfigError, match="base URL cannot be used with"):
        samsim.open_engine({"default": "embedded"}, base_url="http://127.0.0.1:1/v1")


def test_a_key_in_the_clear_is_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, "sk-of-the-test")
    server = {"kind": "openai_compatible", "model": "m", "base_url": "http://models.example/v1", "api_key_env": KEY}
    with pytest.warns(UserWarning, match=r"models\.example"):
        samsim.Pipeline(engine={"default": server})


def test_a_trace_is_recorded_and_replayed(tmp_path: Path) -> None:
    with samsim.open_engine(trace=tmp_path / "calls.jsonl") as engine:
        recorded = samsim.Pipeline(engine=engine).analyze(TEXT)
    with samsim.open_engine(replay=tmp_path / "calls.jsonl") as engine:
        repeated = samsim.Pipeline(engine=engine).analyze(TEXT)
    assert repeated.outputs_json() == recorded.outputs_json()


def test_a_stream_has_the_concurrency_of_its_engine() -> None:
    under_way = most = 0

    class Counting(Silent):
        async def complete(self, request: samsim.EngineRequest) -> samsim.EngineReply:
            nonlocal under_way, most
            under_way += 1
            most = max(most, under_way)
            await asyncio.sleep(0)
            under_way -= 1
            return await super().complete(request)

    opened = samsim.open_engine()
    table = opened.table.mapped(lambda _: Counting())
    engine = samsim.OpenEngine(table, concurrency=4)
    list(samsim.Pipeline({"protocol": "single"}, engine=engine).stream([TEXT] * 8))
    assert most == 4


def test_a_memory_is_opened_used_and_closed(tmp_path: Path) -> None:
    place = tmp_path / "store.jsonl"
    with samsim.open_memory(place, condition="C2", topk=1, visibility="epoch:2") as memory:
        results = list(samsim.Pipeline(memory=memory).stream(["I don't think the strap is soft."] * 3))
    assert [result.memory.episode_id for result in results if isinstance(result, samsim.SampleResult) and result.memory]
    store = samsim.open_store(place)
    assert store.last_seq() == 3
    assert store.verify().ok
    store.close()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"condition": "C9"}, "Unknown memory condition 'C9'"),
        ({"topkk": 1}, "Unknown memory setting topkk. Known settings: topk"),
        ({"topk": "many"}, "The memory settings are wrong: topk"),
        ({"opfb_scope": "all"}, "opfb_scope"),
        ({"visibility": "never"}, "Unknown memory visibility"),
    ],
)
def test_a_wrong_memory_setting_is_named_and_no_store_is_made(
    settings: dict[str, Any], words: str, tmp_path: Path
) -> None:
    with pytest.raises(samsim.ConfigError, match=words):
        samsim.open_memory(tmp_path / "store.jsonl", **settings)
    assert list(tmp_path.iterdir()) == []


# --- engines of a user's own, by role


class Named(Silent):
    """An engine with a name of its own."""

    def __init__(self, name: str) -> None:
        self.name = name


class Echo(Named):
    """Answers as the embedded engine does, under its own name."""

    async def complete(self, request: samsim.EngineRequest) -> samsim.EngineReply:
        return await samsim.open_engine().table.engine_for(request.agent, request.stage).complete(request)


DOUBTFUL = "I don't think the strap is soft."


def asked(pipeline: samsim.Pipeline) -> dict[tuple[str, str], str]:
    """The names of the engines that answered, by agent and stage."""
    return {(call.agent, call.stage): call.engine for call in pipeline.analyze(DOUBTFUL).calls}


def test_an_engine_of_ones_own_may_be_given_for_every_role() -> None:
    one, other = Echo("one"), Echo("other")
    config = {"review_scope": "always"}
    found = asked(samsim.Pipeline(config, engine={"A": one, "B": one, "C": one, "review_C": other}))
    assert {name for (_, stage), name in found.items() if stage == "stage1"} == {"one"}
    assert [found[agent, "review"] for agent in "ABC"] == ["one", "one", "other"]
    found = asked(samsim.Pipeline(config, engine={"perspectives": one, "reviewers": other}))
    assert {(stage, name) for (_, stage), name in found.items()} == {("stage1", "one"), ("review", "other")}


def test_a_default_is_for_whoever_has_no_engine_of_ones_own() -> None:
    found = engines_of(samsim.Pipeline(engine={"default": "embedded", "A": Named("mine")}))
    assert found == {"A": "mine", "B": "embedded", "C": "embedded"}
    found = engines_of(samsim.Pipeline(engine={"default": Named("mine"), "C": "embedded"}))
    assert found == {"A": "mine", "B": "mine", "C": "embedded"}


def test_only_named_engines_that_are_asked_need_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEY, raising=False)
    mine = Echo("mine")
    everybody = {"default": "openai:gpt-4.1-mini", "A": mine, "B": mine, "C": mine}
    assert set(engines_of(samsim.Pipeline(engine=everybody)).values()) == {"mine"}


@pytest.mark.parametrize(
    ("engines", "words"),
    [
        ({"A": Silent(), "Z": Silent()}, r"Unknown role 'Z'.*Use default, perspectives"),
        ({"default": Silent(), "reviwers": Silent()}, "Did you mean reviewers"),
        ({"A": Silent()}, "No engine was given for the agent B, only for A"),
        ({"default": Silent(), "C": {"temperature": 0}}, "C has no kind"),
        ({"default": Silent(), "C": 3}, "C: "),
        (
            {"A": Silent(), "B": Silent(), "C": Silent(), "reviewers": Silent()},
            "engine of reviewers would never be asked: A, B, C go before it",
        ),
    ],
)
def test_a_wrong_mapping_with_an_engine_of_ones_own_is_refused(engines: Any, words: str) -> None:
    with pytest.raises(samsim.ConfigError, match=words):
        samsim.Pipeline(engine=engines)
