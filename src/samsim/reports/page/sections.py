"""The sections of the page; an empty one says that there is nothing to show."""

from __future__ import annotations

from dataclasses import replace
from html import escape

from samsim.reports.codes import FAMILY, named
from samsim.reports.collecting import Collected, MeasuredRun
from samsim.reports.figures import charts
from samsim.reports.figures.budget import budget_figure
from samsim.reports.numbers import percent
from samsim.reports.page.summary_cards import Card, summary_cards
from samsim.reports.scored import has_repeats
from samsim.reports.tables import measures, results, review, subsets
from samsim.reports.tables.formats import page_table, page_text
from samsim.reports.tables.model import Table, filled
from samsim.reports.tables.provenance import failed_checks, runs_table, sanity_table
from samsim.reports.tables.run_rows import primary_of
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


# A longer table is folded, to be opened on demand.
_LONG = 12
_FIRST_BREAKDOWNS = ("subset-polarity", "subset-aspect")


def words(key: str, **values: object) -> str:
    """Return a sentence of the page in both languages."""
    return page_text(filled(PAGE[key], **values))


def banners(collected: Collected) -> str:
    """Return the warnings that a reader must see before the numbers."""
    parts = []
    if failed_checks(collected):
        checks = page_table(sanity_table(collected, only_failed=True))
        parts.append(f'<div class="banner red" role="alert"><b>{words("checks_failed")}</b>{checks}</div>')
    if collected.problems:
        items = "".join(
            f"<li><b>{escape(found.run)}</b>: {page_text(found.problem.words)}</li>" for found in collected.problems
        )
        parts.append(f'<div class="banner" role="status"><b>{words("problems")}</b><ul>{items}</ul></div>')
    lossy = [run for run in collected.runs if run.metrics.partial]
    if lossy:
        said = ((run.name, words("partial_run", **_partial_counts(run))) for run in lossy)
        items = "".join(f"<li><b>{escape(name)}</b>: {sentence}</li>" for name, sentence in said)
        parts.append(f'<div class="banner" role="status"><b>{words("partial")}</b><ul>{items}</ul></div>')
    return "".join(parts)


def _partial_counts(run: MeasuredRun) -> dict[str, int]:
    return {"count": run.metrics.partial, "total": run.metrics.samples}


def sections(collected: Collected) -> str:
    """Return everything between the banners and the samples."""
    family = primary_of(collected.evaluated)
    content = {
        "summary": _summary(collected, family),
        "results": _results(collected, family),
        "review": _review(collected, family),
        "rules": _rules(collected, family),
        "breakdowns": _breakdowns(collected, family),
        "risk_section": _risk(collected),
        "agreement": _tables(results.stability_table(collected), measures.agreement_table(collected)),
        "memory_section": _tables(measures.memory_table(collected), measures.memory_impact_table(collected)),
        "cost": _tables(measures.cost_table(collected)),
    }
    return "".join(_section(key, content[key]) for key in SECTIONS)


def provenance(collected: Collected) -> str:
    """Return the section on where the numbers come from."""
    checks = sum(len(run.metrics.sanity) for run in collected.runs)
    passed = ""
    if checks and not failed_checks(collected):
        passed = f'<p class="banner green">{words("checks_passed", count=checks)}</p>'
    folded = _folded("more_detail", page_table(sanity_table(collected))) if checks else ""
    runs = _folded("run_details", page_table(runs_table(collected)))
    return _section("provenance", passed + runs + folded)


def _section(key: str, content: str) -> str:
    shown = content or f'<p class="dim">{words("nothing_here")}</p>'
    return f'<section id="{key}"><h2>{words(key)}</h2>{shown}</section>'


def _tables(*tables: Table) -> str:
    return "".join(_table(table) for table in tables if not table.is_empty)


def _table(table: Table) -> str:
    """Return a table; a long one is folded under its caption."""
    if len(table.rows) <= _LONG:
        return page_table(table)
    return f"<details><summary>{page_text(table.caption)} ({len(table.rows)})</summary>{page_table(table)}</details>"


