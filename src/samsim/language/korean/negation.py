"""Korean negation cues and their scope, read from morphemes.

Not every negative morpheme denies something: 더할 나위 없다 praises, 좋지 않나요? asks for agreement, 뿐만
아니라 adds. Those produce no cue. A reinforcing adverb (별로, 전혀) with a negated predicate is one
negation, not two.
"""

from __future__ import annotations

from samsim.language.korean.grammar import (
    CONTENT_PREDICATES,
    LIGHT_NOUNS,
    NOT_EVEN_ONE,
    NOUNS,
    PARTICLES,
    PREDICATES,
    QUOTATIVES,
    QUOTING,
    Tokens,
    before_light_noun,
    ends_with,
    main_predicate,
    noun_phrase_start,
    skip_back,
)
from samsim.schemas.analysis import Cue, Offsets

_SHORT = frozenset({"안", "못", "덜"})
_LONG = frozenset({"않다", "못하다", "말다", "아니하다"})
_RHETORICAL = (
    "나요",
    "을까",
    "을까요",
    "ㄹ까",
    "ㄹ까요",
    "습니까",
    "는가",
    "는가요",
    "ㄴ가",
    "ㄴ가요",
    "나",
    "니",
    "냐",
    "은가요",
    "은가",
)
_PRAISING_NOUNS = frozenset(
    {"나위", "손색", "다름", "틀림", "변함", "상관", "여지", "두말", "끝", "빈틈", "군더더기", "거침", "막힘"}
)
_FAULT_FINDING = frozenset({"흠잡다", "나무라다", "버리다", "빠지다", "꿀리다", "비하다", "흠 잡다", "견주다"})
_UNFORGETTABLE = frozenset(
    {"잊다", "빼놓다", "빼다", "멈추다", "어쩌다", "거부하다", "떼다", "형용하다", "말하다", "놓치다"}
)
_NO_DENIAL = frozenset({"뿐", "뿐만", "만", "다름"})
_IDIOMATIC_SUBJECTS = frozenset({"보통", "장난", "예사"})
JUDGING_ADVERBS = frozenset({"별로", "그닥"})
"""Adverbs that are a judgment in themselves if no negated predicate follows."""
_LEXICAL_NEGATIVES = frozenset(
    {"맛없다", "재미없다", "멋없다", "쓸모없다", "성의없다", "의미없다", "소용없다", "쓸데없다"}
)
_COMPARING = frozenset({"더", "이만큼", "이렇게", "그만큼"})
"""더 좋은 곳은 없다: a negated comparison is the highest praise, not a denial."""
_REINFORCING_REACH = 12
_LONGEST_ROW = 36
"""How many tokens back the negation of a series (맛있지도 친절하지도 … 않다) reaches."""
_SKIPPED = PARTICLES | {"MAG"}
_OF_OBJECTS = frozenset({"을", "를", "은", "는", "도"})


def find_negations(text: str, tokens: Tokens) -> list[Cue]:
    """Return the negation cues of a text, in text order."""
    cues: list[Cue] = []
    for index, token in enumerate(tokens):
        cue = None
        if token.tag == "MAG":
            cue = _adverb(text, tokens, index)
        elif token.tag in ("VX", "VV", "VA") and token.lemma in _LONG:
            cue = _long(text, tokens, index)
        elif token.form == "없" and token.tag == "VA":
            cue = _absent(text, tokens, index)
        elif token.tag == "VCN":
            cue = _not_a(text, tokens, index)
        elif token.form.endswith("커녕"):
            cue = _far_from(text, tokens, index)
        elif token.lemma in _LEXICAL_NEGATIVES:
            cue = _lexical(text, token.start, token.end)
        if cue is not None:
            cues.append(cue)
    return cues


def _cue(text: str, marker: Offsets, scope: Offsets) -> Cue:
    return Cue("negation", text[marker[0] : marker[1]], *marker, (scope,))


def _adverb(text: str, tokens: Tokens, index: int) -> Cue | None:
    token = tokens[index]
    if token.form in _SHORT:
        return _short(text, tokens, index)
    if token.form in JUDGING_ADVERBS:
        return None if _reinforces(tokens, index) else _judgement(text, tokens, index)
    return None


