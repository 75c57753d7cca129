"""Which noun phrases a Korean opinion is about: close syntax first, then the clause and the sentence."""

from __future__ import annotations

from samsim.engines.embedded.korean_phrases import NounPhrase, Opinion, Reading

_PLACEHOLDERS = frozenset({"것", "거", "점", "편", "데", "수", "줄", "듯", "정도", "느낌", "때", "사람", "생각", "부분", "경험"})
_OBJECT_OPINIONS = frozenset(
    "좋아하다 싫어하다 추천하다 사랑하다 즐기다 선호하다 칭찬하다 강추하다 비추하다 후회하다 혐오하다 애용하다 극찬하다 "
    "추천 감사하다 망치다 무시하다 잘 만들다 잘 하다 잘하다 자랑하다 신뢰하다 놓치다 말다".split()
)
_OBLIQUE_OPINIONS = frozenset("만족하다 실망하다 만족 실망 놀라다 감동하다 반하다 감탄하다 불만 불만족 감동 만족스럽다".split())
_REACH = 12


def modified(reading: Reading, opinion: Opinion, reach: int = 0) -> list[NounPhrase]:
    """The noun phrase an adnominal opinion stands before, with what is joined to it."""
    start = opinion.after
    tokens = reading.analysis.tokens
    if start < len(tokens) and tokens[start].tag == "JKG":
        start += 1
    for place, phrase in enumerate(reading.phrases):
        if phrase.first < start:
            continue
        between = tokens[start : phrase.first]
        if len(between) > reach or any(token.tag in ("NNB", "EF", "SF", "NP") for token in between):
            return []
        while phrase.role == "genitive" and place + 1 < len(reading.phrases):
            if reading.phrases[place + 1].first != phrase.after:
                break
            place += 1
            phrase = reading.phrases[place]
        return _with_joined_right(reading, place)
    return []


def _with_joined_right(reading: Reading, place: int) -> list[NounPhrase]:
    found = [reading.phrases[place]]
    while found[-1].role == "joined" and place + 1 < len(reading.phrases):
        following = reading.phrases[place + 1]
        if following.first != found[-1].after:
            break
        found.append(following)
        place += 1
    return [phrase for phrase in found if phrase.head not in _PLACEHOLDERS]


def with_joined_left(reading: Reading, place: int) -> list[NounPhrase]:
    """A noun phrase and those joined to it from the left (음식과 서비스)."""
    found = [reading.phrases[place]]
    while place > 0:
        previous = reading.phrases[place - 1]
        if previous.role != "joined" or previous.after != found[0].first:
            break
        found.insert(0, previous)
        place -= 1
    return found


def subjects(reading: Reading, opinion: Opinion) -> list[NounPhrase]:
    """What an opinion says something about within its own clause."""
    best: tuple[int, int] | None = None
    for place, phrase in enumerate(reading.phrases):
        if phrase.last >= opinion.first or phrase.first < opinion.first - _REACH * 2:
            continue
        if reading.clause_of[phrase.first] != opinion.clause or phrase.head in _PLACEHOLDERS:
            continue
        rank = _rank(reading, phrase, opinion)
        if rank and (best is None or rank >= best[0]):
            best = (rank, place)
    return [] if best is None else with_joined_left(reading, best[1])


def _rank(reading: Reading, phrase: NounPhrase, opinion: Opinion) -> int:
    """How well a phrase's particle suits the opinion's predicate; 0 rules it out."""
    lemma = opinion.word.lemma
    if phrase.role == "object":
        return 4 if lemma in _OBJECT_OPINIONS else 0
    if phrase.role == "subject":
        return 1 if lemma in _OBJECT_OPINIONS else 3
    if phrase.role == "topic":
        return 1 if lemma in _OBJECT_OPINIONS else 2
    if phrase.role == "oblique":
        suits = phrase.particle in ("에", "에게") and lemma in _OBLIQUE_OPINIONS
        return 4 if suits else 0
    if phrase.role == "bare":
        return 2 if _adjacent(reading, phrase, opinion) else 0
    return 0


def _adjacent(reading: Reading, phrase: NounPhrase, opinion: Opinion) -> bool:
    between = reading.analysis.tokens[phrase.after : opinion.first]
    return all(token.tag in ("MAG", "XSN") for token in between)
