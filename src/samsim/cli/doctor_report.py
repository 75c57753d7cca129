"""What ``samsim doctor`` finds out, engine by engine. A key is never shown, only whether it is there."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping

from samsim.agents.perspective_agents import PerspectiveAgentPlit
from samsim.engines.factory import api_key_of, distinct_settings, read_plan
from samsim.engines.model_engine import ModelEngine, build_model_engine
from samsim.engines.prices import price_of, price_table
from samsim.engines.protocol import Stage1Inputs
from samsim.engines.secrets import sent_in_the_clear, shown_address
from samsim.engines.settings import EngineSettings
from samsim.errors import ConfigError, EngineError
from samsim.language.analyze import analyze_text
from samsim.schemas.results import CallRecord
from samsim.schemas.taxonomy import FREE_TAXONOMY, load_taxonomy

Say = Callable[[str], object]
_TINY_TEXT = "The soup was cold."


def examine(spec: str, base_url: str | None, *, say: Say, environment: Mapping[str, str] | None = None) -> bool:
    """Check every engine of a plan and say what was found; True if all of them can be used."""
    known = os.environ if environment is None else environment
    plan = read_plan(spec, base_url=base_url)
    everybody = distinct_settings(plan)
    say(f"ok    configuration: {spec}")
    health = [_examine_engine(settings, say, known) for settings in everybody]
    return all(health)


def _examine_engine(settings: EngineSettings, say: Say, environment: Mapping[str, str]) -> bool:
    if settings.kind == "embedded":
        say("\nembedded\nok    needs no key and no server")
        return True
    say(f"\n{settings.name}\n      server: {shown_address(settings.url)}")
    try:
        key = api_key_of(settings, environment)
    except ConfigError as error:
        say(f"BAD   key: {error}")
        return False
    say(f"ok    key: {f'found in {settings.key_variable}' if key else 'none needed'}")
    warning = sent_in_the_clear(settings)
    if warning is not None:
        say(f"WARN  key: {warning}")
    price = price_of(settings.model, settings.price_per_million)
    known_price = f"${price.input:g} in, ${price.output:g} out per million tokens" if price else "unknown"
    say(f"      price: {known_price} (table of {price_table().as_of})")
    return asyncio.run(_ask(build_model_engine(settings, api_key=key), say))


async def _ask(engine: ModelEngine, say: Say) -> bool:
    try:
        mode = await engine.probe()
        say(f"ok    server answers, output mode: {mode}")
        inputs = Stage1Inputs(analyze_text(_TINY_TEXT, "en"), load_taxonomy(FREE_TAXONOMY))
        items, call = await PerspectiveAgentPlit.extract(engine, "doctor", inputs)
    except EngineError as error:
        say(f"BAD   server: {error}")
        return False
    finally:
        await engine.aclose()
    if call.problem is not None:
        say(f"BAD   one tiny call: {call.problem}")
        return False
    say(f"ok    one tiny call: {len(items)} triplets, {_spent(call)}")
    return True


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
