"""``samsim analyze`` on one text, through the real pipeline."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from samsim.cli import analyze as analyze_module
from samsim.cli.exit_codes import ExitCode
from samsim.cli.main import cli
from samsim.errors import ContractError, EngineError
from samsim.pipeline import api
from samsim.schemas.protocols import PLAIN_PROTOCOLS
from samsim.schemas.results import SampleResult

KOREAN = "화면은 좋은데 배터리가 금방 닳아요."
ENGLISH = "The screen is great, but the battery isn't good."


def run(*arguments: str, stdin: bytes | None = None, **environ: str) -> Result:
    settings = {"LC_ALL": "en_US.UTF-8", "NO_COLOR": "1", "COLUMNS": "100", "SAMSIM_DEBUG": "", **environ}
    return CliRunner().invoke(cli, ["analyze", *arguments], input=stdin, env=settings, prog_name="samsim")


def failing_with(error: BaseException) -> object:
    def analyze(self: object, text: str, *, uid: str = "0") -> SampleResult:
        raise error

    return analyze


def test_protocols_are_those_of_the_library() -> None:
    assert analyze_module.PROTOCOLS.split("|") == [*PLAIN_PROTOCOLS, "self_consistency:N"]


@pytest.mark.parametrize("protocol", [*PLAIN_PROTOCOLS, "self_consistency:2"])
def test_every_protocol_can_be_asked_for(protocol: str) -> None:
    ended = run("--json", "--protocol", protocol, ENGLISH)
    assert ended.exit_code == ExitCode.OK
    assert json.loads(ended.stdout)["protocol"] == protocol


def test_a_misspelt_protocol_gets_a_suggestion() -> None:
    ended = run("--protocol", "debat", ENGLISH)
    assert ended.exit_code == ExitCode.USAGE
    assert "did you mean debate?" in ended.stderr


def test_json_round_trip() -> None:
    ended = run("--json", KOREAN)
    assert ended.exit_code == ExitCode.OK
    read = SampleResult.model_validate_json(ended.stdout)
    assert read.text == KOREAN
    assert read.final_tuples
    assert json.loads(ended.stdout)["protocol"] == "cr_v2"


def test_json_never_carries_a_raw_control_character() -> None:
    text = f"{ENGLISH} \x1b[2J \x9b1m \u202e \u2028 end"
    ended = run("--json", text)
    assert not {"\x1b", "\x9b", "\u202e", "\u2028"} & set(ended.stdout)
    assert SampleResult.model_validate_json(ended.stdout).text == text


def test_compact_and_explained_view() -> None:
    compact, explained = run(KOREAN), run("--explain", KOREAN)
    assert compact.exit_code == explained.exit_code == ExitCode.OK
    assert "[배터리]−" in compact.stdout
    assert "P-NEG" not in compact.stdout
    assert "P-NEG" in explained.stdout


@pytest.mark.parametrize(
    ("arguments", "environ", "words"),
    [
        ((), {"LC_ALL": "ko_KR.UTF-8"}, "분석 결과"),
        (("--lang", "ko"), {}, "분석 결과"),
        ((), {"LC_ALL": "C"}, "Final tuples"),
    ],
)
def test_language_of_the_labels(arguments: tuple[str, ...], environ: dict[str, str], words: str) -> None:
    assert words in run(*arguments, KOREAN, stdin=None, **environ).stdout


def test_switches_reach_the_pipeline() -> None:
    ended = run("--json", "--protocol", "cr_v1", "--taxonomy", "none", "--language", "en", ENGLISH)
    read = SampleResult.model_validate_json(ended.stdout)
    assert (read.protocol, read.taxonomy, read.language) == ("cr_v1", "none", "en")


def test_stdin_is_one_text_without_its_last_line_break() -> None:
    ended = run("-", "--json", stdin=f"\ufeff{ENGLISH}\nSecond line.\r\n".encode())
    assert SampleResult.model_validate_json(ended.stdout).text == f"{ENGLISH}\nSecond line."


def test_stdin_in_another_encoding() -> None:
    refused = run("-", "--json", stdin=KOREAN.encode("cp949"))
    assert refused.exit_code == ExitCode.NO_INPUT
    assert "--encoding cp949" in refused.stderr
    accepted = run("-", "--json", "--encoding", "cp949", stdin=KOREAN.encode("cp949"))
    assert SampleResult.model_validate_json(accepted.stdout).text == KOREAN


def test_what_is_piped_in_is_the_text_without_a_dash_as_well() -> None:
    assert run("--json", stdin=ENGLISH.encode()).stdout == run("--json", "-", stdin=ENGLISH.encode()).stdout
    assert "[battery]−" in run(stdin=f"{ENGLISH}\n".encode()).stdout


@pytest.mark.parametrize("name", ["odd.csv", "README", "리뷰.TXT"])
def test_the_name_of_a_file_is_not_a_review(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(f"text\n{ENGLISH}\n", encoding="utf-8")
    ended = run(name)
    assert ended.exit_code == ExitCode.USAGE
    assert f"{name} is a file. Did you mean --file {name}?" in " ".join(ended.stderr.split())
    assert ended.stdout == ""


@pytest.mark.parametrize("name", ["odd.csv", "my/reviews.jsonl"])
def test_the_name_of_a_missing_file_is_not_a_review(name: str) -> None:
    ended = run(name)
    assert ended.exit_code == ExitCode.USAGE
    assert f"There is no file {name}. Pass the file with --file." in " ".join(ended.stderr.split())


@pytest.mark.parametrize("text", ["The parser of my.csv is slow.", "x" * 5000, "great\x00screen", "src"])
def test_a_text_that_only_mentions_a_file_is_a_review(text: str) -> None:
    assert run("--json", text).exit_code == ExitCode.OK


@pytest.mark.parametrize("text", ["", "   ", "\ud800", "x" * 1_000_001])
def test_unusable_text(text: str) -> None:
    ended = run(text)
    assert ended.exit_code == ExitCode.NO_INPUT
    assert ended.stderr.startswith("error: ")
    assert "Traceback" not in ended.output


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("a", "b"),
        ("a", "--file", __file__),
        ("a", "-o", "out.jsonl"),
        ("--file", __file__, "-o", "out.xlsx"),
        ("--file", __file__, "-o", "out"),
        ("--file", __file__, "-o", "out.csv", "--json"),
        ("a", "--text-column", "x"),
        ("a", "--json", "--explain"),
        ("--file", __file__, "--explain"),
        ("--file", "missing.csv"),
        ("--file", __file__),
        ("a", "--protocol", "cr_v9"),
        ("a", "--taxonomy", "nikl2023"),
        ("a", "--taxonomy", "missing.yaml"),
        ("-", "--encoding", "klingon"),
        ("-", "--encoding", "hex"),
        ("a", "--nonsense"),
    ],
)
def test_wrong_usage(arguments: tuple[str, ...]) -> None:
    ended = run(*arguments)
    assert ended.exit_code == ExitCode.USAGE
    assert "rror: " in ended.stderr
    assert ended.stdout == ""


def test_own_taxonomy(tmp_path: Path) -> None:
    own = tmp_path / "own.yaml"
    own.write_text("name: mine\nentities:\n  battery: [general]\n", encoding="utf-8")
    ended = run("--json", "--taxonomy", str(own), ENGLISH)
    assert SampleResult.model_validate_json(ended.stdout).taxonomy == "mine"


def test_an_engine_failure_has_its_own_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api.Pipeline, "analyze", failing_with(EngineError("no \x1b[2Janswer. Try later.")))
    ended = run(ENGLISH, SAMSIM_DEBUG="1")
    assert ended.exit_code == ExitCode.ENGINE
    assert ended.stderr == "error: no \\x1b[2Janswer. Try later.\n"


@pytest.mark.parametrize(
    "error", [ValueError("boom"), ContractError("boom"), PermissionError(13, "Permission denied", "f")]
)
def test_internal_errors_are_one_line(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    monkeypatch.setattr(api.Pipeline, "analyze", failing_with(error))
    ended = run(ENGLISH)
    assert ended.exit_code == ExitCode.INTERNAL
    assert ended.stderr.startswith("error: ")
    assert ended.stderr.count("\n") == 1


def test_the_traceback_is_there_on_demand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api.Pipeline, "analyze", failing_with(ValueError("bo\x1bom")))
    assert "SAMSIM_DEBUG=1" in run(ENGLISH).stderr
    debugged = run(ENGLISH, SAMSIM_DEBUG="1")
    assert debugged.exit_code == ExitCode.INTERNAL
    assert "Traceback" in debugged.stderr
    assert "\x1b" not in debugged.stderr


def test_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api.Pipeline, "analyze", failing_with(KeyboardInterrupt()))
    assert run(ENGLISH).exit_code == ExitCode.INTERRUPTED


def test_exit_codes_are_in_the_help() -> None:
    help_text = " ".join(CliRunner().invoke(cli, ["--help"]).output.split())
    assert all(f"{code.value} {code.meaning}" in help_text for code in ExitCode)
    assert "Exit codes: samsim --help" in CliRunner().invoke(cli, ["analyze", "--help"]).output


def test_text_from_a_review_cannot_steer_the_terminal() -> None:
    ended = run(f"{ENGLISH} \x1b]0;owned\x07 \u202e [red]x[/red]", "--explain", FORCE_COLOR="", NO_COLOR="1")
    assert "\\x1b]0;owned\\x07 \\u202e [red]x[/red]" in " ".join(ended.stdout.split())
    assert not {"\x1b", "\x07", "\u202e"} & set(ended.stdout)
