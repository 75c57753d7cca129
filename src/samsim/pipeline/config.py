"""The settings of one analysis (specs 1 and 3), with their defaults."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from samsim.rules.apply import FinalizeMode
from samsim.rules.conflicts import SEMANTIC_THETA, ConflictMode
from samsim.schemas.analysis import Language
from samsim.schemas.protocol_conflict_review import AnswerForm, ArbiterVersion
from samsim.schemas.protocol_debate import DebateSettings
from samsim.schemas.protocols import ARBITER_VERSIONS, ProtocolName
from samsim.schemas.taxonomy import DEFAULT_TAXONOMY, FREE_TAXONOMY, Taxonomy, load_taxonomy

OnPartial = Literal["keep", "fail"]


class PipelineConfig(BaseModel):
    """How one sample is analyzed. The ``taxonomy`` "auto" is NIKL 2022 for Korean and free refs otherwise.

    ``on_partial`` says what happens to a sample that lost some of its calls: it is kept and marked, or it fails.
    With ``answer`` "terse", a model writes less: no span, confidence or rationale in a triplet, no actor in a
    review. The debate, which weighs confidences, is not affected.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    protocol: ProtocolName = "cr_v2"
    language: Language | Literal["auto"] = "auto"
    taxonomy: str = "auto"
    conflict_mode: ConflictMode = "primary_secondary"
    semantic_conflict_enabled: bool = False
    semantic_theta: float = Field(default=SEMANTIC_THETA, ge=0.0, le=1.0)
    compute_conflict_flags: bool = True
    enable_review: bool = True
    review_scope: Literal["flagged", "always"] = "flagged"
    recheck: bool = False
    finalize: FinalizeMode = "p1"
    answer: AnswerForm = "full"
    debate: DebateSettings = DebateSettings()
    on_partial: OnPartial = "keep"

    @property
    def arbiter_version(self) -> ArbiterVersion:
        """The version of the arbiter in a conflict review."""
        return ARBITER_VERSIONS[self.protocol]

    @property
    def granularity(self) -> bool:
        """Whether overlaps of an upper and a lower entity are flagged: in all protocols except CR v1 (seed 002)."""
        return self.protocol != "cr_v1"

    def taxonomy_for(self, language: Language) -> Taxonomy:
        """Return the taxonomy to use for a text in this language."""
        if self.taxonomy == "auto":
            return load_taxonomy(DEFAULT_TAXONOMY if language == "ko" else FREE_TAXONOMY)
        return load_taxonomy(self.taxonomy, language)
