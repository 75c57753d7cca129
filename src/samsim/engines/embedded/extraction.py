"""What a perspective's extractor finds, before it becomes an ``ASTETripletItem``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from samsim.schemas.analysis import Offsets

Attribute = Literal["general", "price", "design", "quality", "convenience", "variety", "awareness"]
ExtractedPolarity = Literal["positive", "negative", "neutral", "mixed"]


@dataclass(frozen=True, slots=True)
class Extraction:
    """One opinion and its target, by offsets into the text.

    ``target`` is None for an implicit aspect, and then ``attribute`` must be set: it is what the
    opinion itself says it is about ("비싸다" is about the price). For an explicit target it is a
    hint, or None where the opinion word does not tell. ``opinion_term`` is the dictionary form in
    Korean ("좋다") and the surface form in English; ``opinion`` is where it stands in the text.
    """

    target: Offsets | None
    opinion: Offsets
    opinion_term: str
    polarity: ExtractedPolarity
    confidence: float
    rationale: str
    attribute: Attribute | None = None
