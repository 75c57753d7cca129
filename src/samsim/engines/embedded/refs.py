"""Assigning an aspect ref of the taxonomy to a target, or to an opinion without one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from samsim.engines.embedded.categories import category_of
from samsim.engines.embedded.extraction import Attribute, Extraction
from samsim.language.english.lemmas import lemma_of
from samsim.schemas.analysis import Language, Offsets, TextAnalysis
from samsim.schemas.taxonomy import REF_SEPARATOR, Taxonomy
from samsim.yaml_text import read_yaml

_WHOLE = re.compile(r"(?:전체|전반)(?:적인|적으로)? |overall ", re.IGNORECASE)
_QUALIFIER_REACH = 8
# The opinion decides what such a term ("제품", "item") is about.
_ANY = "any"


@dataclass(frozen=True, slots=True)
class _Known:
    """The shipped table: term → (entity, attribute) per language, and the names."""

    terms: Mapping[Language, Mapping[str, tuple[str, str]]]
    attribute_names: Mapping[Language, Mapping[str, str]]
    entity_names: Mapping[str, str]


@cache
def _known() -> _Known:
    content = files("samsim.engines.embedded").joinpath("data", "refs.yaml").read_text(encoding="utf-8")
    raw: dict[str, Any] = read_yaml(content)
    terms: dict[Language, dict[str, tuple[str, str]]] = {
        language: {
            str(term).casefold(): (entity, attribute)
            for entity, attributes in entities.items()
            for attribute, entries in attributes.items()
            for term in entries
        }
        for language, entities in raw["terms"].items()
    }
    return _Known(terms=terms, attribute_names=raw["attribute_names"], entity_names=raw["entity_names"])


def assign_ref(extraction: Extraction, analysis: TextAnalysis, taxonomy: Taxonomy) -> str:
    """Return the ref that an extraction is about, or "" if the taxonomy has none that fits.

    A free ref is the normalized term, or the name of the attribute for an implicit aspect. Categories are found by
    their terms. A user's own taxonomy with entities is matched by the names of its attributes and entities.
    """
    if taxonomy.categories:
        return _category(extraction, analysis, taxonomy)
    term = _normal_form(extraction, analysis)
    if taxonomy.is_free:
        return term or _known().attribute_names[analysis.language][extraction.attribute or "general"]
    entity, attribute = _entity_and_attribute(term, extraction.attribute, analysis.language)
    if extraction.target is not None and entity == "main" and _speaks_of_the_whole(extraction.target, analysis.text):
        entity = "product"
    names = _known().attribute_names["ko" if taxonomy.language == "ko" else analysis.language]
    ref = f"{_known().entity_names[entity]}{REF_SEPARATOR}{names[attribute]}"
    if taxonomy.is_valid(ref):
        return taxonomy.normalise(ref)
    return _by_name(taxonomy, term, names[attribute])


def _category(extraction: Extraction, analysis: TextAnalysis, taxonomy: Taxonomy) -> str:
    term = "" if extraction.target is None else analysis.text[slice(*extraction.target)]
    attribute = _known().attribute_names[analysis.language][extraction.attribute or "general"]
    return category_of(term, extraction.opinion_term, attribute, analysis.language, taxonomy)


def _speaks_of_the_whole(target: Offsets, text: str) -> bool:
    """Return whether the target is the whole product: 전체적인 품질, 세트 전체 디자인, overall quality."""
    start, end = target
    return _WHOLE.search(text[max(start - _QUALIFIER_REACH, 0) : end]) is not None


def _normal_form(extraction: Extraction, analysis: TextAnalysis) -> str:
    if extraction.target is None:
        return ""
    term = " ".join(analysis.text[slice(*extraction.target)].split()).casefold()
    if analysis.language == "ko":
        return term
    *modifiers, head = term.split(" ")
    return " ".join([*modifiers, lemma_of(head, "NOUN")])


def _entity_and_attribute(term: str, hint: Attribute | None, language: Language) -> tuple[str, str]:
    if not term:
        return _implicit(hint or "general")
    entity, attribute = _look_up(term, _known().terms[language]) or ("main", hint or "quality")
    if attribute == _ANY:
        attribute = hint or "general"
    # A price applies to the whole product, whatever part the sentence names.
    return ("product", "price") if attribute == "price" else (entity, attribute)


def _implicit(attribute: Attribute) -> tuple[str, str]:
    """Return the whole product for price and overall verdicts, the main item for anything else."""
    whole = attribute in ("price", "general")
    return ("product" if whole else "main"), attribute


def _look_up(term: str, table: Mapping[str, tuple[str, str]]) -> tuple[str, str] | None:
    """Look up the term, then what remains after removing words, then characters, from its start."""
    words = term.split(" ")
    for start in range(len(words)):
        known = table.get(" ".join(words[start:]))
        if known is not None:
            return known
    # Korean compounds are often written without spaces: 통화품질, 배터리성능.
    head = words[-1]
    return next((table[head[cut:]] for cut in range(1, len(head) - 1) if head[cut:] in table), None)


def _by_name(taxonomy: Taxonomy, term: str, attribute: str) -> str:
    for wanted in (term, attribute):
        for ref in taxonomy.refs:
            if wanted and wanted.casefold() in (part.casefold() for part in ref.split(REF_SEPARATOR)):
                return ref
    return ""
