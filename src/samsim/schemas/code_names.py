"""The meaning of the protocol's codes, in English and Korean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

Ui = Literal["en", "ko"]
"""A language that samsim shows its words in."""
Pair = tuple[str, str]
"""The same text in English and in Korean."""

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
    "ATSA": ("ATSA (sentiment of each aspect)", "ATSA (속성별 감성)"),
    "SINGLE": ("one reading", "단일 판독"),
}
STAGE: Mapping[str, Pair] = {
    "stage1": ("Stage 1", "1단계"),
    "review": ("the review", "재검토"),
    "recheck": ("the re-check", "재확인"),
    "debate": ("the debate", "토론"),
    "judge": ("the judgment", "판정"),
    "stage2": ("Stage 2", "2단계"),
}
CONFLICT: Mapping[str, Pair] = {
    "ref_polarity_mismatch": ("one ref, different polarities", "같은 범주에 극성이 서로 다름"),
    "term_polarity_mismatch": ("one term, different polarities", "같은 표현에 극성이 서로 다름"),
    "semantic_conflict_candidate": (
        "similar terms, opposite polarities",
        "비슷한 표현에 극성이 정반대",
    ),
    "granularity_overlap_candidate": (
        "the upper entity and a part of it say the same thing",
        "상위 대상과 하위 대상이 같은 내용을 말함",
    ),
    "REDUNDANT_UPPER_REF": ("the upper ref may be redundant", "상위 범주가 중복일 수 있음"),
}
RISK: Mapping[str, Pair] = {
    "INVALID_REF": ("the ref is not in the taxonomy", "분류 체계에 없는 범주"),
    "TERM_NOT_IN_TEXT": ("the aspect term is not in the text", "속성 표현이 본문에 없음"),
    "EVIDENCE_NOT_IN_TEXT": ("the evidence or opinion is not in the text", "근거나 평가 표현이 본문에 없음"),
    "SPAN_MISMATCH": ("the span does not fit the term", "표시한 위치와 표현이 맞지 않음"),
    "OPINION_AS_TARGET": ("the target is an opinion word", "의견을 나타내는 말이 대상으로 잡힘"),
    "NEGATION_SCOPE": ("a negation may have been missed", "부정 표현을 놓친 것으로 보임"),
    "CONTRAST_SCOPE": ("only one side of a contrast is covered", "대비되는 두 쪽 가운데 한쪽만 잡힘"),
}
REASON: Mapping[str, Pair] = {
    "NEGATION_SCOPE": ("scope of a negation", "부정의 범위"),
    "CONTRAST_CLAUSE": ("contrasting clauses", "대비되는 절"),
    "IMPLICIT_ASPECT": ("the aspect is implicit", "속성이 암시됨"),
    "ASPECT_REF_MISMATCH": ("the ref does not fit", "범주가 맞지 않음"),
    "SPAN_OVERLAP_MERGE": ("same passage", "같은 구절"),
    "DUPLICATE_TUPLE": ("duplicate statement", "같은 내용이 중복됨"),
    "WEAK_EVIDENCE": ("weak evidence", "근거가 약함"),
    "POLARITY_UNCERTAIN": ("the polarity is uncertain", "극성이 불확실함"),
    "FORMAT_INCOMPLETE": ("the vote was incomplete", "표가 불완전함"),
    "KEEP_BEST_SUPPORTED": ("best supported", "근거가 가장 충분함"),
    "WEAK_INFERENCE": ("weak inference", "추론이 약함"),
    "EXPLICIT_NOT_REQUIRED": ("implicit, no opinion word", "의견 표현 없이 암시됨"),
    "STRUCTURAL_INCONSISTENT": ("contradicts the sentence", "문장 구조와 어긋남"),
    "REDUNDANT_UPPER_REF": ("the upper ref is redundant", "상위 범주가 중복됨"),
    "REDUNDANT_REF_UNCERTAIN": ("possibly a redundant ref", "범주가 중복인지 불확실함"),
    "FACET_MINORITY_SIGNAL": ("the expert's minority view counts", "담당 관점의 소수 의견을 보호함"),
    "TIE_UNRESOLVED": ("a tie that no rule resolves", "규칙으로도 결론이 나지 않은 동률"),
}
REFUSAL: Mapping[str, Pair] = {
    "not_flagged": ("the tuple is neither flagged nor doubted", "충돌도 의심도 없는 튜플"),
    "unknown_tuple": ("there is no such tuple", "없는 튜플"),
    "no_target": ("it names no tuple", "대상 튜플을 밝히지 않음"),
    "unknown_action": ("unknown action", "알 수 없는 조치"),
    "unknown_reason_code": ("unknown reason code", "알 수 없는 이유 코드"),
    "flip_without_polarity": ("FLIP without a valid polarity", "FLIP에 올바른 극성이 없음"),
    "flip_to_same_polarity": ("FLIP to its current polarity", "현재와 같은 극성으로 FLIP"),
    "merge_without_ref": ("MERGE without a ref", "MERGE에 범주가 없음"),
    "merge_to_invalid_ref": ("MERGE to a ref outside the taxonomy", "분류 체계에 없는 범주로 MERGE"),
    "merge_to_same_ref": ("MERGE to its current ref", "현재와 같은 범주로 MERGE"),
    "contradictory_actions": ("contradictory actions", "서로 어긋나는 조치"),
}
PERSONA: Mapping[str, Pair] = {
    "EPM": ("maps evidence to polarity", "근거와 극성의 대응"),
    "TAN": ("normalizes target and ref", "대상과 범주 정규화"),
    "CJ": ("judges consistency", "일관성 판단"),
}
DROP: Mapping[str, Pair] = {
    "alignment_failure": ("its position in the text is unclear", "본문 위치가 불분명함"),
    "filter_rejection": ("not a target", "평가 대상이 아님"),
    "hallucination": ("not in the text", "본문에 없음"),
}
EDIT: Mapping[str, Pair] = {
    "set_polarity": ("polarity", "극성"),
    "set_aspect_ref": ("ref", "범주"),
    "merge_tuples": ("merge into", "병합 대상"),
    "drop_tuple": ("drop", "삭제"),
    "confirm_tuple": ("confirm", "확인"),
}
REJECT: Mapping[str, Pair] = {
    "stage2": ("rejected", "거부"),
    "no_reasoning": ("no reasoning was given", "근거를 대지 않음"),
    "not_answered": ("not answered", "답하지 않음"),
    "contradictory_answer": ("accepted and rejected at once", "수락과 거부를 함께 함"),
    "altered_change": ("the answer describes a different change", "다른 변경으로 바꾸어 답함"),
}
SKIP: Mapping[str, Pair] = {
    "evidence_missing": ("no evidence was quoted", "인용한 근거가 없음"),
    "evidence_not_in_text": ("the evidence is not in the text", "근거가 본문에 없음"),
    "below_min_total": ("too weak a signal, for and against together", "찬반을 합친 신호가 모자람"),
    "below_min_margin": ("support does not exceed opposition by enough", "찬성이 반대보다 충분히 크지 않음"),
    "l3_conservative": ("a risky structure and only one supporter", "위험한 구조인데 한 명만 주장함"),
    "already_confident": ("Stage 1 is confident and nothing casts doubt on it", "1단계가 확실하고 의심할 점이 없음"),
    "nothing_to_change": ("a confirmation changes nothing", "확인이므로 바꿀 것이 없음"),
    "ev_below_threshold": ("the expected value is too low", "기댓값이 기준에 못 미침"),
    "confidence_fell": ("confidence fell too much", "확신도가 너무 낮아짐"),
}
MODERATOR: Mapping[str, Pair] = {
    "stage2_preferred": ("Stage 2 is preferred", "2단계를 채택"),
    "stage1_kept_nothing_applied": ("nothing was changed, Stage 1 is kept", "바뀐 것이 없어 1단계 유지"),
    "stage1_kept_ev_below_threshold": ("expected value too low, Stage 1 is kept", "기댓값이 낮아 1단계 유지"),
    "stage1_kept_confidence_fell": ("confidence fell, Stage 1 is kept", "확신도가 떨어져 1단계 유지"),
    "no_tuples": ("no tuple", "튜플 없음"),
    "all_equal": ("all tuples agree", "모든 튜플의 극성이 같음"),
    "polarities_differ": ("polarities differ", "극성이 서로 다름"),
    "neutral_yields": ("neutral gives way", "중립은 다른 극성에 양보"),
}
EDIT_REFUSAL: Mapping[str, Pair] = {
    "unknown_tuple": ("there is no such tuple", "없는 튜플"),
    "unknown_op": ("unknown edit", "알 수 없는 수정"),
    "unknown_polarity": ("unknown polarity", "알 수 없는 극성"),
    "same_polarity": ("already has that polarity", "현재와 같은 극성"),
    "ref_not_in_taxonomy": ("the ref is not in the taxonomy", "분류 체계에 없는 범주"),
    "same_ref": ("already has that ref", "현재와 같은 범주"),
    "merge_with_itself": ("merged with itself", "자기 자신과 병합"),
    "merge_of_different_polarities": ("merge of different polarities", "극성이 다른 튜플의 병합"),
    "duplicate_op": ("duplicate edit", "같은 수정의 반복"),
    "contradictory_ops": ("contradictory edits", "서로 어긋나는 수정"),
}
RUN_STATUS: Mapping[str, Pair] = {
    # A killed process leaves the status of a running one.
    "running": ("still running, or killed", "실행 중이거나 강제 종료됨"),
    "finished": ("finished", "끝남"),
    "interrupted": ("interrupted", "중단됨"),
    "stopped": ("stopped", "멈춤"),
}
FAILURE: Mapping[str, Pair] = {
    "timeout": ("timed out", "시간 초과"),
    "connection": ("no connection", "연결할 수 없음"),
    "rate_limited": ("too many requests", "요청 한도 초과"),
    "server_error": ("server error", "서버 오류"),
    "bad_request": ("request refused by the server", "서버가 요청을 거절함"),
    "auth": ("key or access rejected", "키나 권한이 거부됨"),
    "too_large": ("answer too large", "응답이 너무 큼"),
    "bad_encoding": ("answer in the wrong encoding", "응답의 인코딩이 잘못됨"),
    "empty": ("empty answer", "빈 응답"),
    "refusal": ("the model refused to answer", "모델이 답을 거부함"),
    "cut_off": ("answer cut off", "응답이 중간에 끊김"),
    "invalid_json": ("answer is not JSON", "JSON이 아닌 응답"),
    "schema": ("answer does not match the schema", "스키마에 맞지 않는 응답"),
    "budget": ("spending limit reached", "비용 한도에 이름"),
    "forbidden": ("forbidden field in the answer", "응답에 금지된 필드가 있음"),
    "script_dry": ("no scripted answer left", "준비된 응답이 없음"),
    "unreachable": ("the server could not be reached again", "서버에 연결할 수 없음"),
    "not_recorded": ("not in the recorded trace", "기록에 없는 요청"),
}
