"""Fuzz damaged run folders: commands must end with success or a typed error, and claim nothing false.

    python benchmarks/fuzz_run_folders.py [--seconds 120] [--count 100000] [--seed 0] [--round N]

An experiment of four cells is run once. In every round a copy of it, finished or stopped halfway, is damaged
(``folder_damages.py``), then resumed, retried, reported, compared and loaded. A round depends only on its seed and
number: ``--round N`` repeats one and prints all output of the commands. Exits with 1 at the end if a command

- hung, showed a traceback, or ended with an unexpected error or without a message;
- changed a file outside the run folder;
- ended with 0 although its files or output differ from those of the undamaged experiment.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import select
import shutil
import signal
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from time import monotonic
from typing import Any

from click.testing import CliRunner, Result

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.folder_damages import DAMAGES, LINES, TAMPERINGS

from samsim.cli.exit_codes import ExitCode
from samsim.cli.main import cli
from samsim.errors import SamsimError
from samsim.experiments.artefacts import find_runs
from samsim.pipeline.api import Pipeline

_CONFIG = """\
name: fuzzed
data:
  evaluation: {name: reviews, language: en, limit: 6}
  memory: {name: reviews_memory, language: en, limit: 4}
matrix: {protocol: [single, cr_v2], condition: [C1, C2]}
run: {workers: 1}
"""
_HANGS_AFTER = 60.0
_MEMORY = 4 << 30
_PRECIOUS = b"somebody else's\n" * 100
_COMMANDS = ("run", "run", "run --no-report", "run --retry-errors", "run --limit 2", "report", "compare", "load")


def samsim(*arguments: object) -> Result:
    return CliRunner().invoke(cli, list(map(str, arguments)), prog_name="samsim")


def timeless(folder: Path) -> dict[str, Any]:
    """Return what a run decided: its lines without times and spaces."""
    found = {}
    for name in LINES:
        rows = [json.loads(line) for line in (folder / name).read_bytes().splitlines()]
        for row in rows:
            row.get("usage", {}).pop("seconds", None)
            # The digest covers the time too.
            row.pop("line_digest", None)
        found[name] = rows
    return found


def measured(metrics: Path) -> dict[str, Any]:
    """Return the scores of every run in a metrics file."""
    runs = json.loads(metrics.read_text(encoding="utf-8"))["runs"]
    return {run["name"]: [run["metrics"]["samples"], run["metrics"]["tuples"], run["metrics"]["risk"]] for run in runs}


class Template:
    """The undamaged experiment, finished and half done, with all its results."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.config = home / "experiment.yaml"
        self.config.write_text(_CONFIG, encoding="utf-8")
        for name, more in (("finished", ()), ("stopped", ("--limit", 3))):
            ended = samsim("run", self.config, "--out", home / name, *more)
            assert ended.exit_code == ExitCode.OK, ended.output
        self.whole = home / "finished" / "fuzzed"
        self.cells = {path.parent.name: timeless(path.parent) for path in self.whole.glob("*/manifest.json")}
        self.scores = measured(self.whole / "metrics.json")
        self.compared = samsim("compare", self.whole, "--json").stdout


class Round:
    """One damaged copy and the commands' results on it."""

    def __init__(self, template: Template, number: int, seed: int, place: Path, *, loud: bool) -> None:
        self._template = template
        self._chance = random.Random(f"{seed} {number}")
        self._loud = loud
        self.out, self.outside = place / "runs", place / "outside"
        self.experiment = self.out / "fuzzed"
        self.damages: list[str] = []
        self.tampered = False

    def play(self) -> Iterator[str]:
        """Damage the copy and run the commands; yield what is wrong with the results."""
        state = self._chance.choice(["finished", "stopped"])
        shutil.copytree(self._template.home / state, self.out)
        self.outside.mkdir()
        (self.outside / "precious").write_bytes(_PRECIOUS)
        for _ in range(self._chance.choice([1, 1, 1, 2, 3])):
            name = self._chance.choice(sorted(DAMAGES))
            self.damages.append(DAMAGES[name](self._chance, self.experiment, self.outside))
            self.tampered |= name in TAMPERINGS
        outside = self._outside()
        self._say(f"{state}; {'; '.join(self.damages)}")
        for command in self._chance.sample(_COMMANDS, 4):
            yield from (f"{command}: {wrong}" for wrong in self._ask(command))
            if self._outside() != outside:
                yield f"{command}: a file outside was changed"
                return

    def _outside(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in self.outside.iterdir()}

    def _ask(self, command: str) -> Iterator[str]:
        if command == "load":
            yield from self._load()
            return
        name, *more = command.split()
        if name == "run":
            ended = samsim("run", self._template.config, "--out", self.out, *more)
        else:
            ended = samsim(name, self.experiment, *(["--json"] if name == "compare" else []))
        self._say(f"--- {command}: {ended.exit_code}\n{ended.stderr}{ended.stdout if name != 'compare' else ''}")
        yield from _untyped(ended)
        if ended.exit_code == ExitCode.OK and not self.tampered:
            yield from self._false_claims(name, more, ended)

    def _load(self) -> Iterator[str]:
        try:
            for run in find_runs([self.experiment]):
                _ = run.problems
                for _ in run.samples():
                    pass
                for _ in run.traces():
                    pass
        except SamsimError as error:
            self._say(f"--- load: {error}")
        except Exception:
            yield traceback.format_exc()

    def _false_claims(self, name: str, more: list[str], ended: Result) -> Iterator[str]:
        template = self._template
        # A cell whose folder is gone is not missed; the remaining ones must be right.
        if name == "compare" and not _says_the_same(ended.stdout, template.compared):
            yield "another comparison than without damage, and exit code 0"
        if name == "report":
            scores = measured(self.experiment / "metrics.json")
            # A run that occurs twice has a number after its name.
            if any(template.scores.get(run.partition(" (")[0]) != score for run, score in scores.items()):
                yield "other scores than without damage, and exit code 0"
        if name == "run" and "--limit" not in more:
            for cell, expected in template.cells.items():
                if timeless(self.experiment / cell) != expected:
                    yield f"{cell} is not as without damage, and exit code 0"
            if "--no-report" not in more and measured(self.experiment / "metrics.json") != template.scores:
                yield "other scores than without damage, and exit code 0"

    def _say(self, text: str) -> None:
        if self._loud:
            print(text, flush=True)


