"""The numbers at the top of a report: few, and none of them picked from a tie or by luck."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from samsim.reports.collecting import Collected
from samsim.reports.equal_answers import IDENTICAL, SAME_TUPLES
from samsim.reports.numbers import dollars, p_value, percent, percent_interval, points, whole
from samsim.reports.scored import Scored, best_trivial, scored_runs
from samsim.reports.tables.model import Text
from samsim.schemas.scorecards import Family


@dataclass(frozen=True, slots=True)
class Card:
    """A number, its label (a word of the page), and additional text."""

    value: str
    what: str
    more: Text = ""


def summary_cards(collected: Collected, family: Family | None) -> list[Card]:
    """Return the cards with what a reader wants to know first."""
    runs = collected.evaluated
    most = max((run.metrics.samples for run in runs), default=0)
    cards = [Card(whole(len(runs)), "card_runs"), Card(whole(most), "card_samples")]
    if family is not None:
        cards += _score_cards(collected, family)
    cards += _changed(collected)
    known = [run.metrics.cost.cost for run in collected.runs if run.has_cards]
    if known:
        total = None if None in known else sum(cost for cost in known if cost is not None)
        calls = sum(run.metrics.cost.calls for run in collected.runs)
        cards += [Card(whole(calls), "card_calls"), Card(dollars(total), "card_cost")]
    return cards


def _score_cards(collected: Collected, family: Family) -> list[Card]:
    scored = scored_runs(collected, family)
    if not scored:
        return []
    first = scored[0]
    what = "card_baseline" if collected.comparisons else "card_f1"
    cards = [Card(percent(first.final.f1), what, f"{first.name} {percent_interval(first.interval)}")]
    cards += _largest(scored)
    return [*cards, Card(percent(best_trivial(collected, family)), "card_trivial")]


def _largest(scored: Sequence[Scored]) -> list[Card]:
    """Return the largest difference among runs without failed samples, with all runs that share it."""
    compared = [(cell, cell.contrast) for cell in scored if cell.contrast is not None and not cell.failed]
    if not compared:
        return []
    largest = max(abs(contrast.delta_f1) for _, contrast in compared)
    tied = [(cell, contrast) for cell, contrast in compared if abs(contrast.delta_f1) == largest]
    value = points(tied[0][1].delta_f1)
    names = ", ".join(cell.name for cell, _ in tied)
    tested = [contrast.p_holm for _, contrast in tied if contrast.p_holm is not None]
    if not tested:
        english, korean = SAME_TUPLES if any(not contrast.identical for _, contrast in tied) else IDENTICAL
        return [Card(value, "card_largest", (f"{names}: {english}", f"{names}: {korean}"))]
    least = p_value(min(tested))
    return [Card(value, "card_largest", (f"{names}, p {least} (Holm)", f"{names}, p {least}(Holm)"))]


def _changed(collected: Collected) -> list[Card]:
    """Return the range from the run that changed the fewest samples to the one that changed the most."""
    counts = [run.metrics.funnel.changed for run in collected.evaluated if run.has_review and run.metrics.samples]
    if not counts:
        return []
    low, high = min(counts), max(counts)
    value = whole(low) if low == high else f"{whole(low)}–{whole(high)}"
    more: Text = "" if len(counts) == 1 else (f"over {len(counts)} runs", f"실행 {len(counts)}개 기준")
    return [Card(value, "card_changed", more)]
