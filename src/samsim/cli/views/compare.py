"""The tables of ``samsim compare``."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import groupby
from types import MappingProxyType

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from samsim.cli.result_view.style import cell
from samsim.metrics.compared_runs import counted
from samsim.metrics.comparison import Comparison, Contrast, Direction, GroupRow, RunRow, TupleFlip
from samsim.metrics.family_scores import Rates
from samsim.metrics.tuples import spelled
from samsim.plurals import how_many
from samsim.reports.codes import BASELINE, named
from samsim.reports.equal_answers import IDENTICAL, SAME_TUPLES, what_differs
from samsim.reports.numbers import p_value, percent, percent_interval, points, points_interval
from samsim.reports.tables.model import said
from samsim.schemas.code_names import Pair, Ui
from samsim.schemas.scorecards import Family

_LISTED_FAILURES = 5
# How many characters of a review are shown with its flips; samsim show prints all of it.
_TEXT_LENGTH = 160
_ARROWS: Mapping[Direction, tuple[Pair, str]] = MappingProxyType(
    {
        "wrong_to_right": (("wrong → right", "틀림 → 맞음"), "green"),
        "right_to_wrong": (("right → wrong", "맞음 → 틀림"), "red"),
    }
)
_LEGEND: Pair = (
    "F1 in percent, micro, of the final tuples; [ ] 95% bootstrap interval over samples; macro: mean F1 of samples;"
    " exact: samples with all tuples right. Trivial baselines do not read the text but know the gold's frequencies."
    " p: paired permutation test, if the tuples differ; Holm correction over the distinct outcomes within a measure;"
    " McNemar over exact samples; flips +/−: tuples that went from wrong to right / from right to wrong.",
    "F1은 최종 튜플의 마이크로 평균(%), [ ]는 샘플 부트스트랩 95% 신뢰구간, macro는 샘플별 F1의 평균, 완전 일치는 모든"
    " 튜플이 맞은 샘플 수. 단순 기준선은 본문을 읽지 않고 정답의 빈도만 앎. p는 튜플이 다를 때의 대응 순열 검정, Holm은"
    " 지표 안의 서로 다른 결과에 대한 보정, McNemar는 완전 일치 샘플로 계산. 뒤집힘 +/−: 틀렸다가 맞은 / 맞았다가 틀린"
    " 튜플.",
)
_LEGEND_REPEATS: Pair = (
    " Runs that differ only in seed or repeat are one row, their counts pooled by sample; range: the lowest and highest"
    " F1 among them, which is not a confidence interval (--each lists them).",
    " 시드나 반복만 다른 실행은 샘플별로 합쳐 한 줄로 표시함. 범위는 그 가운데 가장 낮은 F1과 가장 높은 F1이며"
    " 신뢰구간이 아님(--each로 하나씩 표시).",
)
_LEGEND_END: Pair = (
    " docs/metrics.md explains how each is computed.",
    " 계산 방법은 docs/metrics.md에 있음.",
)


def comparison_view(
    comparison: Comparison,
    *,
    flips: int,
    families: Collection[Family] = (),
    each: bool = False,
    texts: Mapping[str, str] = MappingProxyType({}),
    ui: Ui = "en",
) -> RenderableType:
    """Return scores, differences, and the flips of the given families (by default the primary one) with their texts."""
    parts: list[RenderableType] = [_heading(comparison, ui), Text()]
    for family in comparison.families:
        parts += [_scores(comparison, family, each=each, ui=ui), Text()]
    parts += [_contrasts(comparison, ui), Text(), *_differences(comparison, ui)]
    for contrast in _with_flips(comparison, families):
        parts += _flips(contrast, comparison.baseline, flips, texts, ui)
    legend = [_LEGEND, *([_LEGEND_REPEATS] if _repeated(comparison) else []), _LEGEND_END]
    return Group(*parts, Text("".join(said(part, ui) for part in legend), style="dim"))


def listed_uids(comparison: Comparison, *, flips: int, families: Collection[Family] = ()) -> set[str]:
    """Return the uids of the samples whose flips ``comparison_view`` lists; only their texts are needed."""
    contrasts = _with_flips(comparison, families)
    return {flip.uid for contrast in contrasts for flip in _shown(contrast.tuple_flips, flips)}


def _with_flips(comparison: Comparison, families: Collection[Family]) -> list[Contrast]:
    listed = families or (comparison.primary or comparison.families[0],)
    return [contrast for contrast in comparison.contrasts if contrast.family in listed]


def _repeated(comparison: Comparison) -> bool:
    return any(len(group.runs) > 1 for group in comparison.groups)


def _heading(comparison: Comparison, ui: Ui) -> Text:
    runs = len(comparison.runs)
    samples = said((counted(comparison.samples), f"샘플 {comparison.samples:,}개"), ui)
    heading = said((f"{how_many(runs, 'run')}; baseline", f"실행 {runs:,}개; 기준"), ui)
    line = Text(f"{samples}, {heading}: ")
    line.append_text(cell(comparison.baseline, "bold"))
    if comparison.unannotated:
        verb = "has" if comparison.unannotated == 1 else "have"
        english = f"{counted(comparison.unannotated)} {verb} no gold and cannot be compared."
        line.append(
            "\n" + said((english, f"샘플 {comparison.unannotated:,}개는 정답이 없어 비교할 수 없음."), ui), "yellow"
        )
    if comparison.left_out:
        number = len(comparison.left_out)
        names = ", ".join(comparison.left_out[:_LISTED_FAILURES]) + (", …" if number > _LISTED_FAILURES else "")
        english = f"{counted(number)} failed in a run and {'is' if number == 1 else 'are'} left out of all runs: "
        line.append("\n" + said((english, f"샘플 {number:,}개는 실패한 실행이 있어 모두에서 제외함: "), ui), "yellow")
        line.append_text(cell(names, "yellow"))
    if comparison.partial:
        number = len(comparison.partial)
        in_runs = ", ".join(f"{run.name} {run.partial:,}" for run in comparison.runs if run.partial)
        english = f"{counted(number)} {'is' if number == 1 else 'are'} partial (calls were lost) and counted: "
        line.append("\n" + said((english, f"샘플 {number:,}개는 일부만 완료(partial)되었으나 포함함: "), ui), "yellow")
        advice = said(("use --complete-only to leave them out of all runs.", "--complete-only로 모두에서 제외."), ui)
        line.append_text(cell(f"{in_runs}; {advice}", "yellow"))
    return line


def _scores(comparison: Comparison, family: Family, *, each: bool, ui: Ui) -> Table:
    repeated = _repeated(comparison)
    more = (said(("runs", "실행"), ui), said(("range", "범위"), ui)) if repeated else ()
    table = _table(_family(family), "P", "R", "F1", "95% CI", *more, "macro", said(("exact", "완전 일치"), ui))
    runs = {run.name: run for run in comparison.runs}
    for group in comparison.groups:
        table.add_row(*_group(group, family, baseline=group.name == comparison.baseline, repeated=repeated))
        if each and len(group.runs) > 1:
            for name in group.runs:
                table.add_row(*_run(runs[name], family))
    table.add_section()
    blank = [""] * (1 + len(more))
    for kind, trivial in comparison.trivial[family].items():
        words = Text(said(named(BASELINE, kind), ui), style="dim")
        table.add_row(words, *_rates(trivial.micro), *blank, percent(trivial.macro), "")
    return table


def _group(group: GroupRow, family: Family, *, baseline: bool, repeated: bool) -> list[str | Text]:
    scores = group.scores[family]
    several = [str(len(group.runs)), _range(scores.f1_runs)] if repeated else []
    exact = f"{scores.exact_samples:,.1f}".removesuffix(".0")
    cells = [percent_interval(scores.interval), *several, percent(scores.macro), exact]
    return [cell(group.name, "bold" if baseline else ""), *_rates(scores.micro), *cells]


def _run(run: RunRow, family: Family) -> list[str | Text]:
    """Return the row of a single run, listed below its group."""
    scores = run.scores[family]
    name = Text("  ", style="dim").append_text(cell(run.name, "dim"))
    interval, exact = percent_interval(scores.interval), f"{scores.exact_samples:,}"
    return [name, *_rates(scores.micro), interval, "", "", percent(scores.macro), exact]


def _range(values: Sequence[float]) -> str:
    return f"{percent(min(values))} … {percent(max(values))}" if len(values) > 1 else ""


def _contrasts(comparison: Comparison, ui: Ui) -> Table:
    first, last = said(("against the baseline", "기준과 비교"), ui), said(("flips +/−", "뒤집힘 +/−"), ui)
    table = _table(first, "ΔF1", "95% CI", "p", "p Holm", "McNemar p", last)
    for family in comparison.families:
        table.add_row(Text(_family(family), style="dim"))
        for contrast in comparison.contrasts:
            if contrast.family == family:
                table.add_row(*_contrast(contrast, ui))
    return table


def _contrast(contrast: Contrast, ui: Ui) -> list[str | Text]:
    """Return one row of tests; if there is nothing to test, the name says why."""
    if not contrast.tested:
        return [_untested(contrast, ui)]
    style = "green" if contrast.delta_f1 > 0 else "red" if contrast.delta_f1 < 0 else ""
    return [
        cell(contrast.run),
        Text(points(contrast.delta_f1), style=style),
        points_interval(contrast.interval),
        p_value(contrast.p_value),
        p_value(contrast.p_holm),
        p_value(None if contrast.mcnemar is None else contrast.mcnemar.p_value),
        f"{contrast.flips('wrong_to_right'):,} / {contrast.flips('right_to_wrong'):,}",
    ]


def _untested(contrast: Contrast, ui: Ui) -> Text:
    return cell(contrast.run).append(f": {said(IDENTICAL if contrast.identical else SAME_TUPLES, ui)}")


def _differences(comparison: Comparison, ui: Ui) -> list[RenderableType]:
    """Return one line per run with the same tuples as the baseline that says what else differs."""
    found = {
        contrast.run: contrast for contrast in comparison.contrasts if not contrast.tested and not contrast.identical
    }
    words = said((" differs from the baseline in: ", "에서 기준과 다른 점: "), ui)
    lines = [cell(contrast.run).append(f"{words}{said(what_differs(contrast), ui)}") for contrast in found.values()]
    return [*lines, Text()] if lines else []


def _flips(contrast: Contrast, baseline: str, wanted: int, texts: Mapping[str, str], ui: Ui) -> list[RenderableType]:
    found = contrast.tuple_flips
    if not wanted or not found:
        return []
    title = Text(said(("flips, ", "뒤집힌 튜플, "), ui), style="bold")
    title.append_text(cell(f"{baseline} → {contrast.run}, {_family(contrast.family)}", "bold"))
    table = Table.grid(padding=(0, 2))
    for uid, of_sample in groupby(_shown(found, wanted), key=lambda flip: flip.uid):
        for flip in of_sample:
            words, colour = _ARROWS[flip.direction]
            kind = said(("gold tuple", "정답 튜플") if flip.kind == "gold" else ("not in gold", "정답에 없음"), ui)
            direction = Text(said(words, ui), style=colour)
            table.add_row(cell(uid), direction, Text(kind, style="dim"), cell(spelled(flip.key)))
        if uid in texts:
            table.add_row("", "", "", cell(_short(texts[uid]), "italic"))
    left = len(found) - wanted
    words_left = said((f"and {left:,} more (--flips)", f"그 밖에 {left:,}개(--flips)"), ui)
    more: Sequence[RenderableType] = [Text(words_left, style="dim")] if left > 0 else []
    return [title, table, *more, Text()]


def _short(text: str) -> str:
    one_line = " ".join(text.split())
    return one_line if len(one_line) <= _TEXT_LENGTH else f"{one_line[:_TEXT_LENGTH]}…"


def _shown(flips: Sequence[TupleFlip], wanted: int) -> Iterable[TupleFlip]:
    """Return the flips to list, losses first: they need attention most."""
    return sorted(flips, key=lambda flip: flip.direction)[:wanted]


def _table(*titles: str) -> Table:
    """Return a table whose numbers never wrap, and whose names wrap only if the terminal is too narrow."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for number, title in enumerate(titles):
        table.add_column(title, justify="right" if number else "left", no_wrap=number > 0)
    return table


def _family(family: Family) -> str:
    return family.replace("_", "-")


def _rates(rates: Rates) -> tuple[str, str, Text]:
    return percent(rates.precision), percent(rates.recall), Text(percent(rates.f1), style="bold")
