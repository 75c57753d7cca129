"""Derive the data-driven section of ``lexicon_ko.tsv`` from rated Korean reviews.

Usage: python tools/build_korean_lexicon.py REVIEWS.tsv.gz src/samsim/language/data/lexicon_ko.tsv

REVIEWS has ``review_id<TAB>rating<TAB>text`` lines (the CC0 Naver movie reviews). A lemma's score is its
log-odds between high (9-10) and low (1-4) ratings with an informative prior (Monroe, Colaresi and Quinn
2008), kept if frequent and certain enough. Only predicates and evaluative roots are considered, because
nouns would carry the domain. The hand-written sections of the lexicon are kept and take precedence.
"""

from __future__ import annotations

import argparse
import gzip
import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from samsim.language.korean.morphology import tokenize
from samsim.language.korean.negation import find_negations
from samsim.schemas.analysis import Token

HAND_MARK = "# ---- hand-written"
DERIVED_MARK = "# ---- derived from rated reviews (tools/build_korean_lexicon.py) ----"
HEADER = "# Korean opinion lexicon: lemma or expression, tab, score from -1 to 1. See docs/data-cards/korean-lexicon.md"
PRIOR_MASS = 2_000.0
MIN_COUNT = 12
MIN_Z = 2.6
MIN_LOG_ODDS = 0.6
STRONGEST = 0.7
"""Derived scores stay below hand-written ones: praise of a film is weaker evidence about a product."""

