"""Check one server: its output mode, and its answer to one tiny call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from samsim.agents.perspective_agents import PerspectiveAgentPlit
from samsim.checking.findings import Checked, EngineFinding, Note, attempt_lines, is_loading
from samsim.checking.measuring import MOST_AT_ONCE, measure
from samsim.checking.settings_file import Server, measured_server
from samsim.engines.advice import advice_on
from samsim.engines.interface import Stage1Inputs
from samsim.engines.model_engine import ModelEngine
from samsim.engines.pacing.measuring import Suggestion
from samsim.engines.settings import EngineSettings
from samsim.errors import EngineError
from samsim.language.analyze import analyze_text
from samsim.plurals import how_many
from samsim.schemas.calls import AttemptRecord, Outcome
from samsim.schemas.results import CallRecord
from samsim.schemas.taxonomy import FREE_TAXONOMY, load_taxonomy

_TINY_TEXT = "The soup was cold."
_ANSWERED: frozenset[Outcome] = frozenset({"ok", "salvaged"})
# Failures that do not depend on what a probe asks for; others mean that the server lacks an output mode.
_ON_THE_WAY: frozenset[Outcome] = frozenset({"timeout", "connection", "rate_limited"})


async def check_server(
    engine: ModelEngine, note: Note, suggested: dict[Server, Suggestion | None] | None = None
) -> None:
    """Find the output mode, make one tiny call, and measure the server unless ``suggested`` already has it."""
    settings = engine.settings
    try:
        mode = await engine.probe()
        note(_reached("output_mode", mode, settings, _on_the_way(engine.probe_attempts)))
        inputs = Stage1Inputs(analyze_text(_TINY_TEXT, "en"), load_taxonomy(FREE_TAXONOMY))
        items, call = await PerspectiveAgentPlit.extract(engine, "doctor", inputs)
        if call.problem is not None:
            tried, advice = attempt_lines(call.attempts), _advice(settings, call.attempts)
            note(EngineFinding("call", "failed", call.problem, tried, advice))
            return
        note(_reached("call", f"{how_many(len(items), 'triplet')}, {_spent(call)}", settings, call.attempts))
        server = measured_server(settings)
        if suggested is not None and server not in suggested:
            suggested[server] = await measure(engine, note, max(MOST_AT_ONCE, settings.concurrency))
    except EngineError as error:
        note(EngineFinding("server", "failed", str(error), attempt_lines(engine.probe_attempts)))
    finally:
        await engine.aclose()


def _on_the_way(attempts: Sequence[AttemptRecord]) -> list[AttemptRecord]:
    """Return the attempts of a probe, except those that only show that the server lacks an output mode."""
    return [attempt for attempt in attempts if attempt.outcome in _ANSWERED | _ON_THE_WAY or is_loading(attempt)]


def _reached(name: Checked, found: str, settings: EngineSettings, attempts: Sequence[AttemptRecord]) -> EngineFinding:
    """Return the finding about a success: a warning if attempts failed before it."""
    failed = [attempt for attempt in attempts if _is_failure(attempt)]
    if not failed:
        return EngineFinding(name, "ok", found)
    kinds = ", ".join(f"{count} × {kind}" for kind, count in Counter(attempt.outcome for attempt in failed).items())
    found = f"{found}, but only after {how_many(len(failed), 'failed attempt')} ({kinds})"
    return EngineFinding(name, "warning", found, attempt_lines(attempts), _advice(settings, failed))


def _advice(settings: EngineSettings, attempts: Sequence[AttemptRecord]) -> str | None:
    if attempts and _is_failure(attempts[-1]):
        return advice_on(attempts[-1].outcome, attempts, settings)
    return None


def _is_failure(attempt: AttemptRecord) -> bool:
    return attempt.outcome not in _ANSWERED


def _spent(call: CallRecord) -> str:
    asked = [attempt.usage.input_tokens for attempt in call.attempts]
    answered = [attempt.usage.output_tokens for attempt in call.attempts]
    seconds = sum(attempt.ended - attempt.started for attempt in call.attempts)
    costs = [attempt.cost for attempt in call.attempts]
    cost = "cost unknown" if None in costs else f"${sum(cost or 0.0 for cost in costs):.6f}"
    tokens = "tokens unknown" if None in (*asked, *answered) else f"{_total(asked)} + {_total(answered)} tokens"
    return f"{tokens}, {seconds:.1f} s, {cost}"


def _total(counts: list[int | None]) -> int:
    return sum(count or 0 for count in counts)
