"""English polarity words and expressions in context."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from samsim.language.english.ambiguity import polarity_by_noun
from samsim.language.english.lemmas import lemma_of
from samsim.language.english.sentence import Sentence
from samsim.language.english.tokens import split_words
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
_ENOUGH = 0.5
_CLEARLY_BAD = -0.5
_ADVERBS_BETWEEN = 4
_SOON = frozenset("quickly quick fast easily rapidly".split())
_USING_UP = frozenset("drain fade discharge wear scratch stain rust peel deplete deteriorate".split())
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
    """Return the lexicon's expressions by first word, longest first."""
    by_first: dict[str, list[Expression]] = {}
    for key, score in load_scores("lexicon_en").items():
        if " " in key or "'" in key:
            words = tuple(word.low for word in split_words(key))
            by_first.setdefault(words[0], []).append(Expression(words, key, score, not _NEGATORS.isdisjoint(words)))
    return {first: tuple(sorted(found, key=lambda e: -len(e.words))) for first, found in by_first.items()}


def find_polarity(sentence: Sentence) -> tuple[list[Found], set[int]]:
    """Return the polarity words in order, and the indices of words in expressions that contain their own negation."""
    known = expressions()
    found: list[Found] = []
    taken: set[int] = set()
    index, count = 0, len(sentence.lows)
    while index < count:
        expression = _expression_at(sentence.lows, index, known.get(sentence.lows[index], ()))
        if expression is not None:
            last = index + len(expression.words)
            if expression.score:  # a score of 0 marks a name or phrase that evaluates nothing ("dim sum")
                found.append(Found(index, last, expression.key, expression.score))
            if expression.negates:
                taken.update(range(index, last))
            index = last
            continue
        item = _single_word(sentence, index, found[-1] if found else None)
        if item.prior:
            found.append(item)
        index = item.last
    return found, taken


def _single_word(sentence: Sentence, index: int, previous: Found | None) -> Found:
    """Return the word as an opinion, including a negated "enough"; a prior of 0 means it is not one."""
    prior = _word_score(sentence, index)
    if prior > _CLEARLY_BAD and _is_denied_enough(sentence, index):
        return Found(index, index + 2, f"{sentence.lows[index]} enough", _ENOUGH)
    if prior > 0 and sentence.lows[index] in _SOON:
        prior = _soon_score(sentence, index, previous, prior)
    return Found(index, index + 1, sentence.lemmas[index], prior)


def _is_denied_enough(sentence: Sentence, index: int) -> bool:
    """Return whether this is "isn't bright enough" or "not loud enough": a complaint whatever the adjective means."""
    if sentence.low(index + 1) != "enough" or sentence.tags[index] not in ("ADJ", "ADV"):
        return False
    position = index - 1
    while position >= 0 and sentence.tags[position] == "ADV" and sentence.lows[position] not in _NEGATORS:
        position -= 1
    return sentence.low(position) in _NEGATORS


def _soon_score(sentence: Sentence, index: int, previous: Found | None, prior: float) -> float:
    """Return the score of an adverb of speed: "dies quickly" is no praise, "drains fast" is itself the complaint."""
    verb = index - 1
    while verb > max(0, index - _ADVERBS_BETWEEN) and sentence.tags[verb] in ("ADV", "ADP"):
        verb -= 1
    if previous is not None and previous.first <= verb < previous.last and previous.prior < 0:
        return 0.0 if sentence.tags[previous.first] in ("VERB", "NOUN") else prior
    return -prior if verb >= 0 and sentence.lemmas[verb] in _USING_UP else prior


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
        return load_scores("lexicon_en")[low]  # "Like the colors.": the writer left out "I"
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
    """Return whether a word follows "is" or "very" with no noun after it: an adjective, whatever the tagger says."""
    after = sentence.tag(index + 1)
    return sentence.tag(index - 1) in ("AUX", "ADV") and after in ("PUNCT", "CCONJ", "SCONJ", "", "PART", "ADV")


def _urges(sentence: Sentence, index: int) -> bool:
    """Return whether "try" is advice ("Try the crab cakes!", "you must try their pie"), not a report."""
    if sentence.tag(index + 1) not in ("DET", "PRON", "NOUN", "PROPN", "ADJ") or sentence.low(index + 1) == "it":
        return False
    if index == 0 or sentence.low(index - 1) in _URGING:
        return True
    return sentence.low(index - 1) == "to" and sentence.low(index - 2) in ("sure", "have", "need")


def polarity_words(sentence: Sentence, found: Sequence[Found], negations: Sequence[Cue]) -> list[PolarityWord]:
    """Return the polarity words with their negation in context."""
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
            # "not good and overpriced": the second word is a separate complaint, not a negated one.
            if not (after_and and sign * item.prior < 0):
                kept.append(order)
        words.append(PolarityWord(start, end, item.key, item.prior, len(kept) % 2 == 1))
    return words
