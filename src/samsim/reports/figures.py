"""The figures of a report, drawn from what was measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from samsim.metrics.family_scores import FamilyScores
from samsim.reports.codes import named
from samsim.reports.collecting import Collected, MeasuredRun
from samsim.reports.numbers import decimal, dollars, percent, percent_interval
from samsim.reports.svg import Drawing, Scale, round_steps, text_width
from samsim.schemas.code_names import POLARITY, Pair
from samsim.schemas.polarity import POLARITIES
from samsim.schemas.scorecards import Family

_ROW = 30
_PLOT = 420.0
_TOP = 34.0
_LOW_TOP = 12.0
_BOTTOM = 34.0
_GAP = 14.0
# Beside the plot, for labels of dots at its edge.
_MARGIN = 120.0
# The labels beside dots are a little smaller than those of rows.
_TICK_SIZE = 0.92
# Dots nearer than this look like one.
_TOUCHING = 9.0


def _left(runs: Sequence[MeasuredRun]) -> float:
    return min(300.0, text_width(run.name for run in runs) + _GAP)


def _scored(collected: Collected, family: Family) -> list[tuple[MeasuredRun, FamilyScores]]:
    return [(run, run.metrics.tuples[family]) for run in collected.evaluated if family in run.metrics.tuples]


def _axis(drawing: Drawing, scale: Scale, top: float, bottom: float, *, factor: float = 1.0) -> None:
    for value in round_steps(scale.low, scale.high):
        drawing.line(scale(value), top - 6, scale(value), bottom, "grid")
        drawing.text(scale(value), bottom + 16, f"{factor * value:g}", "tick", "middle")


def score_figure(collected: Collected, family: Family) -> str:
    """F1 with its interval per run: Stage 1 as a ring, final as a dot, the best trivial baseline as a line."""
    scored = _scored(collected, family)
    if not scored:
        return ""
    left = _left([run for run, _ in scored])
    bottom = _TOP + _ROW * len(scored)
    trivial = max((one.micro.f1 for _, scores in scored for one in scores.baselines.values()), default=None)
    values = [edge for _, scores in scored for edge in _extent(scores)]
    low, high = min(*values, trivial if trivial is not None else 1.0), max(values)
    scale = Scale(max(0.0, low - 0.03), min(1.0, high + 0.03), left, left + _PLOT)
    title: Pair = ("F1 of every run, with 95% intervals", "실행별 F1과 95% 구간")
    about: Pair = (
        "; ".join(
            f"{run.name}: Stage 1 {percent(s.stage1.micro.f1)}, final {percent(s.final.micro.f1)}" for run, s in scored
        ),
        "; ".join(
            f"{run.name}: 1단계 {percent(s.stage1.micro.f1)}, 최종 {percent(s.final.micro.f1)}" for run, s in scored
        ),
    )
    drawing = Drawing(left + _PLOT + 24, bottom + _BOTTOM, title, about)
    _axis(drawing, scale, _TOP, bottom, factor=100)
    if trivial is not None:
        drawing.line(scale(trivial), _TOP - 6, scale(trivial), bottom, "trivial")
        drawing.text(scale(trivial) + 5, _TOP - 12, ("best trivial baseline", "가장 높은 단순 기준선"), "tick")
    _score_legend(drawing, left + _PLOT)
    for number, (run, scores) in enumerate(scored):
        y = _TOP + _ROW * (number + 0.5)
        drawing.text(left - _GAP, y + 4, run.name, "", "end")
        if scores.final.interval is not None:
            ends = scale(scores.final.interval.low), scale(scores.final.interval.high)
            drawing.line(ends[0], y, ends[1], y, "whisker")
            for end in ends:
                drawing.line(end, y - 5, end, y + 5, "whisker")
        tip = f"{run.name}: {percent(scores.final.micro.f1)} {percent_interval(scores.final.interval)}"
        drawing.dot(
            scale(scores.stage1.micro.f1), y, "ring", f"{run.name}: Stage 1 {percent(scores.stage1.micro.f1)}", 6
        )
        drawing.dot(scale(scores.final.micro.f1), y, "dot", tip, 4)
    return drawing.render()


def _score_legend(drawing: Drawing, right: float) -> None:
    y = _TOP - 20
    drawing.dot(right - 120, y, "ring", radius=5)
    drawing.text(right - 110, y + 4, ("Stage 1", "1단계"), "tick")
    drawing.dot(right - 50, y, "dot", radius=4)
    drawing.text(right - 41, y + 4, ("final", "최종"), "tick")


def _extent(scores: FamilyScores) -> list[float]:
    found = [scores.stage1.micro.f1, scores.final.micro.f1]
    return found + ([scores.final.interval.low, scores.final.interval.high] if scores.final.interval else [])


_FUNNEL_STEPS: tuple[tuple[str, Pair, str], ...] = (
    ("samples", ("samples", "표본"), "bar-0"),
    ("flagged", ("flagged", "충돌·의심"), "bar-1"),
    ("reviewed", ("reviewed", "재검토"), "bar-2"),
    ("changed", ("changed", "바뀜"), "bar-3"),
    ("helped", ("helped", "나아짐"), "good"),
    ("harmed", ("harmed", "나빠짐"), "bad"),
)


def funnel_figures(collected: Collected) -> str:
    """A funnel for every run that reviewed anything."""
    runs = [run for run in collected.evaluated if run.metrics.funnel.reviewed]
    return "".join(_funnel(run) for run in runs)


def _funnel(run: MeasuredRun) -> str:
    found = run.metrics.funnel
    steps = [(getattr(found, key), words, css) for key, words, css in _FUNNEL_STEPS]
    known = [(count, words, css) for count, words, css in steps if count is not None]
    left, plot = 92.0, 230.0
    scale = Scale(0, max(1, found.samples), 0, plot)
    title: Pair = (f"{run.name}: from flag to change", f"{run.name}: 충돌에서 변경까지")
    about: Pair = (
        ", ".join(f"{words[0]} {count}" for count, words, _ in known),
        ", ".join(f"{words[1]} {count}" for count, words, _ in known),
    )
    drawing = Drawing(left + plot + 70, 24 * len(known) + 8, title, about)
    for number, (count, words, css) in enumerate(known):
        y = 6 + 24 * number
        drawing.text(left - 10, y + 12, words, "", "end")
        drawing.box(left, y, max(2.0 if count else 0.0, scale(count)), 16, css)
        drawing.text(left + scale(count) + 8, y + 12, f"{count:,}", "tick")
    return drawing.render()


def polarity_figure(collected: Collected, family: Family) -> str:
    """Final F1 per polarity and run."""
    scored = _scored(collected, family)
    names = [name for name in POLARITIES if any(_gold(scores, name) for _, scores in scored)]
    if not scored or not names:
        return ""
    left = _left([run for run, _ in scored])
    height = len(scored) * 16 + 22
    bottom = _LOW_TOP + height * len(names)
    scale = Scale(0.0, 1.0, left, left + _PLOT)
    rows = [f"{name}: " + ", ".join(f"{run.name} {percent(_f1(s, name))}" for run, s in scored) for name in names]
    drawing = Drawing(
        left + _PLOT + 46,
        bottom + _BOTTOM,
        ("Final F1 by polarity", "극성별 최종 F1"),
        ("; ".join(rows), "; ".join(rows)),
    )
    _axis(drawing, scale, _LOW_TOP, bottom, factor=100)
    for group, name in enumerate(names):
        top = _LOW_TOP + group * height
        drawing.text(left, top + 10, named(POLARITY, name), "strong")
        for number, (run, scores) in enumerate(scored):
            y = top + 16 + number * 16
            value = _f1(scores, name)
            drawing.text(left - _GAP, y + 10, run.name, "tick", "end")
            drawing.box(left, y, scale(value) - left, 11, f"fill-{name}")
            drawing.text(scale(value) + 6, y + 10, percent(value), "tick")
    return drawing.render()


def _f1(scores: FamilyScores, polarity: str) -> float:
    part = scores.subsets.get("polarity", {}).get(polarity)
    return 0.0 if part is None else part.final.f1


def _gold(scores: FamilyScores, polarity: str) -> int:
    part = scores.subsets.get("polarity", {}).get(polarity)
    return 0 if part is None else part.final.gold


def risk_figure(collected: Collected) -> str:
    """Mean severity before (ring) and after (dot) per run."""
    runs = [run for run in collected.evaluated if run.metrics.risk.samples]
    if not runs or not any(run.metrics.risk.mean_severity_before for run in runs):
        return ""
    left = _left(runs)
    bottom = _LOW_TOP + _ROW * len(runs)
    pairs = [
        (run.metrics.risk.mean_severity_before or 0.0, run.metrics.risk.mean_severity_after or 0.0) for run in runs
    ]
    scale = Scale(0.0, max(max(pair) for pair in pairs) * 1.08, left, left + _PLOT)
    rows = "; ".join(f"{run.name} {before:.2f} → {after:.2f}" for run, (before, after) in zip(runs, pairs, strict=True))
    title: Pair = (
        "Mean severity per sample: before (ring) and after (dot)",
        "표본당 평균 심각도: 이전(고리)과 이후(점)",
    )
    drawing = Drawing(left + _PLOT + 24, bottom + _BOTTOM, title, (rows, rows))
    _axis(drawing, scale, _LOW_TOP, bottom)
    for number, (run, (before, after)) in enumerate(zip(runs, pairs, strict=True)):
        y = _LOW_TOP + _ROW * (number + 0.5)
        drawing.text(left - _GAP, y + 4, run.name, "", "end")
        drawing.line(
            scale(before), y, scale(after), y, "better" if after < before else "worse" if after > before else "whisker"
        )
        drawing.dot(scale(before), y, "ring", f"{run.name}: {before:.2f}", 6)
        drawing.dot(scale(after), y, "dot", f"{run.name}: {after:.2f}", 4)
    return drawing.render()


Budget = tuple[Pair, Callable[[MeasuredRun], float | None], Callable[[float], str]]
_BUDGETS: tuple[Budget, ...] = (
    (("cost per sample", "표본당 비용"), lambda run: run.metrics.cost.cost_per_sample, dollars),
    (
        ("tokens per sample", "표본당 토큰"),
        lambda run: run.metrics.cost.tokens_per_sample,
        lambda value: decimal(value, 0),
    ),
    (
        ("calls per sample", "표본당 호출"),
        lambda run: run.metrics.cost.calls_per_sample,
        lambda value: decimal(value, 1),
    ),
)


def budget_figure(collected: Collected, family: Family) -> str:
    """What F1 takes: cost where it is known, else tokens, else calls."""
    scored = _scored(collected, family)
    for words, budget_of, written in _BUDGETS:
        points = [(run, scores.final.micro.f1, budget_of(run)) for run, scores in scored]
        known = [(run, f1, budget) for run, f1, budget in points if budget]
        if known and len(known) == len(points):
            return _scatter(known, words, written)
    return ""


def _scatter(points: Sequence[tuple[MeasuredRun, float, float]], words: Pair, written: Callable[[float], str]) -> str:
    left, top, height = 56.0, 20.0, 260.0
    across = Scale(0.0, max(budget for _, _, budget in points) * 1.12, left, left + _PLOT)
    scores = [f1 for _, f1, _ in points]
    up = Scale(max(0.0, min(scores) - 0.05), min(1.0, max(scores) + 0.05), top + height, top)
    title: Pair = (f"F1 against {words[0]}", f"{words[1]} 대비 F1")
    rows = "; ".join(f"{run.name}: F1 {percent(f1)}, {written(budget)}" for run, f1, budget in points)
    drawing = Drawing(left + _PLOT + _MARGIN, top + height + 46, title, (rows, rows))
    for value in round_steps(up.low, up.high):
        drawing.line(left, up(value), left + _PLOT, up(value), "grid")
        drawing.text(left - 8, up(value) + 4, f"{100 * value:g}", "tick", "end")
    for value in round_steps(across.low, across.high):
        drawing.text(across(value), top + height + 18, written(value), "tick", "middle")
    drawing.text(left + _PLOT / 2, top + height + 38, words, "tick", "middle")
    places = [(across(budget), up(f1)) for _, f1, budget in points]
    for (run, f1, budget), (x, y) in zip(points, places, strict=True):
        drawing.dot(x, y, "dot", f"{run.name}: F1 {percent(f1)}, {written(budget)}")
    labels = _labels([run.name for run, _, _ in points], places)
    for name, (x, y, anchor) in zip(labels, _label_places(labels, places, drawing.width), strict=True):
        drawing.text(x, y + 4, name, "tick", anchor)
    return drawing.render()


def _labels(names: Sequence[str], dots: Sequence[tuple[float, float]]) -> dict[str, tuple[float, float]]:
    """One label for the dots that nearly cover each other: the first two names, and how many more."""
    together: list[tuple[tuple[float, float], list[str]]] = []
    for name, (x, y) in zip(names, dots, strict=True):
        near = next((same for (cx, cy), same in together if abs(cx - x) < _TOUCHING and abs(cy - y) < _TOUCHING), None)
        if near is None:
            together.append(((x, y), [name]))
        else:
            near.append(name)
    return {", ".join(same[:2]) + (f" +{len(same) - 2}" if len(same) > 2 else ""): place for place, same in together}


def _label_places(
    labels: Mapping[str, tuple[float, float]], dots: Sequence[tuple[float, float]], room: float
) -> list[tuple[float, float, str]]:
    """A place beside each dot where its label covers nothing else: right of it, left, then further down."""
    taken = [(x - 5, y - 5, x + 5, y + 5) for x, y in dots]
    placed = []
    for name, (x, y) in labels.items():
        width = text_width([name]) * _TICK_SIZE
        candidates = [
            (start, y + shift, anchor)
            for shift in (13 * sign * step for step in range(len(labels) + 1) for sign in (-1, 1))
            for start, anchor in ((x + 9, "start"), (x - 9 - width, "end"))
            if start >= 0 and start + width <= room
        ] or [(x + 9, y, "start")]
        boxes = [(start, middle - 6, start + width, middle + 6) for start, middle, _ in candidates]
        best = next((at for at, box in enumerate(boxes) if not any(_overlap(box, other) for other in taken)), 0)
        start, middle, anchor = candidates[best]
        taken.append(boxes[best])
        placed.append((start if anchor == "start" else start + width, middle, anchor))
    return placed


def _overlap(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
