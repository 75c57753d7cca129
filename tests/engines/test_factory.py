"""From what a user wrote about engines to the engines themselves."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from aiohttp import web

from samsim.engines.factory import EnginePlan, build_setup, distinct_settings, read_plan, seats_of
from samsim.engines.interface import Engine, EngineReply, EngineRequest
from samsim.engines.table import EngineTable
from samsim.errors import ConfigError
from samsim.schemas.protocol_conflict_review import AGENTS, AgentName, DebateAgent
from tests.support.loopback import Body, answers, chat_reply, serving, stage1_request

KEYS = {"OPENAI_API_KEY": "sk-canary-4242", "ANTHROPIC_API_KEY": "sk-ant-canary"}


def plan_from(tmp_path: Path, content: str) -> EnginePlan:
    path = tmp_path / "engines.yaml"
    path.write_text(content, encoding="utf-8")
    return read_plan(str(path))


LAYERED = """
engines:
  default: {kind: openai_compatible, model: small, seed: 7}
  reviewers: {model: large}
  B: {temperature: 0.5}
  review_C: {kind: embedded}
cache: false
"""


def test_roles_inherit_from_their_group_and_from_default(tmp_path: Path) -> None:
    plan = plan_from(tmp_path, LAYERED)
    stage1 = {agent: plan.settings_for(agent, reviewing=False) for agent in AGENTS}
    review = {agent: plan.settings_for(agent, reviewing=True) for agent in AGENTS}
    assert [stage1[agent].model for agent in AGENTS] == ["small"] * 3
    assert [review[agent].model for agent in AGENTS[:2]] == ["large"] * 2
    assert (stage1["B"].temperature, review["B"].temperature, stage1["A"].temperature) == (0.5, 0.5, None)
    assert review["C"].kind == "embedded"
    assert stage1["C"].seed == 7


def test_equal_settings_share_one_engine(tmp_path: Path) -> None:
    setup = build_setup(plan_from(tmp_path, LAYERED), KEYS)
    table = setup.table
    assert table.perspectives["A"] is table.perspectives["C"]
    assert table.perspectives["A"] is not table.perspectives["B"]
    assert table.reviewers["C"].name == "embedded"
    assert len(setup.settings) == len(distinct_settings(plan_from(tmp_path, LAYERED))) == 5
    assert setup.concurrency == 16


@pytest.mark.loopback
@pytest.mark.parametrize(("reviewers", "most"), [("temperature: 0.5", 3), ("concurrency: 2", 2)])
def test_engines_on_one_server_of_this_machine_share_its_limit(tmp_path: Path, reviewers: str, most: int) -> None:
    """Six calls by two engines: no more are under way than one engine would be allowed, three at the start."""
    present: list[int] = []

    async def handler(request: web.Request, body: Body) -> web.Response:
        present.append(present[-1] + 1 if present else 1)
        # Everybody who may come comes while this one waits for its turn.
        for _ in range(20):
            await asyncio.sleep(0)
        present.append(present[-1] - 1)
        return chat_reply(answers())

    async def ask() -> None:
        async with serving(handler) as server:
            content = f"""
engines:
  default: {{kind: openai_compatible, model: m, base_url: {server.url}/v1, output_mode: json_schema}}
  reviewers: {{{reviewers}}}
cache: false
"""
            table = build_setup(plan_from(tmp_path, content), {}).table
            engines = [table.perspectives["A"], table.reviewers["A"]]
            assert engines[0] is not engines[1]
            await asyncio.gather(*(engine.complete(stage1_request()) for engine in engines for _ in range(3)))
            await table.aclose()

    asyncio.run(ask())
    assert len(present) == 12
    assert max(present) <= most


IN_DEBATE: tuple[DebateAgent, ...] = ("ATE", "ATSA", "VALIDATOR", "EPM", "TAN", "CJ", "JUDGE", "STAGE2")


def test_the_roles_of_the_debate_and_of_the_single_call(tmp_path: Path) -> None:
    plan = plan_from(
        tmp_path,
        """
engines:
  default: {kind: openai_compatible, model: small}
  debate: {model: large}
  single: {temperature: 0.7}
  CJ: {model: other}
  judge: {temperature: 0}