def _says_the_same(said: str, expected: str) -> bool:
    found, wanted = json.loads(said), json.loads(expected)
    there = {run["name"] for run in found["runs"]}
    fewer = there < {run["name"] for run in wanted["runs"]}
    return bool(found == wanted or (fewer and found["samples"] == wanted["samples"]))


def _untyped(ended: Result) -> Iterator[str]:
    said = ended.stdout + ended.stderr
    if ended.exception is not None and not isinstance(ended.exception, SystemExit):
        yield f"an exception came through: {ended.exception!r}"
    if ended.exit_code not in list(ExitCode):
        yield f"exit code {ended.exit_code} means nothing"
    if "Traceback (most recent call last)" in said:
        yield f"a traceback: {said}"
    if ended.exit_code == ExitCode.INTERNAL and "do not use these numbers" not in said:
        yield f"an untyped error: {ended.stderr.strip()[-500:]}"
    if ended.exit_code != ExitCode.OK and not said.strip():
        yield f"exit code {ended.exit_code} without a word"


def in_a_child(template: Template, number: int, seed: int, *, loud: bool) -> list[str]:
    """Run the round in a separate process, which contains hangs and memory use."""
    reading, writing = os.pipe()
    place = Path(tempfile.mkdtemp(dir=template.home))
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        played = Round(template, number, seed, place, loud=loud)
        try:
            wrong = list(played.play())
        except BaseException:
            wrong = [f"the round itself: {traceback.format_exc()}"]
        os.write(writing, json.dumps([f"{'; '.join(played.damages)}: {one}" for one in wrong])[:60_000].encode())
        os._exit(0)
    os.close(writing)
    try:
        if not select.select([reading], [], [], _HANGS_AFTER)[0]:
            os.kill(pid, signal.SIGKILL)
            return [f"it hung for {_HANGS_AFTER:.0f} s"]
        with os.fdopen(os.dup(reading), "rb") as pipe:
            answer = pipe.read()
        return list(json.loads(answer)) if answer else ["the process died"]
    finally:
        os.close(reading)
        os.waitpid(pid, 0)
        shutil.rmtree(place, ignore_errors=True)


def fuzz(template: Template, arguments: argparse.Namespace) -> Mapping[int, list[str]]:
    """Run rounds until the time or the number is used up; return those in which something was wrong."""
    wrong: dict[int, list[str]] = {}
    started, number = monotonic(), 0
    while number < arguments.count and monotonic() - started < arguments.seconds:
        found = in_a_child(template, number, arguments.seed, loud=False)
        if found:
            wrong[number] = found
            print(f"round {number}:", *found, sep="\n  ", flush=True)
        number += 1
    print(f"{number} rounds in {monotonic() - started:.0f} s, {len(wrong)} of them with something wrong")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--round", type=int, help="repeat this one and print everything")
    arguments = parser.parse_args()
    Pipeline().analyze("The screen isn't great, but it works.")
    with tempfile.TemporaryDirectory() as home:
        template = Template(Path(home))
        if arguments.round is not None:
            found = in_a_child(template, arguments.round, arguments.seed, loud=True)
            print(*found, sep="\n")
            return bool(found)
        wrong = fuzz(template, arguments)
    kinds = Counter(one.rpartition(": ")[2][:80] for found in wrong.values() for one in found)
    for kind, count in kinds.most_common():
        print(f"{count:5d}  {kind}")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
