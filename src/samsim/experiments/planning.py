"""What an experiment would take, before it is run: calls, tokens and cost, measured on a few samples.

The probed samples are asked for real, without memory, by the engines of each cell; their answers are
kept in the response cache, so that the run itself does not pay for them again. Where a key is missing
nobody is asked: the tokens of the same prompts are counted, with the embedded engine's answers in the
model's place, and priced from the table. Every figure is a range:
all samples like the cheapest probed one, and all like the dearest if it had needed every call its
protocol may make (a conflict review only asks for reviews where something is flagged).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from samsim.arguments import check_number
from samsim.data.samples import Sample
from samsim.engines.factory import EngineSetup, build_setup, missing_keys
from samsim.engines.pacing.limits import SpendingLimit
from samsim.engines.prices import cost_of, price_of
from samsim.experiments.config import Cell, ExperimentConfig, as_config
from samsim.experiments.execution import Gold, Inference, run_samples
from samsim.experiments.loading import load_roles
from samsim.experiments.projection import SampleLines
from samsim.notebook import html_block, html_table
from samsim.pipeline.config import PipelineConfig
from samsim.pipeline.streaming import run_to_end
from samsim.plurals import how_many
from samsim.schemas.calls import Usage
from samsim.schemas.protocol_conflict_review import AGENTS
from samsim.schemas.protocol_debate import PERSONAS
from samsim.schemas.protocols import draws_of, is_conflict_review
from samsim.schemas.runs import CellRecord
from samsim.schemas.scorecards import UsageRecord

DEFAULT_PROBES = 3
PLAN_COLUMNS = ("cell", "samples", "calls", "tokens", "cost, $", "engine seconds")
_UNKNOWN = "unknown"
# ATE, ATSA and the validator; the judge and Stage 2.
_STAGE1_CALLS, _JUDGE_AND_STAGE2 = 3, 2


@dataclass(frozen=True, slots=True)
class Estimate:
    """From the least to the most."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class CellPlan:
    """What one cell would take; None where nothing was probed or the servers did not say.

    ``missing_keys`` are the variables without which its engines were not asked, only counted.
    """

    cell: CellRecord
    samples: int
    probed: int
    failed: int
    missing_keys: tuple[str, ...]
    calls: Estimate | None
    tokens: Estimate | None
    cost: Estimate | None
    seconds: Estimate | None


