"""The tables of ``samsim data``. File contents are printed literally, so they cannot control the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from samsim.cli.console import PipeConsole
from samsim.cli.result_view.style import cell, joined, sign
from samsim.cli.result_view.text import annotate
from samsim.data.format_table import FORMATS, GoldField
from samsim.data.gold import GoldSample, GoldTuple
from samsim.data.registry import LoadedSamples
from samsim.data.roles import duplicates_within
from samsim.data.samples import Sample
from samsim.data.shipped import SHIPPED, load_shipped
from samsim.plurals import how_many
from samsim.schemas.marks import Mark
from samsim.schemas.polarity import POLARITIES, PolarityName

# The usual order of the parts of a tuple.
_FIELDS: tuple[GoldField, ...] = ("term", "ref", "opinion", "polarity")
# The most frequent notes are enough to characterize a file.
_TOP = 8


def list_view() -> RenderableType:
    """Return the tables of shipped data sets and of formats."""
    sets = _table("set", "texts", "description")
    for name, what in SHIPPED.items():
        sets.add_row(Text(name, style="bold"), f"{len(load_shipped(name)):,}", what)
    formats = _table("format", "data", "gold", "files")
    for info in FORMATS.values():
        formats.add_row(
            Text(info.name, style="bold", no_wrap=True),
            info.title,
            _names(info.annotates),
            cell(f"{' '.join(info.suffixes)}: {info.files}"),
        )
    return Group(sets, Text(), formats)


def samples_view(loaded: LoadedSamples, gold: Mapping[str, GoldSample], number: int) -> RenderableType:
    """Return the first texts, each with its gold below."""
    plain = PipeConsole().plain
    parts: list[RenderableType] = []
    for sample in loaded.samples[:number]:
        parts += [_sample_view(sample, gold.get(sample.uid), plain=plain), Text()]
    shown = min(number, len(loaded.samples))
    return Group(
        *parts, Text(f"{shown:,} of {how_many(len(loaded.samples), 'text')}, format {loaded.format}", style="dim")
    )


def validation_view(
    loaded: LoadedSamples, gold: Mapping[str, GoldSample], fields: frozenset[GoldField]
) -> RenderableType:
    """Return the row counts and a summary of the gold."""
    tuples = [item for sample in gold.values() for item in sample.tuples]
    facts = [
        ("source", loaded.source.describe()),
        ("format", loaded.format),
        ("rows", f"{loaded.total_rows:,} = {loaded.usable_rows:,} loaded + {len(loaded.problems):,} bad"),
        ("texts", f"{len(loaded.samples):,} ({_languages(loaded.samples)})"),
        ("duplicates", _duplicates(loaded.samples)),
        ("with gold", f"{len(gold):,} ({sum(not sample.tuples for sample in gold.values()):,} without a tuple)"),
        ("gold has", _names(fields) or "nothing"),
        ("content", f"sha256 {loaded.sha256}"),
    ]
    parts: list[RenderableType] = [_facts(facts)]
    if tuples:
        parts += [Text(), _tuple_counts(tuples)]
    if loaded.notes:
        parts += [Text(), _note_counts(loaded)]
    return Group(*parts)


def _sample_view(sample: Sample, gold: GoldSample | None, *, plain: bool) -> RenderableType:
    tuples = [] if gold is None else gold.tuples
    aspects: dict[tuple[int, int], dict[PolarityName, None]] = {}
    for item in tuples:
        if item.span is not None:
            aspects.setdefault((item.span.start, item.span.end), {})[item.polarity] = None
    marks = [Mark(*place, tuple(polarities)) for place, polarities in aspects.items()]
    tags = "" if gold is None else " ".join(gold.tags)
    head = joined((cell(sample.uid, "bold"), Text(sample.language, style="dim"), cell(tags, "dim")), "  ")
    table = Table.grid(padding=(0, 2))
    for item in tuples:
        table.add_row("", sign(item.polarity), _term(item), cell(item.aspect_ref), cell(item.opinion_term, "italic"))
    if gold is None:
        table.add_row("", Text("no gold", style="dim"))
    elif not tuples:
        table.add_row("", Text("no tuple", style="dim"))
    return Group(head, annotate(sample.text, marks, plain=plain), table)


def _term(item: GoldTuple) -> Text:
    if not item.aspect_term:
        return Text("(implicit)", style="italic dim")
    place = "no span" if item.span is None else f"{item.span.start}:{item.span.end}"
    return joined((cell(item.aspect_term, "bold"), Text(place, style="dim")))


def _tuple_counts(tuples: Sequence[GoldTuple]) -> Table:
    table = _table("tuples", "number", "share")
    counts = Counter(item.polarity for item in tuples)
    rows: list[tuple[str, int]] = [("all", len(tuples))]
    rows += [(name, counts[name]) for name in POLARITIES if counts[name]]
    rows += [
        ("implicit aspect", sum(not item.aspect_term for item in tuples)),
        ("aspect without a span", sum(bool(item.aspect_term) and item.span is None for item in tuples)),
    ]
    for name, count in rows:
        table.add_row(name, f"{count:,}", f"{count / len(tuples):.0%}")
    return table


def _note_counts(loaded: LoadedSamples) -> Table:
    table = _table("note on used rows", "number")
    ranked = Counter(note.reason for note in loaded.notes).most_common()
    for reason, count in ranked[:_TOP]:
        table.add_row(cell(reason), f"{count:,}")
    if len(ranked) > _TOP:
        table.add_row(f"{len(ranked) - _TOP} other reasons", f"{sum(count for _, count in ranked[_TOP:]):,}")
    return table


def _languages(samples: Iterable[Sample]) -> str:
    counts = Counter(sample.language for sample in samples)
    return ", ".join(f"{count:,} {language}" for language, count in sorted(counts.items()))


def _duplicates(samples: Sequence[Sample]) -> str:
    pairs = duplicates_within(samples)
    if not pairs:
        return "none"
    first = ", ".join(f"{one} = {other}" for one, other in pairs[:3])
    return f"{how_many(len(pairs), 'time')}: {first}{', ...' if len(pairs) > 3 else ''}"


def _names(fields: frozenset[GoldField]) -> str:
    return ", ".join(field for field in _FIELDS if field in fields)


def _table(*titles: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for title in titles:
        table.add_column(title, justify="right" if title in ("texts", "number", "share") else "left", overflow="fold")
    return table


def _facts(rows: Iterable[tuple[str, str]]) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(name, cell(value))
    return table
