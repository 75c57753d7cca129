"""The tables of ``samsim compare``."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from samsim.cli.result_view.style import cell
from samsim.cli.views.memory import print_view as print_view
from samsim.metrics.compared_runs import counted
from samsim.metrics.comparison import Comparison, Contrast, Direction, GroupRow, RunRow, TupleFlip
from samsim.metrics.family_scores import Rates
from samsim.metrics.tuples import spelled
from samsim.reports.codes import BASELINE, named
from samsim.reports.equal_answers import IDENTICAL, SAME_TUPLES, what_differs
from samsim.reports.numbers import p_value, percent, percent_interval, points, points_interval
from samsim.schemas.scorecards import Family

_LISTED_FAILURES = 5
_ARROWS: Mapping[Direction, tuple[str, str]] = MappingProxyType(
    {"wrong_to_right": ("wrong → right", "green"), "right_to_wrong": ("right → wrong", "red")}
)
_LEGEND = (
    "F1 in percent, micro, of the final tuples; [ ] 95 % bootstrap interval over samples; macro: mean F1 of samples;"
    " exact: samples with all tuples right. Trivial answers read no text, but know the gold's frequencies. p: paired"
    " permutation test, where the tuples differ; Holm over the distinct outcomes within a measure; McNemar over exact"
    " samples; flips +/−: tuples that went from wrong to right / from right to wrong."
)
_LEGEND_REPEATS = (
    " Runs that differ only in seed or repeat are one row, their counts pooled by sample; range: the lowest and highest"
    " F1 among them, which is no confidence interval (--each lists them)."
)
_LEGEND_END = " docs/metrics.md says how each is computed."


def comparison_view(
    comparison: Comparison, *, flips: int, families: Collection[Family] = (), each: bool = False
) -> RenderableType:
    """Scores, differences, and flips in the given families (else: the primary one)."""
    listed = families or (comparison.primary or comparison.families[0],)
    parts: list[RenderableType] = [_heading(comparison), Text()]
    for family in comparison.families:
        parts += [_scores(comparison, family, each=each), Text()]
    parts += [_contrasts(comparison), Text(), *_differences(comparison)]
    for contrast in (contrast for contrast in comparison.contrasts if contrast.family in listed):
        parts += _flips(contrast, comparison.baseline, flips)
    legend = _LEGEND + (_LEGEND_REPEATS if _repeated(comparison) else "") + _LEGEND_END
    return Group(*parts, Text(legend, style="dim"))


def _repeated(comparison: Comparison) -> bool:
    return any(len(group.runs) > 1 for group in comparison.groups)


def _heading(comparison: Comparison) -> Text:
    line = Text(f"{counted(comparison.samples)}, {len(comparison.runs)} runs; baseline: ")
    line.append_text(cell(comparison.baseline, "bold"))
    if comparison.unannotated:
        verb = "has" if comparison.unannotated == 1 else "have"
        line.append(f"\n{counted(comparison.unannotated)} {verb} no gold and cannot be compared.", "yellow")
    if comparison.left_out:
        names = ", ".join(comparison.left_out[:_LISTED_FAILURES])
        more = ", …" if len(comparison.left_out) > _LISTED_FAILURES else ""
        verb = "is" if len(comparison.left_out) == 1 else "are"
        line.append(f"\n{counted(len(comparison.left_out))} failed in a run and {verb} left out of all: ", "yellow")
        line.append_text(cell(names + more, "yellow"))
    if comparison.partial:
        verb = "is" if len(comparison.partial) == 1 else "are"
        in_runs = ", ".join(f"{run.name} {run.partial:,}" for run in comparison.runs if run.partial)
        line.append(f"\n{counted(len(comparison.partial))} {verb} partial (calls were lost) and counted: ", "yellow")
        line.append_text(cell(f"{in_runs}; --complete-only leaves them out of all.", "yellow"))
    return line


def _scores(comparison: Comparison, family: Family, *, each: bool) -> Table:
    repeated = _repeated(comparison)
    more = ("runs", "range") if repeated else ()
    table = _table(_family(family), "P", "R", "F1", "95 %", *more, "macro", "exact")
    runs = {run.name: run for run in comparison.runs}
    for group in comparison.groups:
        table.add_row(*_group(group, family, baseline=group.name == comparison.baseline, repeated=repeated))
        if each and len(group.runs) > 1:
            for name in group.runs:
                table.add_row(*_run(runs[name], family))
    table.add_section()
    blank = [""] * (1 + len(more))
    for kind, trivial in comparison.trivial[family].items():
        words = Text(named(BASELINE, kind)[0], style="dim")
        table.add_row(words, *_rates(trivial.micro), *blank, percent(trivial.macro), "")
    return table


def _group(group: GroupRow, family: Family, *, baseline: bool, repeated: bool) -> list[str | Text]:
    scores = group.scores[family]
    several = [str(len(group.runs)), _range(scores.f1_runs)] if repeated else []
    exact = f"{scores.exact_samples:,.1f}".removesuffix(".0")
    cells = [percent_interval(scores.interval), *several, percent(scores.macro), exact]
    return [cell(group.name, "bold" if baseline else ""), *_rates(scores.micro), *cells]


def _run(run: RunRow, family: Family) -> list[str | Text]:
    """One of several runs, beneath its group."""
    scores = run.scores[family]
    name = Text("  ", style="dim").append_text(cell(run.name, "dim"))
    interval, exact = percent_interval(scores.interval), f"{scores.exact_samples:,}"
    return [name, *_rates(scores.micro), interval, "", "", percent(scores.macro), exact]


def _range(values: Sequence[float]) -> str:
    return f"{percent(min(values))} … {percent(max(values))}" if len(values) > 1 else ""


def _contrasts(comparison: Comparison) -> Table:
    table = _table("against the baseline", "ΔF1", "95 %", "p", "p Holm", "McNemar p", "flips +/−")
    for family in comparison.families:
        table.add_row(Text(_family(family), style="dim"))
        for contrast in comparison.contrasts:
            if contrast.family == family:
                table.add_row(*_contrast(contrast))
    return table


def _contrast(contrast: Contrast) -> list[str | Text]:
    """A row of the tests; where there is nothing to test, the name says why."""
    if not contrast.tested:
        return [_untested(contrast)]
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


def _untested(contrast: Contrast) -> Text:
    return cell(contrast.run).append(f": {(IDENTICAL if contrast.identical else SAME_TUPLES)[0]}")


def _differences(comparison: Comparison) -> list[RenderableType]:
    """What is not the same in the runs whose tuples are: once for each, whatever the number of measures."""
    found = {
        contrast.run: contrast for contrast in comparison.contrasts if not contrast.tested and not contrast.identical
    }
    lines = [
        cell(contrast.run).append(f" differs from the baseline in: {what_differs(contrast)[0]}")
        for contrast in found.values()
    ]
    return [*lines, Text()] if lines else []


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
    """Numbers never wrap; names only where the terminal is too narrow for them."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for number, title in enumerate(titles):
        table.add_column(title, justify="right" if number else "left", no_wrap=number > 0)
    return table


def _family(family: Family) -> str:
    return family.replace("_", "-")


def _rates(rates: Rates) -> tuple[str, str, Text]:
    return percent(rates.precision), percent(rates.recall), Text(percent(rates.f1), style="bold")
