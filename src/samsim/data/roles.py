"""The roles of texts, and the check that no text has two roles.

A system that was shown a text (in memory or as a demonstration) must not be evaluated on it. Texts
are compared as a reader would: in NFC, ignoring case and the amount of white space.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Literal, get_args

from samsim.data.samples import Sample
from samsim.errors import InputError
from samsim.plurals import how_many

Role = Literal["evaluation", "memory", "demonstrations"]
ROLES: tuple[Role, ...] = get_args(Role)
_LISTED = 10


def normalised_text(text: str) -> str:
    """Return the form in which two equal texts are the same."""
    return " ".join(unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold()).split())


def check_roles(by_role: Mapping[Role, Sequence[Sample]]) -> None:
    """Raise if a text is in two roles, naming the texts."""
    pairs = [f"{first} = {second}" for first, second in _shared(by_role)]
    if not pairs:
        return
    listed = "; ".join(pairs[:_LISTED])
    more = f"; and {len(pairs) - _LISTED} more" if len(pairs) > _LISTED else ""
    raise InputError(
        f"The same text is in two roles ({how_many(len(pairs), 'pair')}): {listed}{more}. "
        "A text may have only one role, or the system would be evaluated on texts it was already shown: "
        "use another split or file for one of the roles, or remove these texts from it."
    )


def duplicates_within(samples: Sequence[Sample]) -> tuple[tuple[str, str], ...]:
    """Return pairs of uids with the same text: the first one that has it with each later one."""
    first: dict[str, str] = {}
    pairs = []
    for sample in samples:
        known = first.setdefault(normalised_text(sample.text), sample.uid)
        if known != sample.uid:
            pairs.append((known, sample.uid))
    return tuple(pairs)


def _shared(by_role: Mapping[Role, Sequence[Sample]]) -> list[tuple[str, str]]:
    """Return one pair per text and pair of roles, named by the first uid of each."""
    places: dict[str, dict[Role, str]] = {}
    for role, samples in by_role.items():
        for sample in samples:
            places.setdefault(normalised_text(sample.text), {}).setdefault(role, sample.uid)
    pairs = []
    for owners in places.values():
        (first_role, first_uid), *others = owners.items()
        pairs += [(f"{first_role}:{first_uid}", f"{role}:{uid}") for role, uid in others]
    return pairs
