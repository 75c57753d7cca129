"""What the protocol's codes mean, in English and Korean words."""

from __future__ import annotations

from collections.abc import Mapping

Pair = tuple[str, str]
"""The same thing in English and in Korean."""

POLARITY: Mapping[str, Pair] = {
    "positive": ("positive", "긍정"),
    "negative": ("negative", "부정"),
    "neutral": ("neutral", "중립"),
    "mixed": ("mixed", "혼합"),
}
LANGUAGE: Mapping[str, Pair] = {"ko": ("Korean", "한국어"), "en": ("English", "영어")}
SEVERITY: Mapping[str, Pair] = {"low": ("low", "낮음"), "mid": ("medium", "중간"), "high": ("high", "높음")}
PERSPECTIVE: Mapping[str, Pair] = {
    "A": ("A · P-NEG (negation, contrast)", "A · P-NEG (부정·대비)"),
    "B": ("B · P-IMP (implicit)", "B · P-IMP (암시적)"),
    "C": ("C · P-LIT (literal)", "C · P-LIT (문자 그대로)"),
}
CONFLICT: Mapping[str, Pair] = {
    "ref_polarity_mismatch": ("one ref, different polarities", "같은 범주에 극성이 서로 다름"),
    "term_polarity_mismatch": ("one term, different polarities", "같은 표현에 극성이 서로 다름"),
    "semantic_conflict_candidate": (
        "similar terms, opposite polarities",
        "비슷한 표현에 극성이 정반대",
    ),
    "granularity_overlap_candidate": (
        "the upper entity and a part of it say the same",
        "상위 대상과 하위 대상이 같은 내용을 말함",
    ),
    "REDUNDANT_UPPER_REF": ("the upper ref may be redundant", "상위 범주가 중복일 수 있음"),
}
RISK: Mapping[str, Pair] = {
    "INVALID_REF": ("the ref is not in the taxonomy", "분류 체계에 없는 범주"),
    "TERM_NOT_IN_TEXT": ("the aspect term is not in the text", "속성 표현이 본문에 없음"),
    "EVIDENCE_NOT_IN_TEXT": ("the evidence is not in the text", "근거가 본문에 없음"),
    "SPAN_MISMATCH": ("the span does not fit the term", "표시한 위치와 표현이 맞지 않음"),
    "OPINION_AS_TARGET": ("an opinion word stands as the target", "의견을 나타내는 말이 대상으로 잡힘"),
    "NEGATION_SCOPE": ("a negation seems to be overlooked", "부정 표현을 놓친 것으로 보임"),
    "CONTRAST_SCOPE": ("only one side of a contrast is there", "대비되는 두 쪽 가운데 한쪽만 잡힘"),
}
REASON: Mapping[str, Pair] = {
    "NEGATION_SCOPE": ("scope of a negation", "부정의 범위"),
    "CONTRAST_CLAUSE": ("contrasting clauses", "대비되는 절"),
    "IMPLICIT_ASPECT": ("the aspect is implicit", "속성이 암시됨"),
    "ASPECT_REF_MISMATCH": ("the ref does not fit", "범주가 맞지 않음"),
    "SPAN_OVERLAP_MERGE": ("same passage", "같은 구절"),
    "DUPLICATE_TUPLE": ("says the same twice", "같은 내용이 중복됨"),
    "WEAK_EVIDENCE": ("weak evidence", "근거가 약함"),
    "POLARITY_UNCERTAIN": ("the polarity is uncertain", "극성이 불확실함"),
    "FORMAT_INCOMPLETE": ("the vote was incomplete", "표가 불완전함"),
    "KEEP_BEST_SUPPORTED": ("best supported", "근거가 가장 충분함"),
    "WEAK_INFERENCE": ("weak inference", "추론이 약함"),
    "EXPLICIT_NOT_REQUIRED": ("implicit, no opinion word", "의견 표현 없이 암시됨"),
    "STRUCTURAL_INCONSISTENT": ("contradicts the sentence", "문장 구조와 어긋남"),
    "REDUNDANT_UPPER_REF": ("the upper ref is redundant", "상위 범주가 중복됨"),
    "REDUNDANT_REF_UNCERTAIN": ("perhaps a redundant ref", "범주가 중복인지 불확실함"),
    "FACET_MINORITY_SIGNAL": ("the expert's minority view counts", "담당 관점의 소수 의견을 보호함"),
    "TIE_UNRESOLVED": ("a tie that no rule settles", "규칙으로도 결론이 나지 않은 동률"),
}
REFUSAL: Mapping[str, Pair] = {
    "not_flagged": ("the tuple is in no conflict and no doubt", "충돌도 의심도 없는 튜플"),
    "unknown_tuple": ("there is no such tuple", "없는 튜플"),
    "no_target": ("it names no tuple", "대상 튜플을 밝히지 않음"),
    "unknown_action": ("unknown action", "알 수 없는 조치"),
    "unknown_reason_code": ("unknown reason code", "알 수 없는 이유 코드"),
    "flip_without_polarity": ("FLIP without a valid polarity", "FLIP에 올바른 극성이 없음"),
    "flip_to_same_polarity": ("FLIP to the polarity it has", "현재와 같은 극성으로 FLIP"),
    "merge_without_ref": ("MERGE without a ref", "MERGE에 범주가 없음"),
    "contradictory_actions": ("contradictory actions", "서로 어긋나는 조치"),
}
