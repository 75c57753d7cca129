"""What every store promises, tested on each backend; PostgreSQL is a real server."""

from __future__ import annotations

import io
import json
import multiprocessing
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pytest

from samsim.errors import ContractError, StoreError
from samsim.memory.lexical import tokens
from samsim.memory.scoring import (
    case_tokens,
    combined_score,
    idf,
    lexical_similarity,
    passes_filters,
    signature_similarity,
)
from samsim.memory.store import MemoryStore, canonical_line, episode_id_of, open_store, parse_line
from samsim.schemas.memory_v1_1 import FORBIDDEN_FIELDS, EpisodeDraftV1_1, EpisodicMemoryEntryV1_1, InputSignatureV1_1
from tests.memory.store_episodes import episode

pytest_plugins = ["tests.servers.postgres"]

WRITERS = 4
EACH = 25


def signature(language: str = "ko", structure: tuple[str, ...] = ("negation",), **fields: Any) -> InputSignatureV1_1:
    given = {
        "language": language,
        "detected_structure": structure,
        "has_negation": "negation" in structure,
        "num_aspects": 1,
        "length_bucket": "short",
    }
    return InputSignatureV1_1.model_validate({**given, **fields})


def draft(symptom: str = "NEGATION_SCOPE", *, second: int = 0, **fields: Any) -> EpisodeDraftV1_1:
    """An episode about a flipped aspect; keyword arguments replace top-level fields."""
    given = episode(symptom=symptom).model_dump(mode="json")
    given["case_summary"]["rationale_summary"] = "FLIP NEGATION_SCOPE"
    given["stage_snapshot"]["final"]["polarities"] = ["negative"]
    given["provenance"]["timestamp"] = f"2026-01-02T03:04:{second:02d}Z"
    return EpisodeDraftV1_1.model_validate({**given, "input_signature": signature(), **fields})


def varied(how_many: int) -> list[EpisodeDraftV1_1]:
    """Episodes of several languages, structures, lengths and words, many of them alike."""
    structures = [("negation",), ("contrast",), ("negation", "contrast"), ("none",)]
    words = ["품질이 낮음", "품질은 좋음", "INVALID_REF", "NEGATION_SCOPE 않다", "", "배송 TERM_NOT_IN_TEXT"]
    return [
        draft(
            words[number % 6],
            second=number % 60,
            input_signature=signature(
                "en" if number % 5 == 0 else "ko",
                structures[number * 7 % 4],
                num_aspects=number % 3,
                length_bucket=("short", "medium", "long")[number * 5 % 3],
            ),
        )
        for number in range(how_many)
    ]


def filled(place: str, drafts: list[EpisodeDraftV1_1]) -> MemoryStore:
    store = open_store(place)
    for one in drafts:
        store.append(one)
    return store


def exported(store: MemoryStore) -> bytes:
    file = io.BytesIO()
    written = store.export(file)
    assert written == len(file.getvalue().splitlines())
    return file.getvalue()


@pytest.fixture
def store(place: str) -> Iterator[MemoryStore]:
    with closing(open_store(place)) as opened:
        yield opened


def test_a_new_store_is_empty(store: MemoryStore) -> None:
    assert store.last_seq() == 0
    assert list(store.iterate()) == []
    assert store.get("epi_000001") is None
    assert store.query(signature(), "NEGATION_SCOPE", 3) == []
    assert store.verify().ok
    assert exported(store) == b""
    assert store.notices == ()


def test_append_gives_ids_in_order_and_another_process_sees_them(place: str) -> None:
    with closing(filled(place, varied(5))) as store:
        assert store.append(draft()) == "epi_000006"
        with closing(open_store(place)) as other:
            assert [entry.episode_id for entry in other.iterate()] == [episode_id_of(n) for n in range(1, 7)]
            store.append(draft("later"))
            assert other.last_seq() == 7
            assert other.query(signature(), "later", 1)[0].entry.episode_id == "epi_000007"


