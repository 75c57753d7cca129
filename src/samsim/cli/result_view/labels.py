"""The words of the terminal view in English and Korean, and the choice between them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from samsim.plurals import how_many
from samsim.schemas import code_names
from samsim.schemas.code_names import Pair, Ui

_LOCALE_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")

LABELS: Mapping[str, Pair] = {
    # while waiting
    "reading": ("Reading the review…", "리뷰를 읽는 중…"),
    "loading_korean": ("Loading the Korean analyzer…", "한국어 분석기를 불러오는 중…"),
    # header and text
    "protocol": ("protocol", "프로토콜"),
    "taxonomy": ("taxonomy", "분류 체계"),
    "partial": (
        "Partial result: {agent} gave no answer in {stage}: {problem}{times}",
        "일부만 완료된(partial) 결과: {stage}에서 {agent} 응답 없음: {problem}{times}",
    ),
    "legend": ("Legend", "범례"),
    "legend_aspect": ("aspect", "속성"),
    "legend_opinion": ("opinion", "의견"),
    # sections
    "stage1": ("What the three perspectives found", "세 관점이 찾은 것"),
    "stage1_other": ("What Stage 1 found", "1단계에서 찾은 것"),
    "doubts": ("Conflicts and doubts", "충돌과 의심 지점"),
    "votes": ("Votes and decisions", "투표와 결정"),
    "final": ("Final tuples", "분석 결과"),
    # debate
    "debate": ("The debate", "토론"),
    "outcome": ("Stage 2 and moderator", "2단계와 조정"),
    "draw": ("draw {number}", "추출 {number}"),
    "dropped_aspect": ("dropped before the debate: {term} ({why})", "토론 전에 제외: {term} ({why})"),
    "turn": ("{persona}, round {round}", "{persona} {round}라운드"),
    "nothing_said": ("no change proposed", "의견 없음"),
    "no_debate": ("There was nothing to debate.", "토론할 튜플이 없습니다."),
    "refused_edit": ("refused: {actor} {op} {tuple} ({why})", "받아들이지 않음: {actor} {op} {tuple} ({why})"),
    "left_open": ("left open: {tuples} {issue}", "미해결: {tuples} {issue}"),
    "empty_patch": ("The judge changed nothing.", "판정자가 고친 것이 없습니다."),
    "applied": ("applied", "적용"),
    "skipped": ("not applied: {why}", "적용하지 않음: {why}"),
    "signal": ("for {support}, against {against}", "찬성 {support}, 반대 {against}"),
    "unknown_changes": (
        "Stage 2 also ruled on changes that do not exist: {ids}",
        "2단계가 없는 변경에도 답함: {ids}",
    ),
    "expected_value": (
        "expected value {total} (action {action}, risk {risk}, grounding {grounding}, confidence {confidence}),"
        " threshold {threshold}",
        "기댓값 {total} (조치 {action}, 위험 {risk}, 근거 {grounding}, 확신도 {confidence}), 기준 {threshold}",
    ),
    "moderator": ("moderator: {label}, confidence {confidence}", "조정: {label}, 확신도 {confidence}"),
    "no_label": ("no label", "레이블 없음"),
    # memory
    "memory": ("Memory", "메모리"),
    "memory_condition": ("condition {condition}", "조건 {condition}"),
    "memory_retrieved": ("similar past cases: {ids}", "비슷한 과거 사례: {ids}"),
    "memory_nothing_retrieved": ("no similar past case", "비슷한 과거 사례 없음"),
    "memory_advised": (
        "The reviewers were advised: {ids} ({chars}).",
        "재검토자에게 조언함: {ids} ({chars})",
    ),
    "memory_not_advised": ("The reviewers were not advised: {why}.", "재검토자에게 조언하지 않음: {why}"),
    "memory_masked": ("this condition hides all advice", "이 조건에서는 조언을 보이지 않음"),
    "memory_gated": ("Stage 1 gave no reason to", "1단계에 문제가 없어 조언할 필요가 없음"),
    "memory_no_advice": ("there was no advice to give", "전할 조언이 없음"),
    "memory_written": ("Remembered as {episode}.", "{episode}(으)로 기억함"),
    # Stage 1
    "implicit": ("(implicit)", "(암시)"),
    "nothing_found": ("nothing found", "찾은 것 없음"),
    "no_answer": ("no answer: {problem}", "응답 없음: {problem}"),
    "rejected": ("{count} dropped", "형식이 깨진 응답 {count} 제외"),
    # conflicts and doubts
    "no_doubts": (
        "None: the perspectives do not contradict each other, so nothing was reviewed.",
        "없음: 세 관점이 서로 어긋나지 않아 재검토하지 않았습니다.",
    ),
    "no_doubts_other": ("None.", "없음"),
    "conflict": ("conflict", "충돌"),
    "doubt": ("doubt ({severity})", "의심({severity})"),
    # votes
    "tuple": ("Tuple", "튜플"),
    "rule": ("Rule and decision", "규칙과 결정"),
    "no_votes": ("Nothing was put to the vote.", "투표에 부친 튜플이 없습니다."),
    "implicit_vote": ("no vote, counts as KEEP", "표 없음, KEEP으로 계산"),
    "merge_vote": ("counts as KEEP", "KEEP으로 계산"),
    "refused": ("refused: {actor} {action} ({why})", "받아들이지 않음: {actor} {action} ({why})"),
    "other_version": ("{version} would decide", "{version} 규칙이라면"),
    "same_votes": (
        "{version}: what the other version of the rules decides on the same votes.",
        "{version}: 같은 표에 다른 버전의 규칙을 적용한 결과입니다.",
    ),
    "same": ("the same", "같음"),
    "differs": ("differs", "다름"),
    "not_reviewed": ("not reviewed, stays", "재검토 대상이 아니므로 유지"),
    # rules in words
    "rule_all": ("Rule 1: all three agree → {action}", "규칙 1: 세 표가 모두 같음 → {action}"),
    "rule_two": ("Rule 1: two of three agree → {action}", "규칙 1: 셋 중 둘이 같음 → {action}"),
    "rule_tie": ("Rule 2: no two agree → {action}", "규칙 2: 같은 표가 없음 → {action}"),
    "rule_flip": (
        "Rule 3: FLIP, DROP and KEEP; FLIP's reason is structural → {action}",
        "규칙 3: FLIP·DROP·KEEP이 한 표씩, FLIP의 이유가 구조적임 → {action}",
    ),
    "rule_drop": (
        "Rule 3: FLIP, DROP and KEEP; DROP's reason justifies it → {action}",
        "규칙 3: FLIP·DROP·KEEP이 한 표씩, DROP의 이유가 타당함 → {action}",
    ),
    "rule_open": (
        "Rule 3: FLIP, DROP and KEEP; no reason decides → {action}",
        "규칙 3: FLIP·DROP·KEEP이 한 표씩, 결정적인 이유 없음 → {action}",
    ),
    "rule_facet": (
        "facet: {agent}'s minority view is protected → {action}",
        "facet: {agent}의 소수 의견을 보호 → {action}",
    ),
    "because": ("reason", "이유"),
    # final tuples
    "aspect": ("Aspect", "속성"),
    "ref": ("Ref", "범주"),
    "opinion": ("Opinion", "의견"),
    "polarity": ("Polarity", "극성"),
    "support": ("Support", "찾은 관점"),
    "changed_by": ("changed: {who}", "변경: {who}"),
    "uncertain": ("Uncertain", "불확실"),
    "contested": ("Contested", "쟁점"),
    "dropped": ("Dropped in the review", "재검토에서 제거됨"),
    "more": ("--explain shows every vote and rule.", "--explain을 붙이면 모든 표와 규칙을 볼 수 있습니다."),
    "more_debate": ("--explain shows the whole debate.", "--explain을 붙이면 토론 전체를 볼 수 있습니다."),
    "more_draws": ("--explain shows every draw.", "--explain을 붙이면 추출 결과를 하나씩 볼 수 있습니다."),
    "shortened": (
        "… {count} more; --json has the whole text.",
        "… {count} 더 있음. 전체 본문은 --json으로 볼 수 있습니다.",
    ),
    # a sample of a run
    "gold": ("Gold", "정답"),
    "gold_found": ("gold tuples found in the final result: {scores}", "정답 중 찾은 수(최종): {scores}"),
    "gold_empty": ("The annotators found nothing.", "정답 튜플이 없는 문장입니다."),
    "no_gold": ("The data has no gold for this sample.", "이 샘플에는 정답이 없습니다."),
    "failed_sample": ("This sample failed: {error}", "실패한 샘플입니다: {error}"),
    "calls": ("Calls", "호출"),
    "call": ("Call", "호출"),
    "reply": ("reply", "응답"),
    "no_calls": ("traces.jsonl has no call for this sample.", "traces.jsonl에 이 샘플의 호출 기록이 없습니다."),
    "no_prompt": (
        "No prompt was sent: the embedded engine reads the text itself.",
        "프롬프트를 보내지 않았습니다. 내장 엔진은 본문을 직접 분석합니다.",
    ),
    "more_samples": ("and {count} more (--limit)", "외 {count}개 (--limit)"),
    # after the demo
    "demo_try": ("One review in full:    ", "리뷰 하나 자세히 보기:"),
    "demo_measures": ("What the measures mean:", "지표의 뜻:"),
    # nothing
    "empty": ("No opinion about any aspect was found.", "어떤 속성에 대한 의견도 찾지 못했습니다."),
    "empty_stage1": (
        "None of the three perspectives reported one.",
        "세 관점 모두 찾아낸 의견이 없습니다.",
    ),
    "empty_other": ("Stage 1 reported none.", "1단계에서 찾아낸 의견이 없습니다."),
    "empty_dropped": (
        "The review dropped {count}, so nothing is left.",
        "후보 {count}이 재검토에서 모두 제거되었습니다.",
    ),
    "silent": ("{agent} gave no answer: {problem}", "{agent}가 응답하지 않았습니다: {problem}"),
}


@dataclass(frozen=True, slots=True)
class Labels:
    """The words for one language."""

    ui: Ui

    def __call__(self, key: str, **values: object) -> str:
        """Return a label, with its blanks filled in."""
        return self._pick(LABELS[key]).format(**values)

    def count(self, number: int, noun: str, unit: str) -> str:
        """Return a count with its English noun or its Korean unit."""
        return self._pick((how_many(number, noun), f"{number:,}{unit}"))

    def code(self, table: Mapping[str, Pair], code: str) -> str:
        """Return a protocol code in words; an unknown code is returned as it is."""
        return self._pick(table[code]) if code in table else code

    def polarity(self, name: str) -> str:
        """Return a polarity in words."""
        return self.code(code_names.POLARITY, name)

    def reason(self, code: str) -> str:
        """Return a reason code with its meaning."""
        words = self.code(code_names.REASON, code)
        return code if words == code else f"{words} ({code})"

    def _pick(self, pair: Pair) -> str:
        return pair[1] if self.ui == "ko" else pair[0]


def choose_ui(wanted: str, environ: Mapping[str, str] | None = None) -> Ui:
    """Return the language of the labels; "auto" follows the locale variables in POSIX order, else it is English."""
    if wanted == "ko" or wanted == "en":
        return "ko" if wanted == "ko" else "en"
    variables = os.environ if environ is None else environ
    locale = next((variables[name] for name in _LOCALE_VARIABLES if variables.get(name)), "")
    return "ko" if locale.lower().startswith("ko") else "en"
