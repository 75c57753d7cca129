"""A comparison as rows: scores and tests by measure and run, and the tuples that flipped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from samsim.metrics.tuples import spelled
from samsim.notebook import Row, html_block, html_table

if TYPE_CHECKING:
    from samsim.metrics.comparison import Comparison, Contrast, GroupRow
    from samsim.schemas.scorecards import Family

_SCORES = ("precision", "recall", "f1", "f1_low", "f1_high", "macro_f1", "exact_samples")
_TESTS = ("delta_f1", "delta_low", "delta_high", "p", "p_holm", "p_mcnemar", "wrong_to_right", "right_to_wrong")
SCORE_COLUMNS = ("family", "run", *_SCORES, *_TESTS)
FLIP_COLUMNS = ("family", "run", "uid", "direction", "kind", "tuple", "text")


def score_rows(comparison: Comparison) -> list[Row]:
    """Return one row per measure and run; cells without a test, such as the baseline's, are None."""
    contrasts = {(contrast.family, contrast.run): contrast for contrast in comparison.contrasts}
    return [
        {"family": family, "run": group.name, **_scores(group, family), **_tests(contrasts.get((family, group.name)))}
        for family in comparison.families
        for group in comparison.groups
    ]


def flip_rows(comparison: Comparison) -> list[Row]:
    """Return one row per tuple that the baseline and another run judge differently, with the text it is about."""
    return [
        {
            "family": contrast.family,
            "run": contrast.run,
            "uid": flip.uid,
            "direction": flip.direction,
            "kind": flip.kind,
            "tuple": spelled(flip.key),
            "text": comparison.texts.get(flip.uid),
        }
        for contrast in comparison.contrasts
        for flip in contrast.tuple_flips
    ]


def comparison_text(comparison: Comparison) -> str:
    """Render the comparison in a few lines of text."""
    rows = _written(comparison)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows)
    return "\n".join([_heading(comparison), *lines])


def comparison_html(comparison: Comparison) -> str:
    """Render the comparison as an HTML table for a notebook."""
    head, *rows = _written(comparison)
    return html_block(_heading(comparison), html_table(head, rows))


def _heading(comparison: Comparison) -> str:
    left_out = f", {len(comparison.left_out)} left out" if comparison.left_out else ""
    return f"Comparison over {comparison.samples} samples{left_out}; baseline {comparison.baseline}"


def _written(comparison: Comparison) -> list[Sequence[str]]:
    """Return the rows as shown in tables: rates in percent with their intervals, p with three digits."""
    return [
        ("family", "run", "F1", "difference", "p", "p Holm", "p McNemar", "flips +/−"),
        *(
            (
                row["family"],
                row["run"],
                _rate(row, "f1"),
                _rate(row, "delta", "+"),
                *(_number(row[name], ".3f") for name in ("p", "p_holm", "p_mcnemar")),
                "" if row["wrong_to_right"] is None else f"{row['wrong_to_right']} / {row['right_to_wrong']}",
            )
            for row in score_rows(comparison)
        ),
    ]


def _rate(row: Row, name: str, sign: str = "") -> str:
    value = row["f1" if name == "f1" else f"{name}_f1"]
    if value is None:
        return ""
    low, high = (
        _number(None if (edge := row[f"{name}_{end}"]) is None else 100 * edge, ".1f") for end in ("low", "high")
    )
    return f"{100 * value:{sign}.1f}" + (f" [{low}, {high}]" if low else "")


def _number(value: float | None, form: str) -> str:
    return "" if value is None else format(value, form)


def _scores(group: GroupRow, family: Family) -> Row:
    found = group.scores[family]
    interval = found.interval
    return {
        "precision": found.micro.precision,
        "recall": found.micro.recall,
        "f1": found.micro.f1,
        "f1_low": None if interval is None else interval.low,
        "f1_high": None if interval is None else interval.high,
        "macro_f1": found.macro,
        "exact_samples": found.exact_samples,
    }


def _tests(contrast: Contrast | None) -> Row:
    if contrast is None:
        return dict.fromkeys(_TESTS)
    interval = contrast.interval
    return {
        "delta_f1": contrast.delta_f1,
        "delta_low": None if interval is None else interval.low,
        "delta_high": None if interval is None else interval.high,
        "p": contrast.p_value,
        "p_holm": contrast.p_holm,
        "p_mcnemar": None if contrast.mcnemar is None else contrast.mcnemar.p_value,
        "wrong_to_right": contrast.flips("wrong_to_right"),
        "right_to_wrong": contrast.flips("right_to_wrong"),
    }
