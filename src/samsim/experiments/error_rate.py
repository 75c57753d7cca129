"""How many samples of one start of a run fail, and when that is too many (``run.max_error_rate``)."""

from __future__ import annotations

from dataclasses import dataclass

from samsim.experiments.execution import RunStopped
from samsim.plurals import how_many

# The first few samples say little. A smaller start is judged when it is through.
ENOUGH_FOR_A_RATE = 20


@dataclass(slots=True)
class ErrorRate:
    """Counts this start only, so that a run whose server is well again can be resumed."""

    limit: float | None
    done: int = 0
    errors: int = 0

    def add(self, error: str | None) -> None:
        """Count one sample; raises ``RunStopped`` where more than the limit have failed."""
        self.done += 1
        self.errors += error is not None
        if self.done >= ENOUGH_FOR_A_RATE:
            self._check(error)

    def end(self) -> None:
        """Judge a start that was too small to be judged on the way."""
        if self.done < ENOUGH_FOR_A_RATE:
            self._check(None)

    def _check(self, error: str | None) -> None:
        if self.limit is not None and self.errors > self.limit * self.done:
            raise RunStopped(
                f"{self.errors} of {how_many(self.done, 'sample')} failed, more than max_error_rate {self.limit:g}"
                f" (--retry-errors does them again); the last: {error or 'see outputs.jsonl'}"
            )
