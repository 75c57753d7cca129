"""``samsim memory`` from the command line, on a file and on a real PostgreSQL."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from samsim.cli.exit_codes import ExitCode
from samsim.cli.memory import memory
from samsim.errors import ConfigError, ContractError, InputError, StoreError
from samsim.memory.principles import all_principles
from samsim.memory.store import open_store
from tests.memory.test_store_contract import draft, filled, varied

pytest_plugins = ["tests.servers.postgres"]

SECRET = "s3cret"
LEAK = "포장이 많이 찢어져 있었어요"


def run(*arguments: object, stdin: bytes = b"", width: int = 120) -> Result:
    runner = CliRunner(env={"COLUMNS": str(width), "NO_COLOR": "1"})
    return runner.invoke(memory, [str(argument) for argument in arguments], input=stdin)


def shown_by(*arguments: object, width: int = 120) -> str:
    result = run(*arguments, width=width)
    assert (result.exit_code, result.exception) == (ExitCode.OK, None)
    return result.stdout


@pytest.fixture(params=["jsonl", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A store of 30 episodes, the newest of them harmful."""
    place = str(tmp_path / "kept.jsonl")
    if request.param == "postgres":
        place = request.getfixturevalue("postgres").new_database()
        assert SECRET in place
    harm = draft(episode_type="harm", risk_type="INVALID_REF", action_taken="DROP", outcome_delta=2)
    filled(place, [*varied(29), harm]).close()
    return place


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    place = tmp_path / "kept.jsonl"
    filled(str(place), varied(3)).close()
    return place


def damage_the_second_line(kept: Path) -> None:
    lines = kept.read_bytes().splitlines(keepends=True)
    lines[1] = lines[1].replace(b"FLIP", b"KEEP")
    kept.write_bytes(b"".join(lines))


def test_stats_counts_what_is_there(store: str) -> None:
    output = shown_by("stats", store)
    with closing(open_store(store)) as opened:
        assert opened.content_hash() in output
    rows = [line.split() for line in output.splitlines()]
    assert ["episodes", "30"] in rows
    assert ["outcome", "success", "29", "97%"] in rows
    assert ["harm", "1", "3%"] in rows
    assert ["language", "ko", "24", "80%"] in rows
    assert ["principle", "negation_scope_flip", "30", "100%"] in rows
    assert SECRET not in output


def test_stats_of_an_empty_store(tmp_path: Path) -> None:
    open_store(tmp_path / "new.jsonl").close()
    assert "episodes  0" in shown_by("stats", tmp_path / "new.jsonl")


def test_rare_values_are_summed_up(tmp_path: Path) -> None:
    splits = [draft(provenance={**draft().provenance.model_dump(), "created_from_split": f"s{n}"}) for n in range(11)]
    filled(str(tmp_path / "s.jsonl"), splits).close()
    assert "3 others" in shown_by("stats", tmp_path / "s.jsonl")


def test_show_lists_the_newest_first(store: str) -> None:
    rows = [line.split() for line in shown_by("show", store).splitlines() if line.startswith("epi_")]
    assert [row[0] for row in rows] == [f"epi_{number:06d}" for number in range(30, 10, -1)]
    assert rows[0][1] == "harm"
    few = shown_by("show", store, "-n", 2)
    assert few.count("epi_") == 2
    assert "2 of 30 episodes" in few
    assert shown_by("show", store, "-n", 99).count("epi_") == 30


@pytest.mark.parametrize(("width", "room"), [(60, False), (100, True)])
def test_a_narrow_table_keeps_whole_ids(kept: Path, width: int, room: bool) -> None:
    output = shown_by("show", kept, width=width)
    assert "epi_000003  success" in output
    assert ("배터리 0 −" in output) is room


def test_show_one_episode_in_full(store: str) -> None:
    output = shown_by("show", store, "epi_000030", "epi_000002")
    for part in ("INVALID_REF, DROP (+2)", "배터리 0 +", "배터리 0 −", "부정의 범위를 확인한다.", "applied: success"):
        assert part in output
    assert output.index("epi_000030") < output.index("epi_000002")


@pytest.mark.parametrize("width", [40, 80, 200])
def test_tables_fit_the_terminal(kept: Path, width: int) -> None:
    for command in (["stats", kept], ["show", kept], ["show", kept, "epi_000001"], ["verify", kept]):
        output = shown_by(*command, width=width)
        assert max(map(len, output.splitlines())) <= width


