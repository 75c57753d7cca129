"""The figures of a report, drawn from the measures; all as narrow as a phone, with names above their marks."""

from __future__ import annotations

from samsim.metrics.family_scores import FamilyScores
from samsim.reports.codes import named
from samsim.reports.collecting import Collected, MeasuredRun
from samsim.reports.figures.svg import Drawing, Scale, fitted, round_steps
from samsim.reports.numbers import NOTHING, percent, percent_interval
from samsim.reports.scored import Scored, best_trivial, scored_runs
from samsim.reports.tables.run_rows import merged
from samsim.schemas.code_names import POLARITY, Pair
from samsim.schemas.polarity import POLARITIES, SIGNS, PolarityName
from samsim.schemas.scorecards import Family

WIDTH = 372.0
_LEFT, _RIGHT = 12.0, WIDTH - 14.0
_ROW = 38.0
_LOW_TOP = 10.0
_BOTTOM = 28.0
_BAR = 13.0


def _axis(drawing: Drawing, scale: Scale, top: float, bottom: float, *, factor: float = 1.0) -> None:
    for value in round_steps(scale.low, scale.high):
        drawing.line(scale(value), top - 6, scale(value), bottom, "grid")
        drawing.text(scale(value), bottom + 16, f"{factor * value:g}", "tick", "middle")


def _name(drawing: Drawing, y: float, name: str) -> None:
    """Draw a name above its marks, on a background that hides the grid."""
    drawing.text(_LEFT, y, fitted(name, _RIGHT - _LEFT), "on-grid", tip=name)


def score_figure(collected: Collected, family: Family) -> str:
    """Render ``score_drawing`` as a figure of the page."""
    drawing = score_drawing(collected, family)
    return "" if drawing is None else drawing.render()


def score_drawing(collected: Collected, family: Family) -> Drawing | None:
    """Draw F1 with its interval per run: Stage 1 as a ring, final as a dot, the best trivial baseline as a line."""
    scored = scored_runs(collected, family)
    if not scored:
        return None
    top = 58.0
    bottom = top + _ROW * len(scored)
    trivial = best_trivial(collected, family)
    values = [edge for cell in scored for edge in _extent(cell)] + ([] if trivial is None else [trivial])
    scale = Scale(max(0.0, min(values) - 0.03), min(1.0, max(values) + 0.03), _LEFT, _RIGHT)
    title: Pair = ("F1 of every run, with 95% intervals", "실행별 F1과 95% 신뢰구간")
    about: Pair = (
        "; ".join(f"{cell.name}: Stage 1 {_f1(cell)}, final {percent(cell.final.f1)}" for cell in scored),
        "; ".join(f"{cell.name}: 1단계 {_f1(cell)}, 최종 {percent(cell.final.f1)}" for cell in scored),
    )
    drawing = Drawing(WIDTH, bottom + _BOTTOM, title, about)
    _axis(drawing, scale, top, bottom, factor=100)
    _score_legend(drawing)
    if trivial is not None:
        drawing.line(scale(trivial), top - 6, scale(trivial), bottom, "trivial")
        _trivial_name(drawing, scale(trivial), top - 14, trivial)
    for number, cell in enumerate(scored):
        _score_marks(drawing, scale, top + _ROW * number, cell)
    return drawing


def _f1(cell: Scored) -> str:
    return percent(cell.stage1.f1)


def _trivial_name(drawing: Drawing, x: float, y: float, value: float) -> None:
    words: Pair = (f"best trivial baseline {percent(value)}", f"가장 높은 단순 기준선 {percent(value)}")
    on_left = x < (_LEFT + _RIGHT) / 2
    drawing.text(x + (5 if on_left else -5), y, words, "tick", "start" if on_left else "end")


