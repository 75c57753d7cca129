"""ATE, ATSA and the validator of the embedded engine."""

from __future__ import annotations

from collections.abc import Iterator

from samsim.engines.embedded.case import Case, gather_all_cases
from samsim.engines.embedded.lenses import extract_by, read_literally
from samsim.engines.embedded.triplets import as_triplets
from samsim.engines.interface import ATSAInputs, DebateInputs, Stage1Inputs
from samsim.rules.evidence import EvidenceReader
from samsim.schemas.analysis import Language, Offsets
from samsim.schemas.protocol_conflict_review import AGENTS, RiskType, Severity, Span
from samsim.schemas.protocol_debate import (
    AspectItem,
    AspectSentimentItem,
    ATESchema,
    ATSASchema,
    CorrectionProposalItem,
    StructuralRiskItem,
    StructuralRiskType,
    ValidatorSchema,
)

_RISKS: dict[RiskType, StructuralRiskType] = {
    "NEGATION_SCOPE": "negation",
    "CONTRAST_SCOPE": "contrast",
    "EVIDENCE_NOT_IN_TEXT": "grounding",
    "OPINION_AS_TARGET": "target",
}
# The kinds of risk, and "contradiction": the evidence is in the text but says something else.
_DESCRIPTIONS: dict[Language, dict[str, str]] = {
    "ko": {
        "negation": "부정 표현이 걸린 말과 극성이 맞지 않음",
        "contrast": "대비되는 한쪽이 빠짐",
        "irony": "반어로 읽히는 문장의 칭찬",
        "grounding": "근거가 본문에 없음",
        "contradiction": "근거로 든 말이 다른 극성을 나타냄",
        "target": "평가하는 말이 대상으로 잡힘",
    },
    "en": {
        "negation": "the polarity does not fit the negation",
        "contrast": "one side of the contrast is missing",
        "irony": "praise in a sentence that reads as irony",
        "grounding": "the evidence is not in the text",
        "contradiction": "the quoted words express another polarity",
        "target": "an opinion word is used as the target",
    },
}


def find_aspects(inputs: Stage1Inputs) -> ATESchema:
    """Return every target that any of the three perspectives finds, in text order, with the highest confidence."""
    analysis = inputs.analysis
    sure: dict[Offsets, tuple[float, str]] = {}
    for agent in AGENTS:
        for found in extract_by(agent, analysis):
            if found.target is not None:
                known = sure.get(found.target, (0.0, ""))
                sure[found.target] = max(known, (found.confidence, found.rationale), key=lambda pair: pair[0])
    return ATESchema(
        aspects=[
            AspectItem(
                term=analysis.text[start:end],
                span=Span(start=start, end=end),
                confidence=confidence,
                rationale=rationale,
            )
            for (start, end), (confidence, rationale) in sorted(sure.items())
        ]
    )


def judge_aspects(inputs: ATSAInputs) -> ATSASchema:
    """Read the given aspects and the implied ones literally; structure is left to the debate."""
    given = {(aspect.span.start, aspect.span.end) for aspect in inputs.aspects if aspect.span is not None}
    found = [claim for claim in read_literally(inputs.analysis) if claim.target is None or claim.target in given]
    triplets = as_triplets(found, inputs.analysis, inputs.taxonomy)
    return ATSASchema(
        aspect_sentiments=[
            AspectSentimentItem(**dict(triplet), is_implicit=not triplet.aspect_term) for triplet in triplets
        ]
    )


def validate(inputs: DebateInputs) -> ValidatorSchema:
    """Return the risks and proposals that follow from the evidence of each tuple."""
    evidence = EvidenceReader(inputs.analysis)
    descriptions = _DESCRIPTIONS[inputs.analysis.language]
    risks, proposals = [], []
    for case in gather_all_cases(inputs):
        tuple_id = case.candidate.tuple_id
        for kind, severity, words in _doubts(case, evidence):
            risks.append(
                StructuralRiskItem(
                    tuple_id=tuple_id, risk_type=kind, severity=severity, description=descriptions[words]
                )
            )
        if case.contradiction:
            proposals.append(
                CorrectionProposalItem(
                    tuple_id=tuple_id,
                    op="set_polarity",
                    value=case.contradiction,
                    rationale=descriptions["negation" if case.is_negated else "contradiction"],
                )
            )
        elif "OPINION_AS_TARGET" in case.risks:
            proposals.append(
                CorrectionProposalItem(tuple_id=tuple_id, op="drop_tuple", rationale=descriptions["target"])
            )
    return ValidatorSchema(structural_risks=risks, correction_proposals=proposals)


def _doubts(case: Case, evidence: EvidenceReader) -> Iterator[tuple[StructuralRiskType, Severity, str]]:
    """Yield each risk with its severity and the key of its description."""
    for risk_type, severity in case.risks.items():
        if risk_type in _RISKS:
            yield _RISKS[risk_type], severity, _RISKS[risk_type]
    if case.contradiction and case.is_negated and "NEGATION_SCOPE" not in case.risks:
        yield "negation", "mid", "negation"
    elif case.contradiction and not case.is_negated:
        yield "grounding", "mid", "contradiction"
    if case.candidate.polarity == "positive" and evidence.is_ironic(case.candidate):
        yield "irony", "mid", "irony"