def test_show_steers_no_terminal(tmp_path: Path) -> None:
    filled(str(tmp_path / "s.jsonl"), [draft("\x1b[31m[bold]red\x9b")]).close()
    output = shown_by("show", tmp_path / "s.jsonl", "epi_000001")
    assert "\\x1b[31m[bold]red\\x9b" in output
    assert "\x1b" not in output


def test_show_of_an_unknown_episode(store: str) -> None:
    result = run("show", store, "epi_000031")
    assert isinstance(result.exception, InputError)
    assert SECRET not in str(result.exception)


def test_ids_and_last_exclude_each_other(kept: Path) -> None:
    assert run("show", kept, "epi_000001", "-n", 1).exit_code == ExitCode.USAGE


def test_show_of_an_empty_store(tmp_path: Path) -> None:
    open_store(tmp_path / "new.jsonl").close()
    assert "no episodes yet" in shown_by("show", tmp_path / "new.jsonl")


def test_verify_a_sound_store(store: str) -> None:
    output = shown_by("verify", store)
    assert "sound" in output
    assert "30 (last number 30)" in output
    assert SECRET not in output


def test_verify_a_damaged_store(kept: Path) -> None:
    damage_the_second_line(kept)
    result = run("verify", kept)
    assert result.exit_code == ExitCode.SOME_BAD
    assert "damaged" in result.stdout
    assert "epi_000002" in result.stdout
    assert "2 (last number 3)" in result.stdout


def test_compact_keeps_every_episode(store: str) -> None:
    before = run("export", store).stdout_bytes
    assert "30 episodes" in shown_by("compact", store)
    assert run("export", store).stdout_bytes == before


def test_export_and_import_keep_every_byte(store: str, tmp_path: Path) -> None:
    exported, copy = tmp_path / "episodes.jsonl", tmp_path / "copy.jsonl"
    assert "30 episodes ->" in run("export", store, "-o", exported).stderr
    first = run("import", copy, exported)
    assert (first.exit_code, "30 added, 30 in all" in first.stderr) == (ExitCode.OK, True)
    assert copy.read_bytes() == exported.read_bytes() == run("export", store).stdout_bytes
    assert "0 added, 30 in all" in run("import", store, exported).stderr
    assert "30 added, 60 in all" in run("import", store, "-", "--renumber", stdin=exported.read_bytes()).stderr
    assert "sound" in shown_by("verify", store)


def test_import_makes_a_store_in_an_empty_database(request: pytest.FixtureRequest, kept: Path) -> None:
    url = request.getfixturevalue("postgres").new_database()
    assert isinstance(run("stats", url).exception, StoreError)
    result = run("import", url, kept)
    assert "3 added, 3 in all -> postgresql://tester@" in result.stderr
    assert SECRET not in result.output
    assert run("export", url).stdout_bytes == kept.read_bytes()


def test_import_takes_nothing_of_a_file_with_a_bad_line(store: str) -> None:
    record = json.loads(run("export", store).stdout_bytes.splitlines()[0])
    record |= {"episode_id": "epi_000031", "gold_label": "positive"}
    result = run("import", store, "-", stdin=json.dumps(record).encode())
    assert isinstance(result.exception, ContractError)
    assert "gold_label" in str(result.exception)
    assert "30 (last number 30)" in shown_by("verify", store)


