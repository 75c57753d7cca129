"""Clause-by-clause linking: topics are carried over to coordinated and contrasted predicates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from samsim.engines.embedded.korean.linking import (
    RETURNING,
    is_property_of_topic,
    joined_left,
    modified,
    phrases_before,
    subjects,
    topic_before,
    trailing,
)
from samsim.engines.embedded.korean.phrases import NounPhrase, Opinion, Reading

How = Literal["modified", "subject", "topic", "carried", "introduced", "opening", "excepted", "aside", "unnamed"]

_REACH = 4
_COORDINATING = frozenset({"고", "며", "으며", "면서", "지만"})
_TAKING_UP = frozenset(
    "먹다 마시다 사다 주문하다 시키다 쓰다 사용하다 받다 구매하다 구입하다 시도하다 먹어보다 맛보다 "
    "선택하다 고르다 "
    "바르다 입다 신다 설치하다 이용하다".split()
)


_EXCEPTING = frozenset({"아니다", "없다", "빼다", "제외하다"})


@dataclass(frozen=True, slots=True)
class Link:
    """An opinion, the noun phrases it is about, and how they were found."""

    opinion: Opinion
    targets: tuple[NounPhrase, ...]
    how: How


def link_clausewise(reading: Reading) -> list[Link]:
    """Return every opinion with its targets; ``unnamed`` if the text does not name them."""
    links: list[Link] = []
    last: Link | None = None
    for number in range(len(reading.opinions)):
        link = _link(reading, number, last)
        if link.targets and link.how not in ("modified", "excepted") and link.targets[-1].particle != "도":
            # -도 adds one more item, which is not what the rest of the text is about
            last = link
        links.append(link)
    return links


def _link(reading: Reading, number: int, last: Link | None) -> Link:
    opinion = reading.opinions[number]
    head = modified(reading, opinion, _REACH) if opinion.modifies else []
    if head and head[-1].role == "oblique":
        # 훌륭한 분위기에서: a remark in passing; the clause is about something else
        return Link(opinion, (), "aside")
    if head:
        topic = topic_before(reading, opinion, own_clause=True) if head[-1].role == "copula" else []
        return Link(opinion, tuple(topic or head), "topic" if topic else "modified")
    own = subjects(reading, opinion)
    if own and is_property_of_topic(reading, opinion, own[-1]):
        return Link(opinion, tuple(topic_before(reading, opinion, own_clause=True)), "topic")
    if own:
        return Link(opinion, tuple(own), "subject")
    if shared := _shared_head(reading, number):
        return Link(opinion, tuple(shared), "modified")
    if excepted := _excepted(reading, opinion):
        return Link(opinion, tuple(excepted), "excepted")
    if opinion.lemma.startswith(RETURNING):
        return Link(opinion, (), "unnamed")
    if last is not None and last.opinion.sentence == opinion.sentence and last.opinion.clause != opinion.clause:
        return Link(opinion, last.targets, "carried")
    return _from_context(reading, opinion, last)


def _excepted(reading: Reading, opinion: Opinion) -> list[NounPhrase]:
    """Return the one exception, which is judged the other way: 가격만 아니면 완벽하다."""
    tokens = reading.analysis.tokens
    for place in phrases_before(reading, opinion):
        phrase = reading.phrases[place]
        if (
            reading.sentence_of[phrase.first] != opinion.sentence
            or reading.clause_of[phrase.first] < opinion.clause - 1
        ):
            return []
        following = [token for token in tokens[phrase.after : phrase.after + 3] if token.tag != "EP"]
        if phrase.particle == "만" and len(following) > 1 and following[0].lemma in _EXCEPTING:
            return joined_left(reading, place) if following[1].form in ("면", "으면", "고") else []
    return []


def _from_context(reading: Reading, opinion: Opinion, last: Link | None) -> Link:
    """Look beyond the clause: at the topic of the sentence, at what was introduced before, at what trails behind."""
    if topic := topic_before(reading, opinion, own_clause=False):
        return Link(opinion, tuple(topic), "topic")
    if introduced := _introduced(reading, opinion):
        return Link(opinion, tuple(introduced), "introduced")
    if trailing(reading, opinion):
        # 맛있어요, 이 집 만두: the noun is outside the clause; the literal perspective handles it
        return Link(opinion, (), "aside")
    if opening := _opening(reading, opinion):
        return Link(opinion, tuple(opening), "opening")
    if last is not None and last.opinion.sentence == opinion.sentence - 1 and _starts_sentence(reading, opinion):
        return Link(opinion, last.targets, "carried")
    return Link(opinion, (), "unnamed")


def _shared_head(reading: Reading, number: int) -> list[NounPhrase]:
    """Return the noun that two modifiers share: 훌륭하고 친절한 서비스."""
    opinion = reading.opinions[number]
    if number + 1 >= len(reading.opinions):
        return []
    following = reading.opinions[number + 1]
    tokens = reading.analysis.tokens
    between = tokens[opinion.after : following.first]
    if not following.modifies or any(token.tag not in ("MAG", "SP") for token in between):
        return []
    if tokens[opinion.after - 1].form not in _COORDINATING:
        return []
    return modified(reading, following, _REACH)


def _introduced(reading: Reading, opinion: Opinion) -> list[NounPhrase]:
    """Return what the previous clause introduces: 리조또를 먹었는데 정말 맛있었다."""
    tokens = reading.analysis.tokens
    for place in phrases_before(reading, opinion):
        phrase = reading.phrases[place]
        if reading.sentence_of[phrase.first] != opinion.sentence:
            return []
        if reading.clause_of[phrase.first] != opinion.clause - 1 or phrase.role != "object":
            continue
        if any(token.lemma in _TAKING_UP for token in tokens[phrase.after : phrase.after + 3]):
            return joined_left(reading, place)
    return []


def _opening(reading: Reading, opinion: Opinion) -> list[NounPhrase]:
    """Return a bare noun that opens the clause in place of a topic: 서비스 정말 … 친절해요."""
    for place in phrases_before(reading, opinion):
        phrase = reading.phrases[place]
        if reading.clause_of[phrase.first] != opinion.clause:
            return []
        first_of_clause = phrase.first == 0 or reading.clause_of[phrase.first - 1] != opinion.clause
        if phrase.role == "bare" and first_of_clause:
            return [phrase]
    return []


def _starts_sentence(reading: Reading, opinion: Opinion) -> bool:
    """Return whether there is no noun phrase between the start of the sentence and the opinion."""
    places = phrases_before(reading, opinion)
    if not places:
        return True
    return reading.sentence_of[reading.phrases[places[0]].first] != opinion.sentence
