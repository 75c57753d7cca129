"""Detecting what a sentence only supposes: wishes, expectations, questions and counterfactual conditions."""

from __future__ import annotations

from samsim.engines.embedded.english.syntax import Opinion, Parse
from samsim.engines.embedded.english.words import COMPARATIVES

_SUPPOSING = frozenset("wish hope hopefully hoped hoping supposed expected expecting".split())
_UNREAL_VERBS = frozenset("was were had did could would".split())
_UNREAL_RESULTS = frozenset("would could might 'd".split())
# "as if it were new" compares, "even if it were free" concedes: neither makes the main clause counterfactual.
_BEFORE_OTHER_IF = frozenset({"as", "even", "wonder", "wondered", "ask", "asked"})
# "I'd recommend it if you were after a good steak": the condition concerns the reader, and the praise is meant.
_OPEN_SUBJECTS = frozenset("you anyone someone anybody".split())
_INVERTED = frozenset({"had", "were"})
_REACH = 8
_FARTHEST_CONDITION = 40


def is_hypothetical(parse: Parse, opinion: Opinion) -> bool:
    """Return whether an opinion is inside a wish, an expectation, a question or an unreal condition."""
    return _is_question(parse) or _is_supposed(parse, opinion) or is_counterfactual(parse, opinion)


def is_counterfactual(parse: Parse, opinion: Opinion) -> bool:
    """Return whether neither side is real: "if only it were bigger", "it would be perfect if it were brighter"."""
    clause = parse.clause_of[opinion.first]
    nearby = range(
        max(0, opinion.first - _FARTHEST_CONDITION), min(len(parse.lows), opinion.first + _FARTHEST_CONDITION)
    )
    for index in nearby:
        if not _opens_condition(parse, index):
            continue
        condition = parse.clause_of[index]
        if parse.low(index + 1) == "only":
            if condition == clause and index < opinion.first:
                return True
        elif _is_unreal(parse, condition, nearby):
            return clause == condition or _has_before(parse, opinion, _UNREAL_RESULTS)
    return False


def _opens_condition(parse: Parse, index: int) -> bool:
    """Return whether an "if", or a verb in its place, starts a condition here: "had the steak been warmer, …"."""
    if parse.low(index + 1) in _OPEN_SUBJECTS:
        return False
    if parse.lows[index] == "if":
        return parse.low(index - 1) not in _BEFORE_OTHER_IF
    return index == 0 and parse.lows[0] in _INVERTED and parse.tag(1) in ("DET", "PRON") and parse.lows[-1] != "?"


def _is_unreal(parse: Parse, condition: int, nearby: range) -> bool:
    """Return whether the condition is in the past tense and another clause has "would"."""
    verbs = {parse.lows[i] for i in nearby if parse.clause_of[i] == condition}
    results = {parse.lows[i] for i in nearby if parse.clause_of[i] != condition}
    return not verbs.isdisjoint(_UNREAL_VERBS) and not results.isdisjoint(_UNREAL_RESULTS)


def _has_before(parse: Parse, opinion: Opinion, words: frozenset[str]) -> bool:
    """Return whether one of the words precedes the opinion in its clause."""
    clause = parse.clause_of[opinion.first]
    earlier = range(max(0, opinion.first - _REACH), opinion.first)
    return any(parse.lows[i] in words and parse.clause_of[i] == clause for i in earlier)


def _is_supposed(parse: Parse, opinion: Opinion) -> bool:
    clause = parse.clause_of[opinion.first]
    for position in range(opinion.first - 1, max(-1, opinion.first - _REACH), -1):
        if parse.clause_of[position] != clause:
            return False
        if parse.lows[position] in _SUPPOSING:
            return True
        if parse.lemma(position) == "need" and parse.lows[opinion.first] in COMPARATIVES:
            return True
    return False


def _is_question(parse: Parse) -> bool:
    """Return True for a real question ("Is it any good?"), not for "Isn't it great?" or "Great, right?"."""
    return parse.lows[-1] == "?" and parse.tags[0] == "AUX" and parse.low(1) != "n't"
