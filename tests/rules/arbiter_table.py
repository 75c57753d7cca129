"""What the arbiter must decide, written down as tables.

The rows are copied out of the rule documents by hand, so that a test compares the arbiter with a list of
answers rather than with a second arbiter. Nothing here is imported from the code under test.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import permutations, product
from typing import Any, Literal

Agent = Literal["A", "B", "C"]
Version = Literal["v1", "v2"]

AGENTS: tuple[Agent, ...] = ("A", "B", "C")
POLARITIES = ("positive", "negative", "neutral")
VERSIONS: tuple[Version, ...] = ("v1", "v2")

STRUCTURAL = "structural"
JUSTIFIED = "justified"
OTHER = "other"


@dataclass(frozen=True)
class Vote:
    """One agent's vote on one tuple; ``kind`` "none" is an agent that said nothing about it."""

    kind: str
    polarity: str | None = None
    reason: str | None = None
    reason_class: str = OTHER

    @property
    def explicit(self) -> bool:
        return self.kind != "none"

    def as_action(self, actor: Agent, tuple_id: str) -> dict[str, Any] | None:
        """The review action an agent would have sent for this vote."""
        if not self.explicit:
            return None
        new_value: dict[str, str] | None = None
        if self.kind == "FLIP":
            new_value = {"polarity": str(self.polarity)}
        elif self.kind == "MERGE":
            new_value = {"normalized_ref": "본품#품질"}
        return {
            "action_type": self.kind,
            "target_tuple_ids": [tuple_id],
            "new_value": new_value,
            "reason_code": self.reason,
            "actor": actor,
        }

    def __str__(self) -> str:
        if not self.explicit:
            return "none"
        target = f"→{self.polarity}" if self.polarity else ""
        return f"{self.kind}{target}({self.reason})"


# The reasons of class "other" are taken from the opposite list on purpose: a structural code justifies no
# DROP and no KEEP, and a code that justifies a DROP makes no FLIP structural.
BALLOTS: tuple[Vote, ...] = (
    Vote("none"),
    Vote("KEEP", reason="KEEP_BEST_SUPPORTED"),
    Vote("KEEP", reason="NEGATION_SCOPE"),
    Vote("MERGE", reason="ASPECT_REF_MISMATCH"),
    Vote("FLAG", reason="WEAK_INFERENCE"),
    Vote("DROP", reason="WEAK_EVIDENCE", reason_class=JUSTIFIED),
    Vote("DROP", reason="REDUNDANT_UPPER_REF", reason_class=JUSTIFIED),
    Vote("DROP", reason="CONTRAST_CLAUSE", reason_class=OTHER),
    *(
        Vote("FLIP", polarity=polarity, reason=reason, reason_class=reason_class)
        for polarity in POLARITIES
        for reason, reason_class in (
            ("NEGATION_SCOPE", STRUCTURAL),
            ("CONTRAST_CLAUSE", STRUCTURAL),
            ("STRUCTURAL_INCONSISTENT", STRUCTURAL),
            ("WEAK_EVIDENCE", OTHER),
        )
    ),
)

Ballots = tuple[Vote, Vote, Vote]


def all_ballots() -> Iterator[Ballots]:
    """Every way A, B and C can vote on one tuple."""
    yield from product(BALLOTS, BALLOTS, BALLOTS)


# Rows: three votes in no particular order. K = KEEP, MERGE or no action; D = DROP; G = FLAG; p, q, r = FLIPs
# to different polarities. Answer: the letter that is adopted, or which of the two undecided cases it is.
THREE_WAY = "one FLIP, one DROP, one KEEP"
TIE = "all differ otherwise"

VOTE_TABLE: dict[str, str] = {
    # nobody flips
    "KKK": "K",
    "KKD": "K",
    "KKG": "K",
    "KDD": "D",
    "DDD": "D",
    "DDG": "D",
    "KGG": "G",
    "DGG": "G",
    "GGG": "G",
    "KDG": TIE,
    # one flips
    "pKK": "K",
    "pDD": "D",
    "pGG": "G",
    "pKD": THREE_WAY,
    "pKG": TIE,
    "pDG": TIE,
    # two flip, the same way
    "ppK": "p",
    "ppD": "p",
    "ppG": "p",
    # two flip, different ways
    "pqK": TIE,
    "pqD": TIE,
    "pqG": TIE,
    # three flip
    "ppp": "p",
    "ppq": "p",
    "pqr": TIE,
}

LETTER_OF_KIND = {"none": "K", "KEEP": "K", "MERGE": "K", "DROP": "D", "FLAG": "G"}
ACTION_OF_LETTER = {"K": "KEEP", "D": "DROP", "G": "FLAG"}


def counted(vote: Vote) -> str:
    """The vote as it is counted: a letter of the table, or for a FLIP the polarity it asks for."""
    return vote.polarity or LETTER_OF_KIND[vote.kind]


