"""English polarity words and expressions in context."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from samsim.language.english_ambiguity import polarity_by_noun
from samsim.language.english_lemmas import lemma_of
from samsim.language.english_sentence import Sentence
from samsim.language.english_tokens import split_words
from samsim.language.lexicon import load_scores
from samsim.schemas.analysis import Cue, PolarityWord

_NEGATORS = frozenset("n't not never no nothing none without cannot".split())
_OPEN = frozenset({"NOUN", "PROPN", "ADJ", "ADV", "VERB", "INTJ", "ADP", "X", "SCONJ", "PRON", "DET", "AUX"})
# Words that evaluate only as one part of speech: "pretty good", "a kind of", "like a", "well, …".
_ONLY_AS = {
    "replace": ("VERB",), "replaced": ("VERB",), "replacing": ("VERB",), "lots": ("NOUN",),
    "like": ("VERB",), "likes": ("VERB",), "liked": ("VERB",), "pretty": ("ADJ",), "kind": ("ADJ",),
    "well": ("ADV", "ADJ"), "fine": ("ADJ", "ADV"), "mean": ("ADJ",), "long": ("ADJ",), "hard": ("ADJ",),
    "light": ("ADJ",), "cool": ("ADJ",), "sharp": ("ADJ",), "hot": ("ADJ",), "cold": ("ADJ",), "high": ("ADJ",),
    "low": ("ADJ",), "short": ("ADJ",), "quality": ("ADJ",), "original": ("ADJ",), "special": ("ADJ",),
    "fair": ("ADJ",), "free": ("ADJ",), "full": ("ADJ",), "con": ("NOUN",), "cons": ("NOUN",), "plus": ("NOUN",),
    "terribly": (), "awfully": (), "enough": ("ADJ",), "super": ("ADJ",), "wicked": ("ADJ",), "top": ("ADJ",),
    "sweet": ("ADJ",), "clear": ("ADJ",), "warm": ("ADJ",), "dead": ("ADJ",), "thank": ("VERB",), "lean": ("ADJ",),
    "longer": ("ADJ",), "better": ("ADJ", "ADV"), "best": ("ADJ", "ADV", "NOUN"), "reasonably": (), "few": (),
    "consistently": (),
    "different": ("ADJ",), "new": ("ADJ",), "old": ("ADJ",), "big": ("ADJ",), "small": ("ADJ",), "shot": (),
    "dry": ("ADJ",), "thick": ("ADJ",), "empty": ("ADJ",), "soft": ("ADJ",), "rich": ("ADJ",), "dream": (),
    "noise": (), "raw": ("ADJ",), "exceptionally": (), "amazingly": (), "incredibly": (), "outrageously": (),
}  # fmt: skip


_COMPARING = frozenset("exactly just nothing something anything looks look looked feels tastes more is was are".split())
_TRY = 0.4
_URGING = frozenset("must should definitely please go certainly and , - -- : also".split())


class Expression(NamedTuple):
    """A fixed expression as the tokenizer sees it."""

    words: tuple[str, ...]
    key: str
    score: float
    negates: bool


class Found(NamedTuple):
    """A polarity word at word indices of its sentence, before negation is known."""

    first: int
    last: int
    key: str
    prior: float


@cache
def expressions() -> dict[str, tuple[Expression, ...]]:
    """The lexicon's expressions by first word, longest first."""
    by_first: dict[str, list[Expression]] = {}
    for key, score in load_scores("lexicon_en").items():
        if " " in key or "'" in key:
            words = tuple(word.low for word in split_words(key))
            by_first.setdefault(words[0], []).append(Expression(words, key, score, not _NEGATORS.isdisjoint(words)))
    return {first: tuple(sorted(found, key=lambda e: -len(e.words))) for first, found in by_first.items()}


