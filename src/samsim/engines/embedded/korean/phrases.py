"""The noun phrases and opinions of a Korean text, which the three extractors share.

A noun phrase is a run of adjacent nouns with the particle that follows it (배터리 수명 + 이); an opinion is
a polarity word with its endings, its negation and its position: before the noun it modifies (맛있는 빵)
or after its subject (빵이 맛있다).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from samsim.engines.embedded.korean.doubt import doubting_word
from samsim.language.korean.grammar import LIGHT_NOUNS, NOT_EVEN_ONE
from samsim.language.korean.polarity import WISH_PRIOR, WISHED, arising_verb
from samsim.language.lexicon import load_scores
from samsim.schemas.analysis import Cue, Offsets, PolarityWord, TextAnalysis, Token

Mood = Literal["stated", "conditional", "adverbial", "asked", "doubted", "granted", "wished", "balanced"]
Role = Literal["subject", "topic", "object", "oblique", "genitive", "joined", "copula", "bare"]

_TERM_TAGS = frozenset({"NNG", "NNP", "SL", "SH", "XR", "SN", "NR", "W_SERIAL"})
_HEAD_TAGS = frozenset({"NNG", "NNP", "SL", "SH"})
_TOPIC_FORMS = frozenset({"은", "는", "ㄴ", "도", "만", "이야", "야", "까지", "마저", "조차", "이나", "역시"})
_JOINING = frozenset({"와", "과", "하고", "랑", "이랑", "및"})
_SEPARATORS = frozenset(
    "대비 정도 때문 경우 이후 이전 동안 처음 전체 오늘 어제 지난번 이번 다음 요즘 최근 매번 항상 하나 모두 "
    "전부 덕분 "
    "가지 번 것 등 중 점 쪽 위주 치고 자체 그때 생각 느낌 때 편 말 기분 마음 사실 보통 기대 만큼 의사 의향 "
    "이유 년 월 일 "
    "시간 분 내용 적 곳곳 진짜 정말 완전 우리 저희 자신 본인 누구 거기 지금 강력 적극 반면 대신 세상 결과 "
    "하루 일부 대부분 "
    "전반적 밤 아침 날 속 전 후 상태 수준 안 밖 주말 평일 이상 이하 사항 요소 일주일 한번 최대 최소 개인 "
    "개인적 기본 실제 "
    "예상 솔직 당시 나중 지난 매우 아주 무엇 뭔가 여러 첫 꼭 내내 매일 하나하나 시작 끝 이상 관계 곳".split()
)
_PEOPLE = frozenset(
    "남편 아내 친구 가족 아이 아이들 동생 부모 부모님 엄마 아빠 어머니 아버지 언니 오빠 누나 형 딸 아들 "
    "여자친구 남자친구 "
    "신랑 와이프 지인 동료 사람 모두 고객 손님 소비자 아기 애 애들 연인 일행".split()
)
"""Nouns for people who have the opinion, not what it is about (남편은 행복했고)."""
_OWNERS = frozenset("집 가게 식당 레스토랑 매장 제품 상품 브랜드 회사 호텔 카페".split())
_SUPPOSING = ("면", "거든", "려면", "어야")
_ENDING_TAGS = frozenset({"EP", "EF", "EC", "ETN", "ETM", "VX", "VCP", "XSA", "XSV"})


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """A possible aspect term: tokens ``first`` to ``last``, and the role that the particle after it gives it."""

    first: int
    last: int
    start: int
    end: int
    head: str
    role: Role
    particle: str
    after: int


@dataclass(frozen=True, slots=True)
class Opinion:
    """A polarity word in context: ``first`` to ``last`` are its own tokens, ``after`` is the next one.

    If a noun evaluates by being absent (맛이 없다, 자국이 안 보이다), the opinion is the predicate, not the noun.
    """

    word: PolarityWord
    lemma: str
    first: int
    last: int
    after: int
    start: int
    end: int
    modifies: bool
    clause: int
    sentence: int
    denials: tuple[Cue, ...]
    mood: Mood


@dataclass(frozen=True, slots=True)
class Reading:
    """A text's analysis with its phrases and opinions."""

    analysis: TextAnalysis
    phrases: tuple[NounPhrase, ...]
    opinions: tuple[Opinion, ...]
    clause_of: tuple[int, ...]
    sentence_of: tuple[int, ...]


def read(analysis: TextAnalysis) -> Reading:
    """Find the noun phrases and the opinions of an analyzed text."""
    tokens = analysis.tokens
    clause_of = _places(tokens, analysis.clauses)
    sentence_of = _places(tokens, analysis.sentences)
    opinions = _opinions(analysis, clause_of, sentence_of)
    taken = {index for opinion in opinions for index in range(opinion.first, opinion.last + 1)}
    phrases = _phrases(tokens, taken)
    return Reading(analysis, tuple(phrases), tuple(opinions), clause_of, sentence_of)


