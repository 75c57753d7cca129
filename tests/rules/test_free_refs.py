"""Where refs are free, one finding is one finding, however many names its ref was given."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from samsim.rules.apply import finalize
from samsim.rules.free_refs import under_shared_refs
from samsim.schemas.protocol_conflict_review import AGENTS, Candidate
from samsim.schemas.results import ReviewedTuple
from samsim.schemas.taxonomy import load_taxonomy
from tests.support.builders import candidate
from tests.support.strategies import steady

FREE, CLOSED = load_taxonomy("none"), load_taxonomy("nikl2022")


def found(*said: tuple[str, str, str], polarity: str = "positive") -> list[Candidate]:
    """Candidates of (term, ref, opinion), each by another agent."""
    return [
        candidate(
            f"t{number}", term, ref, polarity, opinion_term=opinion, evidence=opinion, origin_agent=AGENTS[number % 3]
        )
        for number, (term, ref, opinion) in enumerate(said)
    ]


def refs(candidates: list[Candidate]) -> list[str]:
    return [each.aspect_ref for each in under_shared_refs(candidates, FREE)]


def test_the_same_term_and_opinion_is_one_finding_with_the_support_of_all() -> None:
    said = found(("sushi", "food#quality", "good"), ("Sushi", "quality", "Good"), ("sushi", "food", "good"))
    shared = under_shared_refs([ReviewedTuple(**dict(each), flagged=False) for each in said], FREE)
    (only,) = finalize(shared)
    assert (only.aspect_ref, only.support, only.tuple_ids) == ("food#quality", ["A", "B", "C"], ["t0", "t1", "t2"])


def test_the_ref_that_most_have_is_taken() -> None:
    said = found(("sushi", "quality", "good"), ("sushi", "food", "good"), ("sushi", "food", "good"))
    assert refs(said) == ["food", "food", "food"]


def test_a_missing_ref_is_given_and_never_taken() -> None:
    assert refs(found(("sushi", "", "good"), ("sushi", "", "good"), ("sushi", "food", "good"))) == ["food"] * 3
    assert refs(found(("sushi", "", "good"), ("sushi", "", "good"))) == ["", ""]


def test_findings_are_joined_by_way_of_a_third() -> None:
    said = found(("sushi", "quality", "fresh"), ("sushi", "food", "good"), ("sushi", "quality", "good"))
    assert refs(said) == ["quality"] * 3


def test_another_opinion_under_another_ref_is_another_finding() -> None:
    assert refs(found(("sushi", "food#quality", "good"), ("sushi", "food#prices", "cheap"))) == [
        "food#quality",
        "food#prices",
    ]
    assert refs(found(("sushi", "food", "good"), ("staff", "service", "good"))) == ["food", "service"]


def test_an_aspect_without_a_name_is_one_finding_only_in_the_same_words() -> None:
    assert refs(found(("", "price", "expensive"), ("", "value", "expensive"))) == ["price", "price"]
    first, second = found(("", "food", "good"), ("", "service", "good"))
    assert refs([first, second.model_copy(update={"evidence": "good people"})]) == ["food", "service"]


def test_a_closed_taxonomy_decides_by_itself() -> None:
    said = found(("사용감", "본품#품질", "좋다"), ("사용감", "제품 전체#품질", "좋다"))
    assert under_shared_refs(said, CLOSED) is said


NAMES = st.sampled_from(["", "a", "b"])


@steady
@given(st.lists(st.tuples(NAMES, NAMES, NAMES), max_size=8))
def test_sharing_refs_changes_refs_only_and_once(said: list[tuple[str, str, str]]) -> None:
    given_candidates = found(*said)
    shared = list(under_shared_refs(given_candidates, FREE))
    assert list(under_shared_refs(shared, FREE)) == shared
    for before, after in zip(given_candidates, shared, strict=True):
        assert after == before.model_copy(update={"aspect_ref": after.aspect_ref})
        assert after.aspect_ref or not before.aspect_ref
    named = [each for each in shared if each.aspect_term and each.opinion_term]
    assert len({(each.aspect_term, each.opinion_term, each.aspect_ref) for each in named}) == len(
        {(each.aspect_term, each.opinion_term) for each in named}
    )
