"""What ``samsim doctor`` finds out, engine by engine. A key is never shown, only whether it is there."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from samsim.agents.perspective_agents import PerspectiveAgentPlit
from samsim.cli.progress.pace import duration
from samsim.cli.server_check.measure import MOST_AT_ONCE, measure
from samsim.cli.server_check.write import Server, places_in, server_of, write_settings
from samsim.engines.advice import advice_on
from samsim.engines.factory import api_key_of, distinct_settings, read_plan
from samsim.engines.interface import Stage1Inputs
from samsim.engines.model_engine import ModelEngine, build_model_engine
from samsim.engines.pacing.limits import AdaptiveLimit
from samsim.engines.pacing.measuring import Suggestion
from samsim.engines.prices import price_of, price_table
from samsim.engines.secrets import sent_in_the_clear, shown_address
from samsim.engines.settings import EngineSettings
from samsim.errors import ConfigError, EngineError
from samsim.language.analyze import analyze_text
from samsim.plurals import how_many
from samsim.schemas.calls import AttemptRecord, Outcome
from samsim.schemas.results import CallRecord
from samsim.schemas.taxonomy import FREE_TAXONOMY, load_taxonomy

Say = Callable[[str], object]
_TINY_TEXT = "The soup was cold."
_ANSWERED: frozenset[Outcome] = frozenset({"ok", "salvaged"})
# What befalls a probe whatever it asks for; other failures say that the server lacks an output mode.
_ON_THE_WAY: frozenset[Outcome] = frozenset({"timeout", "connection", "rate_limited"})
_LOADING = 503


def examine(
    spec: str,
    base_url: str | None,
    *,
    say: Say,
    environment: Mapping[str, str] | None = None,
    measuring: bool = False,
    target: Path | None = None,
) -> bool:
    """Check every engine of a plan and say what was found; True if all of them can be used.

    With ``measuring`` each server is also measured, and the settings that suit it are written to ``target``.
    """
    known = os.environ if environment is None else environment
    plan = read_plan(spec, base_url=base_url)
    everybody = distinct_settings(plan)
    say(f"ok    configuration: {spec}")
    places = {} if target is None else places_in(target, [server_of(settings) for settings in everybody])
    suggested: dict[Server, Suggestion | None] = {}
    health = [_examine_engine(settings, say, known, suggested if measuring else None) for settings in everybody]
    found = {server: suggestion for server, suggestion in suggested.items() if suggestion is not None}
    if target is not None:
        for change in write_settings(target, places, found):
            say(f"\nwritten to {target}: {change}")
    return all(health)


def _examine_engine(
    settings: EngineSettings,
    say: Say,
    environment: Mapping[str, str],
    suggested: dict[Server, Suggestion | None] | None,
) -> bool:
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
    # The limit of a run would find its own way during the measurement.
    most = max(MOST_AT_ONCE, settings.concurrency)
    engine = build_model_engine(
        settings.model_copy(update={"concurrency": most}), api_key=key, limit=AdaptiveLimit(most)
    )
    return asyncio.run(examine_server(engine, say, suggested))


async def examine_server(
    engine: ModelEngine, say: Say, suggested: dict[Server, Suggestion | None] | None = None
) -> bool:
    """Find the output mode, make one tiny call, and measure for ``suggested`` a server that is not in it yet."""
    try:
        mode = await engine.probe()
        on_the_way = _on_the_way(engine.probe_attempts)
        _say_how_it_went(say, engine.settings, f"server answers, output mode: {mode}", on_the_way)
        inputs = Stage1Inputs(analyze_text(_TINY_TEXT, "en"), load_taxonomy(FREE_TAXONOMY))
        items, call = await PerspectiveAgentPlit.extract(engine, "doctor", inputs)
        if call.problem is not None:
            say(f"BAD   one tiny call: {call.problem}")
            _say_attempts(say, call.attempts)
            _say_advice(say, engine.settings, call.attempts)
            return False
        found = f"one tiny call: {how_many(len(items), 'triplet')}, {_spent(call)}"
        _say_how_it_went(say, engine.settings, found, call.attempts)
        server = server_of(engine.settings)
        if suggested is not None and server not in suggested:
            suggested[server] = await measure(engine, say, max(MOST_AT_ONCE, engine.settings.concurrency))
            return suggested[server] is not None
    except EngineError as error:
        say(f"BAD   server: {error}")
        _say_attempts(say, engine.probe_attempts)
        return False
    finally:
        await engine.aclose()
    return True


def _on_the_way(attempts: Sequence[AttemptRecord]) -> list[AttemptRecord]:
    """The attempts of a probe without those that only say that the server lacks a mode."""
    return [
        attempt for attempt in attempts if attempt.outcome in _ANSWERED | _ON_THE_WAY or attempt.http_status == _LOADING
    ]


def _say_how_it_went(say: Say, settings: EngineSettings, what: str, attempts: Sequence[AttemptRecord]) -> None:
    """What was reached is fine only if nothing went wrong on the way."""
    failed = [attempt for attempt in attempts if _is_failure(attempt)]
    if not failed:
        say(f"ok    {what}")
        return
    kinds = ", ".join(f"{count} × {kind}" for kind, count in Counter(attempt.outcome for attempt in failed).items())
    say(f"WARN  {what}, but only after {how_many(len(failed), 'failed attempt')} ({kinds})")
    _say_attempts(say, attempts)
    _say_advice(say, settings, failed)


def _say_attempts(say: Say, attempts: Sequence[AttemptRecord]) -> None:
    for line in attempt_lines(attempts):
        say(f"      {line}")


def attempt_lines(attempts: Sequence[AttemptRecord]) -> list[str]:
    """What came of each attempt; equal ones in a row are one line, with the time from the first to the last."""
    lines, number = [], 1
    for what, group in groupby(attempts, key=_came_to):
        alike = list(group)
        last = number + len(alike) - 1
        seconds = [f"{taken:.1f}" for taken in sorted(attempt.ended - attempt.started for attempt in alike)]
        if len(alike) == 1:
            lines.append(f"attempt {number}: {what} after {seconds[0]} s")
        else:
            took = seconds[0] if seconds[0] == seconds[-1] else f"{seconds[0]} to {seconds[-1]}"
            within = duration(alike[-1].ended - alike[0].started)
            lines.append(f"attempts {number}–{last}: {what} × {len(alike)} within {within}, each after {took} s")
        number = last + 1
    return lines


def _came_to(attempt: AttemptRecord) -> str:
    if attempt.http_status is None:
        return attempt.outcome
    loading = ", loading" if attempt.http_status == _LOADING else ""
    return f"{attempt.outcome} ({attempt.http_status}{loading})"


def _say_advice(say: Say, settings: EngineSettings, attempts: Sequence[AttemptRecord]) -> None:
    if attempts and _is_failure(attempts[-1]):
        say(f"      {advice_on(attempts[-1].outcome, attempts, settings)}")


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