def test_append_assigns_the_id_whatever_the_entry_carries(store: MemoryStore) -> None:
    assert store.append(draft().with_id("epi_000999")) == "epi_000001"
    assert [entry.episode_id for entry in store.iterate()] == ["epi_000001"]


def test_what_comes_back_is_what_was_written(store: MemoryStore) -> None:
    drafts = [draft("품질이 \u2028 \\ \" 'x' %s {} \t \u0000 😀"), draft("é"), draft("e\u0301")]
    for one in drafts:
        store.append(one)
    wanted = [one.with_id(episode_id_of(number)) for number, one in enumerate(drafts, start=1)]
    assert list(store.iterate()) == wanted
    assert [store.get(entry.episode_id) for entry in wanted] == wanted
    assert exported(store) == b"".join(canonical_line(entry) + b"\n" for entry in wanted)


@pytest.mark.parametrize(
    "unknown", ["epi_000003", "epi_0000001", "epi_1", "", "' OR true --", "epi_99999999999999999999"]
)
def test_an_unknown_id_is_no_episode(place: str, unknown: str) -> None:
    with closing(filled(place, varied(2))) as store:
        assert store.get(unknown) is None


def test_iterate_as_of(place: str) -> None:
    with closing(filled(place, varied(4))) as store:
        for as_of, seen in [(0, 0), (1, 1), (3, 3), (4, 4), (9, 4), (None, 4)]:
            assert len(list(store.iterate(as_of))) == seen


def test_iteration_is_fixed_when_it_starts(place: str) -> None:
    with closing(filled(place, varied(2))) as store:
        seen = 0
        for _ in store.iterate():
            store.append(draft())
            seen += 1
        assert (seen, store.last_seq()) == (2, 4)


def test_query_as_of_sees_neither_the_episodes_nor_the_words_of_later_ones(
    new_place: Callable[[str], str], place: str
) -> None:
    drafts = varied(40)
    with closing(filled(place, drafts)) as whole, closing(filled(new_place("jsonl"), drafts[:15])) as part:
        for asked in drafts[:12]:
            symptoms = asked.case_summary.symptom
            now = whole.query(asked.input_signature, symptoms, 5, as_of=15)
            assert now == part.query(asked.input_signature, symptoms, 5)
            assert now != whole.query(asked.input_signature, symptoms, 5)


def test_query_ties_go_to_the_newest_and_k_limits(place: str) -> None:
    with closing(filled(place, [draft() for _ in range(5)])) as store:
        found = store.query(signature(), "NEGATION_SCOPE", 3)
        assert [one.entry.episode_id for one in found] == ["epi_000005", "epi_000004", "epi_000003"]
        assert len({one.score for one in found}) == 1
        assert len(store.query(signature(), "NEGATION_SCOPE", 9)) == 5
        assert store.query(signature(), "NEGATION_SCOPE", 0) == []


def test_query_leaves_out_the_excluded_without_changing_the_scores_of_others(place: str) -> None:
    with closing(filled(place, varied(24))) as store:
        everything = store.query(signature(), "품질", 24)
        hidden = frozenset(one.entry.episode_id for one in everything[::2])
        assert store.query(signature(), "품질", 24, exclude=hidden | {"epi_000777", "no id"}) == everything[1::2]


def test_query_filters_by_language_and_structure(place: str) -> None:
    with closing(filled(place, varied(60))) as store:
        for structure in [("negation",), ("none",)]:
            found = store.query(signature("en", structure), "INVALID_REF", 60)
            assert found
            assert all(one.entry.input_signature.language == "en" for one in found)
            assert all(set(one.entry.input_signature.detected_structure) & set(structure) for one in found)


def test_query_without_filters_looks_at_every_episode(place: str) -> None:
    with closing(filled(place, varied(20))) as store:
        asked = signature("en", ("none",))
        everything = store.query(asked, "INVALID_REF", 20, require_same_language=False, require_structure_overlap=False)
        assert len(everything) == 20
        english = store.query(asked, "INVALID_REF", 20, require_structure_overlap=False)
        assert [one for one in everything if one.entry.input_signature.language == "en"] == english
        plain = store.query(asked, "INVALID_REF", 20, require_same_language=False)
        assert [one for one in everything if one.entry.input_signature.detected_structure == ("none",)] == plain


