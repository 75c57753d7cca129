"""Records of the episodic memory, version 1.1, with the seed documents' names (seeds 000 §2, 003, 004).

No record can carry a text: every field is a code, a number, a template rendered by samsim, or a
normalized aspect term of at most ``MAX_TERM_CHARS`` characters. The names in ``FORBIDDEN_FIELDS`` are
refused at any depth, both on reading and on writing. Every number and list has a bound far above what
a real sample reaches, so a foreign record cannot break code that relies on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import Field, ValidationError, field_validator, model_validator

from samsim.errors import ContractError
from samsim.schemas.analysis import Language
from samsim.schemas.polarity import Polarity, PolarityName
from samsim.schemas.protocol_conflict_review import ConflictType, DecidedAction, RiskType, Written
from samsim.validation_words import clipped, in_words

SchemaVersion = Literal["1.1"]
SCHEMA_VERSION: SchemaVersion = "1.1"
SLOT_NAME = "DEBATE_CONTEXT__MEMORY"
MAX_MESSAGE_CHARS = 800
MAX_TERM_CHARS = 30
MAX_COUNT = 1_000_000_000
MAX_STATEMENTS = 1_000
"""The most (aspect, polarity) pairs a snapshot keeps; of a longer text, the first ones."""
MAX_LISTED = 32
_CLOCK = "([01][0-9]|2[0-3]):[0-5][0-9]"
_MOMENT = rf"^[0-9]{{4}}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T{_CLOCK}:[0-5][0-9](\.[0-9]{{1,9}})?(Z|[+-]{_CLOCK})$"
_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
# A foreign record may have any number of errors.
_FAULTS_SHOWN = 3
FORBIDDEN_FIELDS = frozenset(
    {"raw_text", "raw_text_hash", "gold", "gold_label", "gold_polarity", "cot", "chain_of_thought"}
)

Structure = Literal["negation", "contrast", "irony", "none"]
STRUCTURES: tuple[Structure, ...] = get_args(Structure)
LengthBucket = Literal["short", "medium", "long"]
EpisodeType = Literal["success", "harm", "neutral"]
TargetAspectType = Literal["explicit", "implicit", "mixed", "none"]
# "none" and "NONE" stand for a sample without any risk and for one without any decision.
RiskTag = RiskType | ConflictType
EpisodeRisk = RiskType | ConflictType | Literal["none"]
ActionTaken = DecidedAction | Literal["NONE"]
AdvisoryType = Literal["successful_override", "failed_override_warning", "consistency_anchor"]
Strength = Literal["weak", "moderate", "strong"]
MemoryMode = Literal["off", "on", "silent"]
InjectionSource = Literal["retrieved", "placebo", "shuffled"]

EpisodeId = Annotated[str, Field(pattern=r"^epi_[0-9]{6,18}$")]
AdvisoryId = Annotated[str, Field(pattern=r"^adv_[0-9]{6,18}$")]
PrincipleId = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{2,59}$")]
AspectNorm = Annotated[str, Field(max_length=MAX_TERM_CHARS)]
Template = Annotated[str, Field(max_length=MAX_MESSAGE_CHARS)]
Unit = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0, le=MAX_COUNT)]
Condition = Annotated[str, Field(pattern=r"^[a-z_]{1,40}:[A-Za-z0-9_]{1,60}$")]


def check_forbidden(obj: object) -> None:
    """Raise ``ContractError`` if any mapping inside ``obj``, at any depth, has a forbidden key."""
    for path in _forbidden_paths(obj, ""):
        raise ContractError(
            f"The field {clipped(path)} may not be remembered: an episode carries no text, no gold and no chain of"
            " thought. Remove it from the record."
        )


def _forbidden_paths(obj: object, path: str) -> Iterator[str]:
    if isinstance(obj, Mapping):
        for key, value in obj.items():
            here = f"{path}.{key}" if path else str(key)
            if str(key).strip().casefold().replace("-", "_") in FORBIDDEN_FIELDS:
                yield here
            yield from _forbidden_paths(value, here)
    elif isinstance(obj, list | tuple):
        for number, value in enumerate(obj):
            yield from _forbidden_paths(value, f"{path}[{number}]")


class InputSignatureV1_1(Written):  # noqa: N801 (the seeds' name)
    """What a sample looks like from afar; ``detected_structure`` is in the order of ``STRUCTURES``."""

    language: Language
    detected_structure: tuple[Structure, ...] = Field(min_length=1, max_length=len(STRUCTURES))
    has_negation: bool
    num_aspects: Count
    length_bucket: LengthBucket

    @model_validator(mode="after")
    def _structure_fits(self) -> InputSignatureV1_1:
        found = self.detected_structure
        if found != tuple(name for name in STRUCTURES if name in found):
            raise ValueError(f"detected_structure must name each structure once, in the order {', '.join(STRUCTURES)}")
        if "none" in found and len(found) > 1:
            raise ValueError("detected_structure 'none' excludes every other structure")
        if self.has_negation != ("negation" in found):
            raise ValueError("has_negation must agree with detected_structure")
        return self


class CaseSummaryV1_1(Written):  # noqa: N801
    """What was wrong and what was done, as templates with code slots; retrieval compares these words."""

    target_aspect_type: TargetAspectType
    symptom: Template
    rationale_summary: Template


class StageSnapshotV1_1(Written):  # noqa: N801
    """The statements at one stage; ``confidence`` is their mean, 0 where there are none."""

    aspects_norm: tuple[AspectNorm, ...] = Field(default=(), max_length=MAX_STATEMENTS)
    polarities: tuple[Polarity, ...] = Field(default=(), max_length=MAX_STATEMENTS)
    confidence: Unit = 0.0

    @model_validator(mode="after")
    def _same_length(self) -> StageSnapshotV1_1:
        if len(self.aspects_norm) != len(self.polarities):
            raise ValueError("aspects_norm and polarities must have the same length")
        return self

    def pairs(self) -> frozenset[tuple[str, PolarityName]]:
        """Return the (aspect_term_norm, polarity) pairs; an implicit aspect names no term and has none."""
        return frozenset(
            (aspect, polarity) for aspect, polarity in zip(self.aspects_norm, self.polarities, strict=True) if aspect
        )


class StageSnapshotPairV1_1(Written):  # noqa: N801
    """The statements before and after review."""

    stage1: StageSnapshotV1_1
    final: StageSnapshotV1_1


class CorrectionV1_1(Written):  # noqa: N801
    """The general lesson, from the catalogue of principles, and when it applies (``kind:code``)."""

    principle_id: PrincipleId
    corrective_principle: Annotated[str, Field(min_length=1, max_length=MAX_MESSAGE_CHARS)]
    applicable_conditions: tuple[Condition, ...] = Field(default=(), max_length=MAX_LISTED)


class RiskSnapshotV1_1(Written):  # noqa: N801
    """Which kinds of risk there were (sorted, each once) and how grave they were together."""

    tags: tuple[RiskTag, ...] = Field(default=(), max_length=MAX_LISTED)
    severity_sum: Count = 0


class EvaluationV1_1(Written):  # noqa: N801
    """How the review turned out, in terms of risk and safety; never of gold."""

    risk_before: RiskSnapshotV1_1
    risk_after: RiskSnapshotV1_1
    override_applied: bool
    override_success: bool
    override_harm: bool


class ProvenanceV1_1(Written):  # noqa: N801
    """Where an episode comes from; ``timestamp`` is the run's recorded clock, outside the content hash."""

    created_from_split: Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]{1,40}$")]
    timestamp: Annotated[str, Field(pattern=_MOMENT)]
    version: Annotated[str, Field(pattern=r"^[A-Za-z0-9_.+-]{1,40}$")]

    @field_validator("timestamp")
    @classmethod
    def _is_in_the_calendar(cls, timestamp: str) -> str:
        year, month, day = (int(part) for part in timestamp[:10].split("-"))
        is_leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
        if not year or day > _DAYS[month - 1] - (month == 2 and not is_leap):
            raise ValueError("the date does not exist")
        return timestamp


