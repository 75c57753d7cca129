"""English words with their offsets, and the sentences they form.

Contractions are split as in English treebanks ("don't" gives "do" and "n't"), even if the
apostrophe is missing ("dont"), because the negation rules look for "n't" and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple


class Word(NamedTuple):
    """A word of the text before tagging: offsets and the lower-case form with plain apostrophes."""

    start: int
    end: int
    low: str


_WORD = re.compile(
    r"""
    https?://\S+ | www\.\S+ | [\w.+-]{1,64}@[\w-]{1,64}(?:\.\w{1,16}){1,4}   # addresses stay whole
  | [:;=8xX]'?-?[)(\]\[DPpOo/\\|*](?![\w])                                   # western emoticons
  | (?<!\w)/s\b                                                              # the irony tag
  | \.{2,} | …+ | (?:\.\ ){2,}\.
  | -[LR][RSC]B-                                                             # treebank brackets
  | (?:[A-Za-z]\.){2,}                                                       # U.S., a.m.
  | [$€£¥₩]?\d+(?:[.,:/]\d+)*(?:st|nd|rd|th|s|am|pm|gb|tb|mb|ghz|mhz|hz|in|k|%)?(?![^\W_])
  | n['’]t\b
  | ['’](?:s|re|ve|ll|d|m)\b
  | [^\W_]+(?:[-'’&][^\W_]+)*
  | [-–—]{2,} | [!?]+
  | \S
    """,
    re.VERBOSE | re.IGNORECASE,
)
_CLITIC = re.compile(r"(?:n't|'(?:s|re|ve|ll|d|m))$")
_BARE_NEGATIONS = frozenset(
    "dont doesnt didnt isnt wasnt arent werent cant couldnt wouldnt shouldnt havent hasnt hadnt wont aint".split()
)
_ABBREVIATIONS = frozenset("mr. mrs. ms. dr. st. vs. etc. e.g. i.e. inc. approx. no.".split())
_CLOSERS = frozenset("\"')]”’»")
# The rules look at whole sentences, so a run-on text must not become one sentence of thousands of words.
_LONGEST_SENTENCE = 120


def split_words(text: str) -> list[Word]:
    """Return all words and punctuation marks, in order; only white space is dropped."""
    words: list[Word] = []
    for match in _WORD.finditer(text):
        start, end = match.span()
        form = match.group()
        if form.isspace():
            continue
        low = form.lower().replace("’", "'")
        if len(low) != end - start:  # a few letters grow when lower-cased ("İ"): offsets win
            low = form
        _append_parts(words, start, end, low)
    return words


def _append_parts(words: list[Word], start: int, end: int, low: str) -> None:
    """Add one matched form, split at a clitic or a missing apostrophe."""
    if low in ("cannot", "gonna", "gotta"):
        words.append(Word(start, start + 3, low[:3]))
        words.append(Word(start + 3, end, low[3:]))
        return
    if low in _BARE_NEGATIONS:
        words.append(Word(start, end - 2, low[:-2]))
        words.append(Word(end - 2, end, "n't"))
        return
    if "'" in low:
        clitic = _CLITIC.search(low)
        if clitic and clitic.start() > 0:
            cut = start + clitic.start()
            words.append(Word(start, cut, low[: clitic.start()]))
            words.append(Word(cut, end, clitic.group()))
            return
    words.append(Word(start, end, low))


def split_sentences(text: str, words: Sequence[Word]) -> list[tuple[int, int]]:
    """Return the sentences as half-open ranges of word indices."""
    ranges: list[tuple[int, int]] = []
    first = 0
    count = len(words)
    for index in range(count):
        if index - first + 1 >= _LONGEST_SENTENCE or _ends_sentence(text, words, index, count):
            ranges.append((first, index + 1))
            first = index + 1
    if first < count:
        ranges.append((first, count))
    return ranges


def _ends_sentence(text: str, words: Sequence[Word], index: int, count: int) -> bool:
    """Return whether a sentence ends with this word."""
    if index + 1 >= count:
        return True
    word, following = words[index], words[index + 1]
    gap = text[word.end : following.start]
    if "\n" in gap and ("\n\n" in gap or not text[following.start].islower()):
        return True
    low = word.low
    if low in _CLOSERS and index and words[index - 1].low[0] in ".!?":
        return True
    if low[0] not in ".!?…" or following.low in _CLOSERS:
        return False
    if low == "." and index and words[index - 1].low + "." in _ABBREVIATIONS and words[index - 1].end == word.start:
        return False
    if low[0] in "!?":
        return True
    next_form = text[following.start]
    return low == "." or next_form.isupper()
