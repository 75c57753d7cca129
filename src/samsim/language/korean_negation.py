"""Korean negation cues and what they govern, read from morphemes.

Not every negative morpheme denies something: 더할 나위 없다 praises, 좋지 않나요? asks for agreement, 뿐만
아니라 adds. Those produce no cue. A reinforcing adverb (별로, 전혀) with a negated predicate is one
negation, not two.
"""

from __future__ import annotations

from samsim.language.korean_grammar import (
    CONTENT_PREDICATES,
    NOUNS,
    PARTICLES,
    PREDICATES,
    Tokens,
    before_light_noun,
    main_predicate,
    noun_phrase_start,
    skip_back,
)
from samsim.schemas.analysis import Cue, Offsets

_SHORT = frozenset({"안", "못", "덜"})
_LONG = frozenset({"않다", "못하다", "말다", "아니하다"})
_RHETORICAL = ("나요", "을까", "을까요", "ㄹ까", "ㄹ까요", "습니까", "는가", "는가요", "ㄴ가", "ㄴ가요", "나", "니", "냐", "은가요", "은가")
_PRAISING_NOUNS = frozenset({"나위", "손색", "다름", "틀림", "변함", "상관", "여지", "두말", "끝", "빈틈", "군더더기", "거침", "막힘"})
_FAULT_FINDING = frozenset({"흠잡다", "나무라다", "버리다", "빠지다", "꿀리다", "비하다", "흠 잡다", "견주다"})
_UNFORGETTABLE = frozenset({"잊다", "빼놓다", "빼다", "멈추다", "어쩌다", "거부하다", "떼다", "형용하다", "말하다", "놓치다"})
_NO_DENIAL = frozenset({"뿐", "뿐만", "만", "다름"})
_IDIOMATIC_SUBJECTS = frozenset({"보통", "장난", "예사"})
JUDGING_ADVERBS = frozenset({"별로", "그닥"})
"""Adverbs that are a judgement of their own where no negated predicate follows."""
_LEXICAL_NEGATIVES = frozenset({"맛없다", "재미없다", "멋없다", "쓸모없다", "성의없다", "의미없다", "소용없다", "쓸데없다"})
_SKIPPED = PARTICLES | {"MAG"}


def find_negations(text: str, tokens: Tokens) -> list[Cue]:
    """The negation cues of a text, in text order."""
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
        elif token.lemma in _LEXICAL_NEGATIVES:
            cue = _lexical(text, token.start, token.end)
        if cue is not None:
            cues.append(cue)
    return [cue for cue in cues if not _reinforces(cue, cues, text)]


def _cue(text: str, marker: Offsets, scope: Offsets) -> Cue:
    return Cue("negation", text[marker[0] : marker[1]], *marker, (scope,))


def _adverb(text: str, tokens: Tokens, index: int) -> Cue | None:
    token = tokens[index]
    if token.form in _SHORT:
        return _short(text, tokens, index)
    if token.form in JUDGING_ADVERBS:
        return _judgement(text, tokens, index)
    return None


def _short(text: str, tokens: Tokens, index: int) -> Cue | None:
    target = index + 1
    while target < len(tokens) and tokens[target].tag in ("MAG", "NNG") and target <= index + 2:
        target += 1
    if target >= len(tokens) or tokens[target].tag not in CONTENT_PREDICATES | {"VX"}:
        return None
    predicate = tokens[target]
    scope = (predicate.start, predicate.end)
    noun = skip_back(tokens, index - 1, PARTICLES)
    if predicate.lemma in ("하다", "되다", "나다", "들다") and noun >= 0 and tokens[noun].tag in NOUNS:
        scope = (tokens[noun].start, tokens[noun].end) if predicate.lemma == "하다" else scope
    marker = (tokens[index].start, tokens[index].end)
    return _cue(text, marker, scope)


def _judgement(text: str, tokens: Tokens, index: int) -> Cue:
    """별로 as the judgement itself (맛이 별로예요): it governs the noun judged, if one is near."""
    token = tokens[index]
    noun = skip_back(tokens, index - 1, _SKIPPED)
    scope = (token.start, token.start)
    if noun >= 0 and tokens[noun].tag in NOUNS:
        scope = (tokens[noun_phrase_start(tokens, noun)].start, tokens[noun].end)
    return _cue(text, (token.start, token.end), scope)


def _reinforces(cue: Cue, cues: list[Cue], text: str) -> bool:
    """Whether 별로 only strengthens a negation that follows in the same clause."""
    if cue.marker not in JUDGING_ADVERBS:
        return False
    return any(
        other.start > cue.start and other.start - cue.end <= 25 and "," not in text[cue.end : other.start]
        for other in cues
        if other is not cue
    )


def _long(text: str, tokens: Tokens, index: int) -> Cue | None:
    ending = skip_back(tokens, index - 1, PARTICLES)
    if ending < 1 or tokens[ending].tag != "EC" or tokens[ending].form != "지":
        return None
    if tokens[index].lemma != "말다" and _asks_agreement(text, tokens, index):
        return None
    predicate = skip_back(tokens, ending - 1, frozenset({"EP"}))
    if predicate < 0 or tokens[predicate].tag not in PREDICATES:
        return None
    start = tokens[_with_noun(tokens, main_predicate(tokens, predicate))].start
    marker = (tokens[ending].start, tokens[index].end)
    return _cue(text, marker, (start, max(start, tokens[predicate].end)))


def _with_noun(tokens: Tokens, predicate: int) -> int:
    """A copula is governed with its noun: 최고이지 않다."""
    if tokens[predicate].tag == "VCP" and predicate > 0 and tokens[predicate - 1].tag in NOUNS | {"MAG"}:
        return predicate - 1
    return predicate


def _asks_agreement(text: str, tokens: Tokens, index: int) -> bool:
    """-지 않나요?, -지 않을까, -지 않아요?: the speaker holds the opposite of what the form denies."""
    end = index + 1
    while end < len(tokens) and tokens[end].tag == "EP":
        end += 1
    if end >= len(tokens) or tokens[end].tag not in ("EF", "EC"):
        return False
    if tokens[end].form in _RHETORICAL:
        return True
    return tokens[end].tag == "EF" and text[tokens[end].end : tokens[end].end + 1] == "?"


def _absent(text: str, tokens: Tokens, index: int) -> Cue | None:
    noun = skip_back(tokens, index - 1, _SKIPPED)
    if noun < 0:
        return None
    marker = (tokens[index].start, tokens[index].end)
    head = tokens[noun]
    if head.tag == "NNB":
        predicate = before_light_noun(tokens, noun)
        if predicate is None:
            return None
        if tokens[predicate].lemma in _UNFORGETTABLE:
            return None
        marker = (head.start, tokens[index].end)
        return _cue(text, marker, (tokens[predicate].start, tokens[predicate].end))
    if head.form in _PRAISING_NOUNS:
        return None
    if head.tag == "ETN":
        return _cue(text, marker, (tokens[main_predicate(tokens, noun - 1)].start, head.end))
    if head.tag in NOUNS or head.tag == "NP":
        return _cue(text, marker, (tokens[noun_phrase_start(tokens, noun)].start, head.end))
    return None


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
        return _cue(text, marker, (tokens[noun_phrase_start(tokens, noun)].start, head.end))
    return None


def _lexical(text: str, start: int, end: int) -> Cue | None:
    """맛없다 and the like: one word, but its two halves can still be told apart."""
    place = text.rfind("없", start, end)
    return None if place < 0 else _cue(text, (place, place + 1), (start, place))
