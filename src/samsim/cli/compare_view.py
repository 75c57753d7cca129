"""The tables of ``samsim compare``."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from samsim.cli.memory_view import print_view as print_view
from samsim.cli.view_style import cell
from samsim.metrics.baselines import BaselineName
from samsim.metrics.comparison import Comparison, Contrast, Direction, TupleFlip
from samsim.metrics.family_scores import Rates
from samsim.metrics.statistics import Interval
from samsim.metrics.tuples import spelled
from samsim.schemas.scorecards import Family

_LISTED_FAILURES = 5
_TRIVIAL: Mapping[BaselineName, str] = MappingProxyType(
    {
        "constant_pair": "constant pair",
        "constant_pairs": "constant pairs (best number)",
        "majority_ref": "majority target",
    }
)
_ARROWS: Mapping[Direction, tuple[str, str]] = MappingProxyType(
    {"wrong_to_right": ("wrong → right", "green"), "right_to_wrong": ("right → wrong", "red")}
)
_LEGEND = (
    "F1 in percent, micro, of the final tuples; [ ] 95 % bootstrap interval over samples; macro: mean F1 of samples;"
    " exact: samples with all tuples right. p: paired permutation test, Holm over all rows; McNemar over exact samples."
    " docs/metrics.md says how each is computed."
)


def comparison_view(comparison: Comparison, *, flips: int, families: Collection[Family] = ()) -> RenderableType:
    """Scores, differences, and flips in the given families (else: the primary one)."""
    listed = families or (comparison.primary or comparison.families[0],)
    parts: list[RenderableType] = [_heading(comparison), Text()]
    for family in comparison.families:
        parts += [_scores(comparison, family), Text()]
    parts += [_contrasts(comparison), Text()]
    for contrast in (one for one in comparison.contrasts if one.family in listed):
        parts += _flips(contrast, comparison.baseline, flips)
    return Group(*parts, Text(_LEGEND, style="dim"))


def _heading(comparison: Comparison) -> Text:
    line = Text(f"{comparison.samples:,} samples, {len(comparison.runs)} runs; baseline: ")
    line.append_text(cell(comparison.baseline, "bold"))
    if comparison.left_out:
        names = ", ".join(comparison.left_out[:_LISTED_FAILURES])
        more = ", …" if len(comparison.left_out) > _LISTED_FAILURES else ""
        line.append(f"\n{len(comparison.left_out):,} samples failed in a run and are left out of all: ", "yellow")
        line.append_text(cell(names + more, "yellow"))
    return line


def _scores(comparison: Comparison, family: Family) -> Table:
    table = _table(_family(family), "P", "R", "F1", "95 %", "macro", "exact")
    for run in comparison.runs:
        scores = run.scores[family]
        name = cell(run.name, "bold" if run.name == comparison.baseline else "")
        table.add_row(
            name, *_rates(scores.micro), _interval(scores.interval), _percent(scores.macro), f"{scores.exact_samples:,}"
        )
    table.add_section()
    for kind, trivial in comparison.trivial[family].items():
        table.add_row(Text(_TRIVIAL[kind], style="dim"), *_rates(trivial.micro), "", _percent(trivial.macro), "")
    return table


def _contrasts(comparison: Comparison) -> Table:
    table = _table("against the baseline", "ΔF1", "95 %", "p", "p Holm", "McNemar p", "→ right", "→ wrong")
    for contrast in comparison.contrasts:
        name = cell(contrast.run)
        name.append(f"  {_family(contrast.family)}", "dim")
        table.add_row(
            name,
            _delta(contrast.delta_f1),
            _interval(contrast.interval, signed=True),
            _p_value(contrast.p_value),
            _p_value(contrast.p_holm),
            _p_value(contrast.mcnemar.p_value),
            f"{contrast.flips('wrong_to_right'):,}",
            f"{contrast.flips('right_to_wrong'):,}",
        )
    return table


def _flips(contrast: Contrast, baseline: str, wanted: int) -> list[RenderableType]:
    found = contrast.tuple_flips
    if not wanted or not found:
        return []
    title = Text("flips, ", style="bold")
    title.append_text(cell(f"{baseline} → {contrast.run}, {_family(contrast.family)}", "bold"))
    table = Table.grid(padding=(0, 2))
    for flip in _shown(found, wanted):
        words, colour = _ARROWS[flip.direction]
        kind = "gold tuple" if flip.kind == "gold" else "not in gold"
        table.add_row(cell(flip.uid), Text(words, style=colour), Text(kind, style="dim"), cell(spelled(flip.key)))
    left = len(found) - wanted
    more: Sequence[RenderableType] = [Text(f"and {left:,} more (--flips)", style="dim")] if left > 0 else []
    return [title, table, *more, Text()]


def _shown(flips: Sequence[TupleFlip], wanted: int) -> Iterable[TupleFlip]:
    """Losses first: they are what one wants to look at."""
    return sorted(flips, key=lambda flip: flip.direction)[:wanted]


def _table(*titles: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for number, title in enumerate(titles):
        table.add_column(title, justify="right" if number else "left", no_wrap=number > 0)
    return table


def _family(family: Family) -> str:
    return family.replace("_", "-")


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _rates(rates: Rates) -> tuple[str, str, Text]:
    return _percent(rates.precision), _percent(rates.recall), Text(_percent(rates.f1), style="bold")


def _interval(interval: Interval | None, *, signed: bool = False) -> str:
    if interval is None:
        return "–"
    form = "+.1f" if signed else ".1f"
    return f"[{100 * interval.low:{form}}, {100 * interval.high:{form}}]"


def _delta(delta: float) -> Text:
    style = "green" if delta > 0 else "red" if delta < 0 else ""
    return Text(f"{100 * delta:+.2f}", style=style)


def _p_value(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}"
