"""The tables of ``samsim memory``. Episodes are printed literally, so they cannot control the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from samsim.cli.console import PipeConsole
from samsim.cli.result_view.style import WIDE, breakable, cell, joined
from samsim.memory.leaks import Leak
from samsim.memory.store import VerifyReport
from samsim.plurals import how_many
from samsim.schemas.memory_v1_1 import (
    EpisodeType,
    EpisodicMemoryEntryV1_1,
    RiskSnapshotV1_1,
    StageSnapshotV1_1,
)
from samsim.schemas.polarity import SIGNS

TYPE_COLOURS: Mapping[EpisodeType, str] = MappingProxyType({"success": "green", "harm": "red", "neutral": "yellow"})
# The most frequent values are enough to characterize a store.
_TOP = 8
# The first few are enough to understand a store full of leaks or damage.
_LISTED = 50


@dataclass
class StoreSummary:
    """How often each value occurs in a store, and the dates of its oldest and newest episode."""

    episodes: int = 0
    overrides: int = 0
    oldest: str = ""
    newest: str = ""
    counts: dict[str, Counter[str]] = field(default_factory=dict)

    def add(self, entry: EpisodicMemoryEntryV1_1) -> None:
        """Count one episode."""
        self.episodes += 1
        self.overrides += entry.evaluation.override_applied
        time = entry.provenance.timestamp
        self.oldest = min(self.oldest or time, time)
        self.newest = max(self.newest, time)
        signature = entry.input_signature
        for title, value in (
            ("outcome", entry.episode_type),
            ("language", signature.language),
            ("structure", " + ".join(signature.detected_structure)),
            ("risk", entry.risk_type),
            ("action", entry.action_taken),
            ("principle", entry.correction.principle_id),
            ("split", entry.provenance.created_from_split),
        ):
            self.counts.setdefault(title, Counter())[value] += 1


def summary_of(entries: Iterable[EpisodicMemoryEntryV1_1]) -> StoreSummary:
    """Return the summary of all episodes."""
    summary = StoreSummary()
    for entry in entries:
        summary.add(entry)
    return summary


def stats_view(place: str, summary: StoreSummary, content_hash: str) -> RenderableType:
    """Return the statistics of a store."""
    facts = [("store", place), ("episodes", f"{summary.episodes:,}")]
    if summary.episodes:
        facts += [
            ("overrides", f"{summary.overrides:,} ({summary.overrides / summary.episodes:.0%})"),
            ("from", summary.oldest),
            ("to", summary.newest),
        ]
    facts.append(("content", f"sha256 {content_hash}"))
    if not summary.episodes:
        return _facts(facts)
    table = _table("", "value", "episodes", "share")
    for title, counter in summary.counts.items():
        _add_counts(table, title, counter, summary.episodes)
    return Group(_facts(facts), Text(), table)


def _add_counts(table: Table, title: str, counter: Counter[str], total: int) -> None:
    ranked = sorted(counter.items(), key=lambda pair: (-pair[1], pair[0]))
    for number, (value, count) in enumerate(ranked[:_TOP]):
        last = number == min(_TOP, len(ranked)) - 1 and len(ranked) <= _TOP
        name = Text(title if number == 0 else "", style="bold")
        table.add_row(name, cell(value), f"{count:,}", f"{count / total:.0%}", end_section=last)
    if len(ranked) > _TOP:
        rest = sum(count for _, count in ranked[_TOP:])
        table.add_row("", f"{len(ranked) - _TOP} others", f"{rest:,}", f"{rest / total:.0%}", end_section=True)


def is_wide() -> bool:
    """Return whether the terminal is wide enough for all columns."""
    return PipeConsole().width >= WIDE


def episodes_view(entries: Sequence[EpisodicMemoryEntryV1_1], total: int, *, wide: bool) -> RenderableType:
    """Return a table with one episode per row; a narrow one leaves out the columns about the samples."""
    if not entries:
        return Text("no episodes yet")
    more = ("sample", "aspects") if wide else ()
    table = _table("episode", "outcome", "risk", "action", "severity", *more)
    for entry in entries:
        table.add_row(
            Text(entry.episode_id, no_wrap=True),
            Text(entry.episode_type, style=TYPE_COLOURS[entry.episode_type]),
            breakable(entry.risk_type),
            cell(entry.action_taken),
            _severity(entry),
            *((cell(_likeness(entry)), _snapshot(entry.stage_snapshot.final)) if wide else ()),
        )
    return Group(table, Text(f"{len(entries):,} of {how_many(total, 'episode')}, newest first", style="dim"))


def episode_view(entry: EpisodicMemoryEntryV1_1) -> RenderableType:
    """Return everything one episode holds."""
    judged, case, origin = entry.evaluation, entry.case_summary, entry.provenance
    override = "none"
    if judged.override_applied:
        verdicts = [
            word for word, holds in (("success", judged.override_success), ("harm", judged.override_harm)) if holds
        ]
        override = f"applied: {', '.join(verdicts) or 'neither success nor harm'}"
    rows: list[tuple[str, str | Text]] = [
        ("episode", Text(entry.episode_id, style="bold")),
        ("outcome", Text(entry.episode_type, style=TYPE_COLOURS[entry.episode_type])),
        ("sample", _likeness(entry)),
        ("aspect type", case.target_aspect_type),
        ("symptom", case.symptom),
        ("rationale", case.rationale_summary),
        ("stage 1", _snapshot(entry.stage_snapshot.stage1)),
        ("final", _snapshot(entry.stage_snapshot.final)),
        ("risk, action", f"{entry.risk_type}, {entry.action_taken} ({entry.outcome_delta:+d})"),
        ("risk before", _risk(judged.risk_before)),
        ("risk after", _risk(judged.risk_after)),
        ("override", override),
        ("principle", entry.correction.principle_id),
        ("", entry.correction.corrective_principle),
        ("applies to", ", ".join(entry.correction.applicable_conditions)),
        ("summary", entry.moderator_summary),
        ("origin", f"{origin.created_from_split}, {origin.timestamp}, version {origin.version}"),
    ]
    return Group(_facts([(name, value) for name, value in rows if value]), Text())


def report_view(place: str, report: VerifyReport) -> RenderableType:
    """Return the result of a full check."""
    verdict = Text("sound", style="bold green") if report.ok else Text("damaged", style="bold red")
    facts: list[tuple[str, str | Text]] = [
        ("store", place),
        ("verdict", verdict),
        ("episodes", f"{report.episodes:,} (last number {report.last_seq:,})"),
        *(("problem", problem) for problem in report.problems[:_LISTED]),
    ]
    if len(report.problems) > _LISTED:
        facts.append(("", f"and {how_many(len(report.problems) - _LISTED, 'more problem')}"))
    return _facts([*facts, *(("note", notice) for notice in report.notices)])


def leaks_view(leaks: Sequence[Leak], episodes: int, texts: int, run_length: int) -> RenderableType:
    """Return the texts that a store repeats, and where."""
    searched = f"{how_many(texts, 'text')} searched for in {how_many(episodes, 'episode')}"
    if not leaks:
        return Text(f"no leak: no run of {run_length} or more characters ({searched})", style="green")
    table = _table("text", "repeated", "first in", "field", "episodes")
    for leak in leaks[:_LISTED]:
        where = (cell(leak.text_name), cell(leak.run, "red"), cell(leak.episode_id), cell(leak.field))
        table.add_row(*where, f"{leak.episodes:,}")
    more = f", the first {_LISTED} are listed" if len(leaks) > _LISTED else ""
    return Group(table, Text(f"{how_many(len(leaks), 'leak')} ({searched}{more})", style="bold red"))


def _table(*titles: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for title in titles:
        table.add_column(title, justify="right" if title in ("episodes", "share", "severity") else "left")
    return table


def _facts(rows: Iterable[tuple[str, str | Text]]) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(name, cell(value) if isinstance(value, str) else value)
    return table


def _likeness(entry: EpisodicMemoryEntryV1_1) -> str:
    signature = entry.input_signature
    aspects = how_many(signature.num_aspects, "aspect")
    return f"{signature.language} {'+'.join(signature.detected_structure)} {signature.length_bucket} {aspects}"


def _severity(entry: EpisodicMemoryEntryV1_1) -> Text:
    before, after = entry.evaluation.risk_before.severity_sum, entry.evaluation.risk_after.severity_sum
    style = "green" if after < before else "red" if after > before else ""
    return Text(f"{before} → {after}", style=style, no_wrap=True)


def _risk(risk: RiskSnapshotV1_1) -> str:
    return f"severity {risk.severity_sum}: {', '.join(risk.tags)}" if risk.tags else f"severity {risk.severity_sum}"


def _snapshot(snapshot: StageSnapshotV1_1) -> Text:
    """Return the aspects with the signs of their polarities; an empty term is an implicit aspect."""
    pairs = zip(snapshot.aspects_norm, snapshot.polarities, strict=True)
    return joined((cell(f"{aspect or '(implicit)'} {SIGNS[polarity]}") for aspect, polarity in pairs), ", ")
