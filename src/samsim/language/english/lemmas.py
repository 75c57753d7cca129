"""Dictionary forms of English words: a table of irregular forms, then endings checked against known words."""

from __future__ import annotations

from functools import cache, lru_cache

from samsim.language.english.tagger import load_tagger

_IRREGULAR_VERBS = """
be am is are was were been being 's 're 'm|have has had having 've|do does did done doing|go goes went gone going
get gets got gotten|make made|take took taken|come came|give gave given|say said|see saw seen|know knew known
think thought|tell told|feel felt|find found|leave left|bring brought|buy bought|keep kept|eat ate eaten
drink drank drunk|serve served|break broke broken|freeze froze frozen|fall fell fallen|rise rose risen|run ran
begin began begun|choose chose chosen|speak spoke spoken|stand stood|sit sat|pay paid|spend spent|send sent|sell sold
lose lost|win won|meet met|mean meant|wear wore worn|wake woke|write wrote written|blow blew blown|grow grew grown
throw threw thrown|forget forgot forgotten|sing sang sung|sink sank sunk|stink stank stunk|burn burnt|build built
deal dealt|dream dreamt|hear heard|hold held|lead led|smell smelt|spoil spoilt|stick stuck|teach taught|tear tore torn
can ca|will wo 'll|would 'd|shall sha|lie lies lied lying|die dies died dying|tie ties tied tying
"""
_IRREGULAR_NOUNS = {
    "people": "person", "men": "man", "women": "woman", "children": "child", "feet": "foot", "teeth": "tooth",
    "wives": "wife", "knives": "knife", "lives": "life", "loaves": "loaf", "shelves": "shelf", "mice": "mouse",
}  # fmt: skip
_IRREGULAR_ADJECTIVES = {
    "better": "good", "best": "good", "worse": "bad", "worst": "bad", "farther": "far", "further": "far",
    "less": "little", "least": "little", "more": "much", "most": "much",
}  # fmt: skip
_NOT_PLURAL = ("ss", "us", "is")
_VOWELS = frozenset("aeiou")


@lru_cache(maxsize=20_000)
def lemma_of(low: str, tag: str) -> str:
    """Return the dictionary form of a lower-case word with this tag."""
    if tag in ("VERB", "AUX"):
        return _irregular_verbs().get(low) or _regular_verb(low)
    if tag in ("NOUN", "PROPN"):
        return _IRREGULAR_NOUNS.get(low) or _singular(low)
    if tag in ("ADJ", "ADV"):
        return _IRREGULAR_ADJECTIVES.get(low) or _positive_degree(low)
    return low


def is_known(word: str) -> bool:
    """Return whether the word occurs in the tagger's dictionary."""
    model = load_tagger()
    return word in model.certain or word in model.usual


def _is_verb(word: str) -> bool:
    model = load_tagger()
    return (model.certain.get(word) or model.usual.get(word)) == "VERB"


@cache
def _irregular_verbs() -> dict[str, str]:
    """Return a map from inflected form to base form."""
    forms: dict[str, str] = {}
    for row in _IRREGULAR_VERBS.replace("\n", "|").split("|"):
        base, *others = row.split() or [""]
        forms.update(dict.fromkeys([base, *others], base))
    forms.pop("", None)
    return forms


def _first_known(candidates: tuple[str, ...], otherwise: str) -> str:
    return next((candidate for candidate in candidates if is_known(candidate)), otherwise)


def _regular_verb(low: str) -> str:
    if len(low) < 4:
        return low
    if low.endswith("ies"):
        return low[:-3] + "y"
    if low.endswith("s") and not low.endswith(_NOT_PLURAL):
        if low.endswith(("shes", "ches", "xes", "zes", "sses", "oes")):
            return low[:-2]
        return low[:-1]
    if low.endswith("ied"):
        return low[:-3] + "y"
    for ending in ("ing", "ed"):
        if low.endswith(ending) and len(low) > len(ending) + 2:
            return _restored_stem(low[: -len(ending)])
    return low


def _restored_stem(stem: str) -> str:
    """Return a verb's stem with the final letter that "-ed" or "-ing" removed or doubled."""
    doubled = len(stem) > 2 and stem[-1] == stem[-2] and stem[-1] not in "ls"
    if doubled:
        return stem[:-1]
    if stem[-1] in _VOWELS and stem[-1] != "o":
        return stem + "e"
    candidates = (stem, stem + "e", stem[:-1])
    verb = next((candidate for candidate in candidates if _is_verb(candidate)), None)
    return verb or _first_known(candidates, stem)  # "hated" comes from "hate", not from "hat"


def _singular(low: str) -> str:
    if len(low) < 4 or not low.endswith("s") or low.endswith(_NOT_PLURAL):
        return low
    if low.endswith("ies"):
        return low[:-3] + "y"
    if low.endswith(("shes", "ches", "xes", "sses", "oes")):
        return low[:-2]
    return low[:-1]


def _positive_degree(low: str) -> str:
    for ending in ("iest", "ier"):
        if low.endswith(ending) and len(low) > len(ending) + 1:
            return low[: -len(ending)] + "y"
    for ending in ("est", "er"):
        if low.endswith(ending) and len(low) > len(ending) + 2:
            stem = low[: -len(ending)]
            short = stem[:-1] if len(stem) > 2 and stem[-1] == stem[-2] else ""
            return _first_known(tuple(c for c in (stem, stem + "e", short) if c), low)
    return low
