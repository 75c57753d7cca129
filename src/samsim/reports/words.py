"""The words of the report outside its tables, in English and Korean."""

from __future__ import annotations

from collections.abc import Mapping

from samsim.schemas.code_names import Pair

PAGE: Mapping[str, Pair] = {
    "page_title": ("{name} · samsim report", "{name} · samsim 보고서"),
    "report": ("Report", "보고서"),
    "language_switch": ("Language", "언어"),
    "theme_switch": ("Colours", "화면 색상"),
    "theme_auto": ("auto", "자동"),
    "theme_light": ("light", "밝게"),
    "theme_dark": ("dark", "어둡게"),
    "contents": ("Contents", "차례"),
    # sections
    "summary": ("Summary", "요약"),
    "results": ("Results", "결과"),
    "review": ("What the review did", "재검토의 효과"),
    "rules": ("Rules and outcomes", "규칙별 결과"),
    "breakdowns": ("By polarity and subset", "극성·하위 집합별 결과"),
    "risk_section": ("Risk", "위험"),
    "agreement": ("Agreement", "일치도"),
    "memory_section": ("Memory", "메모리"),
    "cost": ("Cost", "비용"),
    "samples": ("Samples", "샘플"),
    "provenance": ("Runs and checks", "실행 정보와 점검"),
    # banners
    "checks_failed": (
        "Checks of the measures failed. Do not use the numbers of this report.",
        "지표 점검에 실패했습니다. 이 보고서의 수치를 쓰지 마세요.",
    ),
    "problems": ("Something is missing", "빠진 것이 있습니다"),
    "partial": ("Some calls gave no answer", "응답이 빠진 호출이 있습니다"),
    "partial_run": (
        "{count} of {total} samples are partial: they were decided without the calls that gave no answer, and are"
        " counted in the measures. The sample browser lists them under “partial”, and metrics.json names the calls."
        " Repeat them with samsim run … --retry-errors.",
        "샘플 {total}개 가운데 {count}개는 응답하지 않은 호출을 빼고 판정했습니다. 지표에는 들어 있습니다. 샘플 목록의"
        " ‘일부만 완료(partial)’에서 볼 수 있고 빠진 호출은 metrics.json에 있습니다. samsim run … --retry-errors로"
        " 다시 할 수 있습니다.",
    ),
    "left_out": (
        "To keep the file small, the sample browser has {included} of {total} samples: those that failed, are partial,"
        " changed or were flagged come first. {left_out} are left out here; the measures count every sample.",
        "파일 크기를 줄이기 위해 전체 {total}개 중 {included}개만 샘플 목록에 넣었습니다. 실패하거나 일부만"
        " 완료되거나(partial) 바뀌거나 충돌이 있던 샘플을 먼저 넣었고 나머지 {left_out}개는 뺐습니다. 지표는 모든"
        " 샘플로 계산했습니다.",
    ),
    "all_failed": ("all samples failed", "모든 샘플이 실패했습니다"),
    "no_samples": ("no samples are done", "완료된 샘플이 없습니다"),
    "no_gold_row": ("no gold, so nothing is scored", "정답이 없어 점수를 매기지 않았습니다"),
    "without_review": (
        "Not in this table, because the protocol has no review: {names}.",
        "재검토가 없는 프로토콜이라 이 표에 없는 실행: {names}.",
    ),
    "nothing_retrieved": (
        "Not in these tables, because nothing was retrieved: {names}.",
        "검색된 사례가 없어 표에 넣지 않은 실행: {names}.",
    ),
    "needs_inference": ("needs inference: repeat run {run}", "추론이 필요합니다: {run} 실행을 다시 하세요"),
    "no_script": (
        "The sample browser needs JavaScript; everything above it does not.",
        "샘플 목록은 자바스크립트가 있어야 볼 수 있습니다. 나머지 내용은 그대로 볼 수 있습니다.",
    ),
    "checks_passed": ("All {count} checks of the measures passed.", "지표 점검 {count}건을 모두 통과했습니다."),
    # summary cards
    "card_runs": ("runs", "실행"),
    "card_samples": ("samples", "샘플"),
    "card_f1": ("final F1", "최종 F1"),
    "card_baseline": ("final F1 of the baseline", "기준 실행의 최종 F1"),
    "card_largest": ("largest difference from the baseline", "기준 실행과의 가장 큰 차이"),
    "card_trivial": ("best trivial baseline", "가장 높은 단순 기준선"),
    "card_changed": ("samples changed by review", "재검토로 바뀐 샘플"),
    "card_cost": ("total cost", "총비용"),
    "card_calls": ("total calls", "총 호출 수"),
    "family_is": (
        "Scores are micro over tuples, in percent. Primary measure: {family}.",
        "점수는 튜플 기준 마이크로 평균(%)입니다. 주 지표: {family}.",
    ),
    "no_gold_here": (
        "There is no gold, so nothing is scored; the rest of the report does not need it.",
        "정답이 없어 점수는 매기지 않았습니다. 나머지 내용은 정답 없이도 볼 수 있습니다.",
    ),
    "all_failed_here": (
        "All samples failed, so nothing is scored; the sample browser says why.",
        "모든 샘플이 실패해 점수를 매길 수 없습니다. 이유는 샘플 목록에서 볼 수 있습니다.",
    ),
    "no_samples_here": (
        "No samples are done, so nothing is scored.",
        "완료된 샘플이 없어 점수를 매길 수 없습니다.",
    ),
    "no_scorecards_here": (
        "The scorecards are missing, and with them the gold, so nothing is scored. Repeat the runs to get them back.",
        "스코어카드가 없어 정답도 없으므로 점수를 매길 수 없습니다. 점수가 필요하면 실행을 다시 하세요.",
    ),
    "ceiling_is": (
        "{count} gold tuples have nothing that {family} compares: even finding everything would give F1 {value}.",
        "정답 튜플 {count}개에는 {family}에서 비교할 값이 없습니다. 모두 찾아도 F1은 {value}입니다.",
    ),
    "single_runs": ("Single runs", "개별 실행"),
    "other_breakdowns": ("Other breakdowns", "다른 기준으로 나눈 결과"),
    "run_details": ("Settings of each run", "실행별 설정"),
    "nothing_here": ("Nothing to show for these runs.", "이 실행들에서는 보여 줄 내용이 없습니다."),
    "other_families": ("Other measures", "다른 지표"),
    "by_reason": ("By reason code", "이유 코드별"),
    "more_detail": ("Details", "자세히"),
    "made_by": (
        "Made by samsim {version} from the files of the runs, without any call. Nothing is loaded from the network.",
        "samsim {version}에서 실행 파일만으로 만든 보고서입니다. 모델 호출도, 네트워크 접속도 없습니다.",
    ),
}

