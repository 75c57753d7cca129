"""An exact in-memory index of a store's episodes: the same results as scoring every episode, but faster.

Signatures and case summaries are templates, so there are few distinct ones, however many episodes there
are. Episodes with the same signature and the same tokens form a group and have the same score. A
query weighs each distinct token set and each group once (in numpy), then scores the few groups that
can be among the best with the functions of ``samsim.memory.scoring``. numpy only selects these groups,
with a margin far above its rounding errors.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from samsim.json_text import read_json
from samsim.memory.index_groups import Groups
from samsim.memory.lexical import tokens
from samsim.memory.scoring import (
    LEXICAL_WEIGHT,
    SIGNATURE_WEIGHT,
    case_tokens,
    combined_score,
    idf,
    lexical_similarity,
    passes_filters,
    signature_similarity,
)
from samsim.memory.store import parse_line
from samsim.schemas.memory_v1_1 import CaseSummaryV1_1, InputSignatureV1_1

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Counts = npt.NDArray[np.int64]
    Ids = npt.NDArray[np.intp]

_MARGIN = 1e-9
# Scores are never negative; groups that a filter excludes have minus infinity.
_LEAST = 0.0
# How many groups beyond those requested are weighed first, to learn what score is needed.
_PROMISING = 64
_VIEWS_KEPT = 8
_SIMILARITIES_KEPT = 4096
_KEYS_KEPT = 65_536

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class Hit(NamedTuple):
    """An episode's number and its score."""

    seq: int
    score: float


class Filters(NamedTuple):
    """Which episodes may be found at all."""

    require_same_language: bool = True
    require_structure_overlap: bool = True


class _View:
    """The store as of one episode: the number of episodes, and the weight of each token at that point."""

    def __init__(self, groups: Groups, visible: int, frequencies: Counts) -> None:
        import numpy as np

        self.visible = visible
        self._groups = groups
        self._frequencies = frequencies
        self.weights: Floats = np.log(1.0 + visible / np.maximum(frequencies, 1))
        self.weights[0] = 0.0  # the filler token that every set starts with

    def weight(self, token: str) -> float:
        """Return the exact weight of ``token``."""
        number = self._groups.token_number(token)
        return idf(self.visible, 0 if number is None else int(self._frequencies[number]))


