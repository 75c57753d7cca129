"""Measure how many calls at once a server handles well, and how long they take."""

from __future__ import annotations

from samsim.agents.perspective_agents import PerspectiveAgentPlit
from samsim.checking.findings import EngineFinding, Note
from samsim.data.shipped import load_reviews
from samsim.engines.interface import Stage1Inputs
from samsim.engines.model_engine import ModelEngine
from samsim.engines.pacing.measuring import Round, Suggestion, rounds, suggestion
from samsim.language.analyze import analyze_text
from samsim.schemas.results import CallRecord
from samsim.schemas.taxonomy import FREE_TAXONOMY, load_taxonomy

MOST_AT_ONCE = 16


async def measure(engine: ModelEngine, note: Note, most: int) -> Suggestion | None:
    """Send calls about shipped reviews in rounds, note the result of each, and return the suggestion, if any."""
    texts = [sample.text for sample in load_reviews() if sample.language == "en"]
    taxonomy = load_taxonomy(FREE_TAXONOMY)

    async def ask(number: int) -> CallRecord:
        inputs = Stage1Inputs(analyze_text(texts[number % len(texts)], "en"), taxonomy)
        _, call = await PerspectiveAgentPlit.extract(engine, f"doctor-{number}", inputs)
        return call

    done: list[Round] = []
    async for ended in rounds(ask, most):
        done.append(ended)
        failed = f", failed: {', '.join(ended.failures)}" if ended.failures else ""
        what = f"{ended.at_once} at once: {ended.rate:.2f} answers/s, slowest {ended.slowest:.1f} s{failed}"
        note(EngineFinding("round", "note", what))
    found = suggestion(done)
    if found is None:
        what = "even single calls failed, so there is no suggestion. Fix the failures above and measure again."
        note(EngineFinding("measurement", "failed", what))
        return None
    note(EngineFinding("concurrency", "ok", f"{found.concurrency} ({found.why_concurrency})"))
    note(EngineFinding("timeout_s", "ok", f"{found.timeout_s} ({found.why_timeout})"))
    return found
