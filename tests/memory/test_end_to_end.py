"""Every condition from the text to the prompts really sent and the store really written (seeds 003 §2, 004 §3).

The same holds for both protocols that have a place for advice: a heading with lines in the reviewers'
prompts, the slot inside the debate's context.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from samsim.errors import ConfigError
from samsim.memory.conditions import load_conditions, resolve_condition
from samsim.memory.episodic_orchestrator import EpisodicOrchestrator, MemorySettings
from samsim.memory.store import MemoryStore, open_store
from samsim.pipeline.api import Pipeline
from samsim.schemas.results import MemoryRecord, SampleResult
from tests.memory import episode
from tests.memory.sent_prompts import PromptKeeper

HEADING = "Memory advisory (from similar past cases):"
SLOT_KEY = '"DEBATE_CONTEXT__MEMORY": '
PROTOCOLS = ["cr_v2", "debate"]
CONDITIONS = sorted(load_conditions().conditions)
EXPOSED = {"C2", "C2_frozen", "C2_placebo", "C2_shuffled"}
WRITING = {"C2", "C2_silent"}
# Each of the first three has a negation that C overlooks, so the gate opens; the last two raise nothing.
TROUBLED = [
    "I don't think the keyboard is comfortable.",
    "I don't think the strap is soft.",
    "I don't think the bag is nice.",
]
CALM = ["The soup was cold.", "The bread was great."]
BASE = [
    f"I don't think the {thing} is {word}." for thing, word in (("lid", "sturdy"), ("hose", "soft"), ("fan", "quiet"))
]

ONE_SIDED = episode(
    principle="contrast_scope_flag",
    risk_type="CONTRAST_SCOPE",
    action_taken="FLAG",
    input_signature=episode().input_signature.model_copy(
        update={"language": "en", "detected_structure": ("negation", "contrast")}
    ),
)


def orchestrator(store: MemoryStore, condition: str, **settings: Any) -> EpisodicOrchestrator:
    chosen = MemorySettings(**settings)
    return EpisodicOrchestrator(
        store, resolve_condition(condition), now=lambda: "2026-01-02T03:04:05Z", version="test", settings=chosen
    )


def filled(path: Path, protocol: str = "cr_v2") -> MemoryStore:
    """A store with the episodes of a few similar reviews."""
    store = open_store(path)
    pipeline = Pipeline({"protocol": protocol}, memory=orchestrator(store, "C2_silent"))
    for number, text in enumerate(BASE):
        pipeline.analyze(text, uid=f"base{number}")
    assert store.last_seq() == len(BASE)
    return store


def run(
    condition: str, texts: list[str], path: Path, protocol: str = "cr_v2", **settings: Any
) -> tuple[PromptKeeper, list[SampleResult]]:
    engine = PromptKeeper()
    store = filled(path, protocol)
    pipeline = Pipeline({"protocol": protocol}, engine=engine, memory=orchestrator(store, condition, **settings))
    results = [pipeline.analyze(text, uid=f"s{number}") for number, text in enumerate(texts)]
    grown = store.last_seq() - len(BASE)
    assert grown == (len(texts) if condition in WRITING else 0)
    store.close()
    return engine, results


def memory_of(result: SampleResult) -> MemoryRecord:
    assert result.memory is not None
    return result.memory


def injected(prompt: str) -> str:
    """What memory put into a prompt: the advice from its heading to its end, or the value of the slot's key."""
    if SLOT_KEY in prompt:
        start = prompt.index(SLOT_KEY) + len(SLOT_KEY)
        _, end = json.JSONDecoder().raw_decode(prompt, start)
        return prompt[start:end]
    start = prompt.find(HEADING)
    return "" if start < 0 else prompt[start : prompt.index("\n\n", start)]


def advice_in(prompt: str) -> list[str]:
    """The messages of the advice that stands in a prompt."""
    if SLOT_KEY in prompt:
        return [one["message"] for one in json.loads(injected(prompt))["retrieved"]]
    return injected(prompt).splitlines()[1:]


