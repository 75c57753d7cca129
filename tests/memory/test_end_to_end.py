"""Every condition from the text to the prompts really sent and the store really written (seeds 003 §2, 004 §3)."""

from __future__ import annotations

from pathlib import Path

import pytest

from samsim.errors import ConfigError
from samsim.memory.conditions import load_conditions, resolve_condition
from samsim.memory.episodic_orchestrator import EpisodicOrchestrator, MemorySettings
from samsim.memory.memory_store import MemoryStore, open_store
from samsim.pipeline.api import Pipeline
from samsim.schemas.results import MemoryRecord, SampleResult
from tests.memory.sent_prompts import PromptKeeper

HEADING = "Memory advisory (from similar past cases):"
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


def orchestrator(store: MemoryStore, condition: str, **settings: object) -> EpisodicOrchestrator:
    chosen = MemorySettings(**settings)  # type: ignore[arg-type]
    return EpisodicOrchestrator(
        store, resolve_condition(condition), now=lambda: "2026-01-02T03:04:05Z", version="test", settings=chosen
    )


def filled(path: Path) -> MemoryStore:
    """A store with the episodes of a few similar reviews."""
    store = open_store(path)
    pipeline = Pipeline(memory=orchestrator(store, "C2_silent"))
    for number, text in enumerate(BASE):
        pipeline.analyze(text, uid=f"base{number}")
    assert store.last_seq() == len(BASE)
    return store


def run(condition: str, texts: list[str], path: Path, **settings: object) -> tuple[PromptKeeper, list[SampleResult]]:
    engine = PromptKeeper()
    store = filled(path)
    pipeline = Pipeline(engine=engine, memory=orchestrator(store, condition, **settings))
    results = [pipeline.analyze(text, uid=f"s{number}") for number, text in enumerate(texts)]
    grown = store.last_seq() - len(BASE)
    assert grown == (len(texts) if condition in WRITING else 0)
    store.close()
    return engine, results


def memory_of(result: SampleResult) -> MemoryRecord:
    assert result.memory is not None
    return result.memory


def injected(prompt: str) -> str:
    """The advice in a review prompt, from its heading to the end of its section."""
    start = prompt.find(HEADING)
    return "" if start < 0 else prompt[start : prompt.index("\n\n", start)]


@pytest.mark.parametrize("condition", CONDITIONS)
def test_the_recorded_characters_are_those_in_the_prompts(condition: str, tmp_path: Path) -> None:
    engine, results = run(condition, TROUBLED + CALM, tmp_path / "store.jsonl")
    for result in results:
        prompts = engine.of(result.uid)
        assert memory_of(result).prompt_injection_chars == sum(len(injected(prompt)) for prompt in prompts)
        assert memory_of(result).advisories_present == any(HEADING in prompt for prompt in prompts)
    assert not any(HEADING in sent.text for sent in engine.sent if sent.stage == "stage1")


@pytest.mark.parametrize("condition", CONDITIONS)
def test_only_exposed_conditions_inject_and_only_where_the_gate_opens(condition: str, tmp_path: Path) -> None:
    _, results = run(condition, TROUBLED + CALM, tmp_path / "store.jsonl")
    chars = [memory_of(result).prompt_injection_chars for result in results]
    if condition not in EXPOSED:
        assert chars == [0] * 5
        return
    # A shuffled condition has nobody's advice to give to the first sample of a kind.
    first_advised = 1 if condition == "C2_shuffled" else 0
    assert all(count > 0 for count in chars[first_advised:3])
    assert chars[3:] == [0, 0]


@pytest.mark.parametrize("condition", CONDITIONS)
def test_the_record_says_what_the_condition_is(condition: str, tmp_path: Path) -> None:
    _, results = run(condition, TROUBLED, tmp_path / "store.jsonl")
    flags = resolve_condition(condition)
    for result in results:
        record = memory_of(result)
        assert (record.condition, record.memory_mode) == (condition, flags.memory_mode)
        assert record.exposed_to_debate == flags.exposed_to_debate == (condition in EXPOSED)
        assert record.injection_trigger_reason == "conflict,validator"
        assert (record.episode_id is not None) == (condition in WRITING)


