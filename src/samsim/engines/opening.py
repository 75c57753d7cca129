"""Opening engines from a name, a file, a mapping or a recorded trace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Any

from samsim.arguments import check_number, check_place, check_type
from samsim.engines.default import DEFAULT_ENGINE, default_engine
from samsim.engines.interface import Engine, is_engine
from samsim.engines.replay import RecordingEngine, ReplayEngine, TraceWriter
from samsim.engines.table import EngineTable
from samsim.schemas.protocols import check_protocol

if TYPE_CHECKING:
    from samsim.engines.factory import EngineSetup
    from samsim.engines.pacing.activity import Activity


@dataclass(frozen=True, slots=True)
class OpenEngine:
    """An engine for each agent, ready to use: what ``open_engine`` returns and ``Pipeline`` accepts.

    ``concurrency`` is how many texts are worth analyzing at once. ``warnings`` tell a user what to know before
    anything is sent. ``activity`` reports what the engines are doing; it is None for the embedded engine. If it
    records a trace, close it or use it in a ``with`` block.
    """

    table: EngineTable
    concurrency: int = 1
    warnings: tuple[str, ...] = ()
    activity: Activity | None = None
    trace: TraceWriter | None = None

    def close(self) -> None:
        """Close the trace; the pipeline closes the connections."""
        if self.trace is not None:
            self.trace.close()

    def __enter__(self) -> OpenEngine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


_DESCRIBED = "embedded, openai:MODEL, anthropic:MODEL, google:MODEL, the path of a YAML file"
_BOUNDS: Mapping[str, Any] = MappingProxyType({"max_cost": {"above": 0}, "max_outage": {"least": 0}})


def open_engine(
    spec: str | Path | Mapping[str, Any] = DEFAULT_ENGINE,
    *,
    protocol: str | None = None,
    base_url: str | None = None,
    max_cost: float | None = None,
    cache: bool | str | Path | None = None,
    max_outage: float | None = None,
    trace: str | Path | None = None,
    replay: str | Path | None = None,
) -> OpenEngine:
    """Open the engines that a name, a file or a mapping describes.

    ``spec`` is "embedded", "openai:MODEL", "anthropic:MODEL", "google:MODEL", the path of a YAML file with an engine
    per role, or a mapping with the content of such a file (or only its roles: ``{"default": "openai:gpt-4.1-mini",
    "C": "embedded"}``). ``base_url`` is the server of openai:MODEL. API keys are read from the environment. With a
    ``protocol``, only the engines that it uses are opened and need a key.

    ``max_cost`` (US dollars), ``cache`` (True, False or a path) and ``max_outage`` (seconds to wait for a server that
    went down) override the file. ``trace`` records every call in a new file; ``replay`` answers from such a file and
    sends no requests.
    """
    check_spec(spec, protocol, base_url)
    for name, number in (("max_cost", max_cost), ("max_outage", max_outage)):
        if number is not None:
            check_number(number, name, **_BOUNDS[name])
    if cache is not None:
        check_type(cache, (bool, str, Path), "cache", "True, False or a path")
    for name, place in (("trace", trace), ("replay", replay)):
        if place is not None:
            check_place(place, name, "a path")
    if replay is not None:
        opened = OpenEngine(EngineTable.of(ReplayEngine(Path(replay))))
    elif spec == DEFAULT_ENGINE and base_url is None:
        opened = OpenEngine(EngineTable.of(default_engine()))
    else:
        changes = {"max_cost": max_cost, "cache": cache, "max_outage": max_outage}
        given = {name: value for name, value in changes.items() if value is not None}
        opened = _built(_setup(spec, base_url, protocol, given))
    return opened if trace is None else _recorded(opened, Path(trace))


def check_spec(spec: object, protocol: str | None, base_url: str | None) -> None:
    """Refuse what does not describe engines at all."""
    check_type(spec, (str, Path, Mapping), "spec", f"{_DESCRIBED}, or a mapping by role")
    check_protocol(protocol)
    if base_url is not None:
        check_type(base_url, str, "base_url", "an address: http://127.0.0.1:8080/v1")


def engines_for(given: str | Path | Mapping[Any, Any] | Engine | OpenEngine | None, protocol: str) -> OpenEngine:
    """Return the engines of a pipeline for anything it accepts; None means the embedded engine."""
    if isinstance(given, OpenEngine):
        return given
    if given is None or isinstance(given, str | Path):
        return open_engine(DEFAULT_ENGINE if given is None else given, protocol=protocol)
    if isinstance(given, Mapping):
        if not any(map(is_engine, given.values())):
            return open_engine(given, protocol=protocol)
        from samsim.engines.by_role import setup_by_role

        return _built(setup_by_role(given, protocol))
    if not is_engine(given):
        accepted = f"{_DESCRIBED}, a mapping by role, what open_engine returned, or an Engine of your own"
        check_type(given, (), "engine", accepted)
    return OpenEngine(EngineTable.of(given))


def _setup(
    spec: str | Path | Mapping[str, Any], base_url: str | None, protocol: str | None, changes: Mapping[str, Any]
) -> EngineSetup:
    from samsim.engines.factory import build_setup, read_plan  # the embedded engine does not need the model engines

    return build_setup(read_plan(spec, base_url=base_url, changes=changes), protocol=protocol)


def _built(setup: EngineSetup) -> OpenEngine:
    from samsim.engines.transport.secrets import all_sent_in_the_clear

    warnings = tuple(all_sent_in_the_clear(setup.settings))
    return OpenEngine(setup.table, setup.concurrency, warnings, setup.activity)


def _recorded(opened: OpenEngine, path: Path) -> OpenEngine:
    trace = TraceWriter(path)
    table = opened.table.mapped(lambda engine: RecordingEngine(engine, trace))
    return OpenEngine(table, opened.concurrency, opened.warnings, opened.activity, trace)
