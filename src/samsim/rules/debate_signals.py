"""Support for a change: the personas' current edits for it and against it (spec 3 §5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from samsim.rules.debate_edits import contradicts, tuples_of
from samsim.schemas.protocol_debate import PERSONAS, DebateTurn, Edit, EditOp, PatchOp, Persona, Signal

# The ops that a persona's confirmation of a tuple opposes: each confirms its own field, CJ the whole tuple.
CONFIRMED_AGAINST: Mapping[Persona, frozenset[EditOp]] = {
    "EPM": frozenset({"set_polarity", "drop_tuple"}),
    "TAN": frozenset({"set_aspect_ref", "merge_tuples", "drop_tuple"}),
    "CJ": frozenset({"set_polarity", "set_aspect_ref", "merge_tuples", "drop_tuple"}),
}


def speaks_against(persona: Persona, edit: Edit, change: Edit) -> bool:
    """Return whether a persona that maintains ``edit`` opposes ``change``."""
    if edit.op == "confirm_tuple":
        return edit.target_tuple_id == change.target_tuple_id and change.op in CONFIRMED_AGAINST[persona]
    return contradicts(edit, change)


class _Position:
    """One persona's position: its latest edit per tuple and op, minus those it has withdrawn."""

    def __init__(self, persona: Persona) -> None:
        self._persona = persona
        self._standing: dict[tuple[str, EditOp], Edit] = {}
        self._about: dict[str, dict[tuple[str, EditOp], Edit]] = {}

    def hear(self, turn: DebateTurn) -> None:
        """Update the position with a later turn: its edits replace earlier ones on the same tuple and op."""
        for edit in turn.proposed_edits:
            for old in self.near(edit):
                if _place(old) == _place(edit) or self._took_back(old, edit):
                    self._forget(old)
        for edit in turn.proposed_edits:
            self._standing[_place(edit)] = edit
            for tuple_id in tuples_of(edit):
                self._about.setdefault(tuple_id, {})[_place(edit)] = edit

    def near(self, change: Edit) -> list[Edit]:
        """Return the current edits about the tuples of a change."""
        return [edit for tuple_id in tuples_of(change) for edit in self._about.get(tuple_id, {}).values()]

    def edits(self) -> list[Edit]:
        """Return all current edits of the persona."""
        return list(self._standing.values())

    def _took_back(self, old: Edit, edit: Edit) -> bool:
        confirmation, other = (edit, old) if edit.op == "confirm_tuple" else (old, edit)
        return speaks_against(self._persona, confirmation, other)

    def _forget(self, old: Edit) -> None:
        self._standing.pop(_place(old), None)
        for tuple_id in tuples_of(old):
            self._about[tuple_id].pop(_place(old), None)


def _place(edit: Edit) -> tuple[str, EditOp]:
    return edit.target_tuple_id, edit.op


class LastWords:
    """Each persona's position after all rounds; silence or a missing answer in a later round withdraws nothing."""

    def __init__(self, turns: Sequence[DebateTurn]) -> None:
        self._positions: dict[Persona, _Position] = {persona: _Position(persona) for persona in PERSONAS}
        for turn in turns:
            self._positions[turn.persona].hear(turn)
        self.edits: list[Edit] = [edit for position in self._positions.values() for edit in position.edits()]

    def signal_of(self, change: Edit) -> Signal:
        """Return the confidences for a change (the same edit) and against it (``speaks_against``)."""
        support = against = 0.0
        supporters: list[Persona] = []
        for persona, position in self._positions.items():
            near = position.near(change)
            mine = [edit.confidence for edit in near if edit.key == change.key]
            if mine:
                support += max(mine)
                supporters.append(persona)
            else:
                opposed = (edit.confidence for edit in near if speaks_against(persona, edit, change))
                against += max(opposed, default=0.0)
        return Signal(support=round(support, 6), against=round(against, 6), supporters=supporters)

    def quotations_for(self, change: Edit) -> list[str]:
        """Return the evidence that supporters of the change quote for it."""
        near = (edit for position in self._positions.values() for edit in position.near(change))
        return [edit.evidence for edit in near if edit.key == change.key]


def number_patch(edits: Sequence[Edit], words: LastWords) -> list[PatchOp]:
    """Return the judge's ops as changes c0, c1, …; one without evidence takes that of its most confident supporter."""
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
