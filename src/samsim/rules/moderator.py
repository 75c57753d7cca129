"""The moderator: chooses the stage that is final, and the sentence's label and confidence (spec 3 §6).

The stage is chosen by the first rule that holds:

- ``stage1_kept_nothing_applied``: no change passed the gate;
- ``stage1_kept_ev_below_threshold``: the expected value of Stage 2 is too low;
- ``stage1_kept_confidence_fell``: the mean confidence of the tuples fell by 0.2 or more;
- ``stage2_preferred``: otherwise.

The label follows from the tuples of that stage:

- ``no_tuples``: there are none, and the confidence is 0;
- ``all_equal``: all tuples have the same polarity, which is the label;
- ``polarities_differ``: there is more than one polarity besides neutral, and the label is mixed;
- ``neutral_yields``: there is one polarity besides neutral, which is the label.

The confidence is the mean of the tuples' confidences.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from samsim.schemas.polarity import PolarityName
from samsim.schemas.protocol_conflict_review import Candidate
from samsim.schemas.protocol_debate import EVRecord, ModeratorRecord, ModeratorRule, OverrideDecision

CONFIDENCE_FALL = 0.2


@dataclass(frozen=True, slots=True)
class StageChoice:
    """Which stage's tuples are final, and by which rule."""

    stage: Literal["stage1", "stage2"]
    rule: ModeratorRule


def choose_stage(
    stage1: Sequence[Candidate], stage2: Sequence[Candidate], decisions: Sequence[OverrideDecision], ev: EVRecord | None
) -> StageChoice:
    """Return Stage 2 unless it changed nothing, its expected value is too low, or it is less confident."""
    if not any(decision.applied for decision in decisions):
        return StageChoice("stage1", "stage1_kept_nothing_applied")
    if ev is not None and not ev.passed:
        return StageChoice("stage1", "stage1_kept_ev_below_threshold")
    # If no tuple is left, there is no confidence that could have fallen.
    if stage2 and round(mean_confidence(stage1) - mean_confidence(stage2), 6) >= CONFIDENCE_FALL:
        return StageChoice("stage1", "stage1_kept_confidence_fell")
    return StageChoice("stage2", "stage2_preferred")


def label_of(tuples: Sequence[Candidate]) -> tuple[PolarityName | None, ModeratorRule]:
    """Return the sentence's label and the rule that produced it."""
    polarities = {candidate.polarity for candidate in tuples}
    if not polarities:
        return None, "no_tuples"
    if len(polarities) == 1:
        return next(iter(polarities)), "all_equal"
    opinionated = polarities - {"neutral"}
    if len(opinionated) > 1:
        return "mixed", "polarities_differ"
    return next(iter(opinionated)), "neutral_yields"


def moderate(
    tuples: Sequence[Candidate], choice: StageChoice, decisions: Sequence[OverrideDecision], ev: EVRecord | None
) -> ModeratorRecord:
    """Return the record; its summary consists of codes and numbers and quotes nothing."""
    label, label_rule = label_of(tuples)
    confidence = mean_confidence(tuples)
    rules: list[ModeratorRule] = [choice.rule, label_rule]
    applied = sum(decision.applied for decision in decisions)
    summary = " ".join(
        [
            f"label:{label or 'none'}",
            f"conf:{confidence:g}",
            *(f"rule:{rule}" for rule in rules),
            f"applied:{applied}",
            f"skipped:{len(decisions) - applied}",
            f"ev:{ev.total:g}" if ev is not None else "ev:none",
        ]
    )
    return ModeratorRecord(label=label, confidence=confidence, stage=choice.stage, rules=rules, summary=summary)


def mean_confidence(tuples: Sequence[Candidate]) -> float:
    """Return the mean of the tuples' confidences, or 0 if there are none."""
    return round(fmean(candidate.confidence for candidate in tuples), 6) if tuples else 0.0
