"""Advice from episodes: three types, OPFB, strength, evidence, and nothing that hints at a label."""

from __future__ import annotations

import re
from itertools import product
from typing import Any

import pytest

from samsim.memory.advisory_builder import DANGER_WARNING, OPFB_REASON, BlockStatistics, build_from_episodes
from samsim.memory.principles import find_principle
from samsim.schemas.analysis import Language
from samsim.schemas.memory_v1_1 import AdvisoryV1_1, EpisodicMemoryEntryV1_1
from tests.memory import FAILURE, SUCCESS, UNTOUCHED, episode
from tests.memory.test_principles import ABOUT_HITS_OR_LABELS

SEED_WARNING = (
    "[경고: 이 조언과 동일한 aspect·polarity 조합으로 과거 실패/리스크 악화 사례가 있습니다. 증거 확인 권장.]"
)
PRICE = (("가격", "positive"),)


def failing(number: int, **fields: Any) -> EpisodicMemoryEntryV1_1:
    """A harmful override that ended in 품질/negative unless told otherwise."""
    return episode(number, **{"outcome": FAILURE, "after": 5, **fields})


def advise(*episodes: EpisodicMemoryEntryV1_1, **options: Any) -> tuple[list[AdvisoryV1_1], BlockStatistics]:
    scored = [(entry, round(0.9 - position / 100, 2)) for position, entry in enumerate(episodes)]
    return build_from_episodes(scored, **{"language": "ko", **options})


def test_no_episode_no_advice() -> None:
    assert advise() == ([], BlockStatistics())


# --- types -----------------------------------------------------------------------------------------


def test_a_safe_override_gives_successful_override() -> None:
    (built,), _ = advise(episode(4))
    assert built.advisory_type == "successful_override"
    assert built.evidence.model_dump(exclude_none=True) == {
        "source_episode_ids": ("epi_000004",),
        "risk_tags": ("NEGATION_SCOPE",),
        "principle_id": "negation_scope_flip",
        "risk_before_tags": ("NEGATION_SCOPE",),
        "risk_after_tags": (),
    }


def test_a_failed_override_gives_a_warning() -> None:
    (built,), _ = advise(failing(4))
    assert built.advisory_type == "failed_override_warning"
    assert built.evidence.risk_before_tags == built.evidence.risk_after_tags == ("NEGATION_SCOPE",)
    assert "주의: " in built.message
    assert built.evidence.n is None


def test_several_similar_episodes_give_a_consistency_anchor() -> None:
    (built,), _ = advise(episode(1), episode(2, after=1), episode(3, outcome=UNTOUCHED, after=3))
    assert built.advisory_type == "consistency_anchor"
    assert built.evidence.source_episode_ids == ("epi_000001", "epi_000002", "epi_000003")
    assert (built.evidence.n, built.evidence.consistency) == (3, pytest.approx(2 / 3, abs=1e-6))
    assert built.evidence.variance == pytest.approx(14 / 9, abs=1e-6)  # of -3, -2 and 0
    assert built.evidence.risk_before_tags is None


def test_an_untouched_episode_alone_is_an_anchor_of_one() -> None:
    (built,), _ = advise(episode(1, outcome=UNTOUCHED, after=3))
    assert (built.advisory_type, built.evidence.n, built.evidence.consistency) == ("consistency_anchor", 1, 0.0)


def test_no_mode_decision_anywhere() -> None:
    advisories, _ = advise(episode(1), episode(2), failing(3, pairs=PRICE, principle="any_flip"))
    assert "mode_decision" not in str([built.model_dump() for built in advisories])


# --- one per principle, order, strength -----------------------------------------------------------------


def test_one_advisory_per_principle_best_first() -> None:
    episodes = [
        (episode(1, principle="any_keep"), 0.2),
        (episode(2), 0.9),
        (episode(3, principle="any_keep"), 0.5),
    ]
    advisories, _ = build_from_episodes(episodes, language="ko")
    assert [(one.advisory_id, one.evidence.principle_id, one.relevance_score) for one in advisories] == [
        ("adv_000001", "negation_scope_flip", 0.9),
        ("adv_000002", "any_keep", 0.5),
    ]
    assert advisories[1].evidence.source_episode_ids == ("epi_000003", "epi_000001")


@pytest.mark.parametrize(
    ("successes", "others", "strength"),
    [(1, 0, "weak"), (0, 1, "weak"), (2, 0, "moderate"), (0, 3, "moderate"), (2, 1, "moderate"), (3, 0, "strong"),
     (4, 1, "strong"), (3, 1, "moderate")],
)  # fmt: skip
def test_strength_by_number_and_consistency(successes: int, others: int, strength: str) -> None:
    good = [episode(number) for number in range(1, successes + 1)]
    other = [episode(50 + number, outcome=UNTOUCHED, after=3) for number in range(others)]
    (built,), _ = advise(*good, *other)
    assert built.strength == strength


# --- OPFB --------------------------------------------------------------------------------------------


def test_opfb_downgrade_appends_the_seeds_sentence() -> None:
    advisories, blocked = advise(episode(1), failing(2, principle="any_flip"))
    assert DANGER_WARNING["ko"] == SEED_WARNING
    assert len(advisories) == 2
    assert all(built.message.endswith(SEED_WARNING) for built in advisories)
    assert blocked == BlockStatistics(memory_downgraded_advisory_n=2)


def test_opfb_downgrade_in_english() -> None:
    advisories, _ = advise(episode(1), failing(2, principle="any_flip"), language="en")
    assert all(built.message.endswith(DANGER_WARNING["en"]) for built in advisories)
    assert not any(re.search("[가-힣]", built.message) for built in advisories)