def is_advised(prompt: str) -> bool:
    return bool(advice_in(prompt))


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("condition", CONDITIONS)
def test_the_recorded_characters_are_those_in_the_prompts(condition: str, protocol: str, tmp_path: Path) -> None:
    engine, results = run(condition, TROUBLED + CALM, tmp_path / "store.jsonl", protocol)
    for result in results:
        prompts = engine.of(result.uid)
        record = memory_of(result)
        assert record.prompt_injection_chars == sum(len(injected(prompt)) for prompt in prompts)
        assert record.advisories_present == any(map(is_advised, prompts))
        assert record.advisories_ids == (record.advisory_ids if record.advisories_present else [])
    for sent in engine.sent:
        assert sent.stage in ("review", "debate", "judge") or not injected(sent.text)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("condition", CONDITIONS)
def test_only_exposed_conditions_inject_and_only_where_the_gate_opens(
    condition: str, protocol: str, tmp_path: Path
) -> None:
    engine, results = run(condition, TROUBLED + CALM, tmp_path / "store.jsonl", protocol)
    if protocol == "debate":
        # The slot goes into the shared context whenever it may be shown, full or empty.
        merged = [any(SLOT_KEY in prompt for prompt in engine.of(result.uid)) for result in results]
        assert merged == [condition in EXPOSED] * 3 + [False] * 2
        assert all(SLOT_KEY not in sent.text for sent in engine.sent if sent.stage in ("stage1", "stage2"))
    chars = [memory_of(result).prompt_injection_chars for result in results]
    if condition not in EXPOSED:
        assert chars == [0] * 5
        return
    # A shuffled condition has nobody's advice to give to the first sample of a kind; a debate shows the empty slot.
    first_advised = 1 if condition == "C2_shuffled" and protocol != "debate" else 0
    assert all(count > 0 for count in chars[first_advised:3])
    assert chars[3:] == [0, 0]


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("condition", CONDITIONS)
def test_the_record_says_what_the_condition_is(condition: str, protocol: str, tmp_path: Path) -> None:
    _, results = run(condition, TROUBLED, tmp_path / "store.jsonl", protocol)
    flags = resolve_condition(condition)
    for result in results:
        record = memory_of(result)
        assert (record.condition, record.memory_mode) == (condition, flags.memory_mode)
        assert record.exposed_to_debate == flags.exposed_to_debate == (condition in EXPOSED)
        # One reading contradicts nobody, so in a debate the validator's doubt alone opens the gate.
        assert record.injection_trigger_reason == ("conflict,validator" if protocol == "cr_v2" else "validator")
        assert (record.episode_id is not None) == (condition in WRITING)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("condition", ["C2_silent", "C2_eval_only"])
def test_silent_conditions_really_retrieve(condition: str, protocol: str, tmp_path: Path) -> None:
    _, results = run(condition, TROUBLED, tmp_path / "store.jsonl", protocol)
    for result in results:
        record = memory_of(result)
        assert record.retrieved_k == len(record.retrieved_ids) == 3
        assert all(episode.startswith("epi_") for episode in record.retrieved_ids)
        assert (record.exposed_to_debate, record.prompt_injection_chars) == (False, 0)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_c1_does_not_even_look(protocol: str, tmp_path: Path) -> None:
    _, results = run("C1", TROUBLED, tmp_path / "store.jsonl", protocol)
    assert [(memory_of(result).retrieved_k, memory_of(result).retrieved_ids) for result in results] == [(0, [])] * 3


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_shut_gate_is_recorded(protocol: str, tmp_path: Path) -> None:
    _, results = run("C2", CALM, tmp_path / "store.jsonl", protocol)
    for result in results:
        record = memory_of(result)
        assert (record.advisory_injection_gated, record.injection_trigger_reason) == (True, "none")
        assert record.prompt_injection_chars == 0


def test_the_gate_can_be_switched_off_but_only_a_review_has_prompts(tmp_path: Path) -> None:
    _, results = run("C2", CALM, tmp_path / "store.jsonl", gate=False)
    assert [memory_of(result).advisory_injection_gated for result in results] == [False, False]
    assert [memory_of(result).prompt_injection_chars for result in results] == [0, 0]


