"""What each reader of Stage 1 found; side by side on a wide terminal."""

from __future__ import annotations

from collections.abc import Iterable

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from samsim.cli.result_view.style import Look, aspect_words, cell, indented, joined, lines, section, sign
from samsim.schemas.code_names import PERSPECTIVE
from samsim.schemas.protocol_conflict_review import AGENTS, Candidate
from samsim.schemas.protocols import draws_of
from samsim.schemas.results import CallRecord, SampleResult

_MOST_COLUMNS = 4


def readers_of(result: SampleResult) -> list[str]:
    """Return the readers of Stage 1: the perspectives, ATSA, the single call, or the draws S1, S2, …"""
    draws = draws_of(result.protocol)
    if draws is not None:
        return [f"S{number}" for number in range(1, draws + 1)]
    return {"debate": ["ATSA"], "single": ["SINGLE"]}.get(result.protocol, list(AGENTS))


def stage1_view(result: SampleResult, look: Look) -> list[RenderableType]:
    """Return the readers with the tuples they found."""
    readers = readers_of(result)
    columns = {reader: _column(result, reader, look) for reader in readers}
    headings = {reader: Text(_heading(reader, look), style="bold cyan") for reader in readers}
    title = look.labels("stage1" if readers == list(AGENTS) else "stage1_other")
    if not look.wide or len(readers) > _MOST_COLUMNS:
        stacked: Iterable[RenderableType] = (
            part for reader in readers for part in (headings[reader], indented(columns[reader]))
        )
        return section(title, *stacked)
    table = Table(box=box.SIMPLE_HEAD, expand=True, padding=(0, 1), show_edge=False)
    for reader in readers:
        table.add_column(headings[reader], ratio=1, overflow="fold")
    table.add_row(*columns.values())
    return section(title, table)


def _heading(reader: str, look: Look) -> str:
    if reader in PERSPECTIVE:
        return look.labels.code(PERSPECTIVE, reader)
    return look.labels("draw", number=reader.removeprefix("S"))


def candidate_words(found: Candidate, look: Look) -> Text:
    """Return a tuple on one line: id, sign, aspect, ref."""
    ref = cell(found.aspect_ref, "cyan")
    return joined(
        [cell(found.tuple_id, "dim"), sign(found.polarity), aspect_words(found.aspect_term, look.labels), ref]
    )


def opinion_words(found: Candidate) -> str:
    """Return the opinion in quotes; a dictionary form is followed by the words of the text, which say more."""
    opinion, evidence = found.opinion_term, found.evidence
    if opinion and evidence and opinion not in evidence:
        return f"{opinion} “{evidence}”"
    return f"“{opinion or evidence}”" if opinion or evidence else ""


def _column(result: SampleResult, reader: str, look: Look) -> Text:
    found = [candidate for candidate in result.stage1_tuples if candidate.origin_agent == reader]
    parts = [part for candidate in found for part in _tuple_lines(candidate, look)]
    notes = _call_notes(_calls_of(result, reader), look)
    if not parts and not notes:
        parts = [Text(look.labels("nothing_found"), style="dim italic")]
    return lines([*parts, *notes])


def _tuple_lines(found: Candidate, look: Look) -> list[Text]:
    quote = opinion_words(found)
    return [candidate_words(found, look), Text("   ").append_text(cell(quote)) if quote else Text()]


def _calls_of(result: SampleResult, reader: str) -> list[CallRecord]:
    """Return the reader's calls; draw N is the Nth call."""
    if draws_of(result.protocol) is not None:
        return result.calls[int(reader.removeprefix("S")) - 1 :][:1]
    return [call for call in result.calls if call.agent == reader and call.stage == "stage1"]


def _call_notes(calls: Iterable[CallRecord], look: Look) -> list[Text]:
    notes = []
    for call in calls:
        if call.problem is not None:
            notes.append(cell(look.labels("no_answer", problem=call.problem), "red"))
        if call.rejected:
            count = look.labels.count(len(call.rejected), "broken answer", "건")
            notes.append(cell(look.labels("rejected", count=count), "yellow"))
    return notes
