"""What a text is used for, and the guard that keeps one text out of two uses.

A system that was shown a text (in memory or as a demonstration) must not be evaluated on it. Texts
are compared as a reader would: in NFC, without regard to capitals and to the amount of white space.
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
    """Return what two texts must share to count as the same one."""
    return " ".join(unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold()).split())


def check_roles(by_role: Mapping[Role, Sequence[Sample]]) -> None:
    """Refuse texts that are in two roles, naming them."""
    pairs = [f"{first} = {second}" for first, second in _shared(by_role)]
    if not pairs:
        return
    listed = "; ".join(pairs[:_LISTED])
    more = f"; and {len(pairs) - _LISTED} more" if len(pairs) > _LISTED else ""
    raise InputError(
        f"The same text is in two roles ({how_many(len(pairs), 'pair')}): {listed}{more}. "
        "A text must have one role only, or the evaluation would be of what was already shown: "
        "use another split or file for one of the roles, or take these texts out of it."
    )


def duplicates_within(samples: Sequence[Sample]) -> tuple[tuple[str, str], ...]:
    """Pairs of uids with the same text: the first that has it and each later one."""
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
