"""Korean polarity words: lexicon entries, fixed expressions, and predicates that depend on their noun.

``높다`` says nothing by itself: a high price is bad, high quality is good. The noun table says whether more
of a thing is good or bad, the predicate says whether there is more or less of it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from functools import cache

from samsim.language.korean.grammar import NOUNS, PARTICLES, PREDICATES, Tokens, skip_back
from samsim.language.korean.negation import JUDGING_ADVERBS
from samsim.language.lexicon import load_scores
from samsim.schemas.analysis import Cue, PolarityWord

_AMOUNT = {
    "높다": 1.0, "많다": 1.0, "길다": 1.0, "크다": 1.0, "세다": 1.0, "강하다": 1.0, "넘치다": 1.0, "늘다": 1.0,
    "오르다": 1.0, "비싸지다": 1.0, "올라가다": 1.0, "늘어나다": 1.0, "있다": 0.8, "풍성하다": 1.0,
    "낮다": -1.0, "적다": -1.0, "짧다": -1.0, "작다": -1.0, "약하다": -1.0, "줄다": -1.0, "내리다": -1.0,
    "줄어들다": -1.0,
}  # fmt: skip
_PAIRED = frozenset(
    {
        "차갑다",
        "뜨겁다",
        "빠르다",
        "밝다",
        "어둡다",
        "진하다",
        "깊다",
        "가볍다",
        "무겁다",
        "독하다",
        "심하다",
        "떨어지다",
    }
)
_WORKING = frozenset(
    "되다 익다 작동하다 작동되다 켜지다 열리다 들리다 나오다 맞다 지키다 닫히다 충전되다 연결되다 인식하다 "
    "인식되다 구동되다 먹히다 "
    "호환되다 지켜지다 들어가다 도착하다 응답하다 지원하다 지원되다 설명하다 해결되다 해결하다".split()
)
_WORD_TAGS = frozenset({"VV", "VA", "VX", "NNG", "NNP", "XR", "MAG", "IC", "SL", "VCN"})
_CONTENT_TAGS = _WORD_TAGS | {"NNB", "SN", "NR", "MM", "XSN"}
_ARISING = frozenset({"나다", "생기다", "올라오다", "보이다", "느껴지다"})
_TRIED = frozenset("맛보다 먹다 드시다 시도하다 가다 방문하다 주문하다 시키다 사다 쓰다 사용하다 구매하다".split())
_URGED_PRIOR = 0.5
_TOO_LONG_PRIOR = -0.5
"""일주일이나 걸렸다: -이나 says that it was more than it should be."""
_REGRET = frozenset({"후회하다", "후회", "후회되다", "손해"})
_MISSING_OUT = frozenset({"놓치다", "지나치다", "빼놓다", "거르다"})
_COMPARED_WITH = frozenset({"만", "보다"})
_INFERIOR_PRIOR = -0.5
"""예전만 못하다, 전보다 못하다: it falls short of what it is compared with."""
_COORDINATING = frozenset({"고", "며", "으며"})
_SUBJECT_REACH = 8
_AMOUNT_WEIGHT = 0.5
_WORKING_PRIOR = 0.5
WISH_PRIOR = -0.3
"""The prior of a wish (-었으면 좋겠다): what it says about the thing as it is now."""
WISHED = frozenset({"좋다", "낫다", "완벽하다", "훌륭하다", "하다", "싶다"})
"""Predicates that express a wish."""

Expressions = Mapping[str, tuple[tuple[tuple[str, ...], float], ...]]


@cache
def _expressions() -> Expressions:
    """Return the fixed expressions by their last lemma, longest first."""
    found: dict[str, list[tuple[tuple[str, ...], float]]] = {}
    for key, score in load_scores("lexicon_ko").items():
        *before, last = key.split(" ")
        if before:
            found.setdefault(last, []).append((tuple(reversed(before)), score))
    return {last: tuple(sorted(items, key=lambda item: (-len(item[0]), item[0]))) for last, items in found.items()}


def find_polarity_words(tokens: Tokens, negations: list[Cue]) -> list[PolarityWord]:
    """Return the evaluating words of a text, in text order, with negation resolved."""
    denied = _denial_counts(tokens, negations)
    judging = {cue.start for cue in negations}
    words: list[PolarityWord] = []
    for index, token in enumerate(tokens):
        if token.tag not in _WORD_TAGS or (token.form in JUDGING_ADVERBS and token.start not in judging):
            continue
        negated = (denied[index] or _denied_to_arise(tokens, index, denied)) % 2 == 1
        found = _read(tokens, index, negated)
        if found is None:
            continue
        first, prior, lemma = found
        if lemma in _REGRET and _regrets_missing(tokens, index, denied):
            prior = -prior
        if token.lemma == "하다" and first < index:
            # 값을 못 한다: the negation of a light verb is recorded on its noun.
            negated = negated or denied[first] % 2 == 1
        start = tokens[first].start
        if words and words[-1].start < start < words[-1].end:
            continue
        while words and words[-1].start >= start:
            words.pop()
        words.append(PolarityWord(start, max(token.end, start), lemma, prior, negated))
    return words


def _denial_counts(tokens: Tokens, negations: list[Cue]) -> list[int]:
    """Return how many negations govern each token."""
    counts = [0] * len(tokens)
    starts = [token.start for token in tokens]
    for cue in negations:
        if cue.marker in JUDGING_ADVERBS:
            continue
        start, end = cue.scopes[0]
        for index in range(bisect_left(starts, start), bisect_left(starts, end)):
            counts[index] += tokens[index].end <= end
    return counts


def _denied_to_arise(tokens: Tokens, index: int, denied: list[int]) -> int:
    """Return how many negations govern the verb of 트러블이 안 나요: the noun does not come about."""
    verb = arising_verb(tokens, index)
    return 0 if verb is None else denied[verb]


def arising_verb(tokens: Tokens, noun: int) -> int | None:
    """Return the verb that makes a noun come about (트러블이 나다, 자국이 보이다), if one follows it."""
    if tokens[noun].tag not in NOUNS:
        return None
    for place in range(noun + 1, min(noun + 5, len(tokens))):
        if tokens[place].lemma in _ARISING:
            return place
        if tokens[place].tag not in PARTICLES and tokens[place].tag != "MAG":
            return None
    return None


def _regrets_missing(tokens: Tokens, index: int, denied: list[int]) -> bool:
    """Return whether missing out is what is regretted, which is praise: 안 먹으면 후회한다, 놓치면 손해다."""
    ending = skip_back(tokens, index - 1, frozenset({"MAG"}))
    if ending < 1 or tokens[ending].tag != "EC" or not tokens[ending].form.endswith("면"):
        return False
    predicate = skip_back(tokens, ending - 1, PARTICLES | {"EP", "EC", "VX"})
    if predicate < 0 or tokens[predicate].tag not in PREDICATES:
        return False
    return (denied[predicate] + (tokens[predicate].lemma in _MISSING_OUT)) % 2 == 1


def _read(tokens: Tokens, index: int, negated: bool) -> tuple[int, float, str] | None:
    """Return the first token, prior and lemma of the polarity word that ends at ``index``, or None."""
    token = tokens[index]
    if token.lemma in WISHED and _is_wish(tokens, index):
        return index, WISH_PRIOR, token.lemma
    expression = _expression(tokens, index)
    if expression is not None:
        return expression
    if token.form == "없이":
        return _without(tokens, index)
    prior = _by_noun(tokens, index)
    if prior is None:
        prior = load_scores("lexicon_ko").get(token.lemma)
    if prior is None and negated:
        prior = _if_denied(tokens, index)
    if prior is None and token.lemma == "걸리다" and index and tokens[index - 1].form in ("이나", "나"):
        prior = _TOO_LONG_PRIOR
    if token.lemma == "못하다" and index and tokens[index - 1].form in _COMPARED_WITH:
        prior = _INFERIOR_PRIOR
    if prior is None and token.lemma in _TRIED and _is_urged(tokens, index):
        prior = _URGED_PRIOR
    return None if not prior else (index, prior, token.lemma)


def _is_urged(tokens: Tokens, index: int) -> bool:
    """Return whether the writer urges others to try it, which is praise: 맛보세요, 먹어 보세요."""
    tail = tokens[index + 1 : index + 4]
    tries = tokens[index].lemma == "맛보다" or any(token.lemma == "보다" and token.tag == "VX" for token in tail)
    return tries and any(token.tag == "EF" and token.form.endswith(("세요", "시오", "시길")) for token in tail)


def _if_denied(tokens: Tokens, index: int) -> float | None:
    """Return the prior of a word that evaluates only when negated: 작동이 안 돼요, 성의가 없어요."""
    token = tokens[index]
    if token.lemma in _WORKING:
        return _WORKING_PRIOR
    if _is_judged_by_modifier(tokens, index):
        return None
    if token.tag in NOUNS and not (index + 1 < len(tokens) and tokens[index + 1].tag in NOUNS):
        worth = _worth(tokens, index)
        return worth * _AMOUNT_WEIGHT if worth else None
    return None


def _is_judged_by_modifier(tokens: Tokens, index: int) -> bool:
    """Return whether the modifier carries the judgment (맛없는 메뉴가 없다), so the noun's absence says nothing."""
    return index >= 2 and tokens[index - 1].tag == "ETM" and tokens[index - 2].lemma in load_scores("lexicon_ko")


