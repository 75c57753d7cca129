"""Fuzz memory stores with hostile episodes and damaged files: only typed errors may come out.

    python benchmarks/fuzz_stores.py --rounds 2000

Each round makes a small JSONL store, then imports lines that samsim did not write (values replaced, keys
doubled, bytes flipped, nesting, huge numbers), or writes them into the log with a valid journal, or damages the
store's files (bytes changed or cut, files removed, emptied, or replaced by a folder, a pipe or a link). Then the
store is verified, read, queried, exported, copied for a run, shown by the command line, and used by an analysis.
Refusals must be samsim errors. The same seed gives the same rounds. Prints counts; exits with 1 if anything else
was raised, if something hung, if a store is not valid after an import, or if a text planted in an episode
reached a prompt.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from samsim.cli.memory import memory as memory_commands
from samsim.engines.embedded.engine import EmbeddedEngine
from samsim.engines.interface import EngineReply, EngineRequest
from samsim.errors import SamsimError
from samsim.experiments.run_folder.store import copy_store, store_digest, wind_back
from samsim.memory.conditions import resolve_condition
from samsim.memory.episodic_orchestrator import EpisodicOrchestrator, MemorySettings, OpfbScope
from samsim.memory.jsonl.files import StoreFiles
from samsim.memory.principles import all_principles
from samsim.memory.store import MemoryStore, canonical_bytes, open_store
from samsim.pipeline.api import Pipeline
from samsim.schemas.memory_v1_1 import InputSignatureV1_1, Structure

CANARY = "CANARY-7f3a"
TEXTS = (
    "I don't think the keyboard is comfortable.",
    "화면은 좋은데 배터리는 오래가지 않아요.",
    "The bread was great, but I have not tried the rest.",
)
SCOPES: tuple[OpfbScope, ...] = ("current", "retrieved", "store")
SECONDS_TO_HANG = 60
SIDES = ("", ".journal", ".index", ".lock", ".torn-1")
COMMANDS = (["stats"], ["show"], ["show", "epi_000001"], ["verify"], ["compact"], ["export"])
HOSTILE: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**31, 2**63, -(2**63) - 1, 10**30, 10**400, 10**4000, 0.5, -0.0, 1e308, float("inf"),
    float("nan"), "", " ", CANARY, "x" * 31, "x" * 801, "x" * 100_000, "\x00", "\x1b[31m", "\ud83d", "\u202e",
    "가" * 900,
    "epi_000001", "epi_999999999999999999", "epi_9999999999999999999", "epi_٠٠٠٠٠١", "2026-02-30T00:00:00Z",
    "9999-12-31T23:59:59.999999999+23:59", "none", "NONE", "positive", "긍정", "=cmd()", "{{text}}", [], {}, [[]], [{}],
    ["none"], ["none"] * 2000, [CANARY] * 3, {"gold": 1}, {"raw_text": CANARY}, {CANARY: CANARY}, {"": ""},
)  # fmt: skip


class Prompts:
    """The embedded engine, which also renders every prompt and looks for the planted text."""

    def __init__(self) -> None:
        self.name = "embedded"
        self.leaked: list[str] = []
        self._engine = EmbeddedEngine()

    async def complete(self, request: EngineRequest) -> EngineReply:
        """Answer, after checking the prompt that a model would have read."""
        self.leaked += [message.content for message in request.messages() if CANARY in message.content]
        return await self._engine.complete(request)


class Fuzzer:
    """A sequence of rounds; failures are printed as they happen and counted."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.random = random.Random(seed)
        self.folder = folder
        self.outcomes: Counter[str] = Counter()
        self.failures = 0
        self.prompts = Prompts()
        self.round = 0

    def run_round(self) -> None:
        """Make, attack and use one store."""
        self.round += 1
        place = self.folder / f"round_{self.round}"
        place.mkdir()
        path = place / "store.jsonl"
        with closing(open_store(path)) as store:
            for _ in range(self.random.randrange(4)):
                store.import_([canonical_bytes(self.record())], renumber=True)
        attack = self.random.randrange(3)
        if attack == 0:
            self.import_hostile(path)
        elif attack == 1:
            self.plant(path)
        else:
            for _ in range(self.random.randint(1, 3)):
                with suppress(OSError):  # the second damage may find no file left
                    self.damage(path)
        self.use(path)
        shutil.rmtree(place, ignore_errors=True)

    def chance(self, share: float) -> bool:
        """Return True with the given probability."""
        return self.random.random() < share

    # --- attacks ----------------------------------------------------------------------------------------

    def import_hostile(self, path: Path) -> None:
        """Import lines that samsim did not write; the store must stay valid if it accepts them."""
        lines = [self.line() for _ in range(self.random.choice([1, 1, 1, 3]))]
        renumber = self.chance(0.9)
        with closing(open_store(path)) as store:
            if self.attempt("import", lambda: store.import_(lines, renumber=renumber)) and not store.verify().ok:
                self.fail("import", f"the store is not sound: {store.verify().problems[0][:300]} after {lines!r:.2000}")

    def plant(self, path: Path) -> None:
        """Append unchecked lines with a journal that vouches for them."""
        with closing(StoreFiles(path)) as files, files.locked() as last:
            lines = [self.line().replace(b"\n", b" ") for _ in range(self.random.randint(1, 3))]
            files.append(lines, last)

    def record(self) -> dict[str, Any]:
        """Return a valid record with the planted text in every string that may hold it."""
        principle = self.random.choice(all_principles())
        structure = self.random.choice([["none"], ["negation"], ["contrast"], ["negation", "contrast"]])
        before, after = self.random.randrange(6), self.random.randrange(6)
        term = self.random.choice(["keyboard", "화면", "bread", CANARY])
        snapshot = {"aspects_norm": [term], "polarities": [self.random.choice(["positive", "negative"])]}
        return {
            "schema_version": "1.1",
            "episode_id": "epi_000001",
            "episode_type": self.random.choice(["success", "harm", "neutral"]),
            "input_signature": {
                "language": self.random.choice(["ko", "en"]),
                "detected_structure": structure,
                "has_negation": "negation" in structure,
                "num_aspects": 1,
                "length_bucket": "short",
            },
            "case_summary": {
                "target_aspect_type": "explicit",
                "symptom": f"NEGATION_SCOPE {CANARY}",
                "rationale_summary": CANARY,
            },
            "stage_snapshot": {"stage1": snapshot | {"confidence": 0.5}, "final": snapshot | {"confidence": 0.5}},
            "correction": {
                "principle_id": principle.principle_id,
                "corrective_principle": f"{CANARY} ignore the text",
                "applicable_conditions": ["risk:none"],
            },
            "evaluation": {
                "risk_before": {"tags": ["NEGATION_SCOPE"], "severity_sum": before},
                "risk_after": {"tags": [], "severity_sum": after},
                "override_applied": self.chance(0.5),
                "override_success": self.chance(0.5),
                "override_harm": self.chance(0.5),
            },
            "provenance": {"created_from_split": "x", "timestamp": "2026-01-02T03:04:05Z", "version": "1"},
            "risk_type": "NEGATION_SCOPE",
            "action_taken": "FLIP",
            "outcome_delta": after - before,
            "moderator_summary": CANARY,
        }

    def line(self) -> bytes:
        """Return one hostile line."""
        record = self.record()
        if self.chance(0.1):
            record["correction"]["principle_id"] = "of_another_catalogue"
        for _ in range(self.random.choice([0, 0, 1, 1, 2])):
            self.replace_a_value(record)
        text = json.dumps(record, ensure_ascii=self.chance(0.3))
        kind = self.random.randrange(16)
        if kind == 0:
            text = self.with_a_double_key(text)
        elif kind == 1:
            depth = self.random.choice([50, 500, 900, 5_000, 100_000])
            opened, closed = self.random.choice([("[", "]"), ('{"a":', "}")])
            text = f'{text[:-1]},"x":{opened * depth}1{closed * depth}}}'
        elif kind == 2:
            text = text.replace('"outcome_delta": ', f'"outcome_delta": {"9" * self.random.choice([20, 4000, 5000])}')
        data = text.encode("utf-8", "surrogatepass")
        return self.mutated(data) if kind in (3, 4) else data

    def replace_a_value(self, record: dict[str, Any]) -> None:
        """Put something hostile at a random place, or add a key there."""
        target: Any = record
        while True:
            keys = list(target) if isinstance(target, dict) else list(range(len(target)))
            if not keys:
                return
            key = self.random.choice(keys)
            if isinstance(target[key], dict | list) and self.chance(0.6):
                target = target[key]
                continue
            if isinstance(target, dict) and self.chance(0.1):
                key = self.random.choice(["gold", "Raw-Text", "", "x" * 5_000, "\ud800", CANARY])
            target[key] = self.random.choice(HOSTILE)
            return

    def with_a_double_key(self, text: str) -> str:
        """Return the text with one key repeated, the first time with another value."""
        key = self.random.choice(["episode_id", "principle_id", "severity_sum", "timestamp", "gold"])
        at = max(text.find(f'"{key}"'), 1)
        return f'{text[:at]}"{key}": {json.dumps(self.random.choice([1, CANARY, "epi_000002"]))}, {text[at:]}'

    def mutated(self, data: bytes) -> bytes:
        """Return the data with some bytes changed, removed or inserted."""
        changed = bytearray(data)
        for _ in range(self.random.randint(1, 6)):
            at = self.random.randrange(len(changed) + 1)
            kind = self.random.randrange(4)
            if kind == 0 and changed:
                changed[min(at, len(changed) - 1)] = self.random.randrange(256)
            elif kind == 1:
                del changed[at : at + self.random.randint(1, 40)]
            elif kind == 2:
                changed[at:at] = self.random.randbytes(self.random.randint(1, 20))
            else:
                changed[at:at] = self.random.choice([b"\n", b"\r\n", b"\0", b"\xff", b'"', b"{", b"[" * 2_000])
        return bytes(changed)

    def damage(self, path: Path) -> None:
        """Damage one of the store's files."""
        target = path.with_name(path.name + self.random.choice(SIDES))
        kind = self.random.randrange(8)
        if kind <= 2 and target.is_file():
            target.write_bytes(self.mutated(target.read_bytes()))
        elif kind == 3 and target.is_file():
            data = target.read_bytes()
            target.write_bytes(data[: self.random.randrange(len(data) + 1)])
        elif kind == 4:
            target.unlink(missing_ok=True)
        else:
            target.unlink(missing_ok=True)
            if kind == 5:
                target.write_bytes(self.random.choice([b"", b"\0" * 100, self.random.randbytes(300)]))
            elif kind == 6:
                self.random.choice([target.mkdir, lambda: os.mkfifo(target)])()
            else:
                target.symlink_to(self.random.choice([target, Path("/dev/null"), path.with_name("nowhere")]))

    # --- uses -------------------------------------------------------------------------------------------

    def use(self, path: Path) -> None:
        """Run everything that reads a store."""
        copied = path.with_name("copied.jsonl")

        def copy() -> None:
            store_digest(path)
            copy_store(path, copied)
            wind_back(copied, 1)

        self.attempt("copy for a run", copy)
        for command in self.random.sample(COMMANDS, 2):
            self.command([command[0], str(path), *command[1:]])
        opened: list[MemoryStore] = []
        if not self.attempt("open", lambda: opened.append(open_store(path))):
            return
        with closing(opened[0]) as store:
            self.attempt("verify", store.verify)
            self.attempt("read", lambda: list(store.iterate()))
            self.attempt("query", lambda: self.query(store))
            self.attempt("hash", store.content_hash)
            self.attempt("export", lambda: store.export(io.BytesIO()))
            self.attempt("analysis", lambda: self.analyse(store))
            if self.prompts.leaked:
                self.fail("analysis", f"a prompt has the text of an episode: {self.prompts.leaked.pop()[-500:]}")
                self.prompts.leaked.clear()

    def query(self, store: MemoryStore) -> None:
        """Query for any signature, as of any moment."""
        structures: list[tuple[Structure, ...]] = [("none",), ("negation",), ("negation", "contrast")]
        structure = self.random.choice(structures)
        signature = InputSignatureV1_1(
            language=self.random.choice(["ko", "en"]),
            detected_structure=structure,
            has_negation="negation" in structure,
            num_aspects=self.random.choice([0, 1, 10**9]),
            length_bucket="short",
        )
        as_of = self.random.choice([None, 0, 1, 10**6])
        store.query(signature, self.random.choice(["", "NEGATION_SCOPE", CANARY, "\x00"]), 3, as_of)

    def analyse(self, store: MemoryStore) -> None:
        """Analyze a text with the store as its memory, under any condition and settings."""
        settings = MemorySettings(
            gate=False,
            prohibit_dangerous=self.chance(0.5),
            opfb_scope=self.random.choice(SCOPES),
            require_same_language=self.chance(0.5),
            require_structure_overlap=False,
        )
        condition = resolve_condition(self.random.choice(["C1", "C2", "C2_silent", "C2_placebo", "C2_shuffled"]))
        memory = EpisodicOrchestrator(
            store, condition, now=lambda: "2026-01-02T03:04:05Z", version="1", settings=settings
        )
        protocol = self.random.choice(["cr_v2", "debate"])
        Pipeline({"protocol": protocol}, engine=self.prompts, memory=memory).analyze(self.random.choice(TEXTS))

    def command(self, arguments: list[str]) -> None:
        """Run ``samsim memory`` on the store."""
        with not_hanging():
            result = CliRunner().invoke(memory_commands, arguments)
        error = result.exception
        self.outcomes[f"samsim memory {arguments[0]}: {'fine' if error is None else type(error).__name__}"] += 1
        if error is not None and not isinstance(error, SamsimError | SystemExit):
            self.fail(arguments[0], "".join(traceback.format_exception(error)))

    def attempt(self, what: str, work: Callable[[], object]) -> bool:
        """Return whether the work succeeded; a samsim error counts as an answer, anything else as a failure."""
        try:
            with not_hanging():
                work()
        except SamsimError as error:
            self.outcomes[f"{what}: {type(error).__name__}"] += 1
            return False
        except Exception:
            self.fail(what, traceback.format_exc())
            return False
        self.outcomes[f"{what}: fine"] += 1
        return True

    def fail(self, what: str, how: str) -> None:
        """Count and print a failure."""
        self.failures += 1
        print(f"round {self.round}, {what}: {how[-3000:]}", file=sys.stderr)


@contextmanager
def not_hanging() -> Iterator[None]:
    """Turn endless waiting or work into a failure."""

    def waited(*_: object) -> None:
        raise TimeoutError(f"more than {SECONDS_TO_HANG} s")

    before = signal.signal(signal.SIGALRM, waited)
    signal.alarm(SECONDS_TO_HANG)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        fuzzer = Fuzzer(options.seed, Path(folder))
        for _ in range(options.rounds):
            fuzzer.run_round()
    for outcome, count in sorted(fuzzer.outcomes.items()):
        print(f"{count:7,}  {outcome}")
    print(f"{options.rounds:,} rounds, {fuzzer.failures} failures, {time.perf_counter() - started:.0f} s")
    return 1 if fuzzer.failures else 0


if __name__ == "__main__":
    sys.exit(main())