def _places(tokens: Sequence[Token], spans: tuple[Offsets, ...]) -> tuple[int, ...]:
    starts = [start for start, _ in spans]
    return tuple(max(0, bisect_right(starts, token.start) - 1) for token in tokens)


def _phrases(tokens: Sequence[Token], taken: set[int]) -> list[NounPhrase]:
    found: list[NounPhrase] = []
    index = 0
    while index < len(tokens):
        if not _is_term(tokens, index, taken):
            index += 1
            continue
        last = index
        while (
            last + 1 < len(tokens)
            and _is_term(tokens, last + 1, taken)
            and 0 <= tokens[last + 1].start - tokens[last].end <= 1
        ):
            last += 1
        if tokens[last].form not in _PEOPLE and any(
            tokens[place].tag in _HEAD_TAGS for place in range(index, last + 1)
        ):
            found.append(_phrase(tokens, _past_owner(tokens, index, last), last))
        index = last + 1
    return found


def _past_owner(tokens: Sequence[Token], first: int, last: int) -> int:
    """Skip the owner of an aspect, which is not part of its name: 이 집 국수, 이 제품 향."""
    pointed_at = first > 0 and tokens[first - 1].tag == "MM" and tokens[first].form in _OWNERS
    return first + 1 if pointed_at and first < last else first


def _is_term(tokens: Sequence[Token], index: int, taken: set[int]) -> bool:
    token = tokens[index]
    return token.tag in _TERM_TAGS and index not in taken and token.form not in _SEPARATORS


def _phrase(tokens: Sequence[Token], first: int, last: int) -> NounPhrase:
    after = last + 1
    if after < len(tokens) and tokens[after].tag == "XSN" and tokens[after].form == "들":
        after += 1
    role, particle, after = _role(tokens, after)
    return NounPhrase(first, last, tokens[first].start, tokens[last].end, tokens[last].form, role, particle, after)


def _role(tokens: Sequence[Token], index: int) -> tuple[Role, str, int]:
    if index >= len(tokens):
        return "bare", "", index
    token = tokens[index]
    after = index + 1
    while after < len(tokens) and tokens[after].tag in ("JX", "JKB", "JKG") and tokens[after - 1].tag[0] == "J":
        after += 1
    if token.tag == "JKS" or token.tag == "JKC":
        return "subject", token.form, after
    if token.tag == "JX":
        if after < len(tokens) and token.form == "만" and tokens[after].lemma == "못하다":
            # 예전만 못하다: a standard of comparison, not what is judged
            return "oblique", token.form, after
        return ("topic" if token.form in _TOPIC_FORMS else "oblique"), token.form, after
    if token.tag == "JKO":
        return "object", token.form, after
    if token.tag == "JKG":
        return "genitive", token.form, index + 1
    if token.tag == "JC" or token.form in _JOINING or (token.tag == "SP" and token.form in ",/·"):
        return "joined", token.form, index + 1
    if token.tag == "JKB":
        return "oblique", token.form, after
    if token.tag == "VCP":
        return "copula", token.form, index
    return "bare", "", index


def _opinions(analysis: TextAnalysis, clause_of: tuple[int, ...], sentence_of: tuple[int, ...]) -> list[Opinion]:
    tokens = analysis.tokens
    starts = [token.start for token in tokens]
    governing = _governing(analysis, starts)
    found: list[Opinion] = []
    for word in analysis.polarity_words:
        first = min(bisect_right(starts, word.start - 1), len(tokens) - 1)
        last = _head(tokens, first, word)
        denied = _denied_place(tokens, governing, first, last) if word.negated else last
        denials = tuple(governing.get(denied, ()))
        lemma = word.lemma
        if denials and word.negated and tokens[last].tag in _HEAD_TAGS and lemma not in load_scores("lexicon_ko"):
            marker = min(bisect_right(starts, denials[-1].end - 1), len(tokens)) - 1
            first = last = denied if denied > last else marker
            lemma = tokens[last].lemma
        after = _after_endings(tokens, last)
        start = min([tokens[first].start, *(cue.start for cue in denials)])
        end = max([tokens[last].end, tokens[after - 1].end, *(cue.end for cue in denials)])
        mood = _mood(analysis.text, tokens, last, after, word)
        found.append(
            Opinion(
                word, lemma, first, last, after, start, end,
                mood != "doubted" and _modifies(tokens, last, after), clause_of[last], sentence_of[last], denials,
                "balanced" if _is_balanced(analysis, word, denials) else mood,
            )
        )  # fmt: skip
    # 좋은지 의문이다: the word that expresses the doubt is not a judgment of its own
    doubting = {
        doubting_word(tokens, opinion.last, praises=opinion.word.in_context > 0)
        for opinion in found
        if opinion.mood == "doubted"
    }
    return [opinion for opinion in found if opinion.last not in doubting]


