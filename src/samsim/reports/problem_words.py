"""The known problems of runs in Korean; a reader of the Korean page need not read the English of an error."""

from __future__ import annotations

import re

from samsim.reports.codes import named
from samsim.reports.tables.model import Text
from samsim.schemas.code_names import RUN_STATUS

_NUMBER = r"([\d,]+)"
# What a problem begins with, and what it is in Korean; what comes after says only what the Korean says too.
_KNOWN: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.DOTALL), korean)
    for pattern, korean in (
        (r"outputs\.jsonl is missing: ", "outputs.jsonl이 없어 아무것도 측정할 수 없습니다. 실행을 다시 하세요."),
        (
            r"scorecards\.jsonl is missing: ",
            "scorecards.jsonl이 없습니다. 정답과 점수, 그리고 추론할 때만 알 수 있는 위험·메모리·비용이 모두 빠집니다."
            " 필요하면 실행을 다시 하세요.",
        ),
        (
            rf"scorecards\.jsonl has {_NUMBER} samples?, outputs\.jsonl {_NUMBER}: ",
            "scorecards.jsonl에는 샘플이 {0}개, outputs.jsonl에는 {1}개 있습니다. 나머지 샘플의"
            " 정답·점수·위험·메모리·비용은 알 수 없습니다. 필요하면 실행을 다시 하세요.",
        ),
        (
            r"its lines do not say what made them \(samsim (.*) did not mark them\): ",
            "이 실행의 줄에는 어떤 셀이 만들었는지 표시가 없습니다(samsim {0}). manifest.json과 맞는지 확인할 수"
            " 없으니, 확실히 하려면 실행을 다시 하세요.",
        ),
        (
            r"(.*) has lines of a run and no manifest\.json: ",
            "{0}에 실행의 줄은 있지만 manifest.json이 없어 무엇이 만들었는지 알 수 없습니다. manifest.json을 되돌려"
            " 놓거나 실행을 다시 하세요.",
        ),
        (r"traces\.jsonl is missing: ", "traces.jsonl이 없어 호출을 보여 주거나 재생할 수 없습니다."),
        (
            rf"outputs\.jsonl has {_NUMBER} of {_NUMBER} samples?: ",
            "outputs.jsonl에 샘플 {1}개 가운데 {0}개만 남아 있습니다. 지표는 남은 샘플로만 계산했습니다."
            " 실행을 다시 하세요.",
        ),
        (
            rf"outputs\.jsonl has {_NUMBER} samples?, but the run was over {_NUMBER}: ",
            "outputs.jsonl에 샘플이 {0}개 있지만 실행 대상은 {1}개였습니다. 믿을 수 없으니 실행을 다시 하세요.",
        ),
        (
            rf"the run is (\w+): {_NUMBER} of {_NUMBER} samples? are done\.",
            "실행 상태: {0}. 샘플 {2}개 가운데 {1}개만 끝났습니다. 같은 설정으로 다시 실행하면 이어서 합니다.",
        ),
        (
            rf"only the first {_NUMBER} samples? could be read\. (.*)",
            "처음 {0}개 샘플만 읽을 수 있었습니다. 원인: {1}",
        ),
        (
            rf"{_NUMBER} of {_NUMBER} refs are not in the taxonomy (.*): it does not fit these texts\. Try the taxonomy"
            r" (.*), or ",
            "범주 {1}개 가운데 {0}개가 분류 체계 {2}에 없습니다. 이 글들에 맞지 않는 분류 체계이니"
            " {3} 또는 직접 만든 YAML 파일을 써 보세요.",
        ),
        (r"no comparison: (.*)", "비교하지 못했습니다. 원인: {0}"),
        (
            r"(.*) has format (.*); this version reads format (\d+)\.",
            "{0}의 형식은 {1}인데 이 버전은 형식 {2}만 읽습니다. 실행을 다시 하거나 그 실행을 만든 버전을 쓰세요.",
        ),
    )
)


def problem_text(words: str) -> Text:
    """A problem in both languages; one that is not known stays as it is."""
    for pattern, korean in _KNOWN:
        found = pattern.match(words)
        if found:
            return words, korean.format(*(named(RUN_STATUS, part)[1] for part in found.groups()))
    return words
