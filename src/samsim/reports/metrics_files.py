"""``metrics.json`` and ``metrics.csv``: everything measured, nested and as one long table."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from samsim import __version__
from samsim.metrics.comparison import Comparison
from samsim.reports.collecting import Collected
from samsim.reports.csv_lines import csv_line
from samsim.reports.generated import FILES

FORMAT_VERSION = 1
CSV_COLUMNS = ("run", "section", "measure", "value")


def metrics_json(collected: Collected, files: Mapping[str, str]) -> str:
    """Return all measures of all runs, their comparisons, the stability of repeated cells, and ``files``."""
    everything = {**_measures(collected), FILES: dict(files)}
    return json.dumps(everything, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def metrics_csv(collected: Collected) -> str:
    """Return one line per value: run, section, measure, value; unknown values have no line."""
    return "".join(f"{csv_line(row)}\n" for row in (CSV_COLUMNS, *_csv_rows(_measures(collected))))


def _csv_rows(everything: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
    for run in everything["runs"]:
        for section, measures in run["metrics"].items():
            yield from ((run["name"], section, measure, value) for measure, value in _flat(measures))
    for comparison in everything["comparisons"]:
        against = f"against {comparison['baseline']}"
        for contrast in comparison["contrasts"]:
            yield from ((contrast["run"], against, measure, value) for measure, value in _contrast_rows(contrast))
    for cell in everything["repeated"]:
        yield from ((cell["name"], "repeated", measure, value) for measure, value in _flat(cell["metrics"]))


def _measures(collected: Collected) -> dict[str, Any]:
    return {
        "format_version": FORMAT_VERSION,
        "samsim": __version__,
        "experiment": collected.experiment,
        "runs": [
            {
                "name": run.name,
                "run_id": run.run.manifest.run_id,
                "cell": run.run.manifest.cell.model_dump(mode="json"),
                "metrics": run.metrics.model_dump(mode="json"),
            }
            for run in collected.runs
        ],
        "comparisons": [_comparison(found) for found in collected.comparisons],
        "repeated": [
            {
                "name": cell.name,
                "kind": cell.kind,
                "runs": list(cell.runs),
                "metrics": cell.metrics.model_dump(mode="json"),
            }
            for cell in collected.repeated
        ],
        "problems": [{"run": found.run, "problem": str(found.problem)} for found in collected.problems],
    }


def _comparison(found: Comparison) -> dict[str, Any]:
    """Return the comparison with its flips counted; ``samsim compare`` lists them one by one."""
    dumped = found.model_dump(mode="json", exclude={"contrasts": {"__all__": {"tuple_flips", "sample_flips"}}})
    for written, contrast in zip(dumped["contrasts"], found.contrasts, strict=True):
        written["tuples_wrong_to_right"] = contrast.flips("wrong_to_right")
        written["tuples_right_to_wrong"] = contrast.flips("right_to_wrong")
    return dumped


def _contrast_rows(contrast: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    family = contrast["family"]
    measures = {name: value for name, value in contrast.items() if name not in ("run", "family")}
    return ((f"{family}.{measure}", value) for measure, value in _flat(measures))


def _flat(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every single value with its path."""
    if isinstance(value, Mapping):
        for name, inside in value.items():
            yield from _flat(inside, f"{path}.{name}" if path else str(name))
    elif isinstance(value, list):
        for number, inside in enumerate(value):
            yield from _flat(inside, f"{path}.{_item_name(inside, number)}" if path else _item_name(inside, number))
    elif value is not None:
        yield path or "value", value


def _item_name(item: Any, number: int) -> str:
    """Return a distinguishing name for an item of a list, or its number if it has none."""
    if isinstance(item, Mapping):
        named = [str(item[key]) for key in ("name", "action", "family") if item.get(key) is not None]
        if named:
            return ".".join(named)
        if "raters" in item:
            return "-".join(item["raters"])
    return str(number)
