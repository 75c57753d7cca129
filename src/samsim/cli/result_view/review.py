"""The review: what was flagged, who voted for what, which rule decided, and what the other version would decide."""

from __future__ import annotations

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from samsim.cli.result_view.stage1 import candidate_words
from samsim.cli.result_view.style import Look, aspect_words, breakable, cell, indented, joined, lines, section, sign
from samsim.cli.result_view.verdicts import (
    action_words,
    decided_action,
    other_decisions,
    other_version_of,
    outcome,
    rule_in_words,
)
from samsim.schemas.code_names import CONFLICT, REFUSAL, RISK, SEVERITY
from samsim.schemas.protocol_conflict_review import AGENTS, Agent, ArbiterDecision, Candidate, Refusal
from samsim.schemas.protocols import is_conflict_review
from samsim.schemas.results import SampleResult


def doubts_view(result: SampleResult, look: Look) -> list[RenderableType]:
    """Return the conflict flags and validator risks in plain words, with their tuples."""
    labels = look.labels
    rows = []
    for flag in result.conflict_flags:
        about = " · ".join(part for part in (flag.aspect_ref, flag.aspect_term) if part)
        words = labels.code(CONFLICT, flag.conflict_type)
        rows.append(_doubt(flag.tuple_ids, labels("conflict"), "bold yellow", words, about, flag.conflict_type))
    for risk in result.validator_risks:
        kind = labels("doubt", severity=labels.code(SEVERITY, risk.severity))
        words = labels.code(RISK, risk.risk_type)
        rows.append(_doubt([risk.tuple_id], kind, "yellow", words, "", risk.risk_type))
    none = "no_doubts" if is_conflict_review(result.protocol) else "no_doubts_other"
    return section(labels("doubts"), *(rows or [Text(labels(none), style="dim")]))


def _doubt(tuple_ids: list[str], kind: str, style: str, words: str, about: str, code: str) -> Text:
    where = cell(f"[{about}]", "cyan") if about else Text()
    return joined([cell(", ".join(tuple_ids), "bold"), Text(kind, style=style), Text(words), where, cell(code, "dim")])


def votes_view(result: SampleResult, look: Look) -> list[RenderableType]:
    """Return the vote matrix: one row (or block) for each reviewed tuple."""
    labels = look.labels
    decisions = result.arbiter_decisions
    if not decisions:
        loose = [_refusal(refusal, look, with_id=True) for refusal in result.refusals]
        return section(labels("votes"), Text(labels("no_votes"), style="dim"), *loose, *_silent(result, look))
    reader = _VotesReader(result, look)
    body = reader.table() if look.matrix else Group(*(reader.block(decision) for decision in decisions))
    decided = {decision.tuple_id for decision in decisions}
    strays = [_refusal(refusal, look, with_id=True) for refusal in result.refusals if refusal.tuple_id not in decided]
    footnote = Text(labels("same_votes", version=other_version_of(result)), style="dim")
    return section(labels("votes"), body, *strays, *_silent(result, look), footnote)


