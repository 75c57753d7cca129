"""From a term or an opinion to a category of a flat taxonomy, by the terms that the taxonomy gives to each.

A category without terms of its own borrows those of the shipped taxonomies' category with the same name, so
that a plain list of names is enough. Where a taxonomy gives no opinions at all, they are borrowed likewise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache

from samsim.language.english.lemmas import lemma_of
from samsim.schemas.analysis import Language
from samsim.schemas.taxonomy import FLAT_TAXONOMIES, Taxonomy, fold_term, load_taxonomy

# Shorter parts of a Korean compound are syllables of other words more often than not: 양 in 모양.
_SHORTEST_PART = 2
# Of a longer term, as text without spaces has them, only the end is searched for parts.
_LONGEST_SEARCHED = 40
_MOST_WORDS = 8
_Table = Callable[[str], str | None]


def category_of(term: str, opinion: str, attribute: str, language: Language, taxonomy: Taxonomy) -> str:
    """Return the category that is spoken of; "" where none fits and the taxonomy has no general one.

    ``term`` is "" for an implicit aspect; ``attribute`` names what the opinion is about where that is known. A term
    decides, unless it names the whole or a thing and the opinion speaks of something more special: food that is
    cold, a room that is loud.
    """
    general = taxonomy.general_category
    by_term = _first(_terms_in(fold_term(term), language), _terms_of(taxonomy, language)) or _last_syllable(
        term, taxonomy
    )
    if by_term is not None and by_term != general and by_term not in taxonomy.things:
        return by_term
    by_opinion = _first(_opinions_in(fold_term(opinion), language), _opinions_of(taxonomy, language))
    if by_opinion is not None:
        return by_opinion
    if not term:
        # What is said without a target may still name it: 따로 포장하다, 고장 한 번 없다.
        by_term = _first(_terms_in(fold_term(opinion), language), _terms_of(taxonomy, language))
    if by_term is not None and by_term != general:
        return by_term
    return _terms_of(taxonomy, language)(fold_term(attribute)) or general or ""


def _last_syllable(term: str, taxonomy: Taxonomy) -> str | None:
    """Return the category with the last syllable as its name, for compounds nothing else is known of: 밥양, 잔향."""
    return term[-1] if term and term[-1] in taxonomy.categories else None


def _first(forms: Iterable[str], table: _Table) -> str | None:
    return next((found for form in forms if form and (found := table(form)) is not None), None)


def _terms_of(taxonomy: Taxonomy, language: Language) -> _Table:
    lacking = frozenset(name for name, terms in taxonomy.categories.items() if not terms)
    return _looked_up(taxonomy.term_table, lacking, lambda: _shipped(language).terms, taxonomy)


def _opinions_of(taxonomy: Taxonomy, language: Language) -> _Table:
    lacking = frozenset(() if taxonomy.opinions else taxonomy.categories)
    return _looked_up(taxonomy.opinion_table, lacking, lambda: _shipped(language).opinions, taxonomy)


def _looked_up(
    own: Mapping[str, str],
    lacking: frozenset[str],
    shipped: Callable[[], Mapping[str, tuple[str, ...]]],
    taxonomy: Taxonomy,
) -> _Table:
    """Return the look-up in a taxonomy's own table, then for the categories that lack one in the shipped ones'."""
    if not lacking:
        return own.get
    lent = shipped()

    def look_up(form: str) -> str | None:
        names = (taxonomy.normalise(name) for name in lent.get(form, ()))
        return own.get(form) or next((name for name in names if name in lacking), None)

    return look_up


class _Shipped:
    """Which categories of the shipped taxonomies a term or an opinion is given to, in their order."""

    def __init__(self, language: Language) -> None:
        self.terms: dict[str, tuple[str, ...]] = {}
        self.opinions: dict[str, tuple[str, ...]] = {}
        for name in FLAT_TAXONOMIES:
            taxonomy = load_taxonomy(name, language)
            for table, given in ((self.terms, taxonomy.term_table), (self.opinions, taxonomy.opinion_table)):
                for form, category in given.items():
                    table[form] = tuple(dict.fromkeys((*table.get(form, ()), category)))


@cache
def _shipped(language: Language) -> _Shipped:
    return _Shipped(language)


def _terms_in(term: str, language: Language) -> Iterator[str]:
    """Yield a term as it is, then its head, then what else is in it."""
    yield term
    if language == "ko":
        yield from _korean_terms_in(term[-_LONGEST_SEARCHED:])
    else:
        yield from _english_terms_in(term.split(" ")[-_MOST_WORDS:])


def _korean_terms_in(term: str) -> Iterator[str]:
    words = term.split(" ")
    yield from (" ".join(words[start:]) for start in range(len(words)))
    yield "".join(words)
    head = words[-1]
    # Compounds are often written together, their head last: 통화품질, 고객센터응대; 직원분들 has it in front.
    yield from (head[cut:] for cut in range(1, len(head) - _SHORTEST_PART + 1))
    for length in range(len(term) - 1, _SHORTEST_PART - 1, -1):
        yield from (term[start : start + length] for start in range(len(term) - length, -1, -1))


def _english_terms_in(words: list[str]) -> Iterator[str]:
    yield from (form for start in range(len(words)) for form in _singular(words[start:]))
    for length in range(len(words) - 1, 0, -1):
        for start in range(len(words) - length - 1, -1, -1):
            yield from _singular(words[start : start + length])


def _singular(words: list[str]) -> tuple[str, str]:
    """Return the words as they are, and with the last one as a dictionary has it."""
    return " ".join(words), " ".join([*words[:-1], lemma_of(words[-1], "NOUN")])


def _opinions_in(opinion: str, language: Language) -> Iterator[str]:
    """Yield an opinion as it is, then without the words in front, then each word alone, the last one first."""
    yield opinion
    words = opinion.split(" ")[-_MOST_WORDS:]
    yield from (" ".join(words[start:]) for start in range(len(words)))
    yield "".join(words)
    if language == "ko":
        # An adjective cut off after its root, as in 촉촉 for 촉촉하다.
        yield f"{words[-1]}하다"
    else:
        yield from (form for word in reversed(words) for form in _base_forms(word))


def _base_forms(word: str) -> tuple[str, str, str]:
    return word, lemma_of(word, "ADJ"), lemma_of(word, "VERB")
