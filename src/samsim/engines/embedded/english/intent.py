"""Detecting whether the writer would come back or buy again: a judgment without an opinion word."""

from __future__ import annotations

from samsim.engines.embedded.english.chunks import parse_text
from samsim.engines.embedded.english.doubt import UNCERTAIN, is_doubted
from samsim.engines.embedded.english.syntax import Parse
from samsim.engines.embedded.extraction import Extraction
from samsim.schemas.analysis import TextAnalysis

_FUTURE = frozenset("will would 'll wo definitely 'd going gonna ca can wait shall plan".split())
_DENYING = frozenset("not n't never no wo".split())
_MOVING = frozenset("come go be coming going came".split())
_AGAIN_VERBS = frozenset("buy order visit come go purchase use eat".split())
_REACH = 6
_CONFIDENCE = 0.65


def return_intents(analysis: TextAnalysis) -> list[Extraction]:
    """Return all such intents: "would definitely come back", "will not be returning", "never buying again"."""
    found: list[Extraction] = []
    for parse in parse_text(analysis):
        index = 0
        while index < len(parse.lows):
            last = _intent_end(parse, index)
            if last > index:
                found.append(_extraction(analysis, parse, index, last))
                index = last
            else:
                index += 1
    return found


def _intent_end(parse: Parse, index: int) -> int:
    """Return the end of an intent that starts at this verb, or the index itself if there is none."""
    low, lemma = parse.lows[index], parse.lemma(index)
    recent = parse.lows[max(0, index - _REACH) : index]
    if not _FUTURE.intersection(recent) and "never" not in recent:
        return index
    if low in _MOVING and parse.low(index + 1) == "back":
        return index + 2
    if (
        lemma == "return"
        and parse.tags[index] == "VERB"
        and parse.tag(index + 1) in ("PUNCT", "", "ADV", "ADP", "CCONJ")
    ):
        return index + 1
    if lemma in _AGAIN_VERBS and parse.tags[index] == "VERB":
        for position in range(index + 1, min(index + 5, len(parse.lows))):
            if parse.lows[position] == "again":
                return position + 1
            if parse.tags[position] == "PUNCT":
                break
    return index


def _extraction(analysis: TextAnalysis, parse: Parse, first: int, last: int) -> Extraction:
    recent = parse.lows[max(0, first - _REACH) : first]
    eager = "wait" in recent
    denied = not eager and len(_DENYING.intersection(recent) - ({"wo"} if "n't" in recent else set())) % 2 == 1
    doubted = is_doubted(parse, first)
    span = parse.span(first, last)
    return Extraction(
        None,
        span,
        analysis.text[span[0] : span[1]],
        "neutral" if doubted else "negative" if denied else "positive",
        UNCERTAIN if doubted else _CONFIDENCE,
        "says whether the writer would return",
        "general",
    )
