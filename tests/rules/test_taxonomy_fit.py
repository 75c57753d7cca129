"""A taxonomy that most refs are outside of is named, with what to try instead."""

from __future__ import annotations

from functools import cache

import pytest

from samsim.pipeline.api import Pipeline
from samsim.rules.taxonomy_fit import FEWEST_REFS, TaxonomyFit
from samsim.schemas.results import SampleResult
from tests.support.builders import candidate, risk


@cache
def empty() -> SampleResult:
    return Pipeline({"protocol": "stage1_only"}).analyze("It arrived on Friday.")


def result(refs: int, invalid: int, taxonomy: str = "nikl2022", *, without: int = 0) -> SampleResult:
    tuples = [candidate(f"t{number}", ref="호텔#서비스" if number < refs else "") for number in range(refs + without)]
    risks = [risk(f"t{number}", "INVALID_REF") for number in range(invalid)]
    return empty().model_copy(update={"taxonomy": taxonomy, "stage1_tuples": tuples, "validator_risks": risks})


def hints(*results: SampleResult) -> list[str]:
    fit = TaxonomyFit()
    for one in results:
        fit.add(one)
    return [str(hint) for hint in fit.hints()]


def test_the_hint_names_the_taxonomy_the_counts_and_what_to_try() -> None:
    assert hints(result(4, 4), result(3, 3)) == [
        "7 of 7 refs are not in the taxonomy nikl2022: it does not fit these texts. "
        "Try the taxonomy none, shop, food, hotel, electronics, cosmetics or app, or your own YAML file."
    ]
    assert "Try the taxonomy nikl2022, none, shop, food, electronics," in hints(result(7, 7, "hotel"))[0]


@pytest.mark.parametrize(
    ("refs", "invalid", "said"),
    [
        (FEWEST_REFS, FEWEST_REFS, True),
        (FEWEST_REFS - 1, FEWEST_REFS - 1, False),
        (10, 6, True),
        (10, 5, False),
        (0, 0, False),
    ],
)
def test_most_of_enough_refs_must_be_outside(refs: int, invalid: int, said: bool) -> None:
    assert bool(hints(result(refs, invalid))) == said


def test_tuples_without_a_ref_say_nothing_and_taxonomies_are_counted_apart() -> None:
    assert hints(result(10, 6, without=20))
    assert hints(result(10, 0), result(6, 6, "hotel")) == hints(result(6, 6, "hotel"))
