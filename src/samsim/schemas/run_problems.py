"""Possible problems of a run or its folder: codes with values, worded in English and Korean from one table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from samsim.errors import InputError
from samsim.schemas.code_names import RUN_STATUS, Pair

ProblemCode = Literal[
    "no_outputs",
    "no_scorecards",
    "fewer_scorecards",
    "no_traces",
    "unmarked_lines",
    "lost_outputs",
    "unfinished",
    "too_many_outputs",
    "no_manifest",
    "other_format",
    "unreadable_sample",
    "no_comparison",
    "taxonomy_misfit",
    "unreadable",
]

# What to do about a run that cannot be resumed as it is: on the command line, and in Python.
USE_RESTART = "use --restart (in Python: restart=True); the old folder is kept"
USE_RETRY = "use --retry-errors (in Python: retry_errors=True)"

# {count_s} is the plural "s" for {count}; the status is given in the language of the sentence.
_WORDS: Mapping[ProblemCode, Pair] = {
    "no_outputs": (
        "outputs.jsonl is missing: nothing can be measured. Repeat the run.",
        "outputs.jsonl이 없어 아무것도 측정할 수 없습니다. 실행을 다시 하세요.",
    ),
    "no_scorecards": (
        "scorecards.jsonl is missing: the gold and with it all scores are gone, and so are risk, memory and cost,"
        " which are known only at inference. Repeat the run to get them back.",
        "scorecards.jsonl이 없습니다. 정답과 점수, 그리고 추론할 때만 알 수 있는 위험·메모리·비용이 모두 빠집니다."
        " 필요하면 실행을 다시 하세요.",
    ),
    "fewer_scorecards": (
        "scorecards.jsonl has {scorecards:,} sample{scorecards_s}, outputs.jsonl {outputs:,}: gold, scores, risk,"
        " memory and cost of the others are gone. Repeat the run to get them back.",
        "scorecards.jsonl에는 샘플이 {scorecards:,}개, outputs.jsonl에는 {outputs:,}개 있습니다. 나머지 샘플의"
        " 정답·점수·위험·메모리·비용은 알 수 없습니다. 필요하면 실행을 다시 하세요.",
    ),
    "no_traces": (
        "traces.jsonl is missing: the calls cannot be shown or replayed.",
        "traces.jsonl이 없어 호출을 보여 주거나 재생할 수 없습니다.",
    ),
    "unmarked_lines": (
        "its lines do not say what made them (samsim {version} did not mark them), so it cannot be checked whether"
        " they belong to its manifest.json. Repeat the run to be sure.",
        "이 실행의 줄에는 어떤 셀이 만들었는지 표시가 없습니다(samsim {version}). manifest.json과 맞는지 확인할 수"
        " 없으니, 확실히 하려면 실행을 다시 하세요.",
    ),
    "lost_outputs": (
        "outputs.jsonl has {outputs:,} of {samples:,} sample{samples_s}: the manifest says that {done:,} are done, so"
        " the others were lost. All measures cover only what is left; repeat the run.",
        "outputs.jsonl에 샘플 {samples:,}개 가운데 {outputs:,}개만 남아 있습니다. 지표는 남은 샘플로만 계산했습니다."
        " 실행을 다시 하세요.",
    ),
    "unfinished": (
        "the run is unfinished ({status}): {outputs:,} of {samples:,} sample{samples_s} are done. Run the same"
        " configuration again to resume.",
        "실행이 끝나지 않았습니다({status}). 샘플 {samples:,}개 가운데 {outputs:,}개만 끝났습니다. 같은 설정으로 다시"
        " 실행하면 이어서 합니다.",
    ),
    "too_many_outputs": (
        "outputs.jsonl has {outputs:,} sample{outputs_s}, but the run was over {samples:,}: do not trust it. Repeat"
        " the run.",
        "outputs.jsonl에 샘플이 {outputs:,}개 있지만 실행 대상은 {samples:,}개였습니다. 믿을 수 없으니 실행을 다시"
        " 하세요.",
    ),
    "no_manifest": (
        "{folder} has lines of a run and no manifest.json, so what made them is unknown. Put the manifest.json back,"
        " or repeat the run.",
        "{folder}에 실행의 줄은 있지만 manifest.json이 없어 무엇이 만들었는지 알 수 없습니다. manifest.json을 되돌려"
        " 놓거나 실행을 다시 하세요.",
    ),
    "other_format": (
        "{file} has format {found}; this version reads format {read}. Repeat the run, or use the version that wrote"
        " it.",
        "{file}의 형식은 {found}인데 이 버전은 형식 {read}만 읽습니다. 실행을 다시 하거나 그 실행을 만든 버전을"
        " 쓰세요.",
    ),
    "unreadable_sample": (
        "only the first {samples:,} sample{samples_s} could be read. {cause}",
        "처음 {samples:,}개 샘플만 읽을 수 있었습니다. 원인: {cause}",
    ),
    "no_comparison": ("no comparison: {cause}", "비교하지 못했습니다. 원인: {cause}"),
    "taxonomy_misfit": (
        "{outside:,} of {refs:,} refs are not in the taxonomy {taxonomy}: it does not fit these texts. Try the taxonomy"
        " {others}, or your own YAML file.",
        "범주 {refs:,}개 가운데 {outside:,}개가 분류 체계 {taxonomy}에 없습니다. 이 글들에 맞지 않는 분류 체계이니"
        " {others} 또는 직접 만든 YAML 파일을 써 보세요.",
    ),
    "unreadable": ("{cause}", "{cause}"),
}


@dataclass(frozen=True, slots=True)
class RunProblem:
    """One problem; ``str`` gives the English wording."""

    code: ProblemCode
    values: Mapping[str, int | str] = field(default_factory=dict)

    @property
    def words(self) -> Pair:
        """What is wrong and what to do about it, in English and Korean."""
        english, korean = _WORDS[self.code]
        plurals = {f"{name}_s": "" if value == 1 else "s" for name, value in self.values.items()}
        state = str(self.values.get("status", ""))
        first, second = RUN_STATUS.get(state, (state, state))
        known = {**self.values, **plurals}
        return english.format(**known | {"status": first}), korean.format(**known | {"status": second})

    def __str__(self) -> str:
        return self.words[0]


class UnreadableRunError(InputError):
    """A folder that cannot be read as a run, for a reason with a code."""

    def __init__(self, problem: RunProblem) -> None:
        self.problem = problem
        super().__init__(str(problem))


def problem_of(error: InputError) -> RunProblem:
    """Return why a run could not be read; an error without a code keeps its own message."""
    return error.problem if isinstance(error, UnreadableRunError) else RunProblem("unreadable", {"cause": str(error)})