@dataclass(frozen=True, slots=True, repr=False)
class ExperimentPlan:
    """What an experiment would take, cell by cell; ``str()`` is the table that ``samsim run --plan`` prints."""

    cells: tuple[CellPlan, ...]
    notes: tuple[str, ...]

    def __str__(self) -> str:
        return plan_text(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return plan_html(self)


def plan_experiment(
    config: ExperimentConfig | str | Path | Mapping[str, Any], probes: int = DEFAULT_PROBES
) -> ExperimentPlan:
    """Estimate the calls, tokens and cost of an experiment, from a few samples that are asked for real.

    ``config`` is what ``load_config`` returned, or what it takes. Every different pair of protocol and engines is
    probed. Where a key is missing nobody is asked, and tokens are counted from the prompts.
    """
    check_number(probes, "probes", least=0, whole=True)
    loaded = as_config(config)
    data = load_roles(loaded.sources())
    spending = SpendingLimit(loaded.max_cost)
    probed: dict[tuple[str, str], _Probed] = {}
    plans = []
    for cell in loaded.cells():
        samples = data[cell.role].samples
        key = cell.protocol, cell.plan.model_dump_json()
        if key not in probed:
            missing = missing_keys(cell.plan, cell.protocol)
            # Whoever asks for a plan wants it now: a server that is away is not waited for.
            plan = cell.plan.model_copy(update={"max_outage": 0.0})
            setup = build_setup(plan, protocol=cell.protocol, spending=spending, counting=bool(missing))
            lines = run_to_end(_probe(cell, setup, _spread(samples, probes)))
            probed[key] = _Probed(tuple(lines), setup, missing)
        plans.append(_cell_plan(cell, len(samples), probed[key]))
    missed = dict.fromkeys(name for probe in probed.values() for name in probe.missing_keys)
    notes = [
        f"* {name} is not set, so no model was asked: tokens are counted from the prompts and from the embedded"
        " engine's answers (4 bytes each), and priced from the table"
        for name in missed
    ]
    return ExperimentPlan(cells=tuple(plans), notes=(*notes, *loaded.notes(len(data["evaluation"].samples))))


@dataclass(frozen=True, slots=True)
class _Probed:
    """The probed samples and the engines they were asked of."""

    lines: tuple[SampleLines, ...]
    setup: EngineSetup
    missing_keys: tuple[str, ...]

    def cost(self, usage: UsageRecord) -> float | None:
        """Return what a sample would cost were none of its answers in the cache already."""
        saved = Usage(input_tokens=usage.saved_input_tokens, output_tokens=usage.saved_output_tokens)
        if saved == Usage(input_tokens=0, output_tokens=0) or usage.cost is None:
            return usage.cost
        models = [item for item in self.setup.settings if item.kind != "embedded"]
        if len(models) != 1:
            return None
        once = cost_of(saved, price_of(models[0].model, models[0].price_per_million))
        return None if once is None else usage.cost + once


def _spread(samples: Sequence[Sample], count: int) -> list[Sample]:
    """Return samples from all over the set: the shortest, the longest and some between, since length is what costs."""
    by_length = sorted(samples, key=lambda sample: (len(sample.text), sample.uid))
    if count >= len(by_length) or count <= 1:
        return by_length[len(by_length) // 2 :][:1] if count == 1 else by_length[:count]
    step = (len(by_length) - 1) / (count - 1)
    return [by_length[round(number * step)] for number in range(count)]


async def _probe(cell: Cell, setup: EngineSetup, samples: Sequence[Sample]) -> list[SampleLines]:
    lines: list[SampleLines] = []
    inference = Inference(
        config=cell.pipeline,
        engines=setup.table,
        seed=cell.seed,
        repeat=cell.repeat,
        concurrency=setup.concurrency,
    )
    await run_samples(inference, samples, Gold(), lines.append)
    return lines


def _cell_plan(cell: Cell, samples: int, probed: _Probed) -> CellPlan:
    usages = [lines.usage for lines in probed.lines if lines.error is None]
    most = most_calls(cell.pipeline)
    scaled = [(usage, max(1.0, most / usage.calls)) for usage in usages if usage.calls]
    return CellPlan(
        cell=cell.record(),
        samples=samples,
        probed=len(probed.lines),
        failed=len(probed.lines) - len(usages),
        missing_keys=probed.missing_keys,
        calls=_estimate([(usage.calls, scale) for usage, scale in scaled], samples),
        tokens=_estimate([(_tokens(usage), scale) for usage, scale in scaled], samples),
        cost=_estimate([(probed.cost(usage), scale) for usage, scale in scaled], samples),
        # Counting takes no time; how long a model would take is not known.
        seconds=None
        if probed.missing_keys
        else _estimate([(usage.seconds, scale) for usage, scale in scaled], samples),
    )


def _tokens(usage: UsageRecord) -> int | None:
    parts = usage.input_tokens, usage.output_tokens, usage.saved_input_tokens, usage.saved_output_tokens
    total = 0
    for part in parts:
        if part is None:
            return None
        total += part
    return total


def fewest_calls(pipeline: PipelineConfig) -> int:
    """Return how many calls a sample takes at least: its Stage 1."""
    if pipeline.protocol == "debate":
        return _STAGE1_CALLS
    return len(AGENTS) if is_conflict_review(pipeline.protocol) else most_calls(pipeline)


def most_calls(pipeline: PipelineConfig) -> int:
    """Return how many calls one sample may take, repairs and rechecks aside."""
    draws = draws_of(pipeline.protocol)
    if draws is not None:
        return draws
    if pipeline.protocol == "debate":
        return _STAGE1_CALLS + len(PERSONAS) * pipeline.debate.rounds + _JUDGE_AND_STAGE2
    if pipeline.protocol == "single":
        return 1
    reviewed = is_conflict_review(pipeline.protocol) and pipeline.enable_review
    return 2 * len(AGENTS) if reviewed else len(AGENTS)


def _estimate(values: Sequence[tuple[float | None, float]], samples: int) -> Estimate | None:
    known = [(value, scale) for value, scale in values if value is not None]
    if not known or len(known) < len(values):
        return None
    low = min(value for value, _ in known)
    return Estimate(low * samples, max(value * scale for value, scale in known) * samples)


def plan_title(plan: ExperimentPlan) -> str:
    """Return what the estimates are from."""
    probed = max((cell.probed for cell in plan.cells), default=0)
    return f"Plan (from {how_many(probed, 'probed sample')} per protocol and engine)"


def cell_row(cell: CellPlan) -> tuple[str, ...]:
    """Return samples, calls, tokens and cost of a cell, as ranges; a star marks one that nobody was asked for."""
    name = cell.cell.cell_id + (f" ({how_many(cell.failed, 'probe')} failed)" if cell.failed else "")
    name += " *" if cell.missing_keys else ""
    return name, f"{cell.samples:,}", *_ranges([cell])


def total_row(cells: Sequence[CellPlan]) -> tuple[str, ...]:
    """Return the same of all cells together."""
    return "all", f"{sum(cell.samples for cell in cells):,}", *_ranges(cells)


def plan_text(plan: ExperimentPlan) -> str:
    """Return the plan in lines, for a prompt."""
    rows = [PLAN_COLUMNS, *_rows(plan)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (
        "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        )
        for row in rows
    )
    return "\n".join([plan_title(plan), *lines, *(f"note: {note}" for note in plan.notes)])


def plan_html(plan: ExperimentPlan) -> str:
    """Return the plan as a table, for a notebook."""
    return html_block(plan_title(plan), html_table(PLAN_COLUMNS, _rows(plan)), *plan.notes)


def _rows(plan: ExperimentPlan) -> list[tuple[str, ...]]:
    rows = [cell_row(cell) for cell in plan.cells]
    return [*rows, total_row(plan.cells)] if len(rows) > 1 else rows


def _ranges(cells: Sequence[CellPlan]) -> tuple[str, ...]:
    return (
        _range((cell.calls for cell in cells), ",.0f"),
        _range((cell.tokens for cell in cells), ",.0f"),
        _range((cell.cost for cell in cells), ",.4f"),
        _range((cell.seconds for cell in cells), ",.1f"),
    )


def _range(parts: Iterable[Estimate | None], form: str) -> str:
    """Return the sum from the least to the most; one unknown part makes it unknown."""
    low = high = 0.0
    for part in parts:
        if part is None:
            return _UNKNOWN
        low, high = low + part.low, high + part.high
    least, most = format(low, form), format(high, form)
    return least if least == most else f"{least} – {most}"
