"""Fuzz every file reader: whatever a file contains, it is read or refused with a samsim error.

    python benchmarks/fuzz_files.py [--seconds 60] [--count N] [--seed 0] [--only NAME ...] [--keep FOLDER]

Valid documents are damaged in many ways: bytes lost, doubled and changed, values replaced by impossible ones
(huge numbers, endless nesting, multiplying aliases, half surrogate pairs). Case n of a reader is the same for the
same seed, so a finding can be reproduced. Anything but success or a ``SamsimError``, and any case that takes too
long, is printed and makes the exit code 1; ``--keep`` keeps its file.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import shutil
import struct
import sys
import tempfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, process_time
from typing import Any

from samsim.experiments.run_folder.recovering import find_finished

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.data.reading import ALL as DATA_FIXTURES
from tests.data.reading import Fixture
from tests.experiments.config_files import RICH
from tests.memory.store_episodes import episode, signature
from tests.support.cached_replies import export_line, key

from samsim.cli.batch.reading import Columns, ReviewFile
from samsim.data.gold import gold_fields, load_gold
from samsim.data.registry import load_samples
from samsim.data.sources import DataSource
from samsim.engines.cache import ResponseCache
from samsim.engines.factory import read_plan
from samsim.engines.replay import ReplayEngine
from samsim.errors import SamsimError
from samsim.experiments.artefacts import MANIFEST, OUTPUTS, SCORECARDS, TRACES, find_runs
from samsim.experiments.config import load_config
from samsim.experiments.run_folder.writing import locked
from samsim.experiments.runner import run_experiment
from samsim.memory.conditions import load_conditions, resolve_condition
from samsim.memory.jsonl.snapshot import read_snapshot
from samsim.memory.store import open_store
from samsim.metrics.comparison import compare
from samsim.reports.build import build_report
from samsim.schemas.taxonomy import load_taxonomy

_SLOW_SECONDS = 10.0
_ENGINES = """\
engines:
  default: {kind: openai_compatible, model: gpt-4.1-mini, temperature: 0, base_url: "http://127.0.0.1:1"}
  reviewers: {model: gpt-4.1}
"""
_TAXONOMY = "name: cafe\nupper_entity: Place\nentities: {Food: [taste, price], Place: [price]}\naliases: {Dish: Food}\n"
_CONDITIONS = """\
version: mine
conditions:
  quiet: {memory_mode: silent, retrieval_execute: true, injection_mask: true, store_write: true, exposed_to_debate: no}