BROWSER: Mapping[str, Pair] = {
    "search": ("Text or id", "본문 또는 ID"),
    "filter_run": ("Run", "실행"),
    "filter_state": ("What happened", "처리 결과"),
    "filter_polarity": ("Polarity", "극성"),
    "filter_subset": ("Subset", "하위 집합"),
    "filter_rule": ("Rule", "규칙"),
    "filter_language": ("Language", "언어"),
    "clear": ("Clear", "초기화"),
    "sample_list": ("Samples", "샘플 목록"),
    "sample_detail": ("Sample", "샘플"),
    "keys": (
        "Use j and k or the arrow keys to move through the list, and Esc to close a sample.",
        "j·k 또는 화살표 키로 이동하고 Esc로 닫습니다.",
    ),
    "all_runs": ("all runs", "모든 실행"),
    "any_state": ("anything", "전체"),
    "any_polarity": ("any polarity", "모든 극성"),
    "any_subset": ("any subset", "모든 하위 집합"),
    "any_rule": ("any rule", "모든 규칙"),
    "any_language": ("any language", "모든 언어"),
    "shown_of": ("{shown} of {total}", "{total}개 중 {shown}개"),
    "nothing_matches": ("No sample matches.", "조건에 맞는 샘플이 없습니다."),
    "text_unknown": ("(text unknown)", "(본문 알 수 없음)"),
    "old_browser": (
        "This browser is too old for the list of samples. Use a browser from 2023 or later.",
        "브라우저가 오래되어 샘플 목록을 볼 수 없습니다. 2023년 이후 버전을 쓰세요.",
    ),
    "same_sample": ("The same sample in other runs", "다른 실행의 같은 샘플"),
    "previous": ("Previous sample", "이전 샘플"),
    "next": ("Next sample", "다음 샘플"),
    "close": ("Close", "닫기"),
}

