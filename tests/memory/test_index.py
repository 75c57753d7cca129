"""The index answers exactly as scoring every episode would."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samsim.memory.index import EpisodeIndex, Filters, Hit, KeyReader
from samsim.memory.index_groups import Groups
from samsim.memory.jsonl.journal import Record
from samsim.memory.jsonl.snapshot import pack_snapshot, read_snapshot
from samsim.memory.lexical import tokens
from samsim.memory.scoring import (
    case_tokens,
    combined_score,
    idf,
    lexical_similarity,
    passes_filters,
    signature_similarity,
)
from samsim.memory.store import canonical_line
from samsim.schemas.memory_v1_1 import InputSignatureV1_1
from tests.memory.store_episodes import episode, signature

Key = tuple[InputSignatureV1_1, frozenset[str]]

WORDS = ("품질이", "품질은", "품질", "FLIP", "DROP", "negation_scope", "지만", "a", "맛")
texts = st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join)
signatures = st.builds(signature, st.integers(0, 59), st.sampled_from(("ko", "en")))
keys = st.tuples(signatures, texts.map(tokens))


def by_brute_force(
    stored: list[Key],
    query: InputSignatureV1_1,
    symptoms: str,
    k: int,
    as_of: int | None,
    exclude: frozenset[int],
    filters: Filters,
) -> list[Hit]:
    seen = stored if as_of is None else stored[:as_of]
    frequencies = Counter(token for _, found in seen for token in found)

    def weight(token: str) -> float:
        return idf(len(seen), frequencies[token])

    hits = [
        Hit(
            seq,
            combined_score(signature_similarity(query, other), lexical_similarity(tokens(symptoms), found, weight)),
        )
        for seq, (other, found) in enumerate(seen, start=1)
        if seq not in exclude and passes_filters(query, other, **filters._asdict())
    ]
    return sorted(hits, key=lambda hit: (-hit.score, -hit.seq))[:k]


@settings(max_examples=400, deadline=None)
@given(data=st.data(), stored=st.lists(keys, max_size=40), k=st.integers(0, 6), query=signatures, symptoms=texts)
def test_equals_brute_force(
    data: st.DataObject, stored: list[Key], k: int, query: InputSignatureV1_1, symptoms: str
) -> None:
    as_of = data.draw(st.none() | st.integers(0, len(stored) + 2))
    exclude = data.draw(st.frozensets(st.integers(1, len(stored) + 1), max_size=8))
    filters = data.draw(st.builds(Filters, st.booleans(), st.booleans()))
    cut = data.draw(st.integers(0, len(stored)))
    index = EpisodeIndex()
    index.extend(stored[:cut])
    # Asking in between fills the caches that the later answer must not be misled by.
    for part in (stored[:cut], stored):
        index.extend(stored[len(index) : len(part)])
        for visible in (as_of, None):
            expected = by_brute_force(part, query, symptoms, k, visible, exclude, filters)
            assert index.search(query, symptoms, k, visible, exclude, filters) == expected


def test_equals_brute_force_on_many_episodes_and_every_kind_of_view() -> None:
    stored = [(draft.input_signature, case_tokens(draft.case_summary)) for draft in map(episode, range(3000))]
    index = EpisodeIndex()
    index.extend(stored)
    for as_of in (None, 2999, 2950, 2000, 1000, 40, 1, 0):
        for number in range(0, 60, 7):
            arguments = (
                signature(number),
                "NEGATION_SCOPE 품질을 FLIP",
                3,
                as_of,
                frozenset(range(2900, 2960)),
                Filters(),
            )
            assert index.search(*arguments) == by_brute_force(stored, *arguments)


def test_ties_go_to_the_newest_within_and_across_groups() -> None:
    index = EpisodeIndex()
    # Two token sets that share nothing with the query: different groups, the same score.
    index.extend([(signature(1), tokens(word)) for word in ("가나", "다라", "가나", "다라", "가나")])
    hits = index.search(signature(1), "마바", 4)
    assert [hit.seq for hit in hits] == [5, 4, 3, 2]
    assert len({hit.score for hit in hits}) == 1


def test_what_comes_later_does_not_change_an_earlier_view() -> None:
    stored = [(signature(n), tokens(WORDS[n % 9])) for n in range(200)]
    index = EpisodeIndex()
    index.extend(stored[:100])
    before = index.search(signature(1), "품질 FLIP", 5, as_of=100)
    index.extend(stored[100:])
    assert index.search(signature(1), "품질 FLIP", 5, as_of=100) == before


def test_a_failing_source_adds_nothing() -> None:
    index = EpisodeIndex()

    def source() -> Iterator[Key]:
        yield signature(1), tokens("품질")
        raise OSError("the source broke off")

    with pytest.raises(OSError):  # noqa: PT011 (the test's own)
        index.extend(source())
    assert len(index) == 0
    assert index.search(signature(1), "품질", 3) == []


@settings(max_examples=60, deadline=None)
@given(
    stored=st.lists(keys, min_size=1, max_size=30), more=st.lists(keys, max_size=10), query=signatures, symptoms=texts
)
def test_a_snapshot_gives_the_same_answers_and_grows_on(
    tmp_path_factory: pytest.TempPathFactory,
    stored: list[Key],
    more: list[Key],
    query: InputSignatureV1_1,
    symptoms: str,
) -> None:
    index = EpisodeIndex()
    index.extend(stored)
    path = tmp_path_factory.mktemp("snapshot") / "index"
    upto = Record(len(stored), 10, 10, 1, 2)
    path.write_bytes(pack_snapshot(index.groups, upto))
    found = read_snapshot(path)
    assert found is not None
    restored = EpisodeIndex(found[0])
    assert found[1] == upto
    for one in (index, restored):
        one.extend(more)
    for as_of in (None, len(stored), 1):
        assert restored.search(query, symptoms, 5, as_of) == index.search(query, symptoms, 5, as_of)


def test_a_damaged_snapshot_is_not_read(tmp_path: Path) -> None:
    groups = Groups()
    groups.extend([(signature(1), tokens("품질"))])
    whole = pack_snapshot(groups, Record(1, 10, 10, 1, 2))
    path = tmp_path / "index"
    assert read_snapshot(path) is None
    for damaged in (b"", whole[:-1], whole[:40], b"\0" * len(whole), whole[:60] + b"?" + whole[61:]):
        path.write_bytes(damaged)
        assert read_snapshot(path) is None


def test_a_line_is_indexed_as_its_episode_would_be() -> None:
    reader = KeyReader()
    for number in range(50):
        entry = episode(number).with_id("epi_000001")
        expected = (entry.input_signature, case_tokens(entry.case_summary))
        assert reader.key_of(canonical_line(entry)) == expected
