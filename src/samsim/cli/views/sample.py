"""The output of ``samsim show``: a list of samples, or one sample with its gold and its calls."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from samsim.cli.console import literal_console
from samsim.cli.result_view.labels import Labels
from samsim.cli.result_view.layout import build_view
from samsim.cli.result_view.style import Look, aspect_words, cell, indented, joined, polarity_words, section
from samsim.experiments.artefacts import Run, RunSample
from samsim.safe_json import safe_json
from samsim.schemas.code_names import PERSPECTIVE, STAGE
from samsim.schemas.scorecards import GoldRecord, Scorecard

_TEXT_IN_A_LIST = 60


def print_samples(run: Run, samples: Sequence[RunSample], labels: Labels) -> None:
    """Print one line per sample: its id, the start of its text, and its completeness unless it is complete."""
    console = literal_console()
    table = Table.grid(padding=(0, 2))
    for sample in samples:
        text = "" if sample.result is None else " ".join(sample.result.text.split())
        short = text if len(text) <= _TEXT_IN_A_LIST else f"{text[:_TEXT_IN_A_LIST]}…"
        state = "" if sample.completeness == "complete" else sample.completeness
        table.add_row(cell(sample.uid, "bold"), cell(short or sample.error or ""), cell(state, "red"))
    if samples:
        console.print(table)
    left = len(run) - len(samples)
    if left > 0:
        console.print(Text(labels("more_samples", count=f"{left:,}"), style="dim"))


def print_sample(run: Run, sample: RunSample, labels: Labels, *, prompts: bool) -> None:
    """Print everything that a run knows about one sample."""
    console = literal_console()
    plain = console.no_color or console.color_system is None
    look = Look(labels, console.width, plain)
    console.print(joined([cell(run.name, "bold"), cell(sample.uid), cell(str(run.path), "dim")], " · "))
    if sample.result is not None:
        console.print(build_view(sample.result, look, explain=True))
    else:
        console.print(cell(labels("failed_sample", error=sample.error or ""), "bold red"))
    if sample.card is not None:
        console.print(Group(*_gold(sample.card, labels)))
    if prompts:
        console.print(Group(*_calls(run, sample.uid, labels)))


def print_json(run: Run, sample: RunSample) -> None:
    """Print the sample as one line of JSON: the run, the result or the error, and the scorecard."""
    row = {
        "run": run.name,
        "uid": sample.uid,
        "error": sample.error,
        "result": None if sample.result is None else sample.result.model_dump(mode="json"),
        "scorecard": None if sample.card is None else sample.card.model_dump(mode="json"),
    }
    click.echo(safe_json(json.dumps(row, ensure_ascii=False)))


def _gold(card: Scorecard, labels: Labels) -> list[RenderableType]:
    if card.gold is None:
        return section(labels("gold"), Text(labels("no_gold"), style="dim"))
    table = Table.grid(padding=(0, 2))
    for record in card.gold:
        table.add_row(*_gold_row(record, labels))
    scores = [
        f"{family.replace('_', '-')} {counts['final'].matched}/{counts['final'].gold}"
        for family, counts in card.scores.items()
        if "final" in counts
    ]
    found = Text(labels("gold_found", scores=", ".join(scores)), style="dim")
    return section(labels("gold"), table if card.gold else Text(labels("gold_empty")), *([found] if scores else []))


def _gold_row(record: GoldRecord, labels: Labels) -> tuple[Text, Text, Text, Text]:
    aspect = aspect_words(record.aspect_term, labels)
    return aspect, cell(record.aspect_ref), cell(record.opinion_term), polarity_words(record.polarity, labels)


def _calls(run: Run, uid: str, labels: Labels) -> Iterator[RenderableType]:
    """Yield every call of the sample, in the order they were made."""
    calls = [line for line in run.traces() if line.get("uid") == uid]
    if not calls:
        yield from section(labels("calls"), Text(labels("no_calls"), style="dim"))
    for number, call in enumerate(calls, start=1):
        yield from section(_call_title(number, call, labels), *_messages(call, labels), *_replies(call, labels))


def _call_title(number: int, call: Mapping[str, Any], labels: Labels) -> str:
    who = labels.code(PERSPECTIVE, str(call.get("agent", "")))
    stage = labels.code(STAGE, str(call.get("stage", "")))
    return f"{labels('call')} {number}: {who} · {stage} · {call.get('engine', '')}"


def _messages(call: Mapping[str, Any], labels: Labels) -> Iterator[RenderableType]:
    messages = call.get("messages") or ()
    if not messages:
        yield Text(labels("no_prompt"), style="dim")
    for message in messages:
        yield cell(str(message.get("role", "")), "bold cyan")
        yield indented(_lines(str(message.get("content", ""))))


def _replies(call: Mapping[str, Any], labels: Labels) -> Iterator[RenderableType]:
    """Yield every attempt as it was received; if nothing was sent over the network, yield the answer itself."""
    attempts = call.get("attempts") or ()
    for number, attempt in enumerate(attempts, start=1):
        failed = attempt.get("outcome") != "ok"
        title = labels("reply") + (f" {number}" if len(attempts) > 1 else "")
        title += f": {attempt.get('outcome')}" if failed else ""
        yield cell(title, "bold red" if failed else "bold green")
        yield indented(_lines(str(attempt.get("raw", ""))))
    if not attempts and call.get("output") is not None:
        yield cell(labels("reply"), "bold green")
        yield indented(_lines(json.dumps(call["output"], ensure_ascii=False, indent=2)))
    if call.get("problem"):
        yield cell(str(call["problem"]), "red")


def _lines(text: str) -> Text:
    """Return untrusted text with its line breaks, each line printed literally."""
    return Text("\n").join(cell(line) for line in text.splitlines() or [""])