def _short(text: str, tokens: Tokens, index: int) -> Cue | None:
    target = index + 1
    while target < len(tokens) and tokens[target].tag in ("MAG", "NNG") and target <= index + 2:
        target += 1
    if target >= len(tokens) or tokens[target].tag not in CONTENT_PREDICATES | {"VX"}:
        return None
    predicate = tokens[target]
    quoted = _quoted(tokens, index) if predicate.lemma in QUOTING else None
    scope = quoted or (predicate.start, predicate.end)
    noun = skip_back(tokens, index - 1, PARTICLES)
    if predicate.lemma in ("하다", "되다", "나다", "들다") and noun >= 0 and tokens[noun].tag in NOUNS:
        scope = (tokens[noun].start, tokens[noun].end) if predicate.lemma == "하다" else scope
    marker = (tokens[index].start, tokens[index].end)
    return _cue(text, marker, scope)


def _quoted(tokens: Tokens, index: int) -> Offsets | None:
    """Return the quoted predicate in 맛있다고는 못 하겠다: it is what is denied, not the saying."""
    ending = skip_back(tokens, index - 1, PARTICLES)
    if ending < 1 or tokens[ending].tag != "EC" or not ends_with(tokens[ending].form, QUOTATIVES):
        return None
    predicate = skip_back(tokens, ending - 1, frozenset({"EP"}))
    if predicate < 0 or tokens[predicate].tag not in PREDICATES:
        return None
    first = _with_noun(tokens, main_predicate(tokens, predicate))
    return tokens[first].start, tokens[predicate].end


def _judgement(text: str, tokens: Tokens, index: int) -> Cue:
    """Return the cue of 별로 as the judgment itself (맛이 별로예요); it governs the noun judged, if one is near."""
    token = tokens[index]
    noun = skip_back(tokens, index - 1, _SKIPPED)
    scope = (token.start, token.start)
    if noun >= 0 and tokens[noun].tag in NOUNS:
        scope = (tokens[noun_phrase_start(tokens, noun)].start, tokens[noun].end)
    return _cue(text, (token.start, token.end), scope)


def _reinforces(tokens: Tokens, index: int) -> bool:
    """Return whether 별로 only strengthens a negation that follows before the clause ends."""
    for token in tokens[index + 1 : index + _REINFORCING_REACH]:
        if token.lemma in _LONG or token.form in ("안", "못", "없", "아니"):
            return True
        if token.tag in ("VCP", "EF", "SF", "SP") or (token.tag == "EC" and token.form != "지"):
            return False
    return False


def _long(text: str, tokens: Tokens, index: int) -> Cue | None:
    ending = skip_back(tokens, index - 1, PARTICLES)
    if tokens[index].lemma == "못하다" and (unable := _quoted(tokens, index) or _undone(tokens, index)):
        return _cue(text, (tokens[index].start, tokens[index].end), unable)
    if ending < 1 or tokens[ending].tag != "EC" or tokens[ending].form != "지":
        return None
    if tokens[index].lemma != "말다" and _asks_agreement(text, tokens, index):
        return None
    predicate = skip_back(tokens, ending - 1, frozenset({"EP"}))
    if predicate < 0 or tokens[predicate].tag not in PREDICATES:
        return None
    first = _with_noun(tokens, main_predicate(tokens, predicate))
    if tokens[ending + 1].form == "도":
        first = _first_of_neither(tokens, first)
    start = tokens[first].start
    marker = (tokens[ending].start, tokens[index].end)
    return _cue(text, marker, (start, max(start, tokens[predicate].end)))


def _undone(tokens: Tokens, index: int) -> Offsets | None:
    """Return the object denied by 못하다 written as one word: 돈값을 못하다, 추천은 못하다."""
    noun = index - 2
    if noun < 0 or tokens[noun].tag not in NOUNS or tokens[index - 1].form not in _OF_OBJECTS:
        return None
    return tokens[noun].start, tokens[noun].end


def _first_of_neither(tokens: Tokens, predicate: int) -> int:
    """Return the first member of a series (맛있지도 친절하지도 않다): the negation reaches all of them."""
    floor = max(2, predicate - _LONGEST_ROW)
    while (
        predicate > floor
        and tokens[predicate - 1].form == "도"
        and tokens[predicate - 2].form == "지"
        and tokens[predicate - 3].tag in CONTENT_PREDICATES
    ):
        predicate -= 3
    return predicate


def _with_noun(tokens: Tokens, predicate: int) -> int:
    """Return the start of the predicate: a copula is governed together with its noun (최고이지 않다)."""
    if tokens[predicate].tag == "VCP" and predicate > 0 and tokens[predicate - 1].tag in NOUNS | {"MAG"}:
        return predicate - 1
    return predicate


def _asks_agreement(text: str, tokens: Tokens, index: int) -> bool:
    """Return whether the speaker asks for agreement (-지 않나요?, -지 않을까, -지 않아요?) and denies nothing."""
    end = index + 1
    while end < len(tokens) and tokens[end].tag == "EP":
        end += 1
    if end >= len(tokens) or tokens[end].tag not in ("EF", "EC"):
        return False
    if tokens[end].form in _RHETORICAL:
        return True
    return tokens[end].tag == "EF" and text[tokens[end].end : tokens[end].end + 1] == "?"


