"""What a sample looks like to memory: its signature and its symptoms as codes, never its text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from samsim.language.structure import detect_structure
from samsim.rules.candidates import normalise_term
from samsim.schemas.analysis import Cue, CueKind, Language, TextAnalysis
from samsim.schemas.memory_v1_1 import InputSignatureV1_1, LengthBucket
from samsim.schemas.protocol_conflict_review import Candidate, ConflictFlag, ValidatorRisk

# The longest length (characters, trimmed) that is short, and the longest that is medium. Korean says the
# same in about half as many characters as English.
LENGTH_LIMITS: Mapping[Language, tuple[int, int]] = MappingProxyType({"ko": (40, 120), "en": (80, 240)})
NO_SYMPTOM = "no_risk"

# Cue words occur in many forms; only these normal forms may be stored. Each entry is "pattern form": the first
# pattern that occurs in the marker (case-folded, without spaces) gives the form.
_MARKERS: Mapping[tuple[Language, CueKind], tuple[str, ...]] = MappingProxyType(
    {
        ("ko", "negation"): (
            "별로 별로", "그닥 그닥", "않 않다", "못 못하다", "없 없다", "아니|아닌|아닙 아니다",
            "말|마 말다", "덜 덜", "안 안",
        ),
        ("ko", "contrast"): (
            "하지만|그렇지만 하지만", "그러나|허나 그러나", "그런데|근데 그런데", "그래도|그럼에도 그래도", "다만 다만",
            "반면|반해 반면", "대신 대신", "비해 비해", "커녕 커녕", "불구 불구하고", "지만 지만", "데 는데",
            "면서도 면서도", "도$ 어도", "나$ 으나", "고$ 고", "만$ 만",
        ),
        ("en", "negation"): (
            "never never", "nothing|nobody|none|nowhere nothing", "hardly|barely|scarcely hardly",
            "rarely|seldom rarely", "neither|nor nor", "without without", "lack|void lack", "fail fail",
            "n't|n’t|not not", "^no|zero no",
        ),
        ("en", "contrast"): (
            "however|nevertheless|nonetheless|otherhand|evenso|sametime however", "though|albeit|said although",
            "while|whereas while", "despite|spite despite", "except|otherthan except", "yet yet", "but but",
        ),
    }
)  # fmt: skip


def build_signature(analysis: TextAnalysis, num_aspects: int) -> InputSignatureV1_1:
    """Return the signature of a text, from the same cues that the validator reads."""
    found = detect_structure(analysis)
    return InputSignatureV1_1(
        language=analysis.language,
        detected_structure=found,
        has_negation="negation" in found,
        num_aspects=num_aspects,
        length_bucket=length_bucket(analysis.text, analysis.language),
    )


def length_bucket(text: str, language: Language) -> LengthBucket:
    """Return the length class of a text by its number of characters (NFC, trimmed) and the language's limits."""
    short, medium = LENGTH_LIMITS[language]
    length = len(unicodedata.normalize("NFC", text).strip())
    if length <= short:
        return "short"
    return "medium" if length <= medium else "long"


def count_aspects(candidates: Iterable[Candidate]) -> int:
    """Return how many distinct aspects (ref and normalized term) the candidates are about."""
    return len({(candidate.aspect_ref, normalise_term(candidate.aspect_term)) for candidate in candidates})


def symptoms_of(risks: Iterable[ValidatorRisk], flags: Iterable[ConflictFlag], analysis: TextAnalysis) -> str:
    """Return risk types, flag types and cues as codes, each once and sorted; memory is queried with these words."""
    codes: list[str] = [
        *sorted({risk.risk_type for risk in risks}),
        *sorted({flag.conflict_type for flag in flags}),
    ]
    cues = sorted({_cue_code(cue, analysis.language) for cue in analysis.cues})
    return " ".join([*(codes or [NO_SYMPTOM]), *cues])


def _cue_code(cue: Cue, language: Language) -> str:
    marker = re.sub(r"\s+", "", unicodedata.normalize("NFC", cue.marker)).casefold()
    for entry in _MARKERS.get((language, cue.kind), ()):
        pattern, form = entry.split()
        if re.search(pattern, marker):
            return f"{cue.kind}:{form}"
    return cue.kind
