"""``samsim doctor --measure``: how many calls at once a server is worth, and how long it may take."""

from __future__ import annotations

from collections.abc import Callable

from samsim.agents.perspective_agents import PerspectiveAgentPlit
from samsim.data.shipped import load_reviews
from samsim.engines.interface import Stage1Inputs
from samsim.engines.model_engine import ModelEngine
from samsim.engines.pacing.measuring import Round, Suggestion, rounds, suggestion
from samsim.language.analyze import analyze_text
from samsim.schemas.results import CallRecord
from samsim.schemas.taxonomy import FREE_TAXONOMY, load_taxonomy

MOST_AT_ONCE = 16


async def measure(engine: ModelEngine, say: Callable[[str], object], most: int) -> Suggestion | None:
    """Ask about shipped reviews in rounds and say what came of each; the settings that follow from it, if any."""
    texts = [sample.text for sample in load_reviews() if sample.language == "en"]
    taxonomy = load_taxonomy(FREE_TAXONOMY)

    async def ask(number: int) -> CallRecord:
        inputs = Stage1Inputs(analyze_text(texts[number % len(texts)], "en"), taxonomy)
        _, call = await PerspectiveAgentPlit.extract(engine, f"doctor-{number}", inputs)
        return call

    done: list[Round] = []
    async for measured in rounds(ask, most):
        done.append(measured)
        failed = f", failed: {', '.join(measured.failures)}" if measured.failures else ""
        say(
            f"      {measured.at_once} at once: {measured.rate:.2f} answers/s, slowest {measured.slowest:.1f} s{failed}"
        )
    found = suggestion(done)
    if found is None:
        say("BAD   measurement: not even single calls were answered without failure. Nothing is suggested.")
        return None
    say(f"ok    suggested concurrency: {found.concurrency} ({found.why_concurrency})")
    say(f"ok    suggested timeout_s: {found.timeout_s} ({found.why_timeout})")
    return found