aliases: {Q: quiet}
"""
_SETS = ("seeds=[1, 2]", "engines={default: {kind: google, model: m}}", "matrix.protocol.0=cr_v1", "run.max_cost=2.5")
_REVIEWS = {
    ".csv": 'id,text\n1,"The soup was cold, ""very"" cold."\n2,국물이 식었어요\n',
    ".jsonl": '{"id": 1, "text": "The soup was cold."}\n{"id": "b", "text": "국물이 식었어요"}\n',
    ".txt": "The soup was cold.\n국물이 식었어요\n",
}
_DEEP = "[" * 3000
_BOMB = "&a0 [x]\n" + "".join(f"b{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 9))
# Replacements for a value, in JSON, YAML and CSV alike.
_VALUES = (
    *("9" * 5000, str(10**400), "-" + "9" * 30, "1e999", "-1e308", "1e-400", "NaN", "Infinity", "-0", "0x" + "f" * 40),
    *("null", "true", "[]", "{}", '""', "''", "~", ".inf", ".nan", "=", "<<", "*a", "&a x", "|", ">", "!", "@", "`"),
    *("!!bool maybe", "!!int ''", "!!float ''", "!!timestamp soon", "!!binary x", "!!set {a}", "!!omap [a]", "!x y"),
    *("!!python/object:os.system x", "2020-13-40", "2020-01-01", "1:1:1", "0b1", "? a", "- a", "{a: b", "[a, b", "---"),
    *(r'"\ud83d"', r'"\ude00\ud83d"', r'"\u0000"', r'"\U00110000"', '"' + "가" * 3000 + '"', '"\u2028"', "\ufeff"),
    *(_DEEP, _DEEP + "]" * 3000, '{"a":' * 3000, "- " * 3000, _BOMB, "<a>" * 3000, "&lol;", "]]>", "<![CDATA["),
)
_BYTES = (*(bytes([one]) for one in b'\0\xff\r\n\t",:{]\x1a'), b"\xed\xa0\x80", b"\xef\xbb\xbf")
_OBJECTS: tuple[Any, ...] = (
    *(None, True, -1, 0, 2**31, 2**63 - 1, -(2**63) + 1, 1e99, -1e99, 5e-324, "", "\0", "가" * 999, "\u202e"),
    *([], {}, [[]], [None], [1] * 500, {"": None}, "positive", "epi_" + "9" * 5000, "2026-99-99T99:99:99Z"),
)
_WORD = re.compile(rb"-?[A-Za-z0-9_.]+")


@dataclass(frozen=True)
class Reader:
    """One reader: sample documents, the suffix of their file, and the function that reads it."""

    documents: Sequence[bytes]
    suffix: str
    read: Callable[[Path], object]
    is_json: bool = False


def damaged(document: bytes, chance: random.Random, *, is_json: bool) -> bytes:
    """Return the document with one to three damages."""
    for _ in range(chance.randint(1, 3)):
        wounds: list[Callable[[bytes, random.Random], bytes]] = [_other_bytes, _lost, _doubled, _other_value]
        if is_json:
            wounds += [_other_field] * 4 + [_other_everywhere]
        document = chance.choice(wounds)(document, chance)
    return document


def _place(document: bytes, chance: random.Random) -> int:
    return chance.randrange(len(document) + 1)


def _other_bytes(document: bytes, chance: random.Random) -> bytes:
    at = _place(document, chance)
    return document[:at] + chance.choice(_BYTES) * chance.choice((1, 1, 1, 50)) + document[at + chance.randint(0, 2) :]


def _lost(document: bytes, chance: random.Random) -> bytes:
    at = _place(document, chance)
    return document[:at] + document[at + chance.choice((1, 4, 40, 4000)) :]


def _doubled(document: bytes, chance: random.Random) -> bytes:
    at, size = _place(document, chance), chance.choice((2, 20, 200))
    return document[:at] + document[at : at + size] * chance.choice((2, 30)) + document[at + size :]


def _other_value(document: bytes, chance: random.Random) -> bytes:
    """Replace a word or a number by an impossible value."""
    words = list(_WORD.finditer(document))
    if not words:
        return chance.choice(_VALUES).encode()
    at, end = chance.choice(words).span()
    if document[at - 1 : at] == document[end : end + 1] == b'"' and chance.random() < 0.7:
        at, end = at - 1, end + 1
    return document[:at] + chance.choice(_VALUES).encode() + document[end:]


def _other_field(document: bytes, chance: random.Random) -> bytes:
    """Replace, remove or move one value of a line that stays JSON; return other documents unchanged."""
    lines = document.splitlines()
    if not lines:
        return document
    number = chance.randrange(len(lines))
    try:
        record = json.loads(document if len(lines) > 1 and document.startswith(b"{\n") else lines[number])
        places = list(_places(record))
        if not places:
            return document
        holder, name = chance.choice(places)
        if chance.random() < 0.25:
            del holder[name]
        else:
            holder[name] = chance.choice((*_OBJECTS, chance.choice(places)[0]))
        written = json.dumps(record).encode()
    except (ValueError, RecursionError):
        return document
    if document.startswith(b"{\n"):
        return written
    lines[number] = written
    return b"\n".join(lines) + b"\n"


def _other_everywhere(document: bytes, chance: random.Random) -> bytes:
    """Set one key to the same value in every line, so that sums become impossible too."""
    try:
        records = [json.loads(line) for line in document.splitlines()]
    except (ValueError, RecursionError):
        return document
    names = sorted({name for record in records for _, name in _places(record) if isinstance(name, str)})
    if names:
        chosen, value = chance.choice(names), chance.choice(_OBJECTS)
        for holder, name in [place for record in records for place in _places(record)]:
            if name == chosen:
                holder[name] = value
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, inner in list(items):
        yield value, name
        yield from _places(inner)


def readers(folder: Path) -> dict[str, Reader]:
    """Return every reader of files."""
    minimal = folder / "minimal.yaml"
    minimal.write_text("name: small\ndata: {evaluation: reviews}\nmatrix: {protocol: [cr_v1]}\n", encoding="utf-8")

    def config(path: Path) -> None:
        found = load_config(path)
        found.cells()
        found.notes()
        found.config_hash()

    def conditions(path: Path) -> None:
        for name in load_conditions(path).conditions:
            resolve_condition(name, path)

    def taxonomy(path: Path) -> None:
        load_taxonomy(path).normalise("food # taste")

    def option(path: Path) -> None:
        load_config(minimal, [path.read_bytes().decode("utf-8", "replace")]).cells()

    found = {
        "config": Reader([RICH.encode()], ".yaml", config),
        "engines": Reader([_ENGINES.encode()], ".yaml", lambda path: read_plan(str(path))),
        "taxonomy": Reader([_TAXONOMY.encode()], ".yaml", taxonomy),
        "conditions": Reader([_CONDITIONS.encode()], ".yaml", conditions),
        "set": Reader([one.encode() for one in _SETS], ".txt", option),
    }
    for suffix, content in _REVIEWS.items():
        found[f"reviews{suffix}"] = Reader([content.encode()], suffix, _reviews, is_json=suffix == ".jsonl")
    for fixture in DATA_FIXTURES:
        found[f"data.{fixture.format}.{Path(fixture.file).name}"] = Reader(
            [_content(fixture)],
            Path(fixture.file).suffix,
            _data(fixture),
            is_json=fixture.file.endswith(".jsonl"),
        )
    return {**found, **_store_readers(folder), **_run_readers(folder)}


def _reviews(path: Path) -> None:
    for columns in (Columns(), Columns(text="text", uid="id")):
        with ReviewFile(path, columns) as rows:
            for _ in rows:
                pass


def _content(fixture: Fixture) -> bytes:
    path = fixture.source.path
    assert path is not None
    return path.read_bytes()


def _data(fixture: Fixture) -> Callable[[Path], None]:
    def read(path: Path) -> None:
        for source in (
            DataSource(path=path, format=fixture.format, columns=dict(fixture.columns)),
            DataSource(path=path, columns=dict(fixture.columns)),
        ):
            load_samples(source)
            load_gold(source)
            gold_fields(source)

    return read


def _store_readers(folder: Path) -> dict[str, Reader]:
    source = folder / "source.jsonl"
    store = open_store(source)
    for number in range(40):
        store.append(episode(number))
    store.compact()
    store.close()
    exported = b"\n".join(source.read_bytes().splitlines()[:6]) + b"\n"
    header, rest = _index_parts(next(folder.glob("source*index*")).read_bytes())

    def imported(path: Path) -> None:
        with_new_ids = path.read_bytes().splitlines()
        for renumber in (False, True):
            target = folder / f"target-{renumber}.jsonl"
            _forget(target)
            store = open_store(target)
            try:
                store.import_(with_new_ids, renumber=renumber)
                _use(store)
            finally:
                store.close()

    def adopted(path: Path) -> None:
        """Read a log without a journal."""
        target = folder / "adopted.jsonl"
        _forget(target)
        shutil.copyfile(path, target)
        store = open_store(target)
        try:
            _use(store)
        finally:
            store.close()

    def index(path: Path) -> None:
        body = path.read_bytes()
        described = b"samsim episode index 1\n" + struct.pack("<I", len(body)) + body + rest
        path.write_bytes(described + struct.pack("<I", zlib.crc32(described)))
        read_snapshot(path)

    def cached(path: Path) -> None:
        target = folder / "cache.sqlite"
        for old in folder.glob("cache.sqlite*"):
            old.unlink()
        cache = ResponseCache(target)
        cache.import_lines(path.read_bytes().splitlines(), lambda _number, _reason: None)
        list(cache.entries())
        cache.get(key(1))
        cache.close()

    return {
        "memory.import": Reader([exported], ".jsonl", imported, is_json=True),
        "memory.store": Reader([exported], ".jsonl", adopted, is_json=True),
        "memory.index": Reader([header], ".index", index, is_json=True),
        "cache.import": Reader([export_line(1) + export_line(2)], ".jsonl", cached, is_json=True),
    }


def _index_parts(data: bytes) -> tuple[bytes, bytes]:
    start = len(b"samsim episode index 1\n")
    size = struct.unpack_from("<I", data, start)[0]
    return data[start + 4 : start + 4 + size], data[start + 4 + size : -4]


def _forget(store: Path) -> None:
    for old in store.parent.glob(f"{store.name}*"):
        old.unlink()
    for old in store.parent.glob(f".{store.name}*"):
        old.unlink()


def _use(store: Any) -> None:
    list(store.iterate())
    store.query(signature(), "NEGATION_SCOPE", 3)
    store.get("epi_000001")
    store.verify()
    store.content_hash()


def _run_readers(folder: Path) -> dict[str, Reader]:
    config = folder / "run.yaml"
    config.write_text(
        "name: fuzzed\ndata: {evaluation: {name: reviews, limit: 12}, memory: {name: reviews_memory, limit: 12}}\n"
        "matrix: {protocol: [cr_v2], condition: [C1, C2]}\n",
        encoding="utf-8",
    )
    runs = run_experiment(load_config(config, [f"run.out={str(folder / 'runs')!r}", "run.workers=1"])).folder
    whole = runs / "cr_v2-C2"
    uids = [json.loads(line)["uid"] for line in (whole / OUTPUTS).read_bytes().splitlines()]

    def reported(name: str) -> Callable[[Path], None]:
        def read(path: Path) -> None:
            target = folder / "damaged"
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(whole, target)
            shutil.copyfile(path, target / name)
            _report(target)
            _comparison(whole, target)
            with locked(target) as opened:
                manifest = opened.read_manifest()
                if manifest is not None:
                    opened.recover(find_finished(target, uids, manifest))

        def _report(target: Path) -> None:
            try:
                files = build_report([target], folder / "report", resamples=10)
            except SamsimError:
                return
            json.loads(files.metrics_json.read_text(encoding="utf-8"), parse_constant=_no_number)

        def _comparison(first: Path, second: Path) -> None:
            try:
                compare(find_runs([first, second]), resamples=10)
            except SamsimError:
                return

        return read

    def traced(path: Path) -> None:
        engine = ReplayEngine(path)
        asyncio.run(engine.aclose())

    def before(path: Path) -> None:
        """Build a report in a folder with the metrics of an earlier one."""
        target = folder / "again"
        target.mkdir(exist_ok=True)
        shutil.copyfile(path, target / "metrics.json")
        build_report([whole], target, resamples=10)

    report = build_report([whole], folder / "first", resamples=10)
    found = {
        f"run.{name}": Reader([(whole / name).read_bytes()], ".json", reported(name), is_json=True)
        for name in (MANIFEST, OUTPUTS, SCORECARDS, TRACES)
    }
    found["trace"] = Reader([(whole / TRACES).read_bytes()], ".jsonl", traced, is_json=True)
    found["report.before"] = Reader([report.metrics_json.read_bytes()], ".json", before, is_json=True)
    return found


def _no_number(name: str) -> None:
    raise AssertionError(f"{name} in metrics.json")


@dataclass
class Finding:
    """A case that did not end as it should."""

    reader: str
    number: int
    words: str


def fuzz(known: Mapping[str, Reader], given: argparse.Namespace, scratch: Path) -> tuple[list[Finding], Counter[str]]:
    """Run case after case, each reader in turn, until the time or the number of cases is used up."""
    findings: list[Finding] = []
    ended: Counter[str] = Counter()
    until = monotonic() + given.seconds
    number = given.first
    while monotonic() < until and (given.count is None or number < given.first + given.count):
        for name, reader in known.items():
            chance = random.Random(f"{given.seed} {name} {number}")
            path = scratch / f"case{reader.suffix}"
            path.write_bytes(damaged(chance.choice(reader.documents), chance, is_json=reader.is_json))
            content = path.read_bytes()
            began = process_time()
            try:
                reader.read(path)
                words, kind = "", "read"
            except SamsimError:
                words, kind = "", "refused"
            except Exception as error:
                words, kind = f"{type(error).__name__}: {str(error)[:300]}", "failed"
            if process_time() - began > _SLOW_SECONDS:
                words = words or f"took {process_time() - began:.1f} s"
            ended[kind] += 1
            if words:
                findings.append(Finding(name, number, words))
                print(f"{name} case {number}: {words}", flush=True)
                if given.keep is not None:
                    given.keep.mkdir(parents=True, exist_ok=True)
                    (given.keep / f"{name}-{number}{reader.suffix}").write_bytes(content)
            if monotonic() > until:
                break
        number += 1
    return findings, ended


def main() -> int:
    """Run the fuzzer; return 1 if any case was neither read nor refused."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--seconds", type=float, default=60.0)
    arguments.add_argument("--count", type=int, help="cases of every reader")
    arguments.add_argument("--first", type=int, default=0, help="the number of the first case")
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--only", nargs="*", default=[], metavar="NAME", help="readers whose names begin so")
    arguments.add_argument("--keep", type=Path, metavar="FOLDER")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        known = readers(scratch)
        if given.only:
            known = {name: one for name, one in known.items() if name.startswith(tuple(given.only))}
        findings, ended = fuzz(known, given, scratch)
    print(f"{ended.total():,} cases through {len(known)} readers: {dict(ended)}; {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
