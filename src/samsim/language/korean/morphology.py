"""Korean morphemes with exact offsets: Kiwi's analysis, folded into dictionary words.

Kiwi splits ``친절한데`` into 친절/하/ㄴ/데; the rules want 친절하다 and the connective -ㄴ데. Folding joins
derivational affixes with their root and repairs such splits, so later code can look one token
to the left or right. Tags stay Kiwi's (without the regular/irregular suffix).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

from samsim.schemas.analysis import Offsets, Token
from samsim.value_limits import LONE_SURROGATE

MAX_CHUNK = 2_000
"""Longest piece given to Kiwi at once, in code points; keeps time and memory linear in the text."""

_BREAK = re.compile(r"\n|(?<=[.!?…])\s|\s")
_JAMO_TAIL = range(0x1160, 0x1200)
_PARTICLE_TAGS = {"을": "JKO", "은": "JX", "과": "JC"}
_ROOT_TAGS = frozenset({"NNG", "NNP", "NNB", "NR", "XR", "MAG", "SL", "NP", "MM"})
_NOUN_TAGS = frozenset({"NNG", "NNP", "XR", "SL"})
_DERIVED_TAG = {"XSA": "VA", "XSV": "VV"}
_EXISTENCE_NOUNS = frozenset({"맛", "재미", "멋", "쓸모", "의미", "문제"})


@cache
def kiwi() -> Any:
    """Return the single Kiwi instance, created on first use: loading takes a second and half a gigabyte."""
    from kiwipiepy import Kiwi

    return Kiwi(num_workers=1)


def tokenize(text: str) -> tuple[tuple[Token, ...], tuple[Offsets, ...]]:
    """Return the tokens and sentences of a text, with offsets in code points of the text as given."""
    clean = LONE_SURROGATE.sub("\ufffd", text)
    places: list[Offsets] | None = None
    if not unicodedata.is_normalized("NFC", clean):
        clean, places = _compose(clean)
    tokens: list[Token] = []
    sentences: list[Offsets] = []
    for base, chunk in _chunks(clean):
        rows = _rows(chunk, base)
        previous_sentence = -1
        for row, sentence in _fold(rows):
            token = _placed(row, places)
            tokens.append(token)
            if sentence != previous_sentence and not _continues(text, sentences, token):
                sentences.append((token.start, token.end))
            else:
                sentences[-1] = (sentences[-1][0], max(token.end, sentences[-1][1]))
            previous_sentence = sentence
    return _in_order(tokens), tuple(sentences)


def _in_order(tokens: list[Token]) -> tuple[Token, ...]:
    """Return the tokens with non-decreasing starts, because later code searches them by position.

    If endings are run together (울려 for 울려고 해), Kiwi puts an unwritten one after the next.
    """
    for index in range(len(tokens) - 2, -1, -1):
        following = tokens[index + 1].start
        if tokens[index].start > following:
            tokens[index] = replace(tokens[index], start=following)
    return tuple(tokens)


def _continues(text: str, sentences: list[Offsets], token: Token) -> bool:
    """Return whether to ignore Kiwi's sentence break before ``token``: no sentence starts mid-word."""
    if not sentences:
        return False
    gap_start = sentences[-1][1]
    if gap_start < token.start:
        return False
    return bool(gap_start) and text[gap_start - 1] not in ".!?…\n"


def _compose(text: str) -> tuple[str, list[Offsets]]:
    """Return the NFC form, and for each of its characters the span of the original it came from."""
    composed: list[str] = []
    places: list[Offsets] = []
    start = 0
    for index in range(1, len(text) + 1):
        if index < len(text) and (unicodedata.combining(text[index]) or ord(text[index]) in _JAMO_TAIL):
            continue
        part = unicodedata.normalize("NFC", text[start:index])
        composed.append(part)
        places.extend([(start, index)] * len(part))
        start = index
    return "".join(composed), places


def _chunks(text: str) -> Iterator[tuple[int, str]]:
    """Yield pieces of at most ``MAX_CHUNK``, cut at the last line, sentence or word end that fits."""
    start = 0
    while len(text) - start > MAX_CHUNK:
        window = text[start : start + MAX_CHUNK]
        ends = dict.fromkeys(("line", "sentence", "word"), 0)
        for match in _BREAK.finditer(window):
            before = window[match.start() - 1 : match.start()]
            kind = "line" if match.group() == "\n" else "sentence" if before in ".!?…" else "word"
            ends[kind] = match.end()
        cut = ends["line"] or ends["sentence"] or ends["word"] or MAX_CHUNK
        yield start, text[start : start + cut]
        start += cut
    yield start, text[start:]