@contextmanager
def not_hanging() -> Iterator[None]:
    """What waits without end fails instead."""

    def waited(*_: object) -> None:
        raise TimeoutError("it waits for a pipe")

    before = signal.signal(signal.SIGALRM, waited)
    signal.alarm(20)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize(
    ("command", "pipe"),
    [
        (["import", "kept.jsonl", "pipe"], "pipe"),
        (["grep-leaks", "kept.jsonl", "--texts", "pipe"], "pipe"),
        (["import", "pipe", "kept.jsonl"], "pipe"),
        (["verify", "kept.jsonl"], "kept.jsonl.journal"),
        (["verify", "kept.jsonl"], "kept.jsonl.index"),
    ],
)
def test_a_pipe_is_not_waited_for(kept: Path, command: list[str], pipe: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(kept.parent)
    Path(pipe).unlink(missing_ok=True)
    os.mkfifo(pipe)
    with not_hanging():
        result = run(*command)
    assert isinstance(result.exception, InputError | StoreError)
    assert "is not a regular file" in str(result.exception)


def test_export_never_overwrites_by_accident(kept: Path, tmp_path: Path) -> None:
    before, other = kept.read_bytes(), tmp_path / "other.jsonl"
    other.write_text("mine")
    assert isinstance(run("export", kept, "-o", kept, "--force").exception, ConfigError)
    assert isinstance(run("export", kept, "-o", other).exception, ConfigError)
    assert (kept.read_bytes(), other.read_text()) == (before, "mine")
    assert run("export", kept, "-o", other, "--force").exit_code == ExitCode.OK
    assert other.read_bytes() == before


def test_a_failed_export_leaves_nothing(tmp_path: Path) -> None:
    kept, other = tmp_path / "kept.jsonl", tmp_path / "out.jsonl"
    filled(str(kept), varied(3)).close()
    damage_the_second_line(kept)
    assert isinstance(run("export", kept, "-o", other).exception, StoreError)
    assert not list(tmp_path.glob("out*"))


def test_no_leak_is_said(store: str, tmp_path: Path) -> None:
    texts = tmp_path / "reviews.txt"
    own = all_principles()[0]
    texts.write_text(f"{LEAK}\n배터리가 정말 오래가요\n{own.ko}\n{own.en}\n", encoding="utf-8")
    output = shown_by("grep-leaks", store, "--texts", texts)
    assert "no leak" in output
    assert "4 texts searched for in 30 episodes" in output


def test_a_leak_is_named_with_its_place(store: str, tmp_path: Path) -> None:
    texts = tmp_path / "reviews.csv"
    texts.write_text(f"text\n괜찮아요\n배송은 빨랐지만 {LEAK}.\n", encoding="utf-8")
    with closing(open_store(store)) as opened:
        opened.append(draft(f"INVALID_REF {LEAK}"))
    result = run("grep-leaks", store, "--texts", texts)
    assert result.exit_code == ExitCode.SOME_BAD
    assert LEAK in result.stdout
    assert "epi_000031" in result.stdout
    assert "case_summary.symptom" in result.stdout
    assert "1 leak (" in result.stdout


def test_the_programs_own_sentences_are_no_leak(tmp_path: Path) -> None:
    own = all_principles()[0]
    correction = {"principle_id": own.principle_id, "corrective_principle": own.en}
    filled(str(tmp_path / "s.jsonl"), [draft(correction=correction)]).close()
    texts = tmp_path / "reviews.txt"
    texts.write_text(f"He said: {own.en}\n", encoding="utf-8")
    assert "no leak" in shown_by("grep-leaks", tmp_path / "s.jsonl", "--texts", texts)


def test_texts_that_cannot_be_read_are_reported(kept: Path, tmp_path: Path) -> None:
    texts = tmp_path / "reviews.jsonl"
    texts.write_text('{"text": "fine"}\nnot JSON\n')
    result = run("grep-leaks", kept, "--texts", texts)
    assert result.exit_code == ExitCode.SOME_BAD
    assert "line 2: " in result.stderr
    texts.write_text("not JSON\n")
    assert isinstance(run("grep-leaks", kept, "--texts", texts).exception, InputError)


COMMANDS = [["stats"], ["show"], ["verify"], ["compact"], ["export"]]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_store_that_is_not_there_is_not_made(tmp_path: Path, command: list[str]) -> None:
    result = run(*command, tmp_path / "none.jsonl")
    assert isinstance(result.exception, ConfigError)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", [*COMMANDS, ["import"]])
def test_an_unknown_kind_of_store_is_refused_without_its_password(tmp_path: Path, command: list[str]) -> None:
    arguments = [tmp_path / "x.jsonl"] if command == ["import"] else []
    (tmp_path / "x.jsonl").touch()
    result = run(*command, f"mysql://me:{SECRET}@host/db", *arguments)
    assert isinstance(result.exception, ConfigError)
    assert SECRET not in str(result.exception)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_server_that_is_not_there_is_explained(tmp_path: Path, command: list[str]) -> None:
    pytest.importorskip("psycopg")
    result = run(*command, f"postgresql://me:{SECRET}@/db?host={tmp_path}")
    assert isinstance(result.exception, StoreError)
    assert "Check that the server runs" in str(result.exception)
    assert SECRET not in str(result.exception)


def test_help_imports_nothing_heavy() -> None:
    probe = """
import sys
from samsim.cli.memory import memory
memory(["grep-leaks", "--help"], standalone_mode=False)
print("LOADED", [name for name in ("numpy", "rich", "pydantic", "yaml", "psycopg") if name in sys.modules])
"""
    ended = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True, encoding="utf-8")
    assert "LOADED []" in ended.stdout
