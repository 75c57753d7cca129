"""Closed word lists of the English extractors: general knowledge of the language, written by hand."""

from __future__ import annotations

POSSESSIVES = frozenset("my your our their its his her".split())

# Adjectives that name a kind of thing and belong to the aspect term.
COMPOUND_ADJECTIVES = frozenset(
    """
    hard optical wireless external internal digital mobile electric grilled fried baked steamed roasted smoked stuffed
    mashed indian italian french thai chinese japanese mexican korean vietnamese spanish greek american turkish
    mediterranean red white black green blue outdoor indoor vegetarian vegan main live hot1 pre-theater prix-fixe
    """.split()
)
# Adjectives that describe without evaluating and never belong to the term.
PLAIN_ADJECTIVES = frozenset(
    """
    whole entire same other own new old first second third last next only different various many few several such main
    overall certain recent actual sure able ready additional extra further previous current particular specific
    most more much less least little big small large huge tiny long short high low young early late real total
    complete single double common usual general local nearby available possible similar like favorite favourite
    good bad great nice better best worse worst
    """.split()
)
CONTAINER_NOUNS = frozenset(
    "glass glasses bottle bottles piece pieces plate plates bowl bowls cup cups slice slices style styles quality "
    "selection choice variety list type types kind kinds".split()
)