Row = tuple[int, int, str, str, str]
"""start, end, form, tag, lemma: a token while it is still being folded."""


def _rows(chunk: str, base: int) -> list[tuple[Row, int]]:
    found: list[tuple[Row, int]] = []
    for token in kiwi().tokenize(chunk, compatible_jamo=True):
        start = base + token.start
        tag = token.tag.partition("-")[0]
        row = (start, start + token.len, token.form, tag, token.lemma)
        sentence = token.line_number * 1_000_000 + token.sent_position
        found.extend((part, sentence) for part in _without_wrong_particle(row))
    return found


def _without_wrong_particle(row: Row) -> list[Row]:
    """Split a noun that Kiwi does not know because its particle is misspelled (장소을, 서비스은)."""
    start, end, form, tag, _ = row
    if tag not in ("NNP", "NNG") or len(form) < 3 or end - start != len(form) or not _misspelt(form[-2], form[-1]):
        return [row]
    particle = _PARTICLE_TAGS[form[-1]]
    return [(start, end - 1, form[:-1], "NNG", form[:-1]), (end - 1, end, form[-1], particle, form[-1])]


def _misspelt(before: str, particle: str) -> bool:
    """Return whether ``particle`` is the form used after a consonant, and ``before`` ends in a vowel."""
    return particle in _PARTICLE_TAGS and "가" <= before <= "힣" and not (ord(before) - ord("가")) % 28


def _fold(rows: list[tuple[Row, int]]) -> list[tuple[Row, int]]:
    folded: list[tuple[Row, int]] = []
    for index, (row, sentence) in enumerate(rows):
        following = rows[index + 1][0] if index + 1 < len(rows) else None
        if folded and row[2] == "데" and folded[-1][0][2:4] == ("그런", "MM") and row[0] == folded[-1][0][1]:
            # (그저) 그런데: "it is so-so, but"
            start, end = folded[-1][0][:2]
            folded[-1] = ((start, end, "그렇", "VA", "그렇다"), folded[-1][1])
            row = (end - 1, row[1], "ㄴ데", "EC", "ㄴ데")
        joined = _joined(folded[-1][0], row, following) if folded else None
        if joined is None:
            folded.append((row, sentence))
        else:
            folded[-1] = (joined, folded[-1][1])
    return folded


def _joined(left: Row, right: Row, following: Row | None) -> Row | None:
    """Return ``left`` and ``right`` as one word, or None if they are two."""
    tag = right[3]
    gap = right[0] - left[1]
    if tag in _DERIVED_TAG and left[3] in _ROOT_TAGS and gap <= 1:
        return _word(left, right, _DERIVED_TAG[tag])
    if tag == "VV" and right[2] == "하" and left[3] == "NNG" and gap == 1:
        return _word(left, right, "VV")
    if right[2] in ("있", "없") and tag == "VA" and left[2] in _EXISTENCE_NOUNS and 0 <= gap <= 1:
        return _word(left, right, "VA")
    if gap != 0:
        return None
    if left[2] == "못" and left[3] == "MAG" and right[2] == "하":
        return left[0], right[1], "못하", "VX", "못하다"
    if tag == "XSN" and right[2] != "들" and left[3] in _NOUN_TAGS:
        return left[0], right[1], left[2] + right[2], "NNG", left[2] + right[2]
    if left[3] == "MM" and left[2] in ("이", "그", "저") and right[2] == "곳":
        return left[0], right[1], left[2] + right[2], "NNG", left[2] + right[2]
    if left[3] == "XPN" and tag in _NOUN_TAGS:
        return left[0], right[1], left[2] + right[2], tag, left[2] + right[2]
    if left[3] == "ETM" and right[2] == "데" and tag == "NNB" and not _is_place(following):
        return left[0], right[1], left[2] + right[2], "EC", left[2] + right[2]
    return None


def _word(left: Row, right: Row, tag: str) -> Row:
    form = left[2] + right[2]
    return left[0], max(left[1], right[1]), form, tag, form + "다"


def _is_place(following: Row | None) -> bool:
    """Return whether 데 is the noun "place, matter" (친절한 데가 있다) and not the ending -ㄴ데."""
    return following is not None and following[3] in ("JKS", "JKB", "JKO", "JKG", "JKC")


def _placed(row: Row, places: list[Offsets] | None) -> Token:
    start, end, form, tag, lemma = row
    if places is not None:
        start, end = _original(start, end, places)
    return Token(start, end, form, lemma, tag)


def _original(start: int, end: int, places: list[Offsets]) -> Offsets:
    if start >= len(places):
        last = places[-1][1] if places else 0
        return last, last
    if end <= start:
        return places[start][0], places[start][0]
    return places[start][0], places[end - 1][1]
