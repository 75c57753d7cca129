"""Whether a taxonomy fits the texts: if most refs are outside it, it is the wrong one."""

from __future__ import annotations

from collections import Counter

from samsim.schemas.results import SampleResult
from samsim.schemas.run_problems import RunProblem
from samsim.schemas.taxonomy import SHIPPED, any_of

# With fewer refs, nothing can be said about the taxonomy.
FEWEST_REFS = 5


class TaxonomyFit:
    """Counts the refs of results, and how many of them are outside their taxonomy."""

    def __init__(self) -> None:
        self._refs: Counter[str] = Counter()
        self._invalid: Counter[str] = Counter()

    def add(self, result: SampleResult) -> None:
        """Count one result."""
        self._refs[result.taxonomy] += sum(bool(candidate.aspect_ref) for candidate in result.stage1_tuples)
        self._invalid[result.taxonomy] += sum(risk.risk_type == "INVALID_REF" for risk in result.validator_risks)

    def hints(self) -> list[RunProblem]:
        """Return a hint for every taxonomy that does not contain most of its refs."""
        return [
            self._misfit(name)
            for name, refs in self._refs.items()
            if refs >= FEWEST_REFS and 2 * self._invalid[name] > refs
        ]

    def _misfit(self, name: str) -> RunProblem:
        counts = {"outside": self._invalid[name], "refs": self._refs[name]}
        others = any_of(other for other in SHIPPED if other != name)
        return RunProblem("taxonomy_misfit", {**counts, "taxonomy": name, "others": others})