def test_opfb_block_leaves_dangerous_episodes_out_and_counts_them() -> None:
    safe = episode(3, principle="any_keep", pairs=PRICE)
    advisories, blocked = advise(episode(1), failing(2, principle="any_flip"), safe, prohibit_dangerous=True)
    assert [built.evidence.source_episode_ids for built in advisories] == [("epi_000003",)]
    assert advisories[0].advisory_id == "adv_000001"
    assert SEED_WARNING not in advisories[0].message
    assert blocked == BlockStatistics(
        memory_blocked_episode_n=2, memory_blocked_advisory_n=2, memory_block_reason=OPFB_REASON
    )


def test_opfb_block_keeps_an_advisory_that_safe_episodes_still_back() -> None:
    (built,), blocked = advise(failing(1), episode(2, pairs=PRICE), prohibit_dangerous=True)
    assert built.evidence.source_episode_ids == ("epi_000002",)
    assert (blocked.memory_blocked_episode_n, blocked.memory_blocked_advisory_n) == (1, 0)
    assert built.relevance_score == 0.89


def test_blocked_failures_still_count_against_the_strength() -> None:
    good = [episode(number, pairs=PRICE) for number in (1, 2, 3)]
    (alone,), _ = advise(*good, prohibit_dangerous=True)
    (beside_failures,), _ = advise(*good, failing(4), failing(5), prohibit_dangerous=True)
    assert (alone.strength, alone.evidence.consistency) == ("strong", 1.0)
    assert (beside_failures.strength, beside_failures.evidence.consistency) == ("moderate", 0.6)


@pytest.mark.parametrize(
    ("pairs", "dangerous"),
    [
        ((("품질", "negative"),), True),
        ((("가격", "positive"), ("품질", "negative")), True),
        ((("품질", "positive"),), False),  # the same aspect the other way
        ((("가격", "negative"),), False),
        ((("", "negative"),), False),
        ((), False),
    ],
)
def test_only_the_same_aspect_and_polarity_are_dangerous(pairs: tuple[tuple[str, str], ...], dangerous: bool) -> None:
    failures = [failing(9, pairs=(("품질", "negative"), ("", "negative")))]
    advisories, _ = advise(episode(1, pairs=pairs), opfb_scope_episodes=failures)
    assert (SEED_WARNING in advisories[0].message) is dangerous
    kept, blocked = advise(episode(1, pairs=pairs), opfb_scope_episodes=failures, prohibit_dangerous=True)
    assert (len(kept), blocked.memory_blocked_advisory_n) == ((0, 1) if dangerous else (1, 0))


def test_opfb_scope_is_the_retrieved_episodes_unless_a_store_is_given() -> None:
    _, retrieved_only = advise(episode(1), prohibit_dangerous=True)
    _, whole_store = advise(episode(1), prohibit_dangerous=True, opfb_scope_episodes=iter([episode(1), failing(2)]))
    assert (retrieved_only.memory_blocked_episode_n, whole_store.memory_blocked_episode_n) == (0, 1)


@pytest.mark.parametrize(
    ("fields", "fails"),
    [
        ({"outcome": SUCCESS}, False),
        ({"outcome": UNTOUCHED, "after": 3}, False),
        ({"outcome": UNTOUCHED, "after": 4}, True),
        ({"outcome": FAILURE, "after": 0, "episode_type": "neutral"}, True),
        ({"outcome": SUCCESS, "episode_type": "harm"}, True),
        ({"outcome": {**SUCCESS, "override_harm": True}}, True),
    ],
)
def test_what_counts_as_failure_for_opfb(fields: dict[str, Any], fails: bool) -> None:
    _, blocked = advise(episode(1), opfb_scope_episodes=[episode(2, **fields)], prohibit_dangerous=True)
    assert (blocked.memory_blocked_episode_n == 1) is fails
    assert (blocked.memory_block_reason == OPFB_REASON) is fails


# --- messages ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["ko", "en"])
def test_a_message_is_principle_and_summary(language: Language) -> None:
    (built,), _ = advise(episode(1), language=language)
    principle = find_principle("negation_scope_flip")
    assert principle is not None
    assert built.message.startswith(f"{principle.text(language)} (")
    for part in ("NEGATION_SCOPE", "FLIP", "-3"):
        assert part in built.message


def test_a_principle_of_another_catalogue_speaks_for_itself() -> None:
    correction = {"principle_id": "older_one", "corrective_principle": "근거를\n다시 읽으세요."}
    (built,), _ = advise(episode(1, correction=correction))
    assert built.message.startswith("근거를 다시 읽으세요. (")


@pytest.mark.parametrize("language", ["ko", "en"])
def test_a_message_never_exceeds_800_characters_and_keeps_its_warning(language: Language) -> None:
    correction = {"principle_id": "older_one", "corrective_principle": "가" * 800}
    (built,), _ = advise(failing(1, correction=correction), language=language)
    assert len(built.message) == 800
    assert built.message.endswith(DANGER_WARNING[language])
    assert "… (" in built.message


def test_no_accuracy_gold_label_or_confidence_in_any_message() -> None:
    outcomes = [(SUCCESS, 0), (FAILURE, 5), (UNTOUCHED, 3)]
    languages: tuple[Language, ...] = ("ko", "en")
    for (outcome, after), language, also_failing in product(outcomes, languages, [True, False]):
        others = [failing(2, principle="any_flip")] if also_failing else []
        advisories, _ = advise(episode(1, outcome=outcome, after=after), *others, language=language)
        for built in advisories:
            # The word polarity is the seed's own; the four values and talk of hits must not appear.
            assert not ABOUT_HITS_OR_LABELS.search(built.message), built.message
            assert "품질" not in built.message