def _folded(key: str, content: str) -> str:
    return f"<details><summary>{words(key)}</summary>{content}</details>" if content else ""


def _summary(collected: Collected, family: Family | None) -> str:
    cards = "".join(map(_card, summary_cards(collected, family)))
    sentences = [words(_why_unscored(collected))]
    if family is not None:
        english, korean = named(FAMILY, family)
        pair = PAGE["family_is"]
        sentences = [page_text((pair[0].format(family=english), pair[1].format(family=korean))), *_ceilings(collected)]
    return f'<ul class="cards">{cards}</ul>' + "".join(f"<p>{sentence}</p>" for sentence in sentences)


def _why_unscored(collected: Collected) -> str:
    """Return the key of the sentence that says why there are no scores, if all runs have the same reason."""
    reasons = {run.metrics.unscored_reason for run in collected.evaluated}
    said = {"all_failed": "all_failed_here", "no_scorecards": "no_scorecards_here", "no_samples": "no_samples_here"}
    return said.get(str(reasons.pop()), "no_gold_here") if len(reasons) == 1 else "no_gold_here"


def _ceilings(collected: Collected) -> list[str]:
    """Return a sentence for each measure in which the gold itself does not reach 100, once for all runs."""
    found: dict[Family, str] = {}
    for run in collected.evaluated:
        for family, scores in run.metrics.tuples.items():
            if scores.unmatchable and scores.ceiling is not None and family not in found:
                values = {"count": scores.unmatchable, "family": family.replace("_", "-")}
                found[family] = words("ceiling_is", **values, value=percent(scores.ceiling))
    return list(found.values())


def _card(card: Card) -> str:
    extra = f'<span class="more">{page_text(card.more)}</span>' if card.more else ""
    return f'<li><b>{escape(card.value)}</b><span class="what">{words(card.what)}</span>{extra}</li>'


def _results(collected: Collected, family: Family | None) -> str:
    if family is None:
        return ""
    drawn = charts.score_figure(collected, family) + budget_figure(collected, family)
    shown = page_table(results.main_table(collected, family)) + f'<div class="charts">{drawn}</div>'
    if has_repeats(collected):
        shown += _folded("single_runs", page_table(results.main_table(collected, family, single=True)))
    others = [other for run in collected.evaluated for other in run.tuples if other != family]
    more = _tables(results.families_table(collected))
    # The notes would repeat those above.
    tables = (replace(results.main_table(collected, other), notes=()) for other in dict.fromkeys(others))
    more += "".join(map(page_table, tables))
    return shown + (_folded("other_families", more) if others else "")


def _review(collected: Collected, family: Family | None) -> str:
    chart = charts.funnel_figure(collected)
    shown = _tables(review.funnel_table(collected))
    shown += f'<div class="charts">{chart}</div>' if chart else ""
    if family is not None:
        shown += _tables(review.correction_table(collected, family))
    more = _tables(review.skips_table(collected))
    return shown + _tables(review.overrides_table(collected)) + _folded("more_detail", more)


def _risk(collected: Collected) -> str:
    shown = _tables(measures.risk_table(collected), measures.severity_table(collected))
    return shown + charts.risk_figure(collected) + _tables(measures.risk_tags_table(collected))


def _rules(collected: Collected, family: Family | None) -> str:
    if family is None:
        return ""
    reasons = _tables(review.rules_table(collected, family, by_reason=True))
    return _tables(review.rules_table(collected, family)) + _folded("by_reason", reasons)


def _breakdowns(collected: Collected, family: Family | None) -> str:
    if family is None:
        return ""
    tables = {table.key: table for table in subsets.subset_tables(collected, family)}
    first = [tables.pop(key) for key in _FIRST_BREAKDOWNS if key in tables]
    shown = charts.polarity_figure(collected, family) + _tables(*first)
    return shown + _folded("other_breakdowns", _tables(*tables.values()))