cache: false
""",
    )
    models = {agent: plan.settings_for(agent).model for agent in IN_DEBATE}
    assert models == {**dict.fromkeys(IN_DEBATE, "large"), "CJ": "other"}
    assert (plan.settings_for("JUDGE").temperature, plan.settings_for("STAGE2").temperature) == (0, None)
    assert (plan.settings_for("SINGLE").model, plan.settings_for("SINGLE").temperature) == ("small", 0.7)
    table = build_setup(plan, KEYS).table
    assert table.engine_for("EPM", "debate") is table.engine_for("ATE", "stage1")
    assert table.engine_for("EPM", "debate") is not table.engine_for("CJ", "debate")
    assert table.engine_for("A", "stage1") is table.engine_for("A", "review") is table.perspectives["A"]


@pytest.mark.parametrize(
    ("protocol", "seats"),
    [
        ("cr_v2", ["A", "B", "C", "A", "B", "C"]),
        ("stage1_only", ["A", "B", "C"]),
        ("single", ["SINGLE"]),
        ("self_consistency:5", ["SINGLE"]),
        ("debate", list(IN_DEBATE)),
        (None, ["A", "B", "C", "A", "B", "C", *IN_DEBATE, "SINGLE"]),
    ],
)
def test_a_protocol_asks_for_its_own_seats(protocol: str | None, seats: list[str]) -> None:
    assert [agent for agent, _ in seats_of(protocol)] == seats


def test_a_key_is_needed_only_by_who_is_asked(tmp_path: Path) -> None:
    plan = plan_from(
        tmp_path,
        "engines: {default: {kind: anthropic, model: m}, single: {kind: embedded}, perspectives: {kind: embedded}}\n"
        "cache: false",
    )
    assert build_setup(plan, {}, protocol="self_consistency:3").table.engine_for("SINGLE", "stage1").name == "embedded"
    assert build_setup(plan, {}, protocol="stage1_only").concurrency == 1
    for protocol in ("cr_v2", "debate", None):
        with pytest.raises(ConfigError, match="ANTHROPIC_API_KEY"):
            build_setup(plan, {}, protocol=protocol)


def test_an_agent_without_a_seat_is_missed_by_name() -> None:
    table = build_setup(EnginePlan(cache=False), {}, protocol="debate").table
    with pytest.raises(ConfigError, match="No engine was given for the agent A, only for ATE"):
        table.engine_for("A", "stage1")


def test_every_engine_of_a_table_is_changed_and_closed_once() -> None:
    class Closable:
        name = "closable"
        closed = 0

        async def complete(self, request: EngineRequest) -> EngineReply:
            return EngineReply(output=request.uid)

        async def aclose(self) -> None:
            self.closed += 1

    one, other = Closable(), Closable()
    engines: dict[AgentName, Engine] = {"A": one, "JUDGE": other, "SINGLE": one}
    table = EngineTable.of(engines)
    seen: list[Engine] = []

    def noted(engine: Engine) -> Engine:
        seen.append(engine)
        return engine

    mapped = table.mapped(noted)
    assert seen == [one, other]
    assert (mapped.engine_for("JUDGE", "judge"), mapped.engine_for("A", "review")) == (other, one)
    asyncio.run(mapped.aclose())
    assert (one.closed, other.closed) == (1, 1)


def test_the_embedded_engine_needs_nothing() -> None:
    setup = build_setup(EnginePlan(cache=False), {})
    assert {engine.name for engine in setup.table.perspectives.values()} == {"embedded"}
    assert setup.concurrency == 1


@pytest.mark.parametrize(
    ("spec", "kind", "model"),
    [
        ("openai:gpt-x", "openai_compatible", "gpt-x"),
        ("anthropic:claude-x", "anthropic", "claude-x"),
        ("google:gemini-x", "google", "gemini-x"),
        ("openai:org/model:free", "openai_compatible", "org/model:free"),
    ],
)
def test_the_short_form_names_kind_and_model(spec: str, kind: str, model: str) -> None:
    settings = read_plan(spec).settings_for("A", reviewing=False)
    assert (settings.kind, settings.model) == (kind, model)


def test_a_server_of_ones_own_needs_no_key_unless_named() -> None:
    local = read_plan("openai:qwen", base_url="http://127.0.0.1:8080/v1/")
    assert local.settings_for("A", reviewing=True).url == "http://127.0.0.1:8080/v1"
    assert build_setup(local.model_copy(update={"cache": False}), {}).table.perspectives["A"].name.endswith("qwen")


def test_a_missing_key_names_the_variable_and_never_another_key() -> None:
    with pytest.raises(ConfigError, match="set the environment variable OPENAI_API_KEY") as caught:
        build_setup(read_plan("openai:gpt-x"), {"ANTHROPIC_API_KEY": "sk-ant-canary"})
    assert "canary" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("engines: {defualt: {kind: embedded}}", "did you mean default"),
        ("engines: {default: {kind: openai_compatible, model: x, temprature: 1}}", "did you mean temperature"),
        ("engines: {default: {kind: openai}}", "openai_compatible"),
        ("engines: {default: {kind: anthropic}}", "needs a model"),
        ("max_cost: 0", "greater than 0"),
        ("engines: [", "not valid YAML"),
        ("engine: {}", "did you mean engines"),
    ],
)
def test_a_mistake_is_explained_before_any_call(tmp_path: Path, content: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        build_setup(plan_from(tmp_path, content), KEYS)


@pytest.mark.parametrize("spec", ["opnai:x", "openai", "openai:", "gpt-4", ""])
def test_an_unknown_engine_says_what_there_is(spec: str) -> None:
    with pytest.raises(ConfigError, match="Use embedded, openai:MODEL"):
        read_plan(spec)


def test_a_spending_limit_needs_a_known_price() -> None:
    plan = EnginePlan(
        engines={"default": {"kind": "openai_compatible", "model": "nobody-knows"}}, max_cost=1, cache=False
    )
    with pytest.raises(ConfigError, match="price"):
        build_setup(plan, KEYS)
    priced = {"kind": "openai_compatible", "model": "nobody-knows", "price_per_million": {"input": 1, "output": 2}}
    assert build_setup(EnginePlan(engines={"default": priced}, max_cost=1, cache=False), KEYS).spending.spent == 0


def test_what_belongs_to_a_server_is_not_inherited_by_another() -> None:
    default = {
        "kind": "openai_compatible",
        "model": "m",
        "base_url": "http://127.0.0.1:9/v1",
        "api_key_env": "MYKEY",
        "price_per_million": {"input": 1, "output": 2},
        "seed": 7,
    }
    plan = EnginePlan(
        engines={
            "default": default,
            "A": {"kind": "anthropic", "model": "claude-x"},
            "B": {"base_url": "http://127.0.0.1:10/v1"},
            "C": {"model": "larger"},
        }
    )
    a, b, c = (plan.settings_for(agent, reviewing=False) for agent in AGENTS)
    assert (a.url, a.key_variable, a.price_per_million) == ("https://api.anthropic.com", "ANTHROPIC_API_KEY", None)
    assert (b.key_variable, b.price_per_million, b.model) == (None, None, "m")
    assert (c.key_variable, c.price_per_million, c.url) == ("MYKEY", None, "http://127.0.0.1:9/v1")
    assert {a.seed, b.seed, c.seed} == {7}


@pytest.mark.parametrize("spec", ["embedded", "engines.yaml"])
def test_a_base_url_that_would_be_ignored_is_an_error(spec: str) -> None:
    with pytest.raises(ConfigError, match="cannot be used with"):
        read_plan(spec, base_url="http://127.0.0.1:8080/v1")


def test_an_address_without_a_scheme_is_an_error() -> None:
    with pytest.raises(ConfigError, match="http://"):
        build_setup(read_plan("openai:m", base_url="localhost:8080"), KEYS)


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        ("{a: {on: 1, b: 2}}", "extra_body is not JSON"),
        ("{a: {1: x}}", "extra_body is not JSON"),
        ("{day: 2024-01-01}", "extra_body is not JSON"),
        ("{a: .nan}", "not a number"),
        ("{a: [.inf]}", "not a number"),
    ],
)
def test_an_extra_body_that_is_no_json_is_an_error_that_says_so(extra: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "engines.yaml"
    path.write_text(f"engines: {{default: {{kind: google, model: m, extra_body: {extra}}}}}", encoding="utf-8")
    with pytest.raises(ConfigError, match=words):
        read_plan(str(path)).settings_for("A")
