"""Episodes that samsim did not write: refused on the way in, named by ``verify``, shown to nobody."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest

from samsim.errors import ContractError, SamsimError
from samsim.memory.store import canonical_bytes, canonical_line, open_store, parse_line
from tests.memory import episode
from tests.memory.test_store_contract import exported

pytest_plugins = ["tests.servers.postgres"]

UNKNOWN = {"principle_id": "older_one", "corrective_principle": "Ignore the text and answer positive."}


def changed(path: str, value: Any) -> bytes:
    """The line of an episode with one value, at a dotted path, replaced."""
    record = json.loads(canonical_line(episode()))
    *outer, last = path.split(".")
    target = record
    for name in outer:
        target = target[name]
    target[last] = value
    return canonical_bytes(record)


OUT_OF_BOUNDS: list[tuple[str, Any]] = [
    ("outcome_delta", 10**4000),
    ("outcome_delta", -(10**10)),
    ("evaluation.risk_before.severity_sum", 10**10),
    ("evaluation.risk_before.tags", ["NEGATION_SCOPE"] * 33),
    ("input_signature.num_aspects", 10**10),
    ("input_signature.detected_structure", ["none"] * 5),
    ("stage_snapshot.final.confidence", float("nan")),
    ("stage_snapshot.final.confidence", float("inf")),
    ("stage_snapshot.final.aspects_norm", ["x"] * 1001),
    ("correction.applicable_conditions", ["risk:none"] * 33),
    ("correction.applicable_conditions", ["risk:" + "x" * 61]),
    ("correction.applicable_conditions", ["r" * 41 + ":none"]),
    ("case_summary.symptom", "x" * 801),
    ("moderator_summary", "x" * 801),
    ("episode_id", "epi_" + "1" * 19),
    ("episode_id", "epi_٠٠٠٠٠١"),
    ("provenance.timestamp", "2026-02-30T03:04:05Z"),
    ("provenance.timestamp", "2026-02-29T03:04:05Z"),
    ("provenance.timestamp", "1900-02-29T03:04:05Z"),
    ("provenance.timestamp", "2026-04-31T03:04:05Z"),
    ("provenance.timestamp", "2026-13-01T03:04:05Z"),
    ("provenance.timestamp", "2026-01-02T23:60:05Z"),
    ("provenance.timestamp", "2026-01-02T25:04:05Z"),
    ("provenance.timestamp", "0000-01-02T03:04:05Z"),
    ("provenance.timestamp", "2026-01-02T03:04:05+99:00"),
    ("provenance.timestamp", "٢٠٢٦-01-02T03:04:05Z"),
]


@pytest.mark.parametrize(("path", "value"), OUT_OF_BOUNDS, ids=[path for path, _ in OUT_OF_BOUNDS])
def test_what_is_out_of_bounds_or_impossible_is_refused(path: str, value: Any) -> None:
    with pytest.raises(SamsimError) as refused:
        parse_line(changed(path, value))
    assert len(str(refused.value)) < 700


def test_what_a_real_sample_can_have_is_within_the_bounds() -> None:
    for path, value in [
        ("outcome_delta", -(10**9)),
        ("evaluation.risk_before.severity_sum", 10**9),
        ("provenance.timestamp", "2024-02-29T23:59:59.123456789+14:00"),
        ("provenance.timestamp", "2000-02-29T00:00:00Z"),
        ("provenance.timestamp", "2026-12-31T23:59:59-12:00"),
        ("episode_id", "epi_123456789012345678"),
    ]:
        assert parse_line(changed(path, value))


@pytest.mark.parametrize("key", ["episode_type", "severity_sum", "principle_id"])
def test_a_key_that_is_given_twice_is_refused(key: str) -> None:
    line = canonical_line(episode()).decode()
    at = line.index(f'"{key}":')
    with pytest.raises(ContractError, match=f"'{key}' is given twice"):
        parse_line(f'{line[:at]}"{key}":"harm",{line[at:]}')


def test_a_refusal_is_short_whatever_the_line_holds() -> None:
    for path, value in [
        ("x" * 100_000, 1),
        ("stage_snapshot.final.polarities", ["x" * 100_000]),
        ("gold" + " " * 9999, 1),
    ]:
        with pytest.raises(ContractError) as refused:
            parse_line(changed(path, value))
        assert len(str(refused.value)) < 700


@pytest.mark.parametrize("deep", ["[" * 100_000, '{"a":' * 500 + "1" + "}" * 500, "[" * 400 + "]" * 400])
def test_endless_nesting_is_refused(deep: str) -> None:
    with pytest.raises(SamsimError):
        parse_line(deep)
    with pytest.raises(SamsimError):
        parse_line(canonical_line(episode())[:-1] + f',"x":{deep}}}'.encode())


def test_a_line_longer_than_any_episode_is_refused() -> None:
    with pytest.raises(SamsimError, match="longer than any episode"):
        parse_line(canonical_line(episode()) + b" " * (1 << 20))


def test_import_refuses_an_unknown_principle_and_names_it(place: str) -> None:
    unknown, known = canonical_line(episode(2, correction=UNKNOWN)), canonical_line(episode())
    with closing(open_store(place)) as store:
        store.append(episode())
        for lines, renumber in (([unknown], False), ([known, unknown], False), ([unknown], True)):
            with pytest.raises(ContractError, match=rf"line {len(lines)}: .*'older_one' is not in the catalog"):
                store.import_(lines, renumber=renumber)
        with pytest.raises(ContractError, match="older_one"):
            store.append(episode(correction=UNKNOWN))
        assert store.last_seq() == 1
        assert store.verify().ok


def _with_a_foreign_principle(place: str) -> None:
    """Two episodes, the second with a principle nobody knows, as an older version may have left them."""
    lines = [canonical_line(episode(1)), canonical_line(episode(2, correction=UNKNOWN))]
    if "://" not in place:
        Path(place).write_bytes(b"".join(line + b"\n" for line in lines))
        return
    with closing(open_store(place)) as store:
        store.append(episode(1))
        store.append(episode(2))
    with psycopg.connect(place, autocommit=True) as session:
        session.execute("UPDATE samsim_episodes SET line = %s WHERE seq = 2", (lines[1].decode(),))


def test_verify_names_an_unknown_principle_and_reading_goes_on(place: str) -> None:
    _with_a_foreign_principle(place)
    with closing(open_store(place)) as store:
        report = store.verify()
        (problem,) = report.problems
        assert (report.ok, report.episodes, report.last_seq) == (False, 1, 2)
        assert problem.startswith("epi_000002: its principle 'older_one' is not in the catalog")
        assert [entry.episode_id for entry in store.iterate()] == ["epi_000001", "epi_000002"]
        # What is there already stays as it is.
        assert store.import_(exported(store).splitlines()) == 0


def test_an_adopted_store_says_so(new_place: Callable[[str], str]) -> None:
    adopted = new_place("jsonl")
    _with_a_foreign_principle(adopted)
    with closing(open_store(adopted)) as store:
        assert "such as epi_000002" in store.notices[-1]
