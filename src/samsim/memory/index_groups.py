"""The data of the index: the distinct signatures and token sets, and which episodes share both."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from samsim.schemas.memory_v1_1 import InputSignatureV1_1

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Ids = npt.NDArray[np.intp]
    Counts = npt.NDArray[np.int64]
    Floats = npt.NDArray[np.float64]

_FIRST_CAPACITY = 16
# Token frequencies are saved every this many episodes, so an earlier view has at most this many to count.
_NOTED_EVERY = 1024


class GrowingIds:
    """A list of numbers that numpy can read without a copy and use directly as indices."""

    def __init__(self, values: Ids | None = None) -> None:
        import numpy as np

        self._buffer: Ids = np.zeros(_FIRST_CAPACITY, dtype=np.intp) if values is None else values
        self._size = 0 if values is None else len(values)

    def __len__(self) -> int:
        return self._size

    def extend(self, values: Iterable[int]) -> None:
        """Append ``values``; the capacity doubles when it runs out, so appending stays cheap."""
        import numpy as np

        added = np.fromiter(values, dtype=np.intp)
        wanted = self._size + len(added)
        if wanted > len(self._buffer):
            grown = np.zeros(max(wanted, 2 * len(self._buffer), _FIRST_CAPACITY), dtype=np.intp)
            grown[: self._size] = self.view()
            self._buffer = grown
        self._buffer[self._size : wanted] = added
        self._size = wanted

    def append(self, value: int) -> None:
        """Append one number."""
        if self._size == len(self._buffer):
            self.extend((value,))
            return
        self._buffer[self._size] = value
        self._size += 1

    def view(self) -> Ids:
        """Return the current content; do not write to it."""
        return self._buffer[: self._size]


@dataclass(frozen=True, slots=True)
class GroupsState:
    """The state that a snapshot stores; everything else is derived from it."""

    signatures: list[InputSignatureV1_1]
    vocabulary: list[str]
    flat_tokens: Ids
    set_starts: Ids
    signature_of: Ids
    set_of: Ids
    of_episode: Ids


class Groups:
    """Episodes grouped by (signature, token set). Tokens, sets and groups count from 0, episodes from 1.

    Token 0 is a filler that comes first in every set, so no set is empty in ``flat_tokens``.
    """

    def __init__(self) -> None:
        self.signatures: list[InputSignatureV1_1] = []
        self.signature_of, self.set_of, self.first_episode = GrowingIds(), GrowingIds(), GrowingIds()
        self.episodes_of: list[array[int]] = []
        self.of_episode = GrowingIds()
        self._vocabulary: list[str] = [""]
        self._token_numbers: dict[str, int] = {}
        self._flat_tokens, self._set_starts, self._set_lengths = GrowingIds(), GrowingIds(), GrowingIds()
        self._signature_numbers: dict[InputSignatureV1_1, int] = {}
        self._set_numbers: dict[bytes, int] = {}
        self._group_numbers: dict[tuple[int, int], int] = {}
        self._sets_with: list[GrowingIds] = [GrowingIds()]
        self._noted: list[Counts] = []

    @property
    def token_count(self) -> int:
        """The number of distinct tokens, including the filler."""
        return len(self._vocabulary)

    @property
    def set_count(self) -> int:
        """The number of distinct token sets."""
        return len(self._set_starts)

    def token_number(self, token: str) -> int | None:
        """Return the number of ``token``, or None if no episode has it."""
        return self._token_numbers.get(token)

    def tokens_of(self, number: int) -> frozenset[str]:
        """Return the tokens of one set."""
        return frozenset(self._vocabulary[token] for token in self._token_range(number)[1:].tolist())

    def extend(self, episodes: Iterable[tuple[InputSignatureV1_1, frozenset[str]]]) -> None:
        """Add the next episodes; the iterable is consumed before the first is added, so if it fails, none is added."""
        episodes = list(episodes)
        added: list[int] = []
        for number, (signature, tokens) in enumerate(episodes, start=len(self.of_episode) + 1):
            group = self._group_of(signature, tokens, number)
            self.episodes_of[group].append(number)
            added.append(group)
        self.of_episode.extend(added)
        self._note_frequencies()

    def shared_weights(self, asked: Iterable[tuple[int, float]]) -> Floats:
        """Return, per token set, the total weight of the tokens in ``asked`` that it contains."""
        import numpy as np

        sums = np.zeros(self.set_count)
        for token, weight in asked:
            sums[self._sets_with[token].view()] += weight
        return sums

    def set_weights(self, sets: Ids, weights: Floats) -> Floats:
        """Return the weight of each of the given token sets, by the weight of each token."""
        import numpy as np

        tokens, starts = self._tokens_in(sets)
        sums: Floats = np.add.reduceat(weights[tokens], starts)
        return sums

    def frequencies(self, visible: int) -> Counts:
        """Return, per token, how many of the first ``visible`` episodes have it."""
        import numpy as np

        noted = visible // _NOTED_EVERY
        counts = np.zeros(self.token_count, dtype=np.int64)
        if noted:
            counts[: len(self._noted[noted - 1])] = self._noted[noted - 1]
        return counts + self._count_tokens(self.of_episode.view()[noted * _NOTED_EVERY : visible])

    def state(self) -> GroupsState:
        """Return the state that a snapshot must store."""
        return GroupsState(
            self.signatures,
            self._vocabulary,
            self._flat_tokens.view(),
            self._set_starts.view(),
            self.signature_of.view(),
            self.set_of.view(),
            self.of_episode.view(),
        )

    @classmethod
    def restored(cls, state: GroupsState) -> Groups:
        """Rebuild the groups from a snapshot."""
        import numpy as np

        groups = cls()
        groups.signatures = state.signatures
        groups._signature_numbers = {signature: number for number, signature in enumerate(state.signatures)}
        groups._vocabulary = state.vocabulary
        groups._token_numbers = {token: number for number, token in enumerate(state.vocabulary) if number}
        lengths = np.diff(state.set_starts, append=len(state.flat_tokens))
        groups._flat_tokens, groups._set_starts = GrowingIds(state.flat_tokens), GrowingIds(state.set_starts)
        groups._set_lengths = GrowingIds(lengths)
        groups._set_numbers = {groups._token_range(number).tobytes(): number for number in range(groups.set_count)}
        groups.signature_of, groups.set_of = GrowingIds(state.signature_of), GrowingIds(state.set_of)
        pairs = zip(state.signature_of.tolist(), state.set_of.tolist(), strict=True)
        groups._group_numbers = {pair: number for number, pair in enumerate(pairs)}
        groups.of_episode = GrowingIds(state.of_episode)
        order = (np.argsort(state.of_episode, kind="stable") + 1).astype(np.uint32)
        ends = np.cumsum(np.bincount(state.of_episode, minlength=len(state.set_of)))
        groups.episodes_of = [array("I", part.tobytes()) for part in np.split(order, ends[:-1])]
        groups.first_episode.extend(episodes[0] for episodes in groups.episodes_of)
        by_token = np.repeat(np.arange(groups.set_count), lengths)[np.argsort(state.flat_tokens, kind="stable")]
        ends = np.cumsum(np.bincount(state.flat_tokens, minlength=groups.token_count))
        groups._sets_with = [GrowingIds(part) for part in np.split(by_token, ends[:-1])]
        groups._note_frequencies()
        return groups

    def _token_range(self, number: int) -> Ids:
        start = int(self._set_starts.view()[number])
        return self._flat_tokens.view()[start : start + int(self._set_lengths.view()[number])]

    def _group_of(self, signature: InputSignatureV1_1, tokens: frozenset[str], episode: int) -> int:
        signature_number = self._signature_numbers.get(signature)
        if signature_number is None:
            signature_number = self._signature_numbers[signature] = len(self.signatures)
            self.signatures.append(signature)
        pair = (signature_number, self._set_number(tokens))
        group = self._group_numbers.get(pair)
        if group is None:
            group = self._group_numbers[pair] = len(self.episodes_of)
            self.signature_of.append(pair[0])
            self.set_of.append(pair[1])
            self.first_episode.append(episode)
            self.episodes_of.append(array("I"))
        return group

    def _set_number(self, tokens: frozenset[str]) -> int:
        numbers = array("q", [0, *sorted(map(self._number_of, tokens))])
        key = numbers.tobytes()
        number = self._set_numbers.get(key)
        if number is None:
            number = self._set_numbers[key] = self.set_count
            self._set_starts.append(len(self._flat_tokens))
            self._set_lengths.append(len(numbers))
            self._flat_tokens.extend(numbers)
            for token in numbers:
                self._sets_with[token].append(number)
        return number

    def _number_of(self, token: str) -> int:
        number = self._token_numbers.get(token)
        if number is None:
            number = self._token_numbers[token] = len(self._vocabulary)
            self._vocabulary.append(token)
            self._sets_with.append(GrowingIds())
        return number

    def _note_frequencies(self) -> None:
        groups = self.of_episode.view()
        while (begin := len(self._noted) * _NOTED_EVERY) + _NOTED_EVERY <= len(groups):
            counts = self._count_tokens(groups[begin : begin + _NOTED_EVERY])
            if self._noted:
                counts[: len(self._noted[-1])] += self._noted[-1]
            self._noted.append(counts)

    def _count_tokens(self, groups: Ids) -> Counts:
        """Return, per token, how many of the episodes in ``groups`` (one group number per episode) have it."""
        import numpy as np

        tokens, _ = self._tokens_in(self.set_of.view()[groups])
        return np.bincount(tokens, minlength=self.token_count)

    def _tokens_in(self, sets: Ids) -> tuple[Ids, Ids]:
        """Return the concatenated tokens of the given sets, and where each set starts."""
        import numpy as np

        lengths = self._set_lengths.view()[sets]
        ends = np.cumsum(lengths)
        starts = ends - lengths
        places = np.repeat(self._set_starts.view()[sets] - starts, lengths)
        places += np.arange(len(places))
        return self._flat_tokens.view()[places], starts