@pytest.mark.parametrize("word", ["품질이", "품질은", "품질을", "품질"])
@pytest.mark.parametrize("stored", ["품질이", "품질은", "품질을", "품질"])
def test_korean_words_match_whatever_particle_they_carry(place: str, stored: str, word: str) -> None:
    with closing(filled(place, [draft(stored), draft("배송")])) as store:
        found = store.query(signature(), word, 2)
        assert [one.entry.episode_id for one in found] == ["epi_000001", "epi_000002"]
        assert found[0].score > found[1].score


def test_both_backends_give_the_same_answers_as_scoring_every_episode(new_place: Callable[[str], str]) -> None:
    drafts = varied(80)
    with (
        closing(filled(new_place("jsonl"), drafts)) as jsonl,
        closing(filled(new_place("postgres"), drafts)) as postgres,
    ):
        for number, asked in enumerate(drafts[:24]):
            symptoms = f"{asked.case_summary.symptom} 품질을 unknown_word"
            as_of = None if number % 2 else 80 - number
            wanted = by_scoring_all(list(jsonl.iterate(as_of)), asked.input_signature, symptoms, 7)
            for store in (jsonl, postgres):
                found = store.query(asked.input_signature, symptoms, 7, as_of)
                assert [(one.entry.episode_id, one.score) for one in found] == wanted


def by_scoring_all(
    entries: list[EpisodicMemoryEntryV1_1], asked: InputSignatureV1_1, symptoms: str, k: int
) -> list[tuple[str, float]]:
    words = [case_tokens(entry.case_summary) for entry in entries]

    def weight(token: str) -> float:
        return idf(len(entries), sum(token in found for found in words))

    scored = [
        (
            combined_score(
                signature_similarity(asked, entry.input_signature), lexical_similarity(tokens(symptoms), found, weight)
            ),
            entry.episode_id,
        )
        for entry, found in zip(entries, words, strict=True)
        if passes_filters(asked, entry.input_signature)
    ]
    return [(episode_id, score) for score, episode_id in sorted(scored, reverse=True)[:k]]


def test_bytes_survive_the_way_through_both_backends(new_place: Callable[[str], str]) -> None:
    with closing(filled(new_place("jsonl"), [*varied(30), draft("품질이 \u0000 \u2028 😀 e\u0301")])) as first:
        lines = exported(first)
        with closing(open_store(new_place("postgres"))) as middle, closing(open_store(new_place("jsonl"))) as last:
            assert middle.import_(lines.splitlines(keepends=True)) == 31
            assert last.import_(io.BytesIO(exported(middle))) == 31
            assert exported(middle) == exported(last) == lines
            assert first.content_hash() == middle.content_hash() == last.content_hash()
            assert list(middle.iterate()) == list(first.iterate())


def test_import_skips_what_is_there_and_adds_what_follows(new_place: Callable[[str], str], place: str) -> None:
    with closing(filled(new_place("jsonl"), varied(9))) as source:
        lines = exported(source).decode().splitlines()
    with closing(open_store(place)) as store:
        assert store.import_(lines[:4]) == 4
        assert store.import_(["", *lines[2:7], " \n"]) == 3
        assert store.import_(lines) == 2
        assert store.import_(lines) == 0
        assert exported(store).decode().splitlines() == lines
        assert store.append(draft()) == "epi_000010"
        assert store.verify().ok


@pytest.mark.parametrize("case", ["gap", "other", "no JSON", "no episode"])
def test_import_takes_all_or_nothing(new_place: Callable[[str], str], place: str, case: str) -> None:
    with closing(filled(new_place("jsonl"), varied(6))) as source:
        lines = exported(source).splitlines()
    bad = {
        "gap": lines[5],
        "other": canonical_line(draft("another").with_id("epi_000002")),
        "no JSON": b"{",
        "no episode": b'{"episode_id":"epi_000005"}',
    }[case]
    with closing(open_store(place)) as store:
        store.import_(lines[:3])
        before = exported(store)
        with pytest.raises((StoreError, ContractError)):
            store.import_([*lines[:4], bad])
        assert exported(store) == before
        assert store.append(draft()) == "epi_000004"
        assert store.verify().ok


