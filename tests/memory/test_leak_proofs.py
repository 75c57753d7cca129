"""Neither text nor gold is remembered: proved on the shipped reviews and on planted canaries."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from samsim.data.gold import load_reviews_gold
from samsim.data.shipped import load_reviews
from samsim.memory.conditions import resolve_condition
from samsim.memory.episodic_orchestrator import EpisodicOrchestrator
from samsim.memory.store import open_store
from samsim.pipeline.api import Pipeline
from tests.memory.sent_prompts import PromptKeeper

PROTOCOLS = ["cr_v2", "debate"]
CANARY_KO = "초록수달 칠만삼천이백육호 비밀문구"
CANARY_EN = "zanzibar quokkas wombat7731"


def remember(
    path: Path, texts: list[tuple[str, str]], protocol: str, clock: str = "2026-01-02T03:04:05Z"
) -> tuple[str, PromptKeeper]:
    store = open_store(path)
    engine = PromptKeeper()
    memory = EpisodicOrchestrator(store, resolve_condition("C2"), now=lambda: clock, version="test")
    results = list(Pipeline({"protocol": protocol}, engine=engine, memory=memory).stream(texts))
    assert len(results) == store.last_seq() == len(texts)
    digest = store.content_hash()
    store.close()
    return digest, engine


def shipped() -> list[tuple[str, str]]:
    return [(sample.uid, sample.text) for sample in load_reviews()]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_without_gold_and_at_another_time_the_store_is_the_same(
    protocol: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_gold, _ = remember(tmp_path / "a.jsonl", shipped(), protocol)

    def no_gold() -> None:
        raise AssertionError("inference asked for gold")

    monkeypatch.setattr("samsim.data.gold.load_reviews_gold", no_gold)
    without, _ = remember(tmp_path / "b.jsonl", shipped(), protocol, clock="2030-12-31T23:59:59Z")
    assert with_gold == without


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_permuted_and_poisoned_gold_changes_nothing_and_leaks_nowhere(
    protocol: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, _ = remember(tmp_path / "a.jsonl", shipped(), protocol)
    gold = load_reviews_gold()
    shuffled = dict(zip(gold, reversed(list(gold.values())), strict=True))
    poisoned = {
        uid: sample.model_copy(
            update={"tuples": [item.model_copy(update={"opinion_term": CANARY_EN}) for item in sample.tuples]}
        )
        for uid, sample in shuffled.items()
    }
    monkeypatch.setattr("samsim.data.gold.load_reviews_gold", lambda: poisoned)
    again, engine = remember(tmp_path / "b.jsonl", shipped(), protocol)
    assert plain == again
    assert not any(CANARY_EN.encode() in path.read_bytes() for path in tmp_path.iterdir())
    assert not any(CANARY_EN in sent.text for sent in engine.sent)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_no_run_of_twelve_characters_of_any_text_is_remembered(protocol: str, tmp_path: Path) -> None:
    path = tmp_path / "store.jsonl"
    remember(path, shipped(), protocol)
    terms = set()
    kept = []
    for line in path.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        for stage in ("stage1", "final"):
            terms.update(entry["stage_snapshot"][stage].pop("aspects_norm"))
        kept.append(json.dumps(entry, ensure_ascii=False).casefold())
    everything = "\n".join(kept)
    assert all(len(term) <= 30 for term in terms)
    for uid, text in shipped():
        folded = text.casefold()
        leaked = [folded[i : i + 12] for i in range(len(folded) - 11) if folded[i : i + 12] in everything]
        assert not leaked, f"{uid}: {leaked}"


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_canary_is_found_nowhere_but_in_its_own_prompts(protocol: str, tmp_path: Path) -> None:
    planted = [
        ("c0", f"I don't think the strap is soft. {CANARY_EN}"),
        ("c1", f"향이 좋지 않은 건 아니지만 비싸요. {CANARY_KO}"),
        ("s0", "I don't think the keyboard is comfortable."),
        ("s1", "맛이 나쁘지 않은데 양이 적어요."),
    ]
    _, engine = remember(tmp_path / "store.jsonl", planted, protocol)
    written = [path.read_bytes() for path in tmp_path.iterdir()]
    for canary in (CANARY_EN, CANARY_KO):
        for word in (canary, *(part for part in canary.split() if len(part) >= 6)):
            assert not any(word.encode() in content for content in written)
            assert not any(word in sent.text for sent in engine.sent if not sent.uid.startswith("c"))
