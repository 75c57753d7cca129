"""Whether a taxonomy fits what it is used on: where most refs are outside it, it is the wrong one."""

from __future__ import annotations

from collections import Counter

from samsim.schemas.results import SampleResult
from samsim.schemas.taxonomy import SHIPPED

# Fewer refs say nothing about a taxonomy.
FEWEST_REFS = 5


class TaxonomyFit:
    """Counts the refs of results, and those outside their taxonomy, result by result."""

    def __init__(self) -> None:
        self._refs: Counter[str] = Counter()
        self._invalid: Counter[str] = Counter()

    def add(self, result: SampleResult) -> None:
        """Count one result."""
        self._refs[result.taxonomy] += sum(bool(candidate.aspect_ref) for candidate in result.stage1_tuples)
        self._invalid[result.taxonomy] += sum(risk.risk_type == "INVALID_REF" for risk in result.validator_risks)

    def hints(self) -> list[str]:
        """One line for every taxonomy that most refs are outside of."""
        return [
            f"{self._invalid[name]:,} of {refs:,} refs are not in the taxonomy {name}: it does not fit these texts. "
            f"Try the taxonomy {' or '.join(other for other in SHIPPED if other != name)}, or a YAML file of your own."
            for name, refs in self._refs.items()
            if refs >= FEWEST_REFS and 2 * self._invalid[name] > refs
        ]
