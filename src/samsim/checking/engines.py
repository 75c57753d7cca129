"""Check every engine of a plan, one after another."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from samsim.arguments import check_place
from samsim.checking.findings import CheckedEngine, EngineCheck, EngineFinding, Note, accepted
from samsim.checking.measuring import MOST_AT_ONCE
from samsim.checking.server import check_server
from samsim.checking.settings_file import Server, measured_server, places_in, write_settings
from samsim.engines.default import DEFAULT_ENGINE
from samsim.engines.factory import api_key_of, distinct_settings, read_plan
from samsim.engines.model_engine import build_model_engine
from samsim.engines.opening import check_spec
from samsim.engines.pacing.limits import AdaptiveLimit
from samsim.engines.pacing.measuring import Suggestion
from samsim.engines.prices import price_of, price_table
from samsim.engines.settings import EngineSettings
from samsim.engines.transport.secrets import sent_in_the_clear, shown_address
from samsim.errors import ConfigError
from samsim.pipeline.streaming import run_to_end


def check_engine(
    spec: str | Path | Mapping[str, Any] = DEFAULT_ENGINE,
    *,
    protocol: str | None = None,
    base_url: str | None = None,
    measure: bool = False,
    write: str | Path | None = None,
    watcher: Callable[[str], object] | None = None,
) -> EngineCheck:
    """Check the engines that a name, a file or a mapping describes: key, server, output mode and one tiny call.

    ``spec`` and ``base_url`` are as in ``open_engine``; wrong settings raise a ``ConfigError``. With a ``protocol``,
    only the engines that it uses are checked. A failed check is not raised: it becomes a finding with advice.

    ``measure`` sends 1, 2, 4, … calls at once to each server (at most about 30) and suggests concurrency and
    timeout_s. ``write`` measures too, and sets both in this engine file or experiment; the rest of the file is
    unchanged. ``watcher``, for example ``print``, is called with each piece of text as soon as it is known.
    """
    check_spec(spec, protocol, base_url)
    if write is not None:
        check_place(write, "write", "the path of an engine file or an experiment")
    told = watcher or (lambda _: None)
    target = None if write is None else Path(write)
    everybody = distinct_settings(read_plan(spec, base_url=base_url), protocol)
    shown = "given as a mapping" if isinstance(spec, Mapping) else str(spec)
    told(accepted(shown))
    places = {} if target is None else places_in(target, [measured_server(settings) for settings in everybody])
    suggested: dict[Server, Suggestion | None] = {}
    wanted = suggested if measure or target is not None else None
    engines = tuple(_checked(settings, told, wanted) for settings in everybody)
    written: tuple[str, ...] = ()
    if target is not None:
        found = {server: suggestion for server, suggestion in suggested.items() if suggestion is not None}
        written = tuple(f"written to {target}: {change}" for change in write_settings(target, places, found))
    for change in written:
        told(f"\n{change}")
    return EngineCheck(shown, engines, written)


def _checked(
    settings: EngineSettings, told: Callable[[str], object], suggested: dict[Server, Suggestion | None] | None
) -> CheckedEngine:
    findings: list[EngineFinding] = []

    def note(finding: EngineFinding) -> None:
        findings.append(finding)
        told(str(finding))

    told(f"\n{settings.name}")
    _check(settings, note, suggested)
    suggestion = None if suggested is None else suggested.get(measured_server(settings))
    return CheckedEngine(settings.name, tuple(findings), suggestion)


def _check(settings: EngineSettings, note: Note, suggested: dict[Server, Suggestion | None] | None) -> None:
    if settings.kind == "embedded":
        note(EngineFinding("engine", "ok", "needs no key and no server"))
        return
    note(EngineFinding("server", "note", shown_address(settings.url)))
    try:
        key = api_key_of(settings, os.environ)
    except ConfigError as error:
        note(EngineFinding("key", "failed", str(error)))
        return
    note(EngineFinding("key", "ok", f"found in {settings.key_variable}" if key else "none needed"))
    warning = sent_in_the_clear(settings)
    if warning is not None:
        note(EngineFinding("key", "warning", warning))
    price = price_of(settings.model, settings.price_per_million)
    known_price = f"${price.input:g} in, ${price.output:g} out per million tokens" if price else "unknown"
    note(EngineFinding("price", "note", f"{known_price} (table of {price_table().as_of})"))
    # A fixed limit: the adaptive one of a run would change during the measurement.
    most = max(MOST_AT_ONCE, settings.concurrency)
    engine = build_model_engine(
        settings.model_copy(update={"concurrency": most}), api_key=key, limit=AdaptiveLimit(most)
    )
    run_to_end(check_server(engine, note, suggested))