class EpisodeIndex:
    """Finds the best episodes for a query; episodes are added in order and never removed."""

    def __init__(self, groups: Groups | None = None) -> None:
        self.groups = groups or Groups()
        self._views: dict[int, _View] = {}
        self._similarities: dict[tuple[InputSignatureV1_1, Filters], list[float]] = {}

    def __len__(self) -> int:
        return len(self.groups.of_episode)

    def extend(self, episodes: Iterable[tuple[InputSignatureV1_1, frozenset[str]]]) -> None:
        """Add the next episodes, each by its signature and its tokens."""
        self.groups.extend(episodes)

    def key_of(self, seq: int) -> tuple[InputSignatureV1_1, frozenset[str]]:
        """Return the signature and the tokens under which episode ``seq`` is indexed."""
        group = int(self.groups.of_episode.view()[seq - 1])
        signature = self.groups.signatures[int(self.groups.signature_of.view()[group])]
        return signature, self.groups.tokens_of(int(self.groups.set_of.view()[group]))

    def search(
        self,
        signature: InputSignatureV1_1,
        symptoms: str,
        k: int,
        as_of: int | None = None,
        exclude: frozenset[int] = frozenset(),
        filters: Filters = Filters(),  # noqa: B008 (immutable)
    ) -> list[Hit]:
        """Return the ``k`` best episodes numbered up to ``as_of`` and not in ``exclude``; the newest wins ties."""
        visible = len(self) if as_of is None else max(0, min(as_of, len(self)))
        if k < 1 or visible == 0:
            return []
        view = self._view(visible)
        wanted = tokens(symptoms)
        # Each excluded episode can empty at most one group.
        scored = self._best_groups(view, signature, wanted, k + len(exclude), filters)
        return self._newest_first(scored, k, visible, exclude)

    def _best_groups(
        self, view: _View, signature: InputSignatureV1_1, wanted: frozenset[str], rank: int, filters: Filters
    ) -> list[tuple[float, int]]:
        """Return the exact scores of all groups that may contain one of the ``rank`` best, best first.

        The union of a set and the query weighs at least as much as the query alone, which gives an upper bound
        on their similarity. Only groups whose bound reaches the score of the ``rank``-th best of the most promising
        ones can matter, and only those are weighed.
        """
        import numpy as np

        groups = self.groups
        signatures, sets = groups.signature_of.view(), groups.set_of.view()
        similarities = np.array(self._signature_similarities(signature, filters))
        numbers = [number for token in wanted if (number := groups.token_number(token)) is not None]
        shared = groups.shared_weights((number, float(view.weights[number])) for number in numbers)
        asked = sum(map(view.weight, wanted))
        bounds = (SIGNATURE_WEIGHT * similarities)[signatures]
        if numbers:
            bounds += (shared * (LEXICAL_WEIGHT / asked))[sets]
        if view.visible < len(self):
            bounds[groups.first_episode.view() > view.visible] = -np.inf

        def rough_scores(chosen: Ids) -> Floats:
            common = shared[sets[chosen]]
            total = asked + groups.set_weights(sets[chosen], view.weights) - common
            lexical = np.divide(common, total, out=np.zeros_like(total), where=total > 0.0)
            rough: Floats = SIGNATURE_WEIGHT * similarities[signatures[chosen]] + LEXICAL_WEIGHT * lexical
            return rough

        promising = np.flatnonzero(bounds >= max(_nth_largest(bounds, rank + _PROMISING), _LEAST))
        if not len(promising):
            return []
        possible = np.flatnonzero(bounds >= max(_nth_largest(rough_scores(promising), rank) - _MARGIN, _LEAST))
        rough = rough_scores(possible)
        chosen = possible[rough >= _nth_largest(rough, rank) - _MARGIN]
        lexical = self._exact_lexical(view, wanted, {int(number) for number in sets[chosen]}, shared)
        scored = [
            (combined_score(float(similarities[signatures[group]]), lexical[int(sets[group])]), group)
            for group in chosen.tolist()
        ]
        return sorted(scored, key=lambda pair: -pair[0])

    def _exact_lexical(self, view: _View, wanted: frozenset[str], sets: set[int], shared: Floats) -> dict[int, float]:
        """Return the lexical similarity of each set; without shared tokens it is 0 and needs no computation."""
        sharing = {number for number in sets if shared[number] > 0.0}
        found = {number: lexical_similarity(wanted, self.groups.tokens_of(number), view.weight) for number in sharing}
        return dict.fromkeys(sets, 0.0) | found

    def _signature_similarities(self, signature: InputSignatureV1_1, filters: Filters) -> list[float]:
        """Return the similarity of each distinct signature, or minus infinity if a filter excludes it."""
        if len(self._similarities) > _SIMILARITIES_KEPT:
            self._similarities.clear()
        known = self._similarities.setdefault((signature, filters), [])
        flags = filters._asdict()
        for other in self.groups.signatures[len(known) :]:
            passes = passes_filters(signature, other, **flags)
            known.append(signature_similarity(signature, other) if passes else float("-inf"))
        return known

    def _newest_first(
        self, scored: list[tuple[float, int]], k: int, visible: int, exclude: frozenset[int]
    ) -> list[Hit]:
        found: list[Hit] = []
        position = 0
        while position < len(scored) and len(found) < k:
            score = scored[position][0]
            tied: list[int] = []
            while position < len(scored) and scored[position][0] == score:
                tied += self._newest(scored[position][1], k, visible, exclude)
                position += 1
            found += [Hit(seq, score) for seq in sorted(tied, reverse=True)]
        return found[:k]

    def _newest(self, group: int, k: int, visible: int, exclude: frozenset[int]) -> Iterator[int]:
        episodes = self.groups.episodes_of[group]
        for position in range(bisect_right(episodes, visible) - 1, -1, -1):
            if k == 0:
                return
            if episodes[position] not in exclude:
                k -= 1
                yield episodes[position]

    def _view(self, visible: int) -> _View:
        """Return the view as of ``visible``; cached until there are new tokens, because an epoch shares one."""
        view = self._views.pop(visible, None)
        if view is None or len(view.weights) != self.groups.token_count:
            view = _View(self.groups, visible, self.groups.frequencies(visible))
        self._views[visible] = view
        if len(self._views) > _VIEWS_KEPT:
            del self._views[next(iter(self._views))]
        return view


def _nth_largest(values: Floats, rank: int) -> float:
    """Return the ``rank``-th largest of ``values``, or the smallest if there are fewer."""
    import numpy as np

    place = max(0, len(values) - rank)
    return float(np.partition(values, place)[place])


class KeyReader:
    """Reads what the index needs from a stored line, without building the whole episode.

    There are few distinct signatures and case summaries, so each is validated and tokenized once.
    """

    def __init__(self) -> None:
        self._signatures: dict[tuple[object, ...], InputSignatureV1_1] = {}
        self._tokens: dict[tuple[str, str], frozenset[str]] = {}

    def key_of(self, line: str | bytes) -> tuple[InputSignatureV1_1, frozenset[str]]:
        """Return the signature and the tokens of the episode in a canonical line.

        Any other line is parsed completely, which reports what is wrong with it.
        """
        try:
            return self._quickly(line)
        except (KeyError, TypeError, ValueError, AttributeError):
            entry = parse_line(line)
            return entry.input_signature, case_tokens(entry.case_summary)

    def _quickly(self, line: str | bytes) -> tuple[InputSignatureV1_1, frozenset[str]]:
        record = read_json(line)
        given, case = record["input_signature"], record["case_summary"]
        fields = tuple(tuple(value) if isinstance(value, list) else value for _, value in sorted(given.items()))
        signature = self._signatures.get(fields)
        if signature is None:
            signature = _kept(self._signatures, fields, InputSignatureV1_1.model_validate(given))
        texts = (case["symptom"], case["rationale_summary"])
        found = self._tokens.get(texts)
        if found is None:
            found = _kept(self._tokens, texts, case_tokens(CaseSummaryV1_1.model_validate(case)))
        return signature, found


def _kept(memory: dict[_Key, _Value], key: _Key, value: _Value) -> _Value:
    if len(memory) >= _KEYS_KEPT:
        memory.clear()
    memory[key] = value
    return value