def _score_marks(drawing: Drawing, scale: Scale, top: float, cell: Scored) -> None:
    several = f" ×{cell.repeats}" if cell.repeats > 1 else ""
    failed = f" ({cell.failed} ✗)" if cell.failed else ""
    _name(drawing, top + 12, cell.name + several + failed)
    y = top + 25
    if cell.interval is not None:
        ends = scale(cell.interval.low), scale(cell.interval.high)
        drawing.line(ends[0], y, ends[1], y, "whisker")
        for end in ends:
            drawing.line(end, y - 5, end, y + 5, "whisker")
    drawing.dot(scale(cell.stage1.f1), y, "ring", f"{cell.name}: Stage 1 {_f1(cell)}", 6)
    tip = f"{cell.name}: {percent(cell.final.f1)} {percent_interval(cell.interval)}"
    drawing.dot(scale(cell.final.f1), y, "dot", tip, 4)


def _score_legend(drawing: Drawing) -> None:
    drawing.dot(_LEFT + 6, 14, "ring", radius=5)
    drawing.text(_LEFT + 16, 18, ("Stage 1", "1단계"), "tick")
    drawing.dot(_LEFT + 76, 14, "dot", radius=4)
    drawing.text(_LEFT + 85, 18, ("final", "최종"), "tick")
    drawing.line(_LEFT + 122, 14, _LEFT + 148, 14, "whisker")
    drawing.text(_LEFT + 154, 18, ("95% interval of the final F1", "최종 F1의 95% 신뢰구간"), "tick")


def _extent(cell: Scored) -> list[float]:
    found = [cell.final.f1, cell.stage1.f1]
    return found + ([cell.interval.low, cell.interval.high] if cell.interval else [])


_FUNNEL_STEPS: tuple[tuple[str, Pair, str], ...] = (
    ("samples", ("samples", "샘플"), "bar-0"),
    ("flagged", ("flagged", "충돌·의심"), "bar-1"),
    ("reviewed", ("reviewed", "재검토"), "bar-2"),
    ("changed", ("changed", "바뀜"), "bar-3"),
    ("helped", ("helped", "나아짐"), "good"),
    ("harmed", ("harmed", "나빠짐"), "bad"),
)


def funnel_figure(collected: Collected) -> str:
    """Draw how many samples reached each step, in one row of small bars per run with a review."""
    reviewing = [run for run in collected.evaluated if run.metrics.funnel.reviewed]
    runs = merged(reviewing, lambda run: [[str(_step(run, key)) for key, _, _ in _FUNNEL_STEPS]])
    if not runs:
        return ""
    top, height = 26.0, 50.0
    rows = ["; ".join(_funnel_words(run, language) for run, _ in runs) for language in (0, 1)]
    title: Pair = ("From flag to change, in samples", "충돌에서 변경까지(샘플 수)")
    drawing = Drawing(WIDTH, top + height * len(runs) + 6, title, (rows[0], rows[1]))
    room = (_RIGHT - _LEFT) / len(_FUNNEL_STEPS)
    for place, (_, words, _) in enumerate(_FUNNEL_STEPS):
        drawing.text(_LEFT + room * place, 16, words, "tick")
    for number, (run, _) in enumerate(runs):
        y = top + height * number
        _name(drawing, y + 12, run.name)
        scale = Scale(0, max(1, run.metrics.funnel.samples), 0, room - 10)
        for place, (key, _, css) in enumerate(_FUNNEL_STEPS):
            count, x = _step(run, key), _LEFT + room * place
            width = 0.0 if not count else max(2.0, scale(count))
            drawing.text(x, y + 26, NOTHING if count is None else f"{count:,}", "tick")
            drawing.box(x, y + 30, width, 8, css)
    return drawing.render()


def _step(run: MeasuredRun, key: str) -> int | None:
    found: int | None = getattr(run.metrics.funnel, key)
    return found


def _funnel_words(run: MeasuredRun, language: int) -> str:
    return f"{run.name}: " + ", ".join(f"{words[language]} {_step(run, key)}" for key, words, _ in _FUNNEL_STEPS)


