"""Estimate what an experiment takes before it is run: calls, tokens and cost, measured on a few samples.

The probed samples are sent to the engines of each cell, without memory. Their answers go to the response cache, so
the run itself does not pay for them again. If a key is missing, no engine is called: the tokens of the same prompts
are counted, with the embedded engine's answers in place of the model's, and priced from the table.

Every figure is a range. The low end assumes that all samples are like the cheapest probed one; the high end, that
all are like the most expensive one and need every call their protocol may make (a conflict review only asks for
reviews if something is flagged).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from samsim.experiments.plan_rows import plan_html, plan_text
from samsim.experiments.projection import SampleLines
from samsim.pipeline.config import PipelineConfig
from samsim.pipeline.streaming import run_to_end
from samsim.schemas.calls import Usage
from samsim.schemas.protocol_conflict_review import AGENTS
from samsim.schemas.protocol_debate import PERSONAS
from samsim.schemas.protocols import draws_of, is_conflict_review
from samsim.schemas.runs import CellRecord
from samsim.schemas.scorecards import UsageRecord

DEFAULT_PROBES = 3
# ATE, ATSA and the validator; the judge and Stage 2.
_STAGE1_CALLS, _JUDGE_AND_STAGE2 = 3, 2


@dataclass(frozen=True, slots=True)
class Estimate:
    """A range from the least to the most."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class CellPlan:
    """The estimate for one cell; a figure is None if nothing was probed or the servers did not report it.

    ``missing_keys`` are the environment variables that are not set; then calls were only counted, not made.
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
    """The estimate for an experiment, cell by cell; ``str()`` is the table that ``samsim run --plan`` prints."""

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
    """Estimate the calls, tokens and cost of an experiment from a few samples, with real calls.

    ``config`` is what ``load_config`` returns or accepts. Every distinct pair of protocol and engines is probed. If a
    key is missing, no call is made and tokens are counted from the prompts.
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
            # A plan should be quick, so do not wait for a server that is away.
            plan = cell.plan.model_copy(update={"max_outage": 0.0})
            setup = build_setup(plan, protocol=cell.protocol, spending=spending, counting=bool(missing))
            lines = run_to_end(_probe(cell, setup, _spread(samples, probes)))
            probed[key] = _Probed(tuple(lines), setup, missing)
        plans.append(_cell_plan(cell, len(samples), probed[key]))
    missed = dict.fromkeys(name for probe in probed.values() for name in probe.missing_keys)
    notes = [
        f"* {name} is not set, so no model was called: tokens are counted from the prompts and from the embedded"
        " engine's answers (4 bytes each), and priced from the table"
        for name in missed
    ]
    return ExperimentPlan(cells=tuple(plans), notes=(*notes, *loaded.notes(len(data["evaluation"].samples))))


@dataclass(frozen=True, slots=True)
class _Probed:
    """The probed samples and the engines that answered them."""

    lines: tuple[SampleLines, ...]
    setup: EngineSetup
    missing_keys: tuple[str, ...]

    def cost(self, usage: UsageRecord) -> float | None:
        """Return what a sample would cost if none of its answers were cached."""
        saved = Usage(input_tokens=usage.saved_input_tokens, output_tokens=usage.saved_output_tokens)
        if saved == Usage(input_tokens=0, output_tokens=0) or usage.cost is None:
            return usage.cost
        models = [item for item in self.setup.settings if item.kind != "embedded"]
        if len(models) != 1:
            return None
        once = cost_of(saved, price_of(models[0].model, models[0].price_per_million))
        return None if once is None else usage.cost + once


def _spread(samples: Sequence[Sample], count: int) -> list[Sample]:
    """Return samples of all lengths, from the shortest to the longest, since length determines the cost."""
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
        # Counting takes no time, so it is unknown how long a model would take.
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
    """Return how many calls a sample needs at least: those of Stage 1."""
    if pipeline.protocol == "debate":
        return _STAGE1_CALLS
    return len(AGENTS) if is_conflict_review(pipeline.protocol) else most_calls(pipeline)


def most_calls(pipeline: PipelineConfig) -> int:
    """Return how many calls a sample may need, not counting repairs and rechecks."""
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
