"""Stage 2 of the embedded engine: it checks every operation of the patch against the text and gives a reason."""

from __future__ import annotations

from collections.abc import Mapping

from samsim.engines.embedded.case import Case, gather_all_cases
from samsim.engines.embedded.debaters import REASONS_TO_DROP
from samsim.engines.interface import Stage2Inputs
from samsim.rules.evidence import EvidenceReader
from samsim.schemas.analysis import Language
from samsim.schemas.protocol_debate import ChangeItem, PatchOp, Stage2Schema

_REASONINGS: Mapping[Language, Mapping[str, str]] = {
    "ko": {
        "words_say_so": "근거로 든 말을 문장 안에서 읽으면 그 극성이 된다.",
        "words_silent": "근거로 든 말만으로는 그 극성이라고 볼 수 없다.",
        "not_there": "대상이나 근거가 본문에서 확인되지 않는다.",
        "there": "대상과 근거가 본문에 있으므로 지울 이유가 없다.",
        "ref_fits": "지금의 범주가 분류 체계에 없고 새 범주는 있다.",
        "ref_stands": "지금의 범주도 분류 체계에 맞으므로 바꿀 이유가 없다.",
        "same_words": "두 튜플이 같은 말을 근거로 같은 평가를 한다.",
        "other_words": "두 튜플의 근거가 서로 다르므로 따로 남겨 둔다.",
        "confirmed": "바꿀 것이 없다는 확인이다.",
    },
    "en": {
        "words_say_so": "Read in their sentence, the quoted words express this polarity.",
        "words_silent": "The quoted words do not express this polarity.",
        "not_there": "The target or its evidence cannot be found in the text.",
        "there": "The target and its evidence are in the text, so there is no reason to drop it.",
        "ref_fits": "The current ref is not in the taxonomy, but the new one is.",
        "ref_stands": "The current ref is in the taxonomy, so there is no reason to change it.",
        "same_words": "Both tuples rest on the same words and make the same judgment.",
        "other_words": "The two tuples rest on different words, so both stay.",
        "confirmed": "It confirms the tuple as it is.",
    },
}


def answer_patch(inputs: Stage2Inputs) -> Stage2Schema:
    """Accept the changes that the text supports and reject the rest."""
    cases = {case.candidate.tuple_id: case for case in gather_all_cases(inputs)}
    reasonings = _REASONINGS[inputs.analysis.language]
    evidence = EvidenceReader(inputs.analysis)
    accepted: list[ChangeItem] = []
    rejected: list[ChangeItem] = []
    for op in inputs.patch:
        accepts, code = _judge(op, cases, evidence)
        item = ChangeItem(
            change_id=op.change_id,
            op=op.op,
            target_tuple_id=op.target_tuple_id,
            value=op.value,
            reasoning=reasonings[code],
        )
        (accepted if accepts else rejected).append(item)
    return Stage2Schema(accepted_changes=accepted, rejected_changes=rejected)


def _judge(op: PatchOp, cases: Mapping[str, Case], evidence: EvidenceReader) -> tuple[bool, str]:
    """Return whether the operation is accepted, and the key of the reasoning."""
    case = cases[op.target_tuple_id]
    if op.op == "set_polarity":
        said = case.reading == op.value
        return said, "words_say_so" if said else "words_silent"
    if op.op == "drop_tuple":
        absent = bool(case.risks.keys() & REASONS_TO_DROP) or "INVALID_REF" in case.risks
        return absent, "not_there" if absent else "there"
    if op.op == "set_aspect_ref":
        invalid = "INVALID_REF" in case.risks
        return invalid, "ref_fits" if invalid else "ref_stands"
    if op.op == "merge_tuples":
        keeper = cases[op.value].candidate
        same = evidence.region_of(keeper) == evidence.region_of(case.candidate)
        same = same or keeper.opinion_term == case.candidate.opinion_term
        return same, "same_words" if same else "other_words"
    return True, "confirmed"