def _expression(tokens: Tokens, index: int) -> tuple[int, float, str] | None:
    for before, score in _expressions().get(tokens[index].lemma, ()):
        first = _match_back(tokens, index - 1, before)
        if first is not None:
            lemma = " ".join((*reversed(before), tokens[index].lemma))
            return first, score, lemma
    return None


def _match_back(tokens: Tokens, index: int, lemmas: tuple[str, ...]) -> int | None:
    """Return where ``lemmas`` (nearest first) begin, looking back over particles, endings and one adverb."""
    adverbs = 0
    for lemma in lemmas:
        while index >= 0 and tokens[index].lemma != lemma:
            tag = tokens[index].tag
            if tag in ("EF", "SF") or (tag in _CONTENT_TAGS and tag != "MAG"):
                return None
            adverbs += tag == "MAG"
            if adverbs > 1:
                return None
            index -= 1
        if index < 0:
            return None
        index -= 1
    return index + 1


def _without(tokens: Tokens, index: int) -> tuple[int, float, str] | None:
    """Return the polarity of 끊김 없이 or 소음 없이: the absence of a bad thing is good, and vice versa."""
    head = index - 1
    while head >= 0 and (tokens[head].tag in PARTICLES or tokens[head].tag == "ETN"):
        head -= 1
    if head < 0:
        return None
    worth = _worth(tokens, head) or load_scores("lexicon_ko").get(tokens[head].lemma)
    return None if not worth else (head, -worth * _AMOUNT_WEIGHT, f"{tokens[head].lemma} 없이")


