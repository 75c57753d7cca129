"""Detecting Korean judgments that are only asked about: 좋은지 잘 모르겠다, 좋은 건지 아닌지 확실하지 않다.

The predicate ends in an indirect question (-ㄴ지, -을까, 건지), alternatives may follow it (아닌지, 나쁜지), and
then the writer says that they do not know. Without that last part, -ㄴ지 may also give a reason: 맛있는지 잘 먹어요.
"""

from __future__ import annotations

from itertools import pairwise

from samsim.language.korean.grammar import LIGHT_NOUNS, PARTICLES, PREDICATES, QUOTATIVES, Tokens, ends_with

_ASKING = ("는지", "은지", "ㄴ지", "을지", "ㄹ지", "던지")
_WONDERING = ("은가", "는가", "ㄴ가", "을까", "ㄹ까", "나")
_WONDERED = frozenset({"싶다", "모르다", "의문", "의심스럽다"})
_UNKNOWN = frozenset(
    "의문 의문스럽다 의심스럽다 의심되다 의심 애매하다 궁금하다 미지수 헷갈리다 글쎄 긴가민가하다 불확실하다 "
    "아리송하다 불분명하다".split()
)
_KNOWN = frozenset(
    "확실하다 분명하다 확신 확신하다 판단 판단하다 판단되다 알다 말하다 장담하다 단정하다 구분 구분하다 구분되다 "
    "분간 감 느끼다".split()
)
_DENYING_FORMS = frozenset({"안", "못", "없"})
_DENYING_LEMMAS = frozenset({"않다", "못하다", "어렵다", "힘들다", "이르다"})
_EXCLAIMING = frozenset({"얼마나", "어찌나"})
"""얼마나 좋은지 몰라요 takes for granted that it is good."""
_PRESUPPOSING = frozenset({"왜", "언제", "어디", "어디서", "어떻게"})
"""왜 비싼지 모르겠어요 takes for granted that it is; 왜 유명한지 모르겠어요 doubts that it should be."""
_WITHIN_QUESTION = frozenset({"EP", "ETM", "VCP", "VX", "XSA", "XSV"})
_LIGHT_VERBS = frozenset({"하다", "있다", "되다", "같다", "보다"})
_LONGEST_QUESTION = 8
_REACH = 12
_TAIL = 6
_LOOKING_BACK = 6


def doubting_word(tokens: Tokens, predicate: int, *, praises: bool) -> int:
    """Return the word by which the writer says that they do not know whether the predicate holds, or -1."""
    end = _question_end(tokens, predicate)
    if end < 0 or _takes_for_granted(tokens, predicate, praises):
        return -1
    wondering = _wonders(tokens, end)
    index = end + 1
    while index < min(len(tokens), end + _REACH):
        token = tokens[index]
        alternative = _question_end(tokens, index) if token.tag in PREDICATES else -1
        if alternative >= 0:
            index = alternative + 1
        elif token.tag in PARTICLES or token.tag in ("MAG", "SP"):
            index += 1
        else:
            doubts = token.lemma in _WONDERED if wondering else _is_unknown(tokens, index)
            return index if doubts else -1
    return -1


def _question_end(tokens: Tokens, predicate: int) -> int:
    """Return the token that turns the predicate before it into an indirect question, or -1."""
    for index in range(predicate + 1, min(len(tokens), predicate + 1 + _LONGEST_QUESTION)):
        token = tokens[index]
        if token.tag in ("EC", "EF") and token.form.endswith(_ASKING):
            return index
        if _wonders(tokens, index):
            # 좋지 않을까 싶다, 좋지 않나 싶다: a writer who asks like this thinks so
            return -1 if any(other.lemma == "않다" for other in tokens[predicate:index]) else index
        if token.tag == "NNB" and token.form in ("지", "줄") and tokens[index - 1].tag == "ETM":
            return index
        if not _belongs_to_question(tokens, index):
            return -1
    return -1


def _wonders(tokens: Tokens, index: int) -> bool:
    return tokens[index].tag in ("EC", "EF") and tokens[index].form in _WONDERING


def _belongs_to_question(tokens: Tokens, index: int) -> bool:
    """Return whether an ending, empty noun or light verb may precede the question: 좋다고 할 수 있을지, 좋은 편인지."""
    token = tokens[index]
    if token.tag == "EC":
        denied = token.form == "지" and index + 1 < len(tokens) and tokens[index + 1].tag == "VX"
        return denied or token.form == "어야" or ends_with(token.form, QUOTATIVES)
    return token.tag in _WITHIN_QUESTION or token.form in LIGHT_NOUNS or token.lemma in _LIGHT_VERBS


def _takes_for_granted(tokens: Tokens, predicate: int, praises: bool) -> bool:
    for index in range(predicate - 1, max(-1, predicate - 1 - _LOOKING_BACK), -1):
        if tokens[index].tag in ("EF", "SF"):
            return False
        if tokens[index].form in _EXCLAIMING or (not praises and tokens[index].form in _PRESUPPOSING):
            return True
    return False


def _is_unknown(tokens: Tokens, index: int) -> bool:
    """Return whether the words from here on say that something is unknown; 좋은지 몰랐다 says that it is known now."""
    lemma = tokens[index].lemma
    tail = tokens[index + 1 : index + 1 + _TAIL]
    if lemma == "모르다":
        return not (tail and tail[0].tag == "EP" and tail[0].form in ("었", "았"))
    if lemma in _UNKNOWN:
        return True
    around = (tokens[index - 1], *tail)
    if lemma in _KNOWN:
        return any(token.form in _DENYING_FORMS or token.lemma in _DENYING_LEMMAS for token in around)
    # 써 봐야 알겠다, 두고 봐야 한다: it remains to be seen
    return any(left.lemma == "보다" and right.form.startswith("어야") for left, right in pairwise(tail))
