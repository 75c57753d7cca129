"""The result of a perspective's extractor, before it becomes an ``ASTETripletItem``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from samsim.schemas.analysis import Offsets

Attribute = Literal["general", "price", "design", "quality", "convenience", "variety", "awareness"]
ExtractedPolarity = Literal["positive", "negative", "neutral", "mixed"]


@dataclass(frozen=True, slots=True)
class Extraction:
    """One opinion and its target, by offsets into the text.

    ``target`` is None for an implicit aspect; then ``attribute`` must be set to what the opinion itself is
    about ("비싸다" is about the price). For an explicit target it is a hint, or None if the opinion word
    implies no attribute. ``opinion_term`` is the dictionary form in Korean ("좋다") and the surface form in
    English; ``opinion`` is its position in the text.
    """

    target: Offsets | None
    opinion: Offsets
    opinion_term: str
    polarity: ExtractedPolarity
    confidence: float
    rationale: str
    attribute: Attribute | None = None
