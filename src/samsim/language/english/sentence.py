"""A tagged English sentence, and where its clauses begin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from samsim.language.english.tokens import Word
from samsim.schemas.analysis import Offsets

NOMINAL = frozenset({"NOUN", "PROPN"})
_NOUN_PHRASE = frozenset({"DET", "ADJ", "NUM", "NOUN", "PROPN", "PART"})
_BREAKS = frozenset({";", ":", "--", "---", "–", "—", "(", ")", "-lrb-", "-rrb-", "-", "...", "…", "..", "!", "?"})
_SUBORDINATORS = frozenset(
    "but although though whereas because unless if when whenever until once since cause cuz however".split()
)
_RELATIVES = frozenset({"which", "who", "whom", "where"})
_SUBJECT_PRONOUNS = frozenset("i you he she it we they this that these those everything everyone there".split())
_LONGEST_SUBJECT = 8


@dataclass(frozen=True, slots=True)
class Sentence:
    """The words of one sentence with tags and lemmas; indices count from the sentence's first word."""

    words: Sequence[Word]
    lows: Sequence[str]
    tags: Sequence[str]
    lemmas: Sequence[str]

    def span(self, first: int, last: int) -> Offsets:
        """Return the text span of the words ``first`` to ``last`` (excluded), without punctuation at its edges."""
        while first < last and self.tags[first] == "PUNCT":
            first += 1
        while last > first and self.tags[last - 1] == "PUNCT":
            last -= 1
        if first >= last:
            at = self.words[min(first, len(self.words) - 1)].start
            return (at, at)
        return (self.words[first].start, self.words[last - 1].end)

    def low(self, index: int) -> str:
        """Return the lower-case word at ``index``, or "" outside the sentence."""
        return self.lows[index] if 0 <= index < len(self.lows) else ""

    def tag(self, index: int) -> str:
        """Return the tag at ``index``, or "" outside the sentence."""
        return self.tags[index] if 0 <= index < len(self.tags) else ""


def clause_starts(sentence: Sentence) -> list[int]:
    """Return the indices at which a clause begins; the first is 0."""
    starts = [0]
    has_verb = False
    for index in range(len(sentence.lows)):
        if index and _begins_clause(sentence, index, has_verb) and index > starts[-1]:
            starts.append(index)
            has_verb = False
        if sentence.tags[index] in ("VERB", "AUX"):
            has_verb = True
    return starts


def _begins_clause(sentence: Sentence, index: int, has_verb: bool) -> bool:
    low, tag = sentence.lows[index], sentence.tags[index]
    before = sentence.lows[index - 1]
    if before in _BREAKS and tag != "PUNCT":
        return True
    if low in _SUBORDINATORS and not (low == "since" and tag == "ADV"):
        return True
    if low in _RELATIVES and tag == "PRON":
        return True
    if low in ("while", "yet", "so") and tag in ("SCONJ", "CCONJ"):
        return True
    if tag == "CCONJ" or before == ",":
        return has_verb and opens_clause(sentence, index + (tag == "CCONJ"))
    return False


def opens_clause(sentence: Sentence, index: int) -> bool:
    """Return whether a subject and its verb begin at this word."""
    tags, count = sentence.tags, len(sentence.tags)
    while index < count and tags[index] == "ADV":
        index += 1
    if index >= count:
        return False
    if sentence.lows[index] in _SUBJECT_PRONOUNS and sentence.tag(index + 1) not in NOMINAL:
        position = index + 1
    else:
        position = _after_noun_phrase(sentence, index)
        if position == index:
            return False
    while position < count and tags[position] == "ADV":
        position += 1
    return position < count and tags[position] in ("AUX", "VERB")


def _after_noun_phrase(sentence: Sentence, index: int) -> int:
    """Return the index after the noun phrase that begins here; the index itself if none does."""
    limit = min(len(sentence.tags), index + _LONGEST_SUBJECT)
    position = index
    seen_noun = False
    while position < limit:
        tag = sentence.tags[position]
        possessive = tag == "PRON" and sentence.lows[position] in ("my", "your", "our", "their", "its", "his", "her")
        if tag in _NOUN_PHRASE or possessive or (seen_noun and sentence.lows[position] in ("of", "in", "here")):
            seen_noun = seen_noun or tag in NOMINAL
            position += 1
        elif tag == "ADV" and not seen_noun:
            position += 1
        else:
            break
    return position if seen_noun else index