def test_import_with_new_numbers_goes_to_the_end(place: str) -> None:
    with closing(filled(place, varied(3))) as store:
        lines = exported(store).splitlines()
        assert store.import_(lines, renumber=True) == 3
        again = list(store.iterate())
        assert [entry.episode_id for entry in again] == [episode_id_of(n) for n in range(1, 7)]
        assert [one.case_summary for one in again[3:]] == [one.case_summary for one in again[:3]]
        assert store.verify().ok


def test_the_content_hash_leaves_out_the_clock_and_nothing_else(new_place: Callable[[str], str], place: str) -> None:
    with closing(filled(place, [draft("a", second=1), draft("b", second=2)])) as store:
        base = store.content_hash()
    for drafts, same in [
        ([draft("a", second=50), draft("b")], True),
        ([draft("b"), draft("a")], False),
        ([draft("a")], False),
        ([draft("a"), draft("c")], False),
    ]:
        with closing(filled(new_place("jsonl"), drafts)) as other:
            assert (other.content_hash() == base) is same


@pytest.mark.parametrize("name", sorted(FORBIDDEN_FIELDS))
def test_forbidden_fields_are_refused_on_the_way_in(place: str, name: str) -> None:
    with closing(filled(place, [draft()])) as store:
        line = json.loads(exported(store))
        line["episode_id"] = "epi_000002"
        for target in (line, line["stage_snapshot"]["final"]):
            target[name] = "x"
            with pytest.raises(ContractError, match=name):
                store.import_([json.dumps(line)])
            del target[name]
        sneaked = draft().model_copy(update={"case_summary": {name: "x"}})
        with pytest.raises(ContractError):
            store.append(sneaked)
        assert store.last_seq() == 1
        assert store.verify().ok


def test_compact_changes_no_episode(place: str) -> None:
    with closing(filled(place, varied(12))) as store:
        before = exported(store)
        report = store.compact()
        assert report.episodes == 12
        assert report.bytes_after > 0
        assert exported(store) == before
        assert store.query(signature(), "품질", 3)
        assert store.append(draft()) == "epi_000013"
        assert store.verify().ok


def test_a_closed_store_says_so(place: str) -> None:
    store = filled(place, varied(1))
    store.close()
    store.close()
    with pytest.raises(StoreError):
        store.append(draft())


def test_writers_in_several_processes_leave_no_gap_and_lose_nothing(place: str) -> None:
    with multiprocessing.get_context("spawn").Pool(WRITERS) as pool:
        given = pool.starmap(_write_some, [(place, number) for number in range(WRITERS)])
    with closing(open_store(place)) as store:
        entries = list(store.iterate())
        assert [entry.episode_id for entry in entries] == [episode_id_of(n) for n in range(1, WRITERS * EACH + 1)]
        assert store.verify().ok
    acknowledged = {episode_id: words for ids in given for episode_id, words in ids}
    assert acknowledged == {entry.episode_id: entry.case_summary.symptom for entry in entries}


def _write_some(place: str, writer: int) -> list[tuple[str, str]]:
    with closing(open_store(place)) as store:
        written = []
        for number in range(EACH):
            words = f"writer_{writer} episode_{number}"
            written.append((store.append(draft(words)), words))
            # What one has written oneself is visible at once, and nothing in front of it is missing.
            assert store.query(signature(), words, 1)[0].entry.case_summary.symptom == words
        return written


def test_lines_are_what_parse_line_reads(place: str) -> None:
    with closing(filled(place, varied(4))) as store:
        assert [parse_line(line) for line in exported(store).splitlines()] == list(store.iterate())
