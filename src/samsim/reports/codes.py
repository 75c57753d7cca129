"""Every code that the page may show, in words and by kind, as the page looks them up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from samsim.memory.principles import all_principles
from samsim.schemas.code_names import (
    CONFLICT,
    DROP,
    EDIT_REFUSAL,
    FAILURE,
    LANGUAGE,
    MODERATOR,
    PERSPECTIVE,
    POLARITY,
    REASON,
    REFUSAL,
    REJECT,
    RISK,
    SEVERITY,
    SKIP,
    Pair,
)

ACTION: Mapping[str, Pair] = {
    "KEEP": ("leave the tuple as it is", "튜플을 그대로 둠"),
    "DROP": ("remove the tuple", "튜플을 제거함"),
    "FLIP": ("change the polarity", "극성을 바꿈"),
    "FLAG": ("keep it, marked as uncertain", "불확실하다고 표시하고 남겨 둠"),
    "MERGE": ("combine with an equal statement", "같은 내용의 튜플과 합침"),
    "REF": ("change the ref", "범주를 바꿈"),
    "set_polarity": ("change the polarity", "극성을 바꿈"),
    "set_aspect_ref": ("change the ref", "범주를 바꿈"),
    "merge_tuples": ("merge into another tuple", "다른 튜플과 합침"),
    "drop_tuple": ("remove the tuple", "튜플을 제거함"),
    "confirm_tuple": ("confirm the tuple", "튜플을 그대로 인정함"),
}
RULE: Mapping[str, Pair] = {
    "1": ("rule 1: at least two of three agree", "규칙 1: 셋 중 둘 이상이 같음"),
    "2": ("rule 2: no two agree", "규칙 2: 같은 표가 없음"),
    "3": ("rule 3: FLIP, DROP and KEEP, decided by reason", "규칙 3: FLIP·DROP·KEEP이 한 표씩, 이유로 결정"),
    "facet": ("facet: the expert's minority view is protected", "facet: 담당 관점의 소수 의견을 보호"),
    "applied": ("override gate: applied", "오버라이드 게이트: 적용"),
    "skipped": ("override gate: not applied", "오버라이드 게이트: 적용하지 않음"),
}
STATE: Mapping[str, Pair] = {
    "flagged": ("flagged", "충돌·의심 있음"),
    "reviewed": ("reviewed", "재검토함"),
    "changed": ("changed", "바뀜"),
    "helped": ("helped", "나아짐"),
    "harmed": ("harmed", "나빠짐"),
    "advised": ("advice shown", "조언을 보임"),
    "wrong": ("still wrong", "여전히 틀림"),
    "right": ("all right", "모두 맞음"),
    "partial": ("partial: calls lost", "일부만 완료(partial)"),
    "error": ("failed", "실패"),
}
SUBSET: Mapping[str, Pair] = {
    "polarity": ("by polarity", "극성별"),
    "aspect": ("explicit or implicit aspect", "명시적·암시적 속성"),
    "implicit": ("implicit aspect", "암시적 속성"),
    "negation": ("negation in the text", "부정 표현"),
    "contrast": ("contrast in the text", "대비 표현"),
    "irony": ("irony in the text", "반어"),
    "multi": ("several aspects", "여러 속성"),
    "polarities": ("different polarities", "서로 다른 극성"),
    "conflict": ("conflict in Stage 1", "1단계에서 충돌"),
    "language": ("language", "언어"),
}
# Headings of tables, for breakdowns whose filter is named after only one of their parts.
BREAKDOWN: Mapping[str, Pair] = {
    **SUBSET,
    "multi": ("number of aspects in the gold", "속성 수(정답 기준)"),
    "polarities": ("number of polarities in the gold", "극성 수(정답 기준)"),
    "conflict": ("conflict in Stage 1, by the run's own flags", "1단계 충돌(각 실행의 판단 기준)"),
}
PART: Mapping[str, Pair] = {
    "explicit": ("explicit", "명시적"),
    "implicit": ("implicit", "암시적"),
    "yes": ("yes", "있음"),
    "no": ("no", "없음"),
    "unknown": ("unknown", "알 수 없음"),
    "none": ("0", "0개"),
    "one": ("1", "1개"),
    "several": ("2+", "2개 이상"),
    **POLARITY,
    **LANGUAGE,
}
ANSWER_PART: Mapping[str, Pair] = {
    "stage1": ("Stage 1 tuples", "1단계 튜플"),
    "flags": ("conflict flags", "충돌 표시"),
    "risks": ("risks", "위험"),
    "final": ("final tuples", "최종 튜플"),
    "marks": ("marks of uncertain tuples", "불확실 표시"),
}
FAMILY: Mapping[str, Pair] = {
    "ref_pol": ("ref-pol (aspect ref, polarity)", "ref-pol (범주·극성)"),
    "ote_pol": ("ote-pol (aspect term, polarity)", "ote-pol (속성 표현·극성)"),
    "attr_pol": ("attr-pol (attribute, polarity)", "attr-pol (세부 속성(attribute)·극성)"),
    "triplet": ("triplet (aspect term, opinion term, polarity)", "triplet (속성 표현·의견 표현·극성)"),
}
BASELINE: Mapping[str, Pair] = {
    "constant_pair": ("constant pair (trivial)", "고정 튜플 하나(단순 기준선)"),
    "constant_pairs": ("constant pairs, best number (trivial)", "고정 튜플 여럿, 가장 좋은 개수(단순 기준선)"),
    "majority_target": ("majority target (trivial)", "가장 흔한 대상(단순 기준선)"),
}
SHOWN: Mapping[str, Pair] = {
    "retrieved": ("advice", "조언"),
    "placebo": ("neutral text (placebo)", "중립적인 글(플라시보)"),
    "shuffled": ("advice of other cases (shuffled)", "다른 사례의 조언(섞음)"),
    "nothing": ("nothing", "없음"),
}
AGENT: Mapping[str, Pair] = {
    **PERSPECTIVE,
    "ATE": ("ATE · finds aspects", "ATE · 속성 추출"),
    "VALIDATOR": ("Validator", "검증기"),
    "EPM": ("EPM · evidence and polarity", "EPM · 근거와 극성"),
    "TAN": ("TAN · target and ref", "TAN · 대상과 범주"),
    "CJ": ("CJ · consistency", "CJ · 일관성"),
    "JUDGE": ("Judge", "판정자"),
    "STAGE2": ("Stage 2", "2단계"),
}
NOT_MADE: Mapping[str, Pair] = {
    **SKIP,
    **REJECT,
    "outvoted": ("outvoted", "다수결에서 밀림"),
    "flagged": ("kept, marked as uncertain", "불확실 표시만 하고 남겨 둠"),
}
STRUCTURAL_RISK: Mapping[str, Pair] = {
    "negation": ("negation", "부정"),
    "contrast": ("contrast", "대비"),
    "irony": ("irony", "반어"),
    "grounding": ("grounding in the text", "본문 근거"),
    "target": ("target", "대상"),
    "other": ("other", "기타"),
}
TRIGGER: Mapping[str, Pair] = {
    "conflict": ("polarity conflict", "극성 충돌"),
    "validator": ("validator risk", "검증기가 찾은 위험"),
    "alignment": ("spans that do not match", "위치가 맞지 않음"),
    "explicit_grounding_failure": ("no explicit aspect could be grounded", "명시적 속성의 근거를 찾지 못함"),
    "none": ("no problem in Stage 1", "1단계에 문제없음"),
}
SANITY: Mapping[str, Pair] = {
    "gold_as_prediction": ("gold scored against itself has F1 = 1", "정답을 정답으로 채점하면 F1 = 1"),
    "no_change": ("predictions compared with themselves: Δ = 0", "예측을 자기 자신과 비교하면 Δ = 0"),
    "subsets_add_up": ("the parts of every breakdown sum to the total", "나눈 부분을 더하면 전체와 같음"),
    "scorecards_agree": ("the recorded counts equal the recomputed ones", "기록된 개수와 다시 센 개수가 같음"),
}


def words_by_kind() -> dict[str, dict[str, Pair]]:
    """Return all tables by the name under which the page looks them up."""
    tables: dict[str, Mapping[str, Pair]] = {
        "polarity": POLARITY,
        "language": LANGUAGE,
        "severity": SEVERITY,
        "agent": AGENT,
        "conflict": CONFLICT,
        "risk": RISK,
        "reason": REASON,
        "refusal": {**REFUSAL, **EDIT_REFUSAL},
        "action": ACTION,
        "rule": RULE,
        "state": STATE,
        "subset": SUBSET,
        "drop": DROP,
        "structural": STRUCTURAL_RISK,
        "skip": NOT_MADE,
        "moderator": MODERATOR,
        "trigger": TRIGGER,
        "failure": FAILURE,
        "family": FAMILY,
        "principle": {principle.principle_id: (principle.en, principle.ko) for principle in all_principles()},
    }
    return {kind: dict(table) for kind, table in tables.items()}


def named(table: Mapping[str, Any], code: str) -> Pair:
    """Return a code in words; an unknown one is shown as it is."""
    found: Pair = table.get(code, (code, code))
    return found
