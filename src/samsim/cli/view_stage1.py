"""What each perspective found, side by side; stacked where the terminal is narrow."""

from __future__ import annotations

from collections.abc import Iterable

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from samsim.cli.label_codes import PERSPECTIVE
from samsim.cli.view_style import Look, aspect_words, cell, indented, joined, lines, section, sign
from samsim.schemas.protocol_conflict_review import AGENTS, Agent, Candidate
from samsim.schemas.results import SampleResult


def stage1_view(result: SampleResult, look: Look) -> list[RenderableType]:
    """The three perspectives with their tuples."""
    columns = {agent: _column(result, agent, look) for agent in AGENTS}
    headings = {agent: Text(look.labels.code(PERSPECTIVE, agent), style="bold cyan") for agent in AGENTS}
    if not look.wide:
        stacked: Iterable[RenderableType] = (
            part for agent in AGENTS for part in (headings[agent], indented(columns[agent]))
        )
        return section(look.labels("stage1"), *stacked)
    table = Table(box=box.SIMPLE_HEAD, expand=True, padding=(0, 1), show_edge=False)
    for agent in AGENTS:
        table.add_column(headings[agent], ratio=1, overflow="fold")
    table.add_row(*columns.values())
    return section(look.labels("stage1"), table)


def candidate_words(found: Candidate, look: Look) -> Text:
    """A tuple in one line: id, sign, aspect, ref."""
    ref = cell(found.aspect_ref, "cyan")
    return joined(
        [cell(found.tuple_id, "dim"), sign(found.polarity), aspect_words(found.aspect_term, look.labels), ref]
    )


def opinion_words(found: Candidate) -> str:
    """The opinion as quoted from the text; in dictionary form it says little without those words."""
    opinion, evidence = found.opinion_term, found.evidence
    if opinion and evidence and opinion not in evidence:
        return f"{opinion} “{evidence}”"
    return f"“{opinion or evidence}”" if opinion or evidence else ""


def _column(result: SampleResult, agent: Agent, look: Look) -> Text:
    found = [candidate for candidate in result.stage1_tuples if candidate.origin_agent == agent]
    parts = [part for candidate in found for part in _tuple_lines(candidate, look)]
    notes = _call_notes(result, agent, look)
    if not parts and not notes:
        parts = [Text(look.labels("nothing_found"), style="dim italic")]
    return lines([*parts, *notes])


def _tuple_lines(found: Candidate, look: Look) -> list[Text]:
    quote = opinion_words(found)
    return [candidate_words(found, look), Text("   ").append_text(cell(quote)) if quote else Text()]


def _call_notes(result: SampleResult, agent: Agent, look: Look) -> list[Text]:
    notes = []
    for call in result.calls:
        if call.agent != agent or call.stage != "stage1":
            continue
        if call.problem is not None:
            notes.append(cell(look.labels("no_answer", problem=call.problem), "red"))
        if call.rejected:
            notes.append(cell(look.labels("rejected", count=len(call.rejected)), "yellow"))
    return notes
