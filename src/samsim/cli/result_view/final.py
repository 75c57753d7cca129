"""The final tuples: what was contested, and what stayed uncertain and why."""

from __future__ import annotations

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from samsim.cli.result_view.debate import edit_words
from samsim.cli.result_view.labels import Labels
from samsim.cli.result_view.stage1 import candidate_words, opinion_words, readers_of
from samsim.cli.result_view.style import Look, aspect_words, cell, indented, joined, lines, polarity_words, section
from samsim.cli.result_view.verdicts import decided_action
from samsim.schemas.code_names import CONFLICT, RISK
from samsim.schemas.protocol_conflict_review import AGENTS
from samsim.schemas.results import FinalTuple, SampleResult


def final_view(result: SampleResult, look: Look, *, explain: bool) -> list[RenderableType]:
    """Return the final tuples as a table, or as blocks on a narrow terminal."""
    labels = look.labels
    if not result.final_tuples:
        return section(labels("final"), *_why_nothing(result, look))
    tail = [] if explain else _dropped(result, look)
    body = _table(result, look, explain=explain) if look.wide else _blocks(result, look, explain=explain)
    return section(labels("final"), body, *tail)


def _table(result: SampleResult, look: Look, *, explain: bool) -> Table:
    labels = look.labels
    table = Table(box=box.SIMPLE_HEAD, expand=True, show_edge=False, padding=(0, 1))
    for name in ("aspect", "ref", "opinion"):
        table.add_column(labels(name), ratio=3, overflow="fold")
    for name in ("polarity", "support"):
        table.add_column(labels(name), no_wrap=True)
    table.add_column(labels("uncertain" if explain else "contested"), ratio=5, overflow="fold")
    for final in result.final_tuples:
        table.add_row(
            aspect_words(final.aspect_term, labels),
            cell(final.aspect_ref, "cyan"),
            cell(_opinions(result, final)),
            polarity_words(final.polarity, labels),
            _support(result, final, look.labels),
            _last_column(result, final, look, explain=explain),
        )
    return table


def _blocks(result: SampleResult, look: Look, *, explain: bool) -> Group:
    labels = look.labels
    blocks: list[RenderableType] = []
    for final in result.final_tuples:
        polarity, ref = polarity_words(final.polarity, labels), cell(final.aspect_ref, "cyan")
        opinions = _opinions(result, final)
        details = [
            cell(f"{labels('opinion')}: {opinions}") if opinions else Text(),
            Text(f"{labels('support')}: ").append_text(_support(result, final, look.labels)),
        ]
        if note := _last_column(result, final, look, explain=explain):
            name = labels("uncertain" if explain else "contested")
            details.append(Text(f"{name}: ", style="yellow").append_text(joined(note.split("\n"), "; ")))
        heading = joined([polarity, aspect_words(final.aspect_term, labels), ref])
        blocks += [heading, indented(lines(details))]
    return Group(*blocks)


def _opinions(result: SampleResult, final: FinalTuple) -> str:
    """Return the distinct opinions behind the tuple, with the words of the text."""
    members = (found for found in result.final_tuples_post_review if found.tuple_id in final.tuple_ids)
    return ", ".join(quote for quote in dict.fromkeys(map(opinion_words, members)) if quote)


def _support(result: SampleResult, final: FinalTuple, labels: Labels) -> Text:
    """Return who found the tuple, each in a fixed position; if a debate changed it, who changed it."""
    changes = [
        override
        for override in (result.debate.overrides if result.debate is not None else ())
        if override.applied
        and override.op in ("set_polarity", "set_aspect_ref")
        and override.target_tuple_id in final.tuple_ids
    ]
    found = " ".join(reader if reader in final.support else "·" for reader in readers_of(result))
    if not changes:
        return Text(found)
    who = ", ".join(dict.fromkeys(persona for change in changes for persona in change.signal.supporters))
    changed = labels("changed_by", who=who)
    untouched = {*final.tuple_ids} - {change.target_tuple_id for change in changes}
    return Text(f"{found} + {changed}" if untouched else changed)


def _last_column(result: SampleResult, final: FinalTuple, look: Look, *, explain: bool) -> Text:
    uncertain = [cell(f"⚑ {look.labels.reason(reason)}", "yellow") for reason in final.flag_reasons]
    if final.flagged and not uncertain:
        uncertain = [Text(f"⚑ {look.labels('uncertain')}", style="yellow")]
    return lines(uncertain if explain else [*_contested(result, final, look), *uncertain])


def _contested(result: SampleResult, final: FinalTuple, look: Look) -> list[Text]:
    """Return the conflicts and doubts about the tuple, and what changed it, in a few words."""
    labels = look.labels
    ids = set(final.tuple_ids)
    conflicts = [labels.code(CONFLICT, flag.conflict_type) for flag in result.conflict_flags if ids & {*flag.tuple_ids}]
    doubts = [labels.code(RISK, risk.risk_type) for risk in result.validator_risks if risk.tuple_id in ids]
    changes = [
        f"{decision.tuple_id}: {decided_action(decision)}"
        for decision in result.arbiter_decisions
        if decision.tuple_id in ids and decision.action == "FLIP"
    ]
    edits = [
        f"{override.target_tuple_id}: {edit_words(override.op, override.value, labels)}"
        for override in (result.debate.overrides if result.debate is not None else ())
        if override.applied and override.target_tuple_id in ids
    ]
    return [cell(words) for words in dict.fromkeys([*conflicts, *doubts, *changes, *edits])]


def _dropped(result: SampleResult, look: Look) -> list[RenderableType]:
    surviving = {found.tuple_id for found in result.final_tuples_post_review}
    gone = [found for found in result.stage1_tuples if found.tuple_id not in surviving]
    if not gone:
        return []
    heading = Text(f"{look.labels('dropped')}:", style="dim")
    return [heading, *(indented(candidate_words(found, look)) for found in gone)]


def _why_nothing(result: SampleResult, look: Look) -> list[Text]:
    """Return why there are no tuples; lost calls are named at the top of the view."""
    labels = look.labels
    if result.stage1_tuples:
        why = [Text(labels("empty_dropped", count=labels.count(len(result.stage1_tuples), "candidate", "건")))]
    else:
        nobody = "empty_stage1" if readers_of(result) == list(AGENTS) else "empty_other"
        why = [] if result.missing_calls else [Text(labels(nobody))]
    return [Text(labels("empty"), style="bold"), *why]