@cache
def expanded_vote_table() -> dict[tuple[str, ...], str]:
    """``VOTE_TABLE`` with p, q, r replaced by polarities in every way; keys are sorted triples."""
    table: dict[tuple[str, ...], str] = {}
    for polarities in permutations(POLARITIES):
        names = dict(zip("pqr", polarities, strict=True))
        for row, answer in VOTE_TABLE.items():
            key = tuple(sorted(names.get(letter, letter) for letter in row))
            meaning = names.get(answer, answer)
            if table.setdefault(key, meaning) != meaning:
                raise ValueError(f"row {row} contradicts another one")
    return table


# One FLIP, one DROP, one KEEP: (class of the FLIP's reason, class of the DROP's reason) → action.
THREE_WAY_TABLE: dict[Version, dict[tuple[str, str], str]] = {
    "v1": {
        (STRUCTURAL, JUSTIFIED): "FLIP",
        (STRUCTURAL, OTHER): "FLIP",
        (OTHER, JUSTIFIED): "FLAG",
        (OTHER, OTHER): "FLAG",
    },
    "v2": {
        (STRUCTURAL, JUSTIFIED): "FLIP",
        (STRUCTURAL, OTHER): "FLIP",
        (OTHER, JUSTIFIED): "DROP",
        (OTHER, OTHER): "FLAG",
    },
}


@dataclass(frozen=True)
class Setting:
    """What a tuple's conflict types change: two fallback reasons, and whether C's lone voice is protected."""

    tie: str
    three_way: str
    c_protected: bool


_V1 = Setting(tie="POLARITY_UNCERTAIN", three_way="POLARITY_UNCERTAIN", c_protected=False)
_V2_PLAIN = Setting(tie="POLARITY_UNCERTAIN", three_way="TIE_UNRESOLVED", c_protected=False)
_V2_UPPER_REF = Setting(tie="POLARITY_UNCERTAIN", three_way="TIE_UNRESOLVED", c_protected=True)
_V2_GRANULARITY = Setting(tie="REDUNDANT_REF_UNCERTAIN", three_way="REDUNDANT_REF_UNCERTAIN", c_protected=True)

SETTINGS: dict[tuple[Version, tuple[str, ...]], Setting] = {
    ("v1", ()): _V1,
    ("v1", ("ref_polarity_mismatch",)): _V1,
    ("v1", ("term_polarity_mismatch",)): _V1,
    ("v1", ("granularity_overlap_candidate",)): _V1,
    ("v1", ("REDUNDANT_UPPER_REF",)): _V1,
    ("v1", ("ref_polarity_mismatch", "granularity_overlap_candidate")): _V1,
    ("v2", ()): _V2_PLAIN,
    ("v2", ("ref_polarity_mismatch",)): _V2_PLAIN,
    ("v2", ("term_polarity_mismatch",)): _V2_PLAIN,
    ("v2", ("granularity_overlap_candidate",)): _V2_GRANULARITY,
    ("v2", ("REDUNDANT_UPPER_REF",)): _V2_UPPER_REF,
    ("v2", ("ref_polarity_mismatch", "granularity_overlap_candidate")): _V2_GRANULARITY,
}


@dataclass(frozen=True)
class Expected:
    """The decision the documents ask for."""

    action: str
    reason_code: str | None
    polarity: str | None
    rule: str

    @property
    def new_value(self) -> dict[str, str] | None:
        return {"polarity": self.polarity} if self.polarity else None


def voters_reason(reasons: list[str]) -> str | None:
    """The reason of an adopted action; ``reasons`` are those of its explicit voters, A before B before C.

    With at most three voters the first one's reason wins unless the two others share a different one.
    """
    match reasons:
        case []:
            return None
        case [_, second, third] if second == third:
            return second
        case [first, *_]:
            return first
    raise AssertionError(reasons)


def expected_decision(version: Version, types: tuple[str, ...], ballots: Ballots) -> Expected:
    """Look the answer up."""
    setting = SETTINGS[version, types]
    letters = [counted(vote) for vote in ballots]
    answer = expanded_vote_table()[tuple(sorted(letters))]
    if answer == TIE:
        return Expected("FLAG", setting.tie, None, "2")
    if answer == THREE_WAY:
        return _three_way(version, setting, ballots)
    c_stands_alone = ballots[2].explicit and letters[2] != answer
    if setting.c_protected and c_stands_alone:
        return Expected("FLAG", "FACET_MINORITY_SIGNAL", None, "facet")
    reason = voters_reason([str(v.reason) for v in ballots if v.explicit and counted(v) == answer])
    if answer in POLARITIES:
        return Expected("FLIP", reason, answer, "1")
    return Expected(ACTION_OF_LETTER[answer], reason, None, "1")


def _three_way(version: Version, setting: Setting, ballots: Ballots) -> Expected:
    flip = next(vote for vote in ballots if vote.kind == "FLIP")
    drop = next(vote for vote in ballots if vote.kind == "DROP")
    answers = {
        "FLIP": Expected("FLIP", flip.reason, flip.polarity, "3"),
        "DROP": Expected("DROP", drop.reason, None, "3"),
        "FLAG": Expected("FLAG", setting.three_way, None, "3"),
    }
    return answers[THREE_WAY_TABLE[version][flip.reason_class, drop.reason_class]]
