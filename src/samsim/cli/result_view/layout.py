"""The terminal view of one result: compact, or with every step for ``--explain``."""

from __future__ import annotations

from collections import Counter

from rich.console import Group, RenderableType
from rich.text import Text

from samsim.cli.console import literal_console
from samsim.cli.result_view.debate import debate_view
from samsim.cli.result_view.final import final_view
from samsim.cli.result_view.labels import Labels
from samsim.cli.result_view.memory import memory_view
from samsim.cli.result_view.review import doubts_view, votes_view
from samsim.cli.result_view.stage1 import stage1_view
from samsim.cli.result_view.style import Look, cell, joined
from samsim.cli.result_view.text import legend, text_view
from samsim.schemas.code_names import LANGUAGE, PERSPECTIVE, STAGE, Ui
from samsim.schemas.protocols import draws_of, is_conflict_review
from samsim.schemas.results import SampleResult


def show(result: SampleResult, *, explain: bool, ui: Ui) -> None:
    """Print the view to stdout, in color if the terminal supports it."""
    console = literal_console()
    console.print(build_view(result, Look(Labels(ui), console.width, console.plain), explain=explain))


def build_view(result: SampleResult, look: Look, *, explain: bool) -> Group:
    """Return the view as a rich renderable."""
    parts: list[RenderableType] = [_header(result, look), *_missing(result, look), Text(), text_view(result, look)]
    if result.final_tuples:
        parts.append(legend(look))
    parts.append(Text())
    if explain:
        parts += [*stage1_view(result, look), *doubts_view(result, look)]
        parts += memory_view(result.memory, look)
        if is_conflict_review(result.protocol):
            parts += votes_view(result, look)
        parts += debate_view(result, look)
    parts += final_view(result, look, explain=explain)
    hint = _hint(result)
    if hint and not explain and result.stage1_tuples:
        parts.append(Text(look.labels(hint), style="dim"))
    return Group(*parts)


def _missing(result: SampleResult, look: Look) -> list[Text]:
    """Return a line per answer that the result had to do without; equal ones, as of several draws, are counted."""
    labels = look.labels
    said = Counter((call.agent, call.stage, call.problem) for call in result.missing_calls)
    return [
        cell(
            labels(
                "partial",
                agent=labels.code(PERSPECTIVE, agent),
                stage=labels.code(STAGE, stage),
                problem=problem,
                times=f" (×{count})" if count > 1 else "",
            ),
            "bold red",
        )
        for (agent, stage, problem), count in said.items()
    ]


def _hint(result: SampleResult) -> str:
    """Return the label that says what ``--explain`` adds; empty if the protocol decides nothing after Stage 1."""
    if is_conflict_review(result.protocol):
        return "more"
    if draws_of(result.protocol) is not None:
        return "more_draws"
    return "more_debate" if result.debate is not None else ""


def _header(result: SampleResult, look: Look) -> Text:
    labels = look.labels
    facts = [
        labels.code(LANGUAGE, result.language),
        f"{labels('protocol')} {result.protocol}",
        f"{labels('taxonomy')} {result.taxonomy}",
    ]
    return joined([Text("samsim", style="bold"), *(cell(fact) for fact in facts)], " · ")