def _denied_place(tokens: Sequence[Token], governing: Mapping[int, list[Cue]], first: int, last: int) -> int:
    """Return the token whose denial negates the opinion ``first`` to ``last``: a part of it, or the verb after it."""
    if last in governing:
        return last
    if first in governing:
        # 값을 못 한다: the denial of a light verb applies to its noun
        return first
    # 자국이 안 보인다: the verb is denied, and the noun with it
    verb = arising_verb(tokens, last)
    return last if verb is None else verb


def _is_balanced(analysis: TextAnalysis, word: PolarityWord, denials: tuple[Cue, ...]) -> bool:
    """Return whether both a quality and its opposite are denied, which leaves the middle: 맛있지도 맛없지도 않다."""
    words = analysis.polarity_words
    for cue in denials:
        first, last = (bisect_left(words, place, key=lambda other: other.start) for place in cue.scopes[0])
        if cue.marker.startswith("지도") and any(other.prior * word.prior < 0 for other in words[first:last]):
            return True
    return False


def _mood(text: str, tokens: Sequence[Token], last: int, after: int, word: PolarityWord) -> Mood:
    """Return what the endings make of the judgment: stated, wished for, supposed, asked, doubted or granted."""
    if word.lemma in WISHED and word.prior == WISH_PRIOR:
        return "wished"
    ending = tokens[after - 1]
    if ending.tag == "EC" and ending.form.endswith(_SUPPOSING):
        return "conditional"
    if ending.form in ("게", "게끔", "도록") or tokens[last].form == "없이":
        return "adverbial"
    if doubting_word(tokens, last, praises=word.in_context > 0) >= 0:
        return "doubted"
    if ending.form.endswith("지") and after < len(tokens) and tokens[after].lemma == "모르다":
        return "granted"
    denies = any(token.lemma in ("않다", "아니다") for token in tokens[last:after])
    if ending.tag == "EF" and not denies and text[ending.end : ending.end + 1] == "?":
        return "asked"
    return "stated"


def _head(tokens: Sequence[Token], first: int, word: PolarityWord) -> int:
    """Return the last token of a word or expression."""
    closing = word.lemma.rsplit(" ", 1)[-1]
    last = first
    for index in range(first, len(tokens)):
        if tokens[index].start >= word.end:
            break
        if tokens[index].lemma == closing:
            last = index
    return last


def _governing(analysis: TextAnalysis, starts: list[int]) -> dict[int, list[Cue]]:
    """Return the negation cues that govern each token, by token index."""
    found: dict[int, list[Cue]] = {}
    for cue in analysis.cues_of("negation"):
        start, end = cue.scopes[0]
        for index in range(bisect_left(starts, start), bisect_left(starts, end)):
            if analysis.tokens[index].end <= end:
                found.setdefault(index, []).append(cue)
    return found


def _after_endings(tokens: Sequence[Token], last: int) -> int:
    """Return the index after the endings and auxiliaries that belong to the predicate at ``last``."""
    index = last + 1
    while index < len(tokens):
        tag = tokens[index].tag
        if tag in _ENDING_TAGS:
            index += 1
            if tag == "ETM" and (light := _after_light_noun(tokens, index)):
                index = light
                continue
            if tag in ("EF", "ETM") or (tag == "EC" and not _auxiliary_follows(tokens, index)):
                break
        elif tag == "JX" and tokens[index - 1].tag == "EC" and _auxiliary_follows(tokens, index):
            index += 1
        else:
            break
    return index


def _after_light_noun(tokens: Sequence[Token], index: int) -> int:
    """Return the index after 수 있다, 것 같다, 편이다 and similar if one starts at ``index``, else 0."""
    if index >= len(tokens) or tokens[index].form not in LIGHT_NOUNS:
        return 0
    index += 1
    while index < len(tokens) and (
        tokens[index].tag in ("JX", "JKS", "JKC", "MAG") or tokens[index].form in NOT_EVEN_ONE
    ):
        index += 1
    if index < len(tokens) and tokens[index].lemma in ("있다", "없다", "같다", "이다", "아니다"):
        return index + 1
    return 0


def _auxiliary_follows(tokens: Sequence[Token], index: int) -> bool:
    while index < len(tokens) and tokens[index].tag in ("JX", "JKO", "JKS"):
        index += 1
    return index < len(tokens) and tokens[index].tag == "VX"


def _modifies(tokens: Sequence[Token], last: int, after: int) -> bool:
    """Return whether the opinion modifies a noun: 맛있는 빵, 최고의 빵, and the unspaced 훌륭함분위기."""
    ending = tokens[after - 1]
    if ending.tag == "ETM":
        return True
    if after == last + 1 and after < len(tokens) and tokens[after].tag == "JKG":
        return True
    if ending.tag == "EF" and ending.form != "음":
        return False
    glued = after < len(tokens) and tokens[after].tag in _HEAD_TAGS and tokens[after].start == ending.end
    return glued and ending.form in ("ㅁ", "음")