class EpisodeDraftV1_1(Written):  # noqa: N801
    """An episode that no store has numbered yet."""

    schema_version: SchemaVersion = SCHEMA_VERSION
    episode_type: EpisodeType
    input_signature: InputSignatureV1_1
    case_summary: CaseSummaryV1_1
    stage_snapshot: StageSnapshotPairV1_1
    correction: CorrectionV1_1
    evaluation: EvaluationV1_1
    provenance: ProvenanceV1_1
    risk_type: EpisodeRisk
    action_taken: ActionTaken
    outcome_delta: Annotated[int, Field(ge=-MAX_COUNT, le=MAX_COUNT)]
    moderator_summary: Template = ""

    @model_validator(mode="before")
    @classmethod
    def _nothing_forbidden(cls, data: Any) -> Any:
        check_forbidden(data)
        return data

    def with_id(self, episode_id: str) -> EpisodicMemoryEntryV1_1:
        """Return the entry to store: this draft with the given id."""
        fields = {name: getattr(self, name) for name in EpisodeDraftV1_1.model_fields}
        return EpisodicMemoryEntryV1_1(episode_id=episode_id, **fields)


class EpisodicMemoryEntryV1_1(EpisodeDraftV1_1):  # noqa: N801
    """One remembered sample, as stored: one JSON line."""

    episode_id: EpisodeId

    @property
    def failed(self) -> bool:
        """Whether it must not be repeated (seed 003 §3.5): harm, a failed override, or more risk than before."""
        judged = self.evaluation
        return (
            self.episode_type == "harm"
            or (judged.override_applied and (not judged.override_success or judged.override_harm))
            or judged.risk_after.severity_sum > judged.risk_before.severity_sum
        )


