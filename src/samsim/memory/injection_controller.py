"""What reaches a prompt: the memory slot, which has the same structure in every condition, and its text form.

Only the condition's flags matter. A masked or disabled condition gets the same slot, but empty
(seed 003, work item 5).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import cycle
from types import MappingProxyType
from typing import Any

from samsim.memory.conditions import MemoryCondition
from samsim.schemas.analysis import Language
from samsim.schemas.memory_v1_1 import AdvisoryBundleV1_1, AdvisoryMetaV1_1, AdvisoryV1_1

DEFAULT_TOPK = 3
PLACEBO_PRINCIPLE = "placebo_neutral"
_HEADING = "Memory advisory (from similar past cases):"
# Sentences that ask for nothing, cut to the length of the advice they replace, so that only its content is missing.
_NEUTRAL: Mapping[Language, tuple[str, ...]] = MappingProxyType(
    {
        "ko": (
            "이 자리에는 검토와 관계없는 일반 안내가 들어갑니다.",
            "글은 여러 문장으로 이루어질 수 있습니다.",
            "문장마다 길이와 어순이 다를 수 있습니다.",
            "이 안내는 길이를 맞추려고 넣었습니다.",
        ),
        "en": (
            "This place holds a general note that has no bearing on the review.",
            "A text may consist of several sentences.",
            "Sentences may differ in length and in word order.",
            "The note is here to keep the length the same.",
        ),
    }
)


def build_slot_payload(
    condition: MemoryCondition,
    advisories: Sequence[AdvisoryV1_1],
    *,
    language: Language,
    topk: int = DEFAULT_TOPK,
    warnings: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the content of the slot ``DEBATE_CONTEXT__MEMORY``: an ``AdvisoryBundleV1_1`` as plain data."""
    bundle = AdvisoryBundleV1_1(
        memory_on=condition.memory_mode == "on",
        retrieved=advisories_to_show(condition, advisories, language)[:topk],
        warnings=_warnings_to_show(condition, warnings, language),
        meta=AdvisoryMetaV1_1(
            memory_mode=condition.memory_mode,
            topk=topk,
            masked_injection=condition.injection_mask,
            retrieval_executed=condition.retrieval_execute,
        ),
    )
    return bundle.model_dump(mode="json", exclude_none=True)


def advisories_to_show(
    condition: MemoryCondition, advisories: Sequence[AdvisoryV1_1], language: Language
) -> tuple[AdvisoryV1_1, ...]:
    """Return the advisories that the condition shows: none if masked, neutral ones for a placebo.

    For ``injection_source: shuffled``, the caller has retrieved another sample's advice; nothing is left to do here.
    """
    if _hides_everything(condition):
        return ()
    if condition.injection_source == "placebo":
        return tuple(as_placebo(advisory, language) for advisory in advisories)
    return tuple(advisories)


def _warnings_to_show(condition: MemoryCondition, warnings: Sequence[str], language: Language) -> tuple[str, ...]:
    """Return the warnings, shown by the same rule as the advice they are about."""
    if _hides_everything(condition):
        return ()
    if condition.injection_source == "placebo":
        return tuple(neutral_text(len(warning), language) for warning in warnings)
    return tuple(warnings)


def _hides_everything(condition: MemoryCondition) -> bool:
    return condition.injection_mask or not condition.retrieval_execute


def as_placebo(advisory: AdvisoryV1_1, language: Language) -> AdvisoryV1_1:
    """Return the advisory with a neutral message of the same length, and evidence that names no risk."""
    seen = advisory.evidence
    evidence = seen.model_copy(
        update={
            "risk_tags": (),
            "principle_id": PLACEBO_PRINCIPLE,
            "risk_before_tags": None if seen.risk_before_tags is None else (),
            "risk_after_tags": None if seen.risk_after_tags is None else (),
        }
    )
    return advisory.model_copy(update={"message": neutral_text(len(advisory.message), language), "evidence": evidence})


def neutral_text(length: int, language: Language) -> str:
    """Return neutral sentences of exactly that many characters, without a space at the end."""
    text = ""
    for sentence in cycle(_NEUTRAL[language]):
        text = f"{text} {sentence}" if text else sentence
        if len(text) >= length:
            break
    cut = text[:length]
    return f"{cut[:-1]}." if cut.endswith(" ") else cut


def format_memory_context(advisories: Iterable[AdvisoryV1_1]) -> str:
    """Return the text for a review prompt: the seed's heading and one line per advisory, or "" without advisories."""
    lines = [f"- {' '.join(advisory.message.split())}" for advisory in advisories]
    return "\n".join([_HEADING, *lines]) if lines else ""