def _by_noun(tokens: Tokens, index: int) -> float | None:
    lemma = tokens[index].lemma
    amount = _AMOUNT.get(lemma)
    if amount is None and lemma not in _PAIRED:
        return None
    noun = _described_noun(tokens, index)
    if noun is None:
        return None
    pair = load_scores("quantity_ko").get(f"{tokens[noun].form} {lemma}")
    if pair is not None or amount is None:
        return pair
    worth = _worth(tokens, noun)
    if worth is None or tokens[noun].lemma in load_scores("lexicon_ko"):
        return None
    if worth < 0 and any(token.form in _COORDINATING for token in tokens[noun:index]):
        # 가격이 싸고 많다: the second quality is not about cost.
        return None
    if abs(worth) < 1 and (lemma == "있다" or noun > index):
        return None
    return worth * amount * _AMOUNT_WEIGHT


def _described_noun(tokens: Tokens, index: int) -> int | None:
    """Return the noun a predicate describes: the one it modifies, else the nearest one before it."""
    if index + 2 < len(tokens) and tokens[index + 1].tag == "ETM" and tokens[index + 2].tag in NOUNS:
        head = index + 2
        while head + 1 < len(tokens) and tokens[head + 1].tag in NOUNS:
            head += 1
        return head
    for place in range(index - 1, max(-1, index - _SUBJECT_REACH), -1):
        tag = tokens[place].tag
        if tag in NOUNS:
            return place
        if tag in ("EF", "SF", "ETM") or (tag == "EC" and not _keeps_subject(tokens, place)):
            return None
    return None


def _keeps_subject(tokens: Tokens, ending: int) -> bool:
    """Return whether the next predicate has the same subject: 화면이 크고 밝다."""
    form = tokens[ending].form
    return form == "게" or (form in _COORDINATING and tokens[ending - 1].tag == "VA")


def _worth(tokens: Tokens, noun: int) -> float | None:
    """Return how good or bad more of a (compound) noun is; its strongest part decides, the last one on a tie."""
    table = load_scores("quantity_ko")
    best: float | None = None
    place = noun
    while place >= 0 and (place == noun or tokens[place].tag in NOUNS) and tokens[place].form != "대비":
        worth = table.get(tokens[place].lemma)
        if worth is not None and (best is None or abs(worth) > abs(best)):
            best = worth
        place -= 1
    return best


def _is_wish(tokens: Tokens, index: int) -> bool:
    """Return whether this is a wish for something missing: -었으면 좋겠다, -면 더 좋을 텐데, -면 좋을 것 같다."""
    before = index - 1
    while before >= 0 and tokens[before].tag in ("MAG", "JX"):
        before -= 1
    if before < 1 or tokens[before].tag != "EC" or not tokens[before].form.endswith("면"):
        return False
    if tokens[index].lemma in ("하다", "싶다"):
        return tokens[before - 1].tag == "EP"
    tail = [token.form for token in tokens[index + 1 : index + 4]]
    return "겠" in tail or "것" in tail or "거" in tail or "터" in tail or "텐데" in tail or "을텐데" in tail