class _VotesReader:
    """The cells of the vote matrix of one result."""

    def __init__(self, result: SampleResult, look: Look) -> None:
        self._result = result
        self._look = look
        self._labels = look.labels
        self._others = other_decisions(result)
        self._version = other_version_of(result)
        self._candidates: dict[str, Candidate] = {found.tuple_id: found for found in result.stage1_tuples}

    def table(self) -> Table:
        """Return the matrix for a wide terminal."""
        table = Table(box=box.SIMPLE_HEAD, expand=True, show_edge=False, show_lines=True, padding=(0, 1))
        table.add_column(self._labels("tuple"), ratio=3, overflow="fold")
        for agent in AGENTS:
            table.add_column(agent, ratio=3, min_width=12, overflow="fold")
        table.add_column(self._labels("rule"), ratio=5, overflow="fold")
        table.add_column(self._labels("other_version", version=self._version), ratio=3, overflow="fold")
        for decision in self._result.arbiter_decisions:
            votes = [self._vote(decision, agent, narrow=True) for agent in AGENTS]
            verdict, other = self._verdict(decision, narrow=True), self._other(decision, narrow=True)
            table.add_row(self._tuple(decision), *votes, verdict, other)
        return table

    def block(self, decision: ArbiterDecision) -> Group:
        """Return one tuple for a narrow terminal."""
        found = self._candidates.get(decision.tuple_id)
        title = candidate_words(found, self._look) if found else cell(decision.tuple_id)
        title.stylize("bold")
        votes = [Text(f"{agent}  ", style="cyan").append_text(self._vote(decision, agent)) for agent in AGENTS]
        other = self._labels("other_version", version=self._version)
        verdict = joined([Text(f"{other}:"), self._other(decision)])
        return Group(title, indented(lines([*votes, self._verdict(decision), verdict])), Text())

    def _tuple(self, decision: ArbiterDecision) -> Text:
        found = self._candidates.get(decision.tuple_id)
        if found is None:
            return cell(decision.tuple_id, "bold")
        head = [cell(found.tuple_id, "bold"), sign(found.polarity), aspect_words(found.aspect_term, self._labels)]
        return lines([joined(head), cell(found.aspect_ref, "cyan")])

    def _vote(self, decision: ArbiterDecision, agent: Agent, *, narrow: bool = False) -> Text:
        put = lines if narrow else joined
        if agent in decision.implicit:
            return Text(f"({self._labels('implicit_vote')})", style="dim italic", overflow="fold")
        vote = decision.votes[agent]
        style = "bold yellow" if agent in decision.dissent else "bold"
        parts = [Text(action_words(vote.action, vote.polarity), style=style)]
        if vote.reason_code:
            parts.append(breakable(vote.reason_code) if narrow else cell(vote.reason_code))
        if vote.action != vote.counted_as:
            parts.append(Text(f"({self._labels('merge_vote')})", style="dim italic"))
        return put(parts)

    def _verdict(self, decision: ArbiterDecision, *, narrow: bool = False) -> Text:
        inputs = [breakable(kind, 21) if narrow else cell(kind) for kind in decision.conflict_types]
        for kind in inputs:
            kind.stylize("dim")
        if decision.reason_code is not None:
            inputs.append(cell(f"{self._labels('because')}: {self._labels.reason(decision.reason_code)}", "dim"))
        refusals = [refusal for refusal in self._result.refusals if refusal.tuple_id == decision.tuple_id]
        notes = [_refusal(refusal, self._look) for refusal in refusals]
        return lines([Text(rule_in_words(decision, self._labels), style="bold"), *inputs, *notes])

    def _other(self, decision: ArbiterDecision, *, narrow: bool = False) -> Text:
        put = lines if narrow else joined
        other = self._others.get(decision.tuple_id)
        differs = outcome(decision) != outcome(other)
        if other is None:
            words = Text(self._labels("not_reviewed"))
        elif not differs and other.reason_code == decision.reason_code:
            return Text(self._labels("same"), style="dim")
        else:
            code = other.reason_code or ""
            words = put([Text(decided_action(other)), breakable(code) if narrow else cell(code)])
        if not differs:
            return words
        words.stylize("bold")
        return put([Text(f"≠ {self._labels('differs')}", style="bold reverse"), words])


def _refusal(refusal: Refusal, look: Look, *, with_id: bool = False) -> Text:
    words = look.labels(
        "refused",
        actor=refusal.actor,
        action=refusal.claimed_action,
        why=look.labels.code(REFUSAL, refusal.reason),
    )
    # An action may name no tuple at all.
    return cell(f"{refusal.tuple_id}: {words}" if with_id and refusal.tuple_id else words, "red")


def _silent(result: SampleResult, look: Look) -> list[Text]:
    """Return the reviewers that gave no answer, which is why their votes are implicit."""
    return [
        cell(look.labels("silent", agent=call.agent, problem=call.problem), "red")
        for call in result.calls
        if call.stage != "stage1" and call.problem is not None
    ]