def polarity_figure(collected: Collected, family: Family) -> str:
    """Draw the final F1 per run and polarity."""
    scored = [(run, run.tuples[family]) for run in collected.shown if family in run.tuples]
    names = [name for name in POLARITIES if any(_gold(scores, name) for _, scores in scored)]
    if not scored or not names:
        return ""
    top, left = 30.0, _LEFT + 20
    height = 22 + _BAR * len(names)
    bottom = top + height * len(scored)
    scale = Scale(0.0, 1.0, left, _RIGHT - 32)
    rows = [f"{run.name}: " + ", ".join(f"{name} {_part(s, name)}" for name in names) for run, s in scored]
    title: Pair = ("Final F1 by polarity", "극성별 최종 F1")
    drawing = Drawing(WIDTH, bottom + _BOTTOM, title, ("; ".join(rows), "; ".join(rows)))
    _axis(drawing, scale, top, bottom, factor=100)
    for place, name in enumerate(names):
        drawing.box(_LEFT + 88 * place, 6, 10, 10, f"fill-{name}")
        words = named(POLARITY, name)
        sign = SIGNS[name]
        drawing.text(_LEFT + 88 * place + 14, 15, (f"{sign} {words[0]}", f"{sign} {words[1]}"), "tick")
    for number, (run, scores) in enumerate(scored):
        y = top + height * number
        _name(drawing, y + 11, run.name)
        for place, name in enumerate(names):
            _polarity_bar(drawing, scale, y + 16 + _BAR * place, scores, name)
    return drawing.render()


def _polarity_bar(drawing: Drawing, scale: Scale, y: float, scores: FamilyScores, name: PolarityName) -> None:
    value = scores.subsets["polarity"][name].final.f1 if _gold(scores, name) else 0.0
    drawing.text(scale.start - 8, y + 9, SIGNS[name], "tick", "end")
    drawing.box(scale.start, y, scale(value) - scale.start, 10, f"fill-{name}")
    drawing.text(scale(value) + 5, y + 9, _part(scores, name), "tick")


def _part(scores: FamilyScores, polarity: str) -> str:
    """Return the F1 of a polarity; undefined if the gold does not have it."""
    return percent(scores.subsets["polarity"][polarity].final.f1 if _gold(scores, polarity) else None)


def _gold(scores: FamilyScores, polarity: str) -> int:
    part = scores.subsets.get("polarity", {}).get(polarity)
    return 0 if part is None else part.final.gold


def risk_figure(collected: Collected) -> str:
    """Draw the mean severity before (ring) and after (dot) per run."""
    runs = [run for run in collected.shown if run.metrics.risk.samples and run.has_review]
    pairs = [_severity(run) for run in runs]
    if not any(before for before, _ in pairs):
        return ""
    bottom = _LOW_TOP + _ROW * len(runs)
    scale = Scale(0.0, max(max(pair) for pair in pairs) * 1.08, _LEFT, _RIGHT)
    rows = "; ".join(f"{run.name} {before:.2f} → {after:.2f}" for run, (before, after) in zip(runs, pairs, strict=True))
    title: Pair = (
        "Mean severity per sample: before (ring) and after (dot)",
        "샘플당 평균 심각도: 이전(고리)과 이후(점)",
    )
    drawing = Drawing(WIDTH, bottom + _BOTTOM, title, (rows, rows))
    _axis(drawing, scale, _LOW_TOP, bottom)
    for number, (run, (before, after)) in enumerate(zip(runs, pairs, strict=True)):
        top = _LOW_TOP + _ROW * number
        _name(drawing, top + 12, run.name)
        css = "better" if after < before else "worse" if after > before else "whisker"
        drawing.line(scale(before), top + 25, scale(after), top + 25, css)
        drawing.dot(scale(before), top + 25, "ring", f"{run.name}: {before:.2f}", 6)
        drawing.dot(scale(after), top + 25, "dot", f"{run.name}: {after:.2f}", 4)
    return drawing.render()


def _severity(run: MeasuredRun) -> tuple[float, float]:
    found = run.metrics.risk
    return found.mean_severity_before or 0.0, found.mean_severity_after or 0.0
