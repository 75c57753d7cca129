"""Linking Korean opinions to noun phrases by direct syntax: what they modify, or their subject."""

from __future__ import annotations

from bisect import bisect_left

from samsim.engines.embedded.korean.phrases import NounPhrase, Opinion, Reading

_PLACEHOLDERS = frozenset(
    "느낌 때 사람 생각 부분 경험 방법 선택 시간 구매 장면 이유 측면 문제 가치 인상 기억 추억 하루 저녁 "
    "물건 모습 일 "
    "종류 이야기 답장 평판 뜻 즐거움 보상 평가 사용자 목적 세계 인생 혼자 보물 작업 반응 농담 "
    "보너스 특징".split()
)
"""Nouns that refer to the thing judged without naming it: 좋은 선택이에요, 훌륭한 경험."""
_TRANSITIVE = frozenset(
    "좋아하다 싫어하다 추천하다 사랑하다 즐기다 선호하다 칭찬하다 강추하다 비추하다 후회하다 혐오하다 "
    "애용하다 극찬하다 "
    "추천 감사하다 피하다  망치다 무시하다 자랑하다 신뢰하다 강추 비추".split()
)
_ABOUT = frozenset(
    "만족하다|실망하다|만족|실망|놀라다|감동하다|감탄하다|불만|불만족|감동|만족스럽다|실망스럽다|대만족|"
    "감명 받다|감동 받다|"
    "첫눈 반하다|홀딱 반하다|매료되다".split("|")
)
RETURNING = ("다시 ", "또 ", "꼭 ", "자주 ", "계속 ", "재구매 ", "재방문 ")
"""Starts of expressions that promise to return or urge others to: about the whole, unless they have an object."""
_FOLLOWED_THROUGH = frozenset({"MAG", "XSN", "SSO", "SSC", "SW"})
_TRAILING_REACH = 3
_LONGEST_GAP = 24
_IN_MIND = 24
"""A text without endings and periods is one clause of thousands of nouns, most of which are out of reach."""
_UNLIKELY_GOALS = frozenset({"로", "으로", "처럼", "만큼", "보다", "으로서", "뿐", "같이"})


def modified(reading: Reading, opinion: Opinion, reach: int = 0) -> list[NounPhrase]:
    """Return the noun phrase that follows an adnominal opinion, with those coordinated to it.

    ``reach`` is how many tokens may come in between (another modifier: 맛있는 이 집 빵).
    """
    tokens = reading.analysis.tokens
    start = opinion.after
    if start < len(tokens) and tokens[start].tag == "JKG":
        start += 1
    place = bisect_left(reading.phrases, start, key=lambda phrase: phrase.first)
    if place >= len(reading.phrases):
        return []
    first = reading.phrases[place].first
    if first - start > reach or any(token.tag in ("NNB", "EF", "SF", "NP", "EC") for token in tokens[start:first]):
        return []
    place = _past_genitives(reading, place)
    found = _joined_right(reading, place)
    if found[-1].role == "genitive" or (found[-1].role == "oblique" and found[-1].particle in _UNLIKELY_GOALS):
        return []
    return [phrase for phrase in found if phrase.head not in _PLACEHOLDERS]


def _past_genitives(reading: Reading, place: int) -> int:
    """Skip genitives to the head of the phrase: in 좋은 음식의 맛, the head is 맛."""
    phrases = reading.phrases
    while phrases[place].role == "genitive" and place + 1 < len(phrases):
        if phrases[place + 1].first != phrases[place].after:
            break
        place += 1
    return place


def _joined_right(reading: Reading, place: int) -> list[NounPhrase]:
    found = [reading.phrases[place]]
    while found[-1].role == "joined" and place + 1 < len(reading.phrases):
        following = reading.phrases[place + 1]
        if following.first != found[-1].after:
            break
        found.append(following)
        place += 1
    return found


def joined_left(reading: Reading, place: int) -> list[NounPhrase]:
    """Return a noun phrase and those coordinated to its left (음식과 서비스)."""
    found = [reading.phrases[place]]
    while place > 0:
        previous = reading.phrases[place - 1]
        if previous.role != "joined" or previous.after != found[0].first:
            break
        found.insert(0, previous)
        place -= 1
    return found


