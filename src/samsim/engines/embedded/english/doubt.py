"""Detecting English judgments that are only asked about: "not sure whether the sound is good"."""

from __future__ import annotations

from samsim.engines.embedded.english.syntax import Opinion, Parse

UNCERTAIN = 0.35
"""The confidence of a reading that the text does not state."""
_ASKING = frozenset({"whether", "if"})
_UNSURE = frozenset("unsure uncertain undecided unclear questionable debatable doubtful".split())
_SURE = frozenset({"sure", "certain"})
_WONDERING = frozenset("wonder doubt question".split())
# Doubt only if denied, hard or yet to come: "can't tell if", "hard to say whether".
_KNOWING = frozenset("know tell say decide judge see remember idea clear convinced out".split())
_DENYING = frozenset("not n't never no cannot hardly neither without".split())
_HARD = frozenset("hard difficult tough impossible early soon".split())
_OPEN = _DENYING | _HARD | {"remains", "remain", "jury"}
_BEFORE_QUESTION = frozenset("about of as to on yet still just quite exactly really myself".split())
_ENDING = frozenset("but however although though because since so while which who when until unless".split())
_REACH = 14
_NEAR = 6


def is_doubted(parse: Parse, index: int) -> bool:
    """Return whether the word is part of a question that the writer leaves open."""
    for position in range(index - 1, max(-1, index - 1 - _REACH), -1):
        low = parse.lows[position]
        if low in _ASKING:
            return _leaves_open(parse, position - 1) or (low == "whether" and _is_open_after(parse, index))
        if low in _UNSURE or low in _SURE or parse.lemma(position) in _WONDERING:
            # "not sure (that) the sound is good", "not sure how good it is", "I doubt it is good"
            return _states_doubt(parse, position) and _is_followed_by_clause(parse, position + 1)
        if parse.tags[position] == "PUNCT" or low in _ENDING:
            return False
    return False


def states_doubt(parse: Parse, opinion: Opinion) -> bool:
    """Return whether an evaluating word only says that something is unknown: "unsure", "hard to say if"."""
    low, after = parse.lows[opinion.first], opinion.last
    if low in _HARD:
        return parse.low(after) == "to" and parse.lemma(after + 1) in _KNOWING and parse.low(after + 2) in _ASKING
    return (low in _UNSURE or low in _KNOWING) and parse.low(after) in _ASKING


def _leaves_open(parse: Parse, position: int) -> bool:
    """Return whether the words before "whether" or "if" say that the answer is unknown."""
    while parse.low(position) != "out" and (parse.tag(position) == "ADV" or parse.low(position) in _BEFORE_QUESTION):
        position -= 1
    known = parse.low(position) in _KNOWING or parse.lemma(position) in _KNOWING
    return _states_doubt(parse, position) or (known and not _OPEN.isdisjoint(_words_before(parse, position)))


def _is_open_after(parse: Parse, index: int) -> bool:
    """Return whether the doubt follows its question: "Whether the camera is good remains to be seen"."""
    following = set(parse.lows[index + 1 : index + 1 + _NEAR])
    return "remains" in following or not _UNSURE.isdisjoint(following)


def _states_doubt(parse: Parse, position: int) -> bool:
    """Return True for "unsure", "not entirely sure", "I wonder", "I doubt"; not for "no doubt", "I don't doubt"."""
    low = parse.low(position)
    denied = not _DENYING.isdisjoint(_words_before(parse, position))
    if low in _SURE:
        return denied
    wonders = parse.lemma(position) in _WONDERING and parse.tag(position) == "VERB"
    return (low in _UNSURE or wonders) and not denied


def _words_before(parse: Parse, position: int) -> set[str]:
    """Return the words just before, back to the last punctuation mark at most."""
    found: set[str] = set()
    for index in range(position - 1, max(-1, position - 1 - _NEAR), -1):
        if parse.tags[index] == "PUNCT" or parse.lows[index] in _ENDING:
            break
        found.add(parse.lows[index])
    return found


def _is_followed_by_clause(parse: Parse, position: int) -> bool:
    """Return whether a clause starts here: "sure the sound is good", but not "sure about the good sound"."""
    if parse.low(position) in ("that", "how"):
        return True
    phrase = parse.phrase_at.get(position)
    after = phrase.last if phrase is not None and phrase.first == position else position + 1
    starts = phrase is not None or parse.tag(position) in ("PRON", "DET")
    return starts and parse.tag(after) in ("AUX", "VERB", "ADV")
