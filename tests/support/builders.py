"""Short ways to write the records a test is about; whatever a test does not name gets a harmless value."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Any

from samsim.schemas.analysis import Cue, CueKind, Language, Offsets, PolarityWord, TextAnalysis, Token
from samsim.schemas.protocol_conflict_review import (
    Agent,
    ArbiterDecision,
    ASTETripletItem,
    Candidate,
    CastVote,
    ConflictFlag,
    ConflictType,
    DecidedAction,
    ReviewActionItem,
    RiskType,
    Span,
    ValidatorRisk,
)


def nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def nfd(text: str) -> str:
    return unicodedata.normalize("NFD", text)


def triplet(term: str = "", polarity: str = "positive", **fields: Any) -> ASTETripletItem:
    return ASTETripletItem.model_validate({"aspect_term": term, "polarity": polarity, **fields})


def candidate(
    tuple_id: str = "t0", term: str = "사용감", ref: str = "", polarity: str = "positive", **fields: Any
) -> Candidate:
    given = {"tuple_id": tuple_id, "aspect_term": term, "aspect_ref": ref, "polarity": polarity, "origin_agent": "A"}
    return Candidate.model_validate({**given, **fields})


def action(
    kind: str, *tuple_ids: str, reason: str = "KEEP_BEST_SUPPORTED", actor: Agent | None = None, **new_value: Any
) -> ReviewActionItem:
    """A reviewer's proposal; keyword arguments become its ``new_value``."""
    return ReviewActionItem.model_validate(
        {
            "action_type": kind,
            "target_tuple_ids": list(tuple_ids),
            "new_value": new_value or None,
            "reason_code": reason,
            "actor": actor,
        }
    )


def flip(tuple_id: str, polarity: str, reason: str = "NEGATION_SCOPE") -> ReviewActionItem:
    return action("FLIP", tuple_id, reason=reason, polarity=polarity)


def conflict(*tuple_ids: str, kind: ConflictType = "ref_polarity_mismatch") -> ConflictFlag:
    return ConflictFlag(tuple_ids=list(tuple_ids), conflict_type=kind)


def risk(tuple_id: str, risk_type: RiskType = "TERM_NOT_IN_TEXT") -> ValidatorRisk:
    return ValidatorRisk(tuple_id=tuple_id, risk_type=risk_type, severity="mid", description="doubtful")


def decision(
    tuple_id: str, kind: DecidedAction, reason: str | None = None, polarity: str | None = None
) -> ArbiterDecision:
    """A decision as the arbiter would record it; apply reads the action, the reason and the new value only."""
    keep = CastVote(action="KEEP", counted_as="KEEP", reason_code=None)
    return ArbiterDecision(
        tuple_id=tuple_id,
        action=kind,
        reason_code=reason,
        new_value={"polarity": polarity} if polarity is not None else None,
        rule="1",
        votes={"A": keep, "B": keep, "C": keep},
        implicit=[],
        dissent=[],
        conflict_types=[],
    )


def place(text: str, piece: str) -> Offsets:
    """Where the piece stands for the first time; a test that misspells it fails here."""
    start = text.index(piece)
    return start, start + len(piece)


def span_of(text: str, piece: str) -> Span:
    start, end = place(text, piece)
    return Span(start=start, end=end)


def analysis(
    text: str,
    *,
    language: Language = "ko",
    tokens: Iterable[Token] = (),
    cues: Iterable[Cue] = (),
    words: Iterable[PolarityWord] = (),
) -> TextAnalysis:
    """An analysis written by hand: only what the test says was found."""
    everything = (0, len(text))
    return TextAnalysis(text, language, tuple(tokens), (everything,), (everything,), tuple(cues), tuple(words))


def token(text: str, piece: str, tag: str) -> Token:
    start, end = place(text, piece)
    return Token(start=start, end=end, form=piece, lemma=piece, tag=tag)


def word(text: str, piece: str, prior: float, *, negated: bool = False) -> PolarityWord:
    start, end = place(text, piece)
    return PolarityWord(start=start, end=end, lemma=piece, prior=prior, negated=negated)


def cue(text: str, kind: CueKind, marker: str, *scopes: str) -> Cue:
    """A cue at its marker; an empty scope is the empty span right behind the marker."""
    start, end = place(text, marker)
    return Cue(kind, marker, start, end, tuple(place(text, scope) if scope else (end, end) for scope in scopes))
