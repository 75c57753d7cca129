"""The figure of F1 against its cost: a dot per run with its interval and a label."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from samsim.reports.collecting import Collected, MeasuredRun
from samsim.reports.figures.charts import WIDTH
from samsim.reports.figures.svg import Drawing, Scale, fitted, round_steps, text_width
from samsim.reports.numbers import decimal, dollars, percent, percent_interval
from samsim.reports.scored import Scored, scored_runs
from samsim.schemas.code_names import Pair
from samsim.schemas.scorecards import Family

Budget = tuple[Pair, Callable[[MeasuredRun], float | None], Callable[[float], str]]
Box = tuple[float, float, float, float]
_BUDGETS: tuple[Budget, ...] = (
    (("cost per sample", "샘플당 비용"), lambda run: run.metrics.cost.cost_per_sample, dollars),
    (
        ("tokens per sample", "샘플당 토큰"),
        lambda run: run.metrics.cost.tokens_per_sample,
        lambda value: decimal(value, 0),
    ),
    (
        ("calls per sample", "샘플당 호출"),
        lambda run: run.metrics.cost.calls_per_sample,
        lambda value: decimal(value, 1),
    ),
)
_LEFT, _RIGHT, _TOP, _HEIGHT = 34.0, WIDTH - 14.0, 12.0, 270.0
_WIDEST_LABEL, _NARROWEST_LABEL = 190.0, 90.0
# Labels next to dots are a little smaller than those of rows.
_TICK_SIZE = 0.92
_LINE = 13.0


@dataclass(frozen=True, slots=True)
class _Place:
    """The position of the runs of one row: one height, and a budget for each of them."""

    name: str
    xs: tuple[float, ...]
    y: float


@dataclass(frozen=True, slots=True)
class _Label:
    """A name that starts at ``x`` (right of its dot) or ends there."""

    words: str
    x: float
    y: float
    is_right: bool

    @property
    def box(self) -> Box:
        """The area it covers."""
        width = text_width([self.words]) * _TICK_SIZE
        start = self.x if self.is_right else self.x - width
        return start, self.y - 6, start + width, self.y + 6

    @property
    def from_x(self) -> float:
        """Where a line to the label starts at the dot."""
        return self.x - 12 if self.is_right else self.x + 12


def budget_figure(collected: Collected, family: Family) -> str:
    """Draw F1 against cost if known, else against tokens, else against calls."""
    scored = scored_runs(collected, family)
    for words, budget_of, written in _BUDGETS:
        known = [(cell, tuple(budget_of(run) or 0.0 for run in cell.runs)) for cell in scored]
        if known and all(min(budgets) > 0 for _, budgets in known):
            return _scatter(known, words, written)
    return ""


def _scatter(points: Sequence[tuple[Scored, tuple[float, ...]]], words: Pair, written: Callable[[float], str]) -> str:
    across = Scale(0.0, max(max(budgets) for _, budgets in points) * 1.08, _LEFT, _RIGHT)
    ends = [edge for cell, _ in points for edge in _extent(cell)]
    up = Scale(max(0.0, min(ends) - 0.02), min(1.0, max(ends) + 0.02), _TOP + _HEIGHT, _TOP)
    title: Pair = (f"F1 with 95% intervals against {words[0]}", f"{words[1]} 대비 F1과 95% 신뢰구간")
    rows = "; ".join(
        f"{cell.name}: F1 {percent(cell.final.f1)}, {_range(budgets, written)}" for cell, budgets in points
    )
    drawing = Drawing(WIDTH, _TOP + _HEIGHT + 42, title, (rows, rows))
    for value in round_steps(up.low, up.high):
        drawing.line(_LEFT, up(value), _RIGHT, up(value), "grid")
        drawing.text(_LEFT - 6, up(value) + 4, f"{100 * value:g}", "tick", "end")
    steps = round_steps(across.low, across.high, 4)
    for value in steps:
        drawing.text(across(value), _TOP + _HEIGHT + 18, written(value), "tick", _anchor(across(value)))
    drawing.text((_LEFT + _RIGHT) / 2, _TOP + _HEIGHT + 36, words, "tick", "middle")
    places = [_Place(cell.name, tuple(map(across, budgets)), up(cell.final.f1)) for cell, budgets in points]
    for (cell, budgets), place in zip(points, places, strict=True):
        _marks(
            drawing,
            place,
            up,
            cell,
            f"{cell.name}: {percent(cell.final.f1)} {percent_interval(cell.interval)}, {_range(budgets, written)}",
        )
    _labels(drawing, places)
    return drawing.render()


def _anchor(x: float) -> str:
    return "end" if x > _RIGHT - 20 else "middle"


def _extent(cell: Scored) -> list[float]:
    return [cell.final.f1] + ([cell.interval.low, cell.interval.high] if cell.interval else [])


def _range(budgets: Sequence[float], written: Callable[[float], str]) -> str:
    low, high = written(min(budgets)), written(max(budgets))
    return low if low == high else f"{low}–{high}"


def _marks(drawing: Drawing, place: _Place, up: Scale, cell: Scored, tip: str) -> None:
    if cell.interval is not None:
        drawing.line(place.xs[0], up(cell.interval.low), place.xs[0], up(cell.interval.high), "whisker thin")
    drawing.line(min(place.xs), place.y, max(place.xs), place.y, "whisker")
    for x in dict.fromkeys(place.xs):
        drawing.dot(x, place.y, "dot", tip, 4.5)


def _labels(drawing: Drawing, places: Sequence[_Place]) -> None:
    """Draw a label next to every dot without covering anything, with a line to the dot if it is further away."""
    taken: list[Box] = [(x - 6, place.y - 6, x + 6, place.y + 6) for place in places for x in place.xs]
    for place in sorted(places, key=lambda place: place.y):
        label = _free_label(place, taken, len(places) + 3)
        taken.append(label.box)
        if label.y != place.y:
            near = label.x - 2 if label.is_right else label.x + 2
            drawing.line(label.from_x, place.y, near, label.y, "leader")
        drawing.text(
            label.x, label.y + 4, label.words, "tick on-grid", "start" if label.is_right else "end", place.name
        )


def _free_label(place: _Place, taken: Sequence[Box], steps: int) -> _Label:
    """Place a label right or left of the dots, the roomier side first, then further up or down."""
    right, left = max(place.xs) + 12, min(place.xs) - 12
    sides = [(WIDTH - right, right, True), (left - _LEFT, left, False)]
    ends = [
        _Label(fitted(place.name, min(room, _WIDEST_LABEL), _TICK_SIZE), x, place.y + shift, is_right)
        for shift in [0.0, *(sign * _LINE * step for step in range(1, steps) for sign in (1, -1))]
        for room, x, is_right in sorted(sides, reverse=True)
        if room >= min(_NARROWEST_LABEL, max(side[0] for side in sides)) and _TOP <= place.y + shift <= _TOP + _HEIGHT
    ]
    return next((end for end in ends if not any(_overlap(end.box, other) for other in taken)), ends[0])


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