def parse_entry(raw: object) -> EpisodicMemoryEntryV1_1:
    """Parse one stored record; raise ``ContractError`` for a forbidden field or any other schema violation."""
    try:
        return EpisodicMemoryEntryV1_1.model_validate(raw)
    except ValidationError as error:
        faults = in_words(error, "record", most=_FAULTS_SHOWN)
        raise ContractError(f"Not an episode of schema {SCHEMA_VERSION}: {faults}.") from error


def dump_entry(entry: EpisodicMemoryEntryV1_1) -> dict[str, Any]:
    """Return the record as plain JSON data, after a last check for forbidden fields."""
    data = entry.model_dump(mode="json")
    check_forbidden(data)
    return data


class AdvisoryEvidenceV1_1(Written):  # noqa: N801
    """What an advisory rests on: ids and codes, no label, no text.

    The first three are those of seed 000 §2.1. Beside them overrides may carry the risk tags before and
    after, anchors consistency (share of episodes that succeeded), variance (of the change in severity) and
    n (seed 003 §3.1 and §3.2); ours always do. A decision to imitate is never given.
    """

    source_episode_ids: tuple[EpisodeId, ...] = Field(min_length=1)
    risk_tags: tuple[RiskTag, ...]
    principle_id: PrincipleId
    risk_before_tags: tuple[RiskTag, ...] | None = None
    risk_after_tags: tuple[RiskTag, ...] | None = None
    consistency: Unit | None = None
    variance: Annotated[float, Field(ge=0.0, allow_inf_nan=False)] | None = None
    n: Annotated[int, Field(ge=1, le=MAX_COUNT)] | None = None


class AdvisoryConstraintsV1_1(Written):  # noqa: N801
    """What every advisory promises; there is no other value."""

    no_label_hint: Literal[True] = True
    no_forcing: Literal[True] = True
    no_confidence_boost: Literal[True] = True


class AdvisoryV1_1(Written):  # noqa: N801
    """One piece of advice from similar past cases."""

    advisory_id: AdvisoryId
    advisory_type: AdvisoryType
    message: Annotated[str, Field(min_length=1, max_length=MAX_MESSAGE_CHARS)]
    strength: Strength
    relevance_score: Unit
    evidence: AdvisoryEvidenceV1_1
    constraints: AdvisoryConstraintsV1_1 = AdvisoryConstraintsV1_1()

    @model_validator(mode="after")
    def _evidence_fits_type(self) -> AdvisoryV1_1:
        given = self.evidence
        if self.advisory_type == "consistency_anchor":
            unwanted: tuple[object, ...] = (given.risk_before_tags, given.risk_after_tags)
        else:
            unwanted = (given.consistency, given.variance, given.n)
        if any(value is not None for value in unwanted):
            raise ValueError(f"the evidence does not fit the type {self.advisory_type}")
        return self


class AdvisoryMetaV1_1(Written):  # noqa: N801
    """How the slot came about."""

    memory_mode: MemoryMode
    topk: int = Field(ge=0)
    masked_injection: bool
    retrieval_executed: bool


class AdvisoryBundleV1_1(Written):  # noqa: N801
    """What the slot ``DEBATE_CONTEXT__MEMORY`` holds, in every condition."""

    schema_version: SchemaVersion = SCHEMA_VERSION
    memory_on: bool
    retrieved: tuple[AdvisoryV1_1, ...] = ()
    warnings: tuple[str, ...] = ()
    meta: AdvisoryMetaV1_1

    @model_validator(mode="before")
    @classmethod
    def _nothing_forbidden(cls, data: Any) -> Any:
        check_forbidden(data)
        return data