def find_polarity(sentence: Sentence) -> tuple[list[Found], set[int]]:
    """Polarity words in order, and the words of expressions that contain their own negation."""
    known = expressions()
    found: list[Found] = []
    taken: set[int] = set()
    index, count = 0, len(sentence.lows)
    while index < count:
        expression = _expression_at(sentence.lows, index, known.get(sentence.lows[index], ()))
        if expression is not None:
            last = index + len(expression.words)
            if expression.score:  # a score of 0 marks a name or a turn that evaluates nothing ("dim sum")
                found.append(Found(index, last, expression.key, expression.score))
            if expression.negates:
                taken.update(range(index, last))
            index = last
            continue
        prior = _word_score(sentence, index)
        if prior:
            found.append(Found(index, index + 1, sentence.lemmas[index], prior))
        index += 1
    return found, taken


def _expression_at(lows: Sequence[str], index: int, candidates: Sequence[Expression]) -> Expression | None:
    for expression in candidates:
        words = expression.words
        if tuple(lows[index : index + len(words)]) == words:
            return expression
    return None


def _word_score(sentence: Sentence, index: int) -> float:
    low, tag = sentence.lows[index], sentence.tags[index]
    if tag not in _OPEN:
        return 0.0
    if low == "like" and index == 0 and sentence.tag(1) in ("DET", "PRON"):
        return load_scores("lexicon_en")[low]  # "Like the colours.": the writer left out "I"
    allowed = _ONLY_AS.get(low)
    if allowed is not None and tag not in allowed and not (allowed == ("ADJ",) and _is_bare_predicate(sentence, index)):
        return 0.0
    if low == "like" and sentence.low(index - 1) in _COMPARING:
        return 0.0
    if low == "try":
        return _TRY if _urges(sentence, index) else 0.0
    by_noun = polarity_by_noun(sentence, index)
    if by_noun is not None:
        return by_noun
    table = load_scores("lexicon_en")
    score = table.get(low)
    if score is None and tag in ("ADJ", "VERB", "NOUN", "ADV"):
        lemma = lemma_of(low, tag)
        allowed = _ONLY_AS.get(lemma)
        if allowed is None or tag in allowed:
            score = table.get(lemma)
    if score is None and tag == "ADJ" and low.startswith("un"):
        score = -table.get(low[2:], 0.0)
    return score or 0.0


def _is_bare_predicate(sentence: Sentence, index: int) -> bool:
    """A word right after "is" or "very" with no noun to come: an adjective, whatever the tagger says."""
    after = sentence.tag(index + 1)
    return sentence.tag(index - 1) in ("AUX", "ADV") and after in ("PUNCT", "CCONJ", "SCONJ", "", "PART", "ADV")


def _urges(sentence: Sentence, index: int) -> bool:
    """ "Try the crab cakes!", "you must try their pie": advice, not a report of an attempt."""
    if sentence.tag(index + 1) not in ("DET", "PRON", "NOUN", "PROPN", "ADJ") or sentence.low(index + 1) == "it":
        return False
    if index == 0 or sentence.low(index - 1) in _URGING:
        return True
    return sentence.low(index - 1) == "to" and sentence.low(index - 2) in ("sure", "have", "need")


def polarity_words(sentence: Sentence, found: Sequence[Found], negations: Sequence[Cue]) -> list[PolarityWord]:
    """The polarity words with their negation in context."""
    words: list[PolarityWord] = []
    governed_sign: dict[int, float] = {}
    for item in found:
        start, end = sentence.words[item.first].start, sentence.words[item.last - 1].end
        governing = [
            order for order, cue in enumerate(negations) if cue.scopes[0][0] <= start and end <= cue.scopes[0][1]
        ]
        after_and = sentence.low(item.first - 1) == "and"
        kept = []
        for order in governing:
            sign = governed_sign.setdefault(order, item.prior)
            # "not good and overpriced": the second word is a complaint of its own, not a denied one.
            if not (after_and and sign * item.prior < 0):
                kept.append(order)
        words.append(PolarityWord(start, end, item.key, item.prior, len(kept) % 2 == 1))
    return words