def subjects(reading: Reading, opinion: Opinion) -> list[NounPhrase]:
    """Return the noun phrases that an opinion is about within its clause."""
    best: tuple[int, int] | None = None
    for place in phrases_before(reading, opinion):
        phrase = reading.phrases[place]
        if reading.clause_of[phrase.first] != opinion.clause:
            break
        rank = _suits(reading, phrase, opinion)
        if rank and phrase.head not in _PLACEHOLDERS and (best is None or rank > best[0]):
            best = (rank, place)
    return [] if best is None else joined_left(reading, best[1])


def _suits(reading: Reading, phrase: NounPhrase, opinion: Opinion) -> int:
    """Return how well a phrase's particle fits the opinion's predicate; 0 rules it out."""
    lemma = opinion.lemma
    transitive = lemma in _TRANSITIVE or lemma.startswith(RETURNING)
    if phrase.role == "object":
        return 4 if transitive else 0
    if phrase.role in ("subject", "topic"):
        return 1 if transitive else 3 if phrase.role == "subject" else 2
    if phrase.role == "oblique":
        return 4 if phrase.particle in ("에", "에게") and lemma in _ABOUT else 0
    if phrase.role == "bare":
        return 2 if _adjacent(reading, phrase, opinion) else 0
    return 0


def _adjacent(reading: Reading, phrase: NounPhrase, opinion: Opinion) -> bool:
    if opinion.first - phrase.after > _LONGEST_GAP:
        return False
    between = reading.analysis.tokens[phrase.after : opinion.first]
    return all(token.tag in _FOLLOWED_THROUGH for token in between)


_PROPERTIES = frozenset(
    "맛 크기 무게 양 질 느낌 식감 두께 길이 모양 색 냄새 온도 굽기 간 신선도 완성도 만족도 활용도".split()
)
_PROPERTY_SUFFIXES = ("감", "성", "력")


def topic_before(reading: Reading, opinion: Opinion, own_clause: bool) -> list[NounPhrase]:
    """Return the nearest topic-marked phrase before an opinion, in its clause or in its sentence."""
    for place in phrases_before(reading, opinion):
        phrase = reading.phrases[place]
        if reading.sentence_of[phrase.first] != opinion.sentence:
            return []
        if own_clause and reading.clause_of[phrase.first] != opinion.clause:
            return []
        if phrase.role == "topic" and (own_clause or phrase.particle != "도"):
            return joined_left(reading, place)
    return []


def phrases_before(reading: Reading, opinion: Opinion) -> range:
    """Return the indices of the phrases before an opinion, nearest first; only those a reader would keep in mind."""
    nearest = bisect_left(reading.phrases, opinion.first, key=lambda phrase: phrase.first) - 1
    return range(nearest, max(-1, nearest - _IN_MIND), -1)


def is_property_of_topic(reading: Reading, opinion: Opinion, subject: NounPhrase) -> bool:
    """Return whether the subject only names a property and the topic is judged: 키보드는 촉감이 좋다."""
    if subject.role != "subject":
        return False
    if subject.head not in _PROPERTIES and not (len(subject.head) > 1 and subject.head.endswith(_PROPERTY_SUFFIXES)):
        return False
    return bool(topic_before(reading, opinion, own_clause=True))


def trailing(reading: Reading, opinion: Opinion) -> list[NounPhrase]:
    """Return the target if it follows the predicate as a bare noun: 맛있어요, 이 집 만두."""
    place = bisect_left(reading.phrases, opinion.after, key=lambda phrase: phrase.first)
    if place >= len(reading.phrases) or reading.phrases[place].role != "bare":
        return []
    phrase = reading.phrases[place]
    tokens = reading.analysis.tokens
    if phrase.first - opinion.after > _TRAILING_REACH or any(
        token.tag not in ("MM", "SP", "NNG") for token in tokens[opinion.after : phrase.first]
    ):
        return []
    ending = tokens[opinion.after - 1]
    goes_on = ending.tag == "EC" and not ending.form.endswith(("요", "다"))
    return [] if goes_on and phrase.start != opinion.end else [phrase]
