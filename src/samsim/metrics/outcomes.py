"""The outcome of a sample, part by part: two runs are identical if every part of every sample is equal.

The parts are the Stage 1 claims, the conflict flags, the risks (with the resulting evaluation), the final
tuples, and the marks on those that stayed uncertain. Votes, requests and memory may differ.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Literal, NamedTuple, get_args

from samsim.schemas.protocol_conflict_review import Candidate
from samsim.schemas.results import FinalTuple, SampleResult

Part = Literal["stage1", "flags", "risks", "final", "marks"]
PARTS: tuple[Part, ...] = get_args(Part)
_DIGEST_BYTES = 16


class Outcome(NamedTuple):
    """A digest of each part, in the order of ``PARTS``; equal for equal parts, in whatever order they are listed."""

    stage1: bytes
    flags: bytes
    risks: bytes
    final: bytes
    marks: bytes


def outcome_of(result: SampleResult) -> Outcome:
    """Return the outcome of a sample."""
    evaluation = result.evaluation.model_dump_json() if result.evaluation is not None else ""
    return Outcome(
        stage1=_digest(map(_said, result.stage1_tuples)),
        flags=_digest(flag.model_dump_json() for flag in result.conflict_flags),
        risks=_digest([*(risk.model_dump_json() for risk in result.validator_risks), evaluation]),
        final=_digest(f"{_said(final)} {final.opinion_terms!r}" for final in result.final_tuples),
        marks=_digest(
            f"{_said(final)} {sorted(final.flag_reasons)!r}" for final in result.final_tuples if final.flagged
        ),
    )


def _said(item: Candidate | FinalTuple) -> str:
    span = None if item.span is None else (item.span.start, item.span.end)
    return repr((item.aspect_term, item.aspect_ref, item.opinion_term, item.polarity, span))


def _digest(items: Iterable[str]) -> bytes:
    listed = "\n".join(sorted(items))
    return hashlib.blake2b(listed.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).digest()