MOVIE_OR_GENERIC = frozenset(
    # words about films, and predicates that only say that something was watched, shot, acted or told
    "슬프다 무섭다 잔인하다 야하다 웃기다 웃다 울다 눈물나다 길다 짧다 많다 적다 크다 작다 높다 낮다 있다 "
    "없다 그렇다 "
    "이렇다 저렇다 어떻다 같다 다르다 어리다 젊다 늙다 크나크다 검다 희다 하얗다 빨갛다 붉다 푸르다 까맣다 "
    "노랗다 "
    "가능하다 필요하다 중요하다 당연하다 아니하다 이러하다 그러하다 솔직하다 유일하다 수많다 숱하다 머다 "
    "멀다 가깝다 "
    "출연하다 연기하다 감독하다 주연하다 연출하다 촬영하다 개봉하다 상영하다 관람하다 시청하다 방영하다 "
    "제작하다 각색하다 "
    "미국적 일본적 한국적 상업적 정치적 종교적 역사적 사회적 성적 폭력적 철학적 애국적 동성애적 서정적 "
    "동화적 영화적 극적 "
    "로맨틱하다 섹시하다 애틋하다 애절하다 먹먹하다 뭉클하다 찡하다 아련하다 시리다 짠하다 가슴아프다 "
    "맘아프다 서글프다 "
    "외롭다 그립다 애잔하다 처절하다 쓸쓸하다 순수하다 가난하다 불쌍하다 안쓰럽다 가엾다 착하다 저리다 "
    "아리다 절절하다 "
    "이만하다 냉혹하다 참혹하다 고독하다 메마르다 심리적 비극적 개인적 전체적 대표적 기본적 결정적 정상적 "
    "상식적 충격적 뒤늦다 사소하다 "
    "상당하다 진정하다 뜨겁다 진하다 씁쓸하다 섬뜩하다 긴장되다 걱정하다 성장하다 잘나다 찬란하다 미안하다 "
    "죄송하다 무식하다 별다르다 급하다 "
    "웬만하다 왠만하다 똑같다 비하다 관하다 불과하다 명백하다 오죽하다 상관없다 못지않다 후하다 만만하다 "
    "멀쩡하다 그럴듯하다 가상하다 "
    "관대하다 양심적 변태적 이기적 총체적 드라마틱하다 코믹하다 졸립다 그지없다 어지간하다 희한하다 "
    "재밋하다 통하다 겁나다 갑작스럽다 "
    "평이하다 안되다 못되다 사납다 너무하다 발하다 흥하다 거창하다 노골적 일방적 지리하다 여전하다 "
    "확실하다 특정하다 완전하다 "
    "담담하다 절제되다 영원하다 새롭다 은근하다 유능하다 묵직하다 리얼하다 대체적 의도적 미묘하다 묘하다 "
    "오묘하다 울컥하다 "
    "벅차다 무한하다 철없다 그럴싸하다 참되다 진실하다 현실적 미개하다 "
    "잼하다 삭막하다 서늘하다 파랗다 덤덤하다 생소하다 찐하다 부럽다 억울하다 찌질하다 틱하다 일본스럽다 "
    "안스럽다 문란하다 우유부단하다 유식하다 못하다 날카롭다 불가하다 급급하다 잡다하다 허망하다 숭고하다 "
    "엽기적 무색하다".split()
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reviews", type=Path)
    parser.add_argument("lexicon", type=Path)
    parser.add_argument("--per-class", type=int, default=120_000, help="reviews of each polarity to read")
    arguments = parser.parse_args()
    counts = count_lemmas(arguments.reviews, arguments.per_class)
    hand = arguments.lexicon.read_text(encoding="utf-8")
    hand = hand[hand.index(HAND_MARK) :]
    known = {line.split("\t")[0] for line in hand.splitlines() if line and not line.startswith("#")}
    derived = {lemma: score for lemma, score in scores(*counts).items() if lemma not in known}
    lines = [f"{lemma}\t{score:.2f}" for lemma, score in sorted(derived.items(), key=lambda item: (-item[1], item[0]))]
    arguments.lexicon.write_text("\n".join([HEADER, DERIVED_MARK, *lines, hand]), encoding="utf-8")
    print(f"{len(derived)} derived, {len(known)} hand-written")


def count_lemmas(path: Path, per_class: int) -> tuple[Counter[str], Counter[str]]:
    """Return the number of positive and negative reviews with each candidate lemma, not negated."""
    positive: Counter[str] = Counter()
    negative: Counter[str] = Counter()
    for text, liked in balanced(path, per_class):
        (positive if liked else negative).update(lemmas(text))
    return positive, negative


def balanced(path: Path, per_class: int) -> Iterator[tuple[str, bool]]:
    """Yield equal numbers of liked and disliked reviews, spread over the whole file."""
    totals = Counter(liked for _, liked in rated(path))
    steps = {liked: max(1, total // per_class) for liked, total in totals.items()}
    seen: Counter[bool] = Counter()
    for text, liked in rated(path):
        seen[liked] += 1
        if seen[liked] % steps[liked] == 0 and seen[liked] // steps[liked] <= per_class:
            yield text, liked


def rated(path: Path) -> Iterator[tuple[str, bool]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            fields = line.rstrip("\n").split("\t")
            if len(fields) == 3 and fields[1].isdigit() and (int(fields[1]) <= 4 or int(fields[1]) >= 9):
                yield fields[2], int(fields[1]) >= 9


def lemmas(text: str) -> set[str]:
    tokens, _ = tokenize(text)
    scopes = [cue.scopes[0] for cue in find_negations(text, tokens)]
    return {
        token.lemma
        for token in tokens
        if is_candidate(token) and not any(start <= token.start < end for start, end in scopes)
    }


def is_candidate(token: Token) -> bool:
    """Return whether a token may be scored: adjectives and -적 words, but not verbs (보다, 출연하다, 구매하다)."""
    if token.lemma in MOVIE_OR_GENERIC or len(token.form) < 2:
        return False
    if token.tag == "VA":
        return True
    return token.tag == "NNG" and len(token.form) >= 3 and token.form.endswith("적")


def scores(positive: Counter[str], negative: Counter[str]) -> dict[str, float]:
    """Return the log-odds with an informative Dirichlet prior, squashed into [-STRONGEST, STRONGEST]."""
    sums = positive + negative
    everything = sum(sums.values())
    total_positive, total_negative = sum(positive.values()), sum(negative.values())
    found: dict[str, float] = {}
    for lemma, count in sums.items():
        if count < MIN_COUNT:
            continue
        prior = PRIOR_MASS * count / everything
        up = positive[lemma] + prior
        down = negative[lemma] + prior
        odds = math.log(up / (total_positive + PRIOR_MASS - up)) - math.log(down / (total_negative + PRIOR_MASS - down))
        z = odds / math.sqrt(1 / up + 1 / down)
        if abs(z) >= MIN_Z and abs(odds) >= MIN_LOG_ODDS:
            found[lemma] = STRONGEST * math.tanh(odds / 2)
    return found


if __name__ == "__main__":
    main()
