"""F1 in one place, for single numbers and arrays of draws alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

NumbersT = TypeVar("NumbersT", float, "npt.NDArray[np.float64]")


def f1_from(matched: NumbersT, total: NumbersT) -> NumbersT:
    """Return 2·matched / total, with total = predicted + gold; 0 if there is no tuple on either side."""
    f1: NumbersT = 2 * matched / (total + (total == 0))
    return f1
