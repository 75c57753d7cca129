"""The debate in full: who proposed what, how the judge closed it, and what happened to every change."""

from __future__ import annotations

from rich.console import RenderableType
from rich.text import Text

from samsim.cli.result_view.labels import Labels
from samsim.cli.result_view.style import Look, cell, indented, joined, section
from samsim.schemas.code_names import DROP, EDIT, EDIT_REFUSAL, MODERATOR, PERSONA, REJECT, SKIP
from samsim.schemas.protocol_debate import DebateRecord, Edit, EditOp, EVRecord, OverrideDecision
from samsim.schemas.results import CallRecord, SampleResult


def debate_view(result: SampleResult, look: Look) -> list[RenderableType]:
    """Return the turns and their outcome; an empty list for other protocols."""
    if result.debate is None:
        return []
    return [*_turns(result.debate, result.calls, look), *_outcome(result.debate, look)]


def _turns(debate: DebateRecord, calls: list[CallRecord], look: Look) -> list[RenderableType]:
    labels = look.labels
    rows: list[RenderableType] = [
        cell(labels("dropped_aspect", term=drop.aspect_term, why=labels.code(DROP, drop.reason)), "yellow")
        for drop in debate.drops
    ]
    rows += [
        joined([cell("VALIDATOR", "bold cyan"), cell(risk.tuple_id, "bold"), cell(risk.description)])
        for risk in debate.structural_risks
    ]
    introduced: set[str] = set()
    problems = {call.agent: call.problem for call in calls if call.problem is not None}
    for turn in debate.turns:
        heading = cell(labels("turn", persona=turn.persona, round=turn.round), "bold cyan")
        task = "" if turn.persona in introduced else f"({labels.code(PERSONA, turn.persona)})"
        introduced.add(turn.persona)
        rows.append(joined([heading, cell(task, "dim")]))
        if not turn.answered:
            rows.append(indented(cell(labels("no_answer", problem=problems.get(turn.persona, "")), "red")))
        elif not turn.proposed_edits:
            rows.append(indented(Text(labels("nothing_said"), style="dim italic")))
        rows += [indented(_edit(edit, look)) for edit in turn.proposed_edits]
    if debate.judge is not None:
        rows.append(cell("JUDGE", "bold cyan"))
        rows += [indented(_edit(op, look, op.change_id)) for op in debate.judge.final_patch]
        if not debate.judge.final_patch:
            rows.append(indented(Text(labels("empty_patch"), style="dim italic")))
        for conflict in debate.judge.unresolved_conflicts:
            words = labels("left_open", tuples=", ".join(conflict.tuple_ids), issue=conflict.issue)
            rows.append(indented(cell(words, "yellow")))
        if debate.judge.rationale:
            rows.append(indented(cell(debate.judge.rationale)))
    for refusal in debate.refusals:
        words = labels(
            "refused_edit",
            actor=refusal.actor,
            op=refusal.op,
            tuple=refusal.target_tuple_id,
            why=labels.code(EDIT_REFUSAL, refusal.reason),
        )
        rows.append(cell(words, "red"))
    return section(labels("debate"), *(rows or [Text(labels("no_debate"), style="dim")]))


def _edit(edit: Edit, look: Look, change_id: str = "") -> Text:
    """Return an edit on one line: tuple, operation, new value, confidence and quoted words."""
    return joined(
        [
            cell(change_id, "bold"),
            cell(edit.target_tuple_id, "dim"),
            cell(edit_words(edit.op, edit.value, look.labels), "bold"),
            cell(f"({edit.confidence:.2f})", "dim"),
            cell(f"“{edit.evidence}”" if edit.evidence else ""),
        ]
    )


def edit_words(op: EditOp, value: str, labels: Labels) -> str:
    """Return what an edit does, with its new value in words."""
    shown = labels.polarity(value) if op == "set_polarity" else value
    return f"{labels.code(EDIT, op)} → {shown}" if shown else labels.code(EDIT, op)


def _outcome(debate: DebateRecord, look: Look) -> list[RenderableType]:
    labels = look.labels
    rows: list[RenderableType] = []
    decisions = {decision.change_id: decision for decision in debate.overrides}
    if debate.stage2 is not None:
        for change in debate.stage2.accepted_changes:
            decision = decisions.get(change.change_id)
            became = _became(decision, look) if decision is not None else Text()
            rows += [joined([cell(change.change_id, "bold"), became]), indented(cell(change.reasoning))]
        for rejected in debate.stage2.rejected_changes:
            why = cell(labels.code(REJECT, rejected.reason), "yellow")
            rows += [joined([cell(rejected.change_id, "bold"), why]), indented(cell(rejected.reasoning))]
        if debate.stage2.unknown_changes:
            rows.append(cell(labels("unknown_changes", ids=", ".join(debate.stage2.unknown_changes)), "red"))
    if debate.ev is not None:
        rows.append(_value(debate.ev, look))
    moderator = debate.moderator
    label = labels("no_label") if moderator.label is None else labels.polarity(moderator.label)
    rows.append(Text(labels("moderator", label=label, confidence=f"{moderator.confidence:.2f}"), style="bold"))
    rows += [indented(cell(f"{labels.code(MODERATOR, rule)} ({rule})")) for rule in moderator.rules]
    return section(labels("outcome"), *rows)


def _became(decision: OverrideDecision, look: Look) -> Text:
    labels = look.labels
    given = decision.signal
    signal = Text(f"({labels('signal', support=f'{given.support:.2f}', against=f'{given.against:.2f}')})", style="dim")
    if decision.skip_reason is None:
        return joined([Text(labels("applied"), style="bold green"), signal])
    words = labels("skipped", why=labels.code(SKIP, decision.skip_reason))
    return joined([cell(words, "yellow"), signal])


def _value(ev: EVRecord, look: Look) -> Text:
    numbers = {name: f"{value:.2f}" for name, value in dict(ev).items() if name != "passed"}
    return Text(look.labels("expected_value", **numbers), style="" if ev.passed else "yellow", overflow="fold")
