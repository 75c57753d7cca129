"""Who stands behind a change: the personas' last words for it and against it (spec 3 §5)."""

from __future__ import annotations

from collections.abc import Sequence

from samsim.rules.debate_edits import contradicts, tuples_of
from samsim.schemas.protocol_debate import PERSONAS, DebateTurn, Edit, PatchOp, Persona, Signal


class LastWords:
    """Each persona's last turn in which it answered; later rounds replace earlier ones."""

    def __init__(self, turns: Sequence[DebateTurn]) -> None:
        spoken = {turn.persona: turn.proposed_edits for turn in turns if turn.answered}
        self.edits: list[Edit] = [edit for persona in PERSONAS for edit in spoken.get(persona, ())]
        self._about: dict[Persona, dict[str, list[Edit]]] = {}
        for persona in PERSONAS:
            by_tuple: dict[str, list[Edit]] = {}
            for edit in spoken.get(persona, ()):
                for tuple_id in tuples_of(edit):
                    by_tuple.setdefault(tuple_id, []).append(edit)
            self._about[persona] = by_tuple

    def signal_of(self, change: Edit) -> Signal:
        """The confidences for a change and against it.

        For: the same edit. Against: an edit that contradicts it, a confirmation of the tuple included.
        """
        support = against = 0.0
        supporters: list[Persona] = []
        for persona, by_tuple in self._about.items():
            near = [edit for tuple_id in tuples_of(change) for edit in by_tuple.get(tuple_id, ())]
            mine = [edit.confidence for edit in near if edit.key == change.key]
            if mine:
                support += max(mine)
                supporters.append(persona)
            else:
                against += max((edit.confidence for edit in near if contradicts(edit, change)), default=0.0)
        return Signal(support=round(support, 6), against=round(against, 6), supporters=supporters)


def number_patch(edits: Sequence[Edit], words: LastWords) -> list[PatchOp]:
    """The judge's ops as changes c0, c1, …; one without evidence takes that of its surest supporter."""
    surest: dict[object, Edit] = {}
    for edit in words.edits:
        known = surest.get(edit.key)
        if edit.evidence and (known is None or edit.confidence > known.confidence):
            surest[edit.key] = edit
    return [
        PatchOp(
            **{**dict(edit), "evidence": edit.evidence or surest.get(edit.key, edit).evidence},
            change_id=f"c{number}",
        )
        for number, edit in enumerate(edits)
    ]
