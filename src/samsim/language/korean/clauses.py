"""Where one Korean clause ends and the next begins.

A clause ends with a connective ending that joins two statements (-고, -지만, -는데, -어서 …), not with
one that ties an auxiliary or an adverbial to its verb (-지 않다, -고 싶다, 맛있게 먹다).
"""

from __future__ import annotations

from samsim.language.korean.grammar import PARTICLES, QUOTATIVES, Tokens, ends_with
from samsim.schemas.analysis import Offsets

_ADVERBIAL = frozenset(
    {"게", "게끔", "도록", "듯이", "듯", "려고", "으려고", "러", "으러", "고자", "다시피", "을수록", "ㄹ수록"}
)
_SERIAL = frozenset({"어", "아", "여", "어다", "다가"})
_LONGEST_RUN_OF_SYMBOLS = 12
_STARTING = frozenset(
    {"근데", "그런데", "하지만", "그러나", "그래도", "그렇지만", "다만", "그리고", "그래서", "반면", "반면에", "단"}
)


def find_clauses(tokens: Tokens, sentences: tuple[Offsets, ...]) -> tuple[list[Offsets], list[tuple[int, int]]]:
    """Return the clauses by offsets, and the same by token indices (end exclusive)."""
    spans: list[Offsets] = []
    ranges: list[tuple[int, int]] = []
    start = 0
    sentence = 0
    for index in range(len(tokens)):
        following = index + 1
        sentence_ends = following == len(tokens)
        if (
            not sentence_ends
            and sentence + 1 < len(sentences)
            and tokens[following].start >= sentences[sentence + 1][0]
        ):
            sentence_ends = True
            sentence += 1
        if sentence_ends or (following > start and _breaks_after(tokens, index)):
            end = max(token.end for token in tokens[start:following])
            spans.append((tokens[start].start, max(end, tokens[start].start)))
            ranges.append((start, following))
            start = following
    return spans, ranges


def _breaks_after(tokens: Tokens, index: int) -> bool:
    following = tokens[index + 1]
    if following.tag == "MAJ" and following.form in _STARTING:
        return True
    if following.tag in PARTICLES or (_is_symbol(following.tag) and following.tag != "SSO"):
        return False
    return _closes(tokens, _skip_symbols(tokens, index))


def _is_symbol(tag: str) -> bool:
    return tag.startswith(("S", "W")) and tag not in ("SL", "SN", "SH")


def _skip_symbols(tokens: Tokens, index: int) -> int:
    """Step back over closing marks and emoji; the run is bounded to keep the time linear."""
    first = max(0, index - _LONGEST_RUN_OF_SYMBOLS)
    while index > first and _is_symbol(tokens[index].tag):
        index -= 1
    return index


def _closes(tokens: Tokens, index: int) -> bool:
    """Return whether the tokens up to ``index`` end in a clause-closing ending (particles may follow it)."""
    while index >= 0 and tokens[index].tag in PARTICLES:
        index -= 1
    if index < 0:
        return False
    token = tokens[index]
    if token.tag == "EF":
        return True
    if token.tag != "EC":
        return token.tag == "NNG" and token.form in ("반면", "대신")
    if token.form in _ADVERBIAL or token.form in _SERIAL or ends_with(token.form, QUOTATIVES):
        return False
    following = index + 1
    while following < len(tokens) and tokens[following].tag in PARTICLES | {"SP"}:
        following += 1
    if following >= len(tokens):
        return True
    return not _is_auxiliary(tokens, following, token.form)


def _is_auxiliary(tokens: Tokens, index: int, ending: str) -> bool:
    token = tokens[index]
    if token.tag == "VX" or ending == "지" or token.lemma == "불구하다":
        return True
    return ending == "고" and token.lemma in ("있다", "싶다", "나다", "말다")