DETAIL: Mapping[str, Pair] = {
    "aspect": ("aspect", "속성"),
    "ref": ("ref", "범주"),
    "opinion": ("opinion", "의견"),
    "support": ("support", "찾은 관점"),
    "tuples": ("from", "출처"),
    "match": ("gold", "정답 일치"),
    "gold": ("Gold", "정답"),
    "no_gold": ("There is no gold for this sample.", "이 샘플에는 정답이 없습니다."),
    "gold_empty": ("According to the gold, there is no opinion here.", "정답에 의견이 없습니다."),
    "stage1": ("Stage 1", "1단계"),
    "stage2": ("Stage 2", "2단계"),
    "final": ("final", "최종"),
    "final_tuples": ("Final tuples", "분석 결과"),
    "nothing_left": ("No final tuples.", "분석 결과가 없습니다."),
    "dropped": ("Removed", "빠진 튜플"),
    "uncertain": ("uncertain", "불확실"),
    "stage1_found": ("Stage 1: who found what", "1단계: 누가 무엇을 찾았나"),
    "nothing_found": ("nothing found", "찾은 것 없음"),
    "implicit": ("(implicit)", "(암시)"),
    "mark_hit": ("matches the gold", "정답과 일치"),
    "mark_part": ("partly matches the gold", "정답과 일부 일치"),
    "mark_miss": ("does not match the gold", "정답과 불일치"),
    "partial_sample": (
        "Partial: decided without the calls that gave no answer.",
        "일부만 완료(partial): 응답하지 않은 호출을 빼고 판정했습니다.",
    ),
    "no_answer": ("{agent} gave no answer: {problem}", "{agent} 응답 없음: {problem}"),
    "rejected_parts": ("{agent}: {count} invalid parts dropped", "{agent}: 형식이 깨진 부분 {count}건 제외"),
    "doubts": ("Conflicts and doubts", "충돌과 의심 지점"),
    "no_doubts": ("No conflicts or doubts.", "충돌도 의심 지점도 없습니다."),
    "votes": ("Votes and decisions", "투표와 결정"),
    "no_votes": ("Nothing was put to a vote.", "투표에 부친 튜플이 없습니다."),
    "tuple": ("tuple", "튜플"),
    "decision": ("decision", "결정"),
    "implicit_vote": ("no vote, counts as KEEP", "표 없음, KEEP으로 계산"),
    "merge_vote": ("counts as KEEP", "KEEP으로 계산"),
    "refused": ("Proposals refused by the rules:", "규칙상 받아들이지 않은 제안:"),
    "aspects_and_checks": ("Aspects and checks", "속성과 점검"),
    "debate_turns": ("The debate", "토론"),
    "round": ("round {round}", "{round}라운드"),
    "no_edits": ("no edit proposed", "제안한 수정 없음"),
    "not_heard": ("no answer", "응답 없음"),
    "judge": ("The judge's patch", "판정자의 수정안"),
    "unresolved": ("left open", "미해결"),
    "accepted": ("accepted", "수락"),
    "rejected": ("rejected", "거부"),
    "override_gate": ("Override gate ({profile})", "오버라이드 게이트({profile})"),
    "applied": ("applied", "적용"),
    "not_applied": ("not applied", "적용하지 않음"),
    "signal": ("for {support}, against {against}", "찬성 {support}, 반대 {against}"),
    "moderator": ("Moderator", "조정자"),
    "expected_value": (
        "Expected value {total}, threshold {threshold}.",
        "기댓값 {total}, 기준 {threshold}.",
    ),
    "memory": ("Memory", "메모리"),
    "condition_is": ("Condition {condition}.", "조건 {condition}."),
    "similar_cases": ("Similar past cases: {ids}.", "비슷한 과거 사례: {ids}."),
    "no_similar_case": ("No similar past cases.", "비슷한 과거 사례가 없습니다."),
    "gate_open": ("The gate was open: {reasons}.", "게이트 열림: {reasons}."),
    "gate_shut": ("The gate stayed closed: {reasons}.", "게이트 닫힘: {reasons}."),
    "advice_shown": ("shown", "보임"),
    "advice_placebo": ("not shown, replaced by neutral text", "보이지 않고 중립적인 글로 대신함"),
    "placebo_here": (
        "Placebo: neutral text of the same length was shown instead of this advice. No agent saw the advice.",
        "플라시보: 아래 조언 대신 같은 길이의 중립적인 글을 보였습니다. 조언은 누구도 읽지 않았습니다.",
    ),
    "placebo_characters": (
        "Characters of neutral text in all prompts: {count}.",
        "모든 프롬프트에 들어간 중립적인 글: {count}자.",
    ),
    "shuffled_here": (
        "Shuffled: advice from another case was shown.",
        "섞음: 다른 사례의 조언을 보였습니다.",
    ),
    "advice_hidden": ("not shown", "보이지 않음"),
    "principle_unknown": ("(principle not recorded)", "(원칙이 기록되지 않음)"),
    "injected_characters": (
        "Characters of advice in all prompts: {count}.",
        "모든 프롬프트에 들어간 조언: {count}자.",
    ),
    "remembered_as": ("Remembered as {episode}.", "{episode}(으)로 기억함."),
    "blocked": ("Blocked: {reason}.", "차단됨: {reason}."),
    "risk": ("Risk", "위험"),
    "before": ("before", "이전"),
    "after": ("after", "이후"),
    "none": ("none", "없음"),
    "override_none": ("Nothing was overridden.", "바뀐 튜플이 없습니다."),
    "override_success": ("Overridden, and the risk fell.", "바꾼 뒤 위험이 줄었습니다."),
    "override_harm": ("Overridden, with harm.", "바꾼 뒤 해가 생겼습니다."),
    "override_neither": ("Overridden, but the risk did not fall.", "바꿨지만 위험이 줄지 않았습니다."),
    "unknown": ("unknown", "알 수 없음"),
    "usage_line": (
        "{calls} calls ({cached} from the cache, {failed} failed), {tokens} tokens, {cost}, {seconds} s",
        "호출 {calls}회(캐시 {cached}회, 실패 {failed}회), 토큰 {tokens}개, {cost}, {seconds}초",
    ),
    "failed": ("This sample failed", "이 샘플은 실패했습니다"),
    "legend_bars": (
        "bars: aspects, dotted: opinions; G gold above, F final below",
        "실선: 속성, 점선: 의견. 위쪽 G는 정답, 아래쪽 F는 최종 결과",
    ),
}


def all_words() -> dict[str, Pair]:
    """Return everything the page's script may say."""
    return {**PAGE, **BROWSER, **DETAIL}
