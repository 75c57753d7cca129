"""The page's sections from what was collected: every one says what there is, or that there is nothing."""

from __future__ import annotations

from html import escape

from samsim.metrics.family_scores import FamilyScores
from samsim.reports import figures, measure_tables, provenance_tables, result_tables, review_tables
from samsim.reports.codes import FAMILY, named
from samsim.reports.collecting import Collected, MeasuredRun
from samsim.reports.numbers import dollars, percent, percent_interval, whole
from samsim.reports.run_rows import primary_of
from samsim.reports.table_formats import html_table, html_text
from samsim.reports.table_model import Table, Text, filled
from samsim.reports.words import PAGE
from samsim.schemas.scorecards import Family

SECTIONS = (
    "summary",
    "results",
    "review",
    "rules",
    "breakdowns",
    "risk_section",
    "agreement",
    "memory_section",
    "cost",
)


def words(key: str, **values: object) -> str:
    """A sentence of the page in both languages."""
    return html_text(filled(PAGE[key], **values))


def banners(collected: Collected) -> str:
    """What a reader must know before the numbers."""
    parts = []
    if provenance_tables.failed_checks(collected):
        checks = html_table(provenance_tables.sanity_table(collected))
        parts.append(f'<div class="banner red" role="alert"><b>{words("checks_failed")}</b>{checks}</div>')
    if collected.problems:
        items = "".join(f"<li><b>{escape(one.run)}</b>: {escape(one.words)}</li>" for one in collected.problems)
        parts.append(f'<div class="banner" role="status"><b>{words("problems")}</b><ul>{items}</ul></div>')
    return "".join(parts)


def sections(collected: Collected) -> str:
    """Everything between the banners and the samples."""
    family = primary_of(collected.evaluated)
    content = {
        "summary": _summary(collected, family),
        "results": _results(collected, family),
        "review": _review(collected, family),
        "rules": _rules(collected, family),
        "breakdowns": _breakdowns(collected, family),
        "risk_section": _tables(measure_tables.risk_table(collected), measure_tables.risk_tags_table(collected))
        + figures.risk_figure(collected),
        "agreement": _tables(result_tables.stability_table(collected), measure_tables.agreement_table(collected)),
        "memory_section": _tables(measure_tables.memory_table(collected)),
        "cost": _tables(measure_tables.cost_table(collected)),
    }
    return "".join(_section(key, content[key]) for key in SECTIONS)


def provenance(collected: Collected) -> str:
    """Where the numbers come from."""
    checks = sum(len(run.metrics.sanity) for run in collected.runs)
    passed = ""
    if checks and not provenance_tables.failed_checks(collected):
        passed = f'<p class="banner green">{words("checks_passed", count=checks)}</p>'
    folded = _folded("more_detail", html_table(provenance_tables.sanity_table(collected))) if checks else ""
    return _section("provenance", _tables(provenance_tables.runs_table(collected)) + passed + folded)


def _section(key: str, content: str) -> str:
    shown = content or f'<p class="dim">{words("nothing_here")}</p>'
    return f'<section id="{key}"><h2>{words(key)}</h2>{shown}</section>'


def _tables(*tables: Table) -> str:
    return "".join(html_table(table) for table in tables if not table.is_empty)


def _folded(key: str, content: str) -> str:
    return f"<details><summary>{words(key)}</summary>{content}</details>" if content else ""


def _summary(collected: Collected, family: Family | None) -> str:
    cards = "".join(_card(*card) for card in _cards(collected, family))
    sentence = words("no_gold_here")
    if family is not None:
        english, korean = named(FAMILY, family)
        pair = PAGE["family_is"]
        sentence = html_text((pair[0].format(family=english), pair[1].format(family=korean)))
    return f'<ul class="cards">{cards}</ul><p>{sentence}</p>'


def _card(value: str, what: str, more: Text = "") -> str:
    extra = f'<span class="more">{html_text(more)}</span>' if more else ""
    return f'<li><b>{escape(value)}</b><span class="what">{words(what)}</span>{extra}</li>'


def _cards(collected: Collected, family: Family | None) -> list[tuple[str, str, Text]]:
    runs = collected.evaluated
    cards: list[tuple[str, str, Text]] = [
        (whole(len(runs)), "card_runs", ""),
        (whole(max((run.metrics.samples for run in runs), default=0)), "card_samples", ""),
    ]
    best = _best(runs, family)
    if best is not None:
        name, scores = best
        cards.append((percent(scores.final.micro.f1), "card_best", f"{name} {percent_interval(scores.final.interval)}"))
        trivial = max((one.micro.f1 for one in scores.baselines.values()), default=None)
        cards.append((percent(trivial), "card_trivial", ""))
    changed = max(runs, key=lambda run: run.metrics.funnel.changed)
    cards.append((whole(changed.metrics.funnel.changed), "card_changed", changed.name))
    known = [run.metrics.cost.cost for run in collected.runs if run.has_cards]
    if known:
        total = None if None in known else sum(cost for cost in known if cost is not None)
        calls = sum(run.metrics.cost.calls for run in collected.runs)
        cards += [(whole(calls), "card_calls", ""), (dollars(total), "card_cost", "")]
    return cards


def _best(runs: tuple[MeasuredRun, ...], family: Family | None) -> tuple[str, FamilyScores] | None:
    if family is None:
        return None
    scored = [(run.name, run.metrics.tuples[family]) for run in runs if family in run.metrics.tuples]
    return max(scored, key=lambda pair: pair[1].final.micro.f1, default=None)


def _results(collected: Collected, family: Family | None) -> str:
    if family is None:
        return ""
    charts = figures.score_figure(collected, family) + figures.budget_figure(collected, family)
    shown = html_table(result_tables.main_table(collected, family)) + f'<div class="charts">{charts}</div>'
    others = [one for run in collected.evaluated for one in run.metrics.tuples if one != family]
    more = _tables(result_tables.families_table(collected))
    more += "".join(html_table(result_tables.main_table(collected, one)) for one in dict.fromkeys(others))
    return shown + (_folded("other_families", more) if others else "")


def _review(collected: Collected, family: Family | None) -> str:
    charts = figures.funnel_figures(collected)
    shown = _tables(review_tables.funnel_table(collected))
    shown += f'<div class="charts">{charts}</div>' if charts else ""
    if family is not None:
        shown += _tables(review_tables.correction_table(collected, family))
    more = _tables(review_tables.skips_table(collected))
    return shown + _tables(review_tables.overrides_table(collected)) + _folded("more_detail", more)


def _rules(collected: Collected, family: Family | None) -> str:
    if family is None:
        return ""
    reasons = _tables(review_tables.rules_table(collected, family, by_reason=True))
    return _tables(review_tables.rules_table(collected, family)) + _folded("by_reason", reasons)


def _breakdowns(collected: Collected, family: Family | None) -> str:
    if family is None:
        return ""
    tables = result_tables.subset_tables(collected, family)
    first, others = tables[:2], tables[2:]
    shown = _tables(*first[:1]) + figures.polarity_figure(collected, family) + _tables(*first[1:])
    return shown + _tables(*others)