def test_in_a_debate_the_gate_switched_off_shows_the_slot_everywhere(tmp_path: Path) -> None:
    _, results = run("C2", CALM, tmp_path / "store.jsonl", "debate", gate=False)
    assert [memory_of(result).advisory_injection_gated for result in results] == [False, False]
    assert all(memory_of(result).prompt_injection_chars > 0 for result in results)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_placebo_is_as_long_as_the_advice_it_stands_for(protocol: str, tmp_path: Path) -> None:
    real, _ = run("C2_frozen", TROUBLED[:1], tmp_path / "a.jsonl", protocol)
    placebo, _ = run("C2_placebo", TROUBLED[:1], tmp_path / "b.jsonl", protocol)
    advised = [list(filter(is_advised, engine.of("s0"))) for engine in (real, placebo)]
    assert len(advised[0]) == (3 if protocol == "cr_v2" else 4)
    for shown, neutral in zip(*advised, strict=True):
        assert list(map(len, advice_in(shown))) == list(map(len, advice_in(neutral)))
        assert advice_in(shown) != advice_in(neutral)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_sample_never_retrieves_its_own_earlier_episode(protocol: str, tmp_path: Path) -> None:
    store = open_store(tmp_path / "store.jsonl")
    pipeline = Pipeline({"protocol": protocol}, memory=orchestrator(store, "C2"))
    first = memory_of(pipeline.analyze(TROUBLED[0], uid="same"))
    again = memory_of(pipeline.analyze(TROUBLED[0], uid="same"))
    other = memory_of(pipeline.analyze(TROUBLED[0], uid="other"))
    assert first.episode_id not in again.retrieved_ids
    assert first.episode_id in other.retrieved_ids
    store.close()


def test_advice_makes_the_embedded_reviewers_look(tmp_path: Path) -> None:
    # "tried" evaluates nothing, so the missing side of the contrast is a slight doubt that A lets pass
    # unless an earlier case advises to mark a side that stands alone.
    text = "The bread was great, but I have not tried the rest."
    votes = {}
    for condition in ("C2", "C2_silent"):
        store = open_store(tmp_path / f"{condition}.jsonl")
        store.append(ONE_SIDED)
        pipeline = Pipeline({"protocol": "cr_v2"}, memory=orchestrator(store, condition))
        result = pipeline.analyze(text, uid="sample")
        votes[condition] = {(item.actor, item.action_type, item.reason_code) for item in result.review_actions}
        store.close()
    assert ("A", "FLAG", "CONTRAST_CLAUSE") in votes["C2"]
    assert ("A", "FLAG", "CONTRAST_CLAUSE") not in votes["C2_silent"]


def test_advice_makes_the_embedded_debaters_look(tmp_path: Path) -> None:
    # As above: the missing side is a slight doubt that the judge passes over unless advised to look.
    text = "The bread was great, but I have not tried the rest."
    left_open = {}
    for condition in ("C2", "C2_silent"):
        store = open_store(tmp_path / f"{condition}.jsonl")
        store.append(ONE_SIDED)
        pipeline = Pipeline({"protocol": "debate"}, memory=orchestrator(store, condition))
        result = pipeline.analyze(text, uid="sample")
        assert result.debate is not None
        assert result.debate.judge is not None
        left_open[condition] = [one.tuple_ids for one in result.debate.judge.unresolved_conflicts]
        assert [one.flagged for one in result.final_tuples] == [bool(left_open[condition])]
        store.close()
    assert left_open == {"C2": [["t0"]], "C2_silent": []}


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("size", [1, 2, 8])
def test_an_epoch_gives_the_same_whatever_the_concurrency(size: int, protocol: str, tmp_path: Path) -> None:
    samples = [(f"s{number}", text) for number, text in enumerate(BASE + TROUBLED + CALM)]
    outcomes = []
    for concurrency in (1, 8):
        store = open_store(tmp_path / f"{size}-{concurrency}.jsonl")
        memory = orchestrator(store, "C2", visibility=f"epoch:{size}")
        pipeline = Pipeline({"protocol": protocol}, memory=memory)
        answers = list(pipeline.stream(samples, concurrency=concurrency))
        results = [answer for answer in answers if isinstance(answer, SampleResult)]
        outcomes.append(([result.outputs_json() for result in results], store.content_hash()))
        assert [memory_of(result).episode_id for result in results] == [
            f"epi_{number:06d}" for number in range(1, len(samples) + 1)
        ]
        seen = [len(memory_of(result).retrieved_ids) for result in results]
        assert seen[:size] == [0] * min(size, len(samples))
        store.close()
    assert outcomes[0] == outcomes[1]


def test_an_unknown_visibility_is_an_error_at_start(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="sequential or epoch:N"):
        orchestrator(open_store(tmp_path / "store.jsonl"), "C2", visibility="epoch:many")
