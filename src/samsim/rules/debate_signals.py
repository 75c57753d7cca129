"""Who stands behind a change: the personas' last words for it and against it (spec 3 §5)."""

from __future__ import annotations

from collections.abc import Sequence

from samsim.rules.debate_edits import contradicts
from samsim.schemas.protocol_debate import PERSONAS, DebateTurn, Edit, PatchOp, Persona, Signal


def last_words(turns: Sequence[DebateTurn]) -> dict[Persona, DebateTurn]:
    """Each persona's last turn in which it answered: later rounds replace earlier ones."""
    spoken = {turn.persona: turn for turn in turns if turn.answered}
    return {persona: spoken[persona] for persona in PERSONAS if persona in spoken}


def signal_of(change: Edit, turns: Sequence[DebateTurn]) -> Signal:
    """The personas' confidences for a change and against it.

    For: the same edit. Against: an edit of the same tuple that contradicts it, a confirmation included.
    """
    support = against = 0.0
    supporters: list[Persona] = []
    for persona, turn in last_words(turns).items():
        mine = [edit.confidence for edit in turn.proposed_edits if edit.key == change.key]
        if mine:
            support += max(mine)
            supporters.append(persona)
            continue
        against += max((edit.confidence for edit in turn.proposed_edits if contradicts(edit, change)), default=0.0)
    return Signal(support=round(support, 6), against=round(against, 6), supporters=supporters)


def number_patch(edits: Sequence[Edit], turns: Sequence[DebateTurn]) -> list[PatchOp]:
    """The judge's ops as changes c0, c1, …; one without evidence takes that of its surest supporter."""
    said = [edit for turn in last_words(turns).values() for edit in turn.proposed_edits if edit.evidence]
    patch = []
    for number, edit in enumerate(edits):
        supporting = [other for other in said if other.key == edit.key]
        surest = max(supporting, key=lambda other: other.confidence, default=edit)
        patch.append(PatchOp(**{**dict(edit), "evidence": edit.evidence or surest.evidence}, change_id=f"c{number}"))
    return patch