def _missing_noun(tokens: Tokens, index: int) -> int:
    """Return the noun that is absent, skipping words that only stress it: 단점이 하나도 없다, 소음이 전혀 없다."""
    noun = skip_back(tokens, index - 1, _SKIPPED)
    if noun > 0 and tokens[noun].form in NOT_EVEN_ONE and tokens[noun + 1].form == "도":
        one = noun - 1 if tokens[noun - 1].form in NOT_EVEN_ONE else noun
        stressed = skip_back(tokens, one - 1, _SKIPPED)
        if stressed >= 0 and (tokens[stressed].tag in NOUNS or tokens[stressed].form in LIGHT_NOUNS):
            return stressed
    return noun


def _absent(text: str, tokens: Tokens, index: int) -> Cue | None:
    noun = _missing_noun(tokens, index)
    if noun < 0:
        return None
    marker = (tokens[index].start, tokens[index].end)
    head = tokens[noun]
    if head.form in LIGHT_NOUNS:
        predicate = before_light_noun(tokens, noun)
        if predicate is None or tokens[predicate].lemma in _UNFORGETTABLE | _FAULT_FINDING:
            return None
        marker = (head.start, tokens[index].end)
        start = tokens[_first_alternative(tokens, predicate)].start
        return _cue(text, marker, (start, tokens[predicate].end))
    if head.tag == "NNB" or head.form in _PRAISING_NOUNS:
        return None
    if head.tag == "ETN":
        return _cue(text, marker, (tokens[main_predicate(tokens, noun - 1)].start, head.end))
    if head.tag in NOUNS or head.tag == "NP":
        first = _with_modifier(tokens, noun_phrase_start(tokens, noun))
        if tokens[first - 1].form in _COMPARING and first != noun and first:
            return None
        return _cue(text, marker, (tokens[first].start, head.end))
    return None


def _with_modifier(tokens: Tokens, noun: int) -> int:
    """Return the noun's modifier, which is denied with it, else the noun: 좋은 제품이 아니다, 맛있는 메뉴가 없다."""
    if noun < 2 or tokens[noun - 1].tag != "ETM":
        return noun
    predicate = skip_back(tokens, noun - 2, frozenset({"EP"}))
    if predicate < 0 or tokens[predicate].tag not in PREDICATES:
        return noun
    return _with_noun(tokens, main_predicate(tokens, predicate))


def _first_alternative(tokens: Tokens, predicate: int) -> int:
    """Return the first alternative in 느리거나 끊기는 일이 없다: the negation reaches all of them."""
    while predicate >= 2 and tokens[predicate - 1].form == "거나" and tokens[predicate - 2].tag in PREDICATES:
        predicate -= 2
    return predicate


def _not_a(text: str, tokens: Tokens, index: int) -> Cue | None:
    noun = index - 1
    while noun >= 0 and tokens[noun].tag in PARTICLES:
        if tokens[noun].form in _NO_DENIAL:
            return None
        noun -= 1
    if noun < 0 or _asks_agreement(text, tokens, index):
        return None
    head = tokens[noun]
    if head.form in _NO_DENIAL or head.form in _IDIOMATIC_SUBJECTS:
        return None
    marker = (tokens[index].start, tokens[index].end)
    if head.tag == "NNB":
        predicate = before_light_noun(tokens, noun)
        start = head.start if predicate is None else tokens[predicate].start
        return _cue(text, marker, (start, head.end))
    if head.tag in NOUNS or head.tag in ("MAG", "ETN", "NP"):
        first = _with_modifier(tokens, noun_phrase_start(tokens, noun))
        return _cue(text, marker, (tokens[first].start, head.end))
    return None


def _lexical(text: str, start: int, end: int) -> Cue | None:
    """Return the cue inside a single word such as 맛없다, whose two halves can be told apart."""
    place = text.rfind("없", start, end)
    return None if place < 0 else _cue(text, (place, place + 1), (start, place))


def _far_from(text: str, tokens: Tokens, index: int) -> Cue | None:
    """Return the cue of 친절하기는커녕 or 할인은커녕, which denies what comes before it."""
    head = skip_back(tokens, index - 1, PARTICLES | {"ETN"})
    if head < 0 or tokens[head].tag not in NOUNS | CONTENT_PREDICATES:
        return None
    return _cue(text, (tokens[index].start, tokens[index].end), (tokens[head].start, tokens[head].end))
