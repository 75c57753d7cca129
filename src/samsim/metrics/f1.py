"""F1 in one place, for a number and for an array of draws alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

NumbersT = TypeVar("NumbersT", float, "npt.NDArray[np.float64]")


def f1_from(matched: NumbersT, total: NumbersT) -> NumbersT:
    """2·matched / total, total = predicted + gold; 0 where there is no tuple on either side."""
    f1: NumbersT = 2 * matched / (total + (total == 0))
    return f1