@pytest.mark.parametrize("condition", ["C2_silent", "C2_eval_only"])
def test_silent_conditions_really_retrieve(condition: str, tmp_path: Path) -> None:
    _, results = run(condition, TROUBLED, tmp_path / "store.jsonl")
    for result in results:
        record = memory_of(result)
        assert record.retrieved_k == len(record.retrieved_ids) == 3
        assert all(episode.startswith("epi_") for episode in record.retrieved_ids)
        assert (record.exposed_to_debate, record.prompt_injection_chars) == (False, 0)


def test_c1_does_not_even_look(tmp_path: Path) -> None:
    _, results = run("C1", TROUBLED, tmp_path / "store.jsonl")
    assert [(memory_of(result).retrieved_k, memory_of(result).retrieved_ids) for result in results] == [(0, [])] * 3


def test_a_shut_gate_is_recorded(tmp_path: Path) -> None:
    _, results = run("C2", CALM, tmp_path / "store.jsonl")
    for result in results:
        record = memory_of(result)
        assert (record.advisory_injection_gated, record.injection_trigger_reason) == (True, "none")
        assert record.prompt_injection_chars == 0


def test_the_gate_can_be_switched_off_but_only_a_review_has_prompts(tmp_path: Path) -> None:
    _, results = run("C2", CALM, tmp_path / "store.jsonl", gate=False)
    assert [memory_of(result).advisory_injection_gated for result in results] == [False, False]
    assert [memory_of(result).prompt_injection_chars for result in results] == [0, 0]


def test_a_placebo_is_as_long_as_the_advice_it_stands_for(tmp_path: Path) -> None:
    real, _ = run("C2_frozen", TROUBLED[:1], tmp_path / "a.jsonl")
    placebo, _ = run("C2_placebo", TROUBLED[:1], tmp_path / "b.jsonl")
    for shown, neutral in zip(real.of("s0"), placebo.of("s0"), strict=True):
        assert len(injected(shown)) == len(injected(neutral))
        assert injected(shown) != injected(neutral)


def test_a_sample_never_retrieves_its_own_earlier_episode(tmp_path: Path) -> None:
    store = open_store(tmp_path / "store.jsonl")
    pipeline = Pipeline(memory=orchestrator(store, "C2"))
    first = memory_of(pipeline.analyze(TROUBLED[0], uid="same"))
    again = memory_of(pipeline.analyze(TROUBLED[0], uid="same"))
    other = memory_of(pipeline.analyze(TROUBLED[0], uid="other"))
    assert first.episode_id not in again.retrieved_ids
    assert first.episode_id in other.retrieved_ids
    store.close()


def test_advice_makes_the_embedded_reviewers_look(tmp_path: Path) -> None:
    # "tried" evaluates nothing, so the missing side of the contrast is a slight doubt that A lets pass
    # unless an earlier case advises to look at both sides.
    lesson = "The soup was great, but I have not tried the rest."
    text = "The bread was great, but I have not tried the rest."
    votes = {}
    for condition in ("C2", "C2_silent"):
        store = open_store(tmp_path / f"{condition}.jsonl")
        pipeline = Pipeline({"protocol": "cr_v2"}, memory=orchestrator(store, condition))
        pipeline.analyze(lesson, uid="lesson")
        result = pipeline.analyze(text, uid="sample")
        votes[condition] = {(item.actor, item.action_type, item.reason_code) for item in result.review_actions}
        store.close()
    assert ("A", "FLAG", "CONTRAST_CLAUSE") in votes["C2"]
    assert ("A", "FLAG", "CONTRAST_CLAUSE") not in votes["C2_silent"]


@pytest.mark.parametrize("size", [1, 2, 8])
def test_an_epoch_gives_the_same_whatever_the_concurrency(size: int, tmp_path: Path) -> None:
    samples = [(f"s{number}", text) for number, text in enumerate(BASE + TROUBLED + CALM)]
    outcomes = []
    for concurrency in (1, 8):
        store = open_store(tmp_path / f"{size}-{concurrency}.jsonl")
        memory = orchestrator(store, "C2", visibility=f"epoch:{size}")
        answers = list(Pipeline(memory=memory).stream(samples, concurrency=concurrency))
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
