"""What the progress of a run says, and when: with a clock and engines that only a test moves."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.progress import Progress, TextColumn

from samsim.cli.progress.bar import BarWatcher, LineWatcher
from samsim.cli.progress.heartbeat import heartbeat
from samsim.cli.progress.pace import Pace
from samsim.durations import duration
from samsim.engines.pacing.activity import Activity
from samsim.experiments.projection import SampleLines
from samsim.schemas.runs import LIMITED, CellRecord, DataRecord, Manifest, RunMeta, RunStatus
from samsim.schemas.scorecards import UsageRecord

CELL = CellRecord(cell_id="cr_v2-C1", protocol="cr_v2", condition="C1", engine="m")


def sample(tokens: int | None = 100, cost: float | None = None, error: str | None = None) -> SampleLines:
    usage = UsageRecord(calls=3, attempts=3, input_tokens=tokens, output_tokens=0, cost=cost, seconds=1.0)
    return SampleLines("s1", b"", b"", b"", usage, error, wrote_episode=False)


def manifest(status: RunStatus, done: int, reason: str | None = None) -> Manifest:
    data = DataRecord(source="x", samples=84, rows=84, bad_rows=0, sha256="")
    return Manifest(
        run_id="r",
        experiment="e",
        cell=CELL,
        run_meta=RunMeta(memory_mode="off", condition="C1"),
        config={},
        config_hash="",
        prompt_hashes={},
        engines=[],
        data={"evaluation": data},
        versions={},
        started="",
        status=status,
        stop_reason=reason,
        done=done,
    )


@dataclass
class Watched:
    """A watcher of lines in a time of its own."""

    tell: Callable[[], list[str]]
    now: float = 1000.0
    activity: Activity = field(init=False)
    watcher: LineWatcher = field(init=False)

    def __post_init__(self) -> None:
        self.activity = Activity(self.clock)
        self.watcher = LineWatcher(self.clock)
        self.watcher.watch_engines(self.activity)

    def clock(self) -> float:
        return self.now

    def beats(self, seconds: int) -> list[str]:
        """Time passes, and nothing ends; what is said meanwhile."""
        for _ in range(seconds):
            self.now += 1
            self.watcher.beat()
        return self.tell()

    def samples(self, *seconds: float, **facts: Any) -> list[str]:
        for each in seconds:
            self.now += each
            self.watcher.sample_done(sample(**facts))
        return self.tell()


@pytest.fixture
def watched(capsys: pytest.CaptureFixture[str]) -> Watched:
    return Watched(lambda: capsys.readouterr().err.splitlines())


def test_there_is_a_sign_of_life_every_ten_seconds_though_nothing_ends(watched: Watched) -> None:
    watched.watcher.cell_started(CELL, 84, 0)
    with watched.activity.call(), watched.activity.call(), watched.activity.call(), watched.activity.request():
        assert watched.beats(35) == ["cr_v2-C1: 0/84, 1 call under way, 2 waiting"] * 3
        watched.activity.answered(4.0)
        watched.activity.answered(5.0)
        assert watched.beats(10) == ["cr_v2-C1: 0/84, 1 call under way, 2 waiting, 4.5 s/call"]
    assert watched.beats(10) == ["cr_v2-C1: 0/84"]


def test_slow_runs_are_told_in_seconds_per_sample_and_their_rest_as_a_range(watched: Watched) -> None:
    watched.watcher.cell_started(CELL, 84, 0)
    assert watched.samples(300.0) == ["cr_v2-C1: 1/84, 300.0 s/sample, 100 tokens"], "one sample is nothing to go by"
    *_, last = watched.samples(250.0, 350.0, 300.0, 320.0, 280.0)
    assert last == "cr_v2-C1: 6/84, 300.0 s/sample, 600 tokens, 5 h 52 min to 7 h 8 min left"


def test_fast_runs_are_told_in_samples_per_second(watched: Watched) -> None:
    watched.watcher.cell_started(CELL, 200, 0)
    *_, last = watched.samples(*[0.1] * 101)
    assert last.startswith("cr_v2-C1: 100/200, 10.0/s, 10,000 tokens, about 10 s left")


def test_a_server_that_is_away_is_named_with_since_when_and_its_return_is_told(watched: Watched) -> None:
    watched.watcher.cell_started(CELL, 84, 20)
    assert watched.tell() == ["cr_v2-C1: resumed at 21 of 84"]
    watched.samples(10.0, 10.0, 10.0, 10.0, 10.0)
    watched.activity.went_away("http://h:1", "no connection to http://h:1")
    paused = "cr_v2-C1: 25/84, paused: no connection to http://h:1 for {} s, trying again"
    assert watched.beats(32) == [paused.format(seconds) for seconds in (1, 11, 21, 31)]
    watched.activity.came_back("http://h:1")
    assert watched.beats(1) == ["cr_v2-C1: 25/84, resumed: http://h:1 is back after 32 s"]
    # The time away is not the samples': five of them took ten seconds each.
    assert watched.samples(9.0) == []
    (line,) = watched.beats(1)
    assert line.startswith("cr_v2-C1: 26/84, 10.0 s/sample, ")


def test_a_loading_server_is_said_to_be_loading(watched: Watched) -> None:
    watched.watcher.cell_started(CELL, 84, 0)
    watched.activity.went_away("http://h:1", "http://h:1 is loading its model")
    assert watched.beats(1) == ["cr_v2-C1: 0/84, paused: http://h:1 is loading its model for 1 s, trying again"]


def test_a_server_that_was_loading_and_works_on_a_call_is_not_said_to_be_loading(watched: Watched) -> None:
    watched.watcher.cell_started(CELL, 84, 0)
    watched.activity.went_away("http://h:1", "http://h:1 is loading its model")
    assert len(watched.beats(8)) == 1
    with watched.activity.asking_again("http://h:1"):
        assert watched.beats(12) == [
            "cr_v2-C1: 0/84, paused for 11 s: http://h:1 was asked again 3 s ago, waiting for its answer"
        ]
    assert watched.beats(1) == ["cr_v2-C1: 0/84, paused: http://h:1 is loading its model for 21 s, trying again"]


@pytest.mark.parametrize(
    ("done", "again", "said"),
    [
        (0, 0, []),
        (1, 0, ["cr_v2-C1: resumed at 2 of 84"]),
        (81, 3, ["cr_v2-C1: 3 failed or partial samples of 84 will be run again"]),
        (83, 1, ["cr_v2-C1: 1 failed or partial sample of 84 will be run again"]),
        (84, 0, []),
    ],
)
def test_where_a_run_resumes_is_said(done: int, again: int, said: list[str], watched: Watched) -> None:
    watched.watcher.cell_started(CELL, 84, done, again)
    assert watched.tell() == said


@pytest.mark.parametrize(
    ("status", "said"),
    [
        ("stopped", "cr_v2-C1: stopped, 2 of 13 run again, 84/84"),
        ("interrupted", "cr_v2-C1: interrupted, 2 of 13 run again, 84/84"),
    ],
)
def test_a_retry_that_ends_early_says_how_many_were_done_again(status: RunStatus, said: str, watched: Watched) -> None:
    watched.watcher.cell_started(CELL, 84, 71, 13)
    watched.samples(1.0, 1.0)
    watched.tell()
    watched.watcher.cell_ended(manifest(status, 84, "the spending limit is reached"))
    assert watched.tell() == [said]


def test_failed_samples_that_are_not_named_are_said_to_be_elsewhere(watched: Watched) -> None:
    watched.watcher.cell_started(CELL, 84, 0)
    for _ in range(9):
        watched.watcher.sample_done(sample(error="lost"))
    said = watched.tell()
    assert said == [
        *["cr_v2-C1: sample s1 failed: lost"] * 5,
        "cr_v2-C1: further failed or partial samples are not listed here; outputs.jsonl names all of them",
    ]


@pytest.mark.parametrize(
    ("costs", "shown"),
    [
        ((None, None), "cr_v2-C1: 2/84, 10.0 s/sample, 200 tokens"),
        ((0.0, 0.0), "cr_v2-C1: 2/84, 10.0 s/sample, 200 tokens"),
        ((0.5, 0.25), "cr_v2-C1: 2/84, 10.0 s/sample, 200 tokens, $0.7500"),
        ((0.5, None), "cr_v2-C1: 2/84, 10.0 s/sample, 200 tokens, at least $0.5000"),
    ],
)
def test_costs_are_shown_where_they_are_known(costs: tuple[float | None, ...], shown: str, watched: Watched) -> None:
    watched.watcher.cell_started(CELL, 84, 0)
    for cost in costs:
        said = watched.samples(10.0, cost=cost)
    assert said == [shown]


@pytest.mark.parametrize(
    ("ended", "said"),
    [
        (manifest("finished", 84), "finished, 84/84"),
        (manifest("stopped", 20, LIMITED), "done as requested: 20 of 84 (--limit 20)"),
        (manifest("stopped", 20, "the spending limit is reached"), "stopped, 20/84"),
        (manifest("interrupted", 20), "interrupted, 20/84"),
    ],
)
def test_how_it_ended(ended: Manifest, said: str, watched: Watched) -> None:
    watched.watcher.cell_started(CELL, 20 if ended.stop_reason == LIMITED else 84, 0)
    watched.samples(1.0)
    watched.watcher.cell_ended(ended)
    assert watched.tell() == [f"cr_v2-C1: {said}"]
    assert watched.beats(60) == [], "what has ended has no heart"


def test_the_bar_is_kept_up_to_date_by_the_beat() -> None:
    shown = io.StringIO()
    progress = Progress(
        TextColumn("{task.completed}: {task.fields[what]}"), console=Console(file=shown, width=200), auto_refresh=False
    )
    activity, bars = Activity(lambda: 7.0), BarWatcher(progress)
    bars.watch_engines(activity)
    bars.cell_started(CELL, 84, 20)
    with activity.call(), activity.request():
        bars.beat()
    (task,) = progress.tasks
    assert task.fields["what"] == "1 call under way, 0 waiting"
    activity.went_away("http://h:1", "no connection to http://h:1")
    bars.beat()
    assert task.fields["what"] == "paused: no connection to http://h:1 for 0 s, trying again"
    activity.came_back("http://h:1")
    bars.sample_done(sample())
    assert task.completed == 21
    bars.cell_ended(manifest("stopped", 21, LIMITED))
    assert task.fields["what"] == "done as requested: 21 of 84 (--limit 84)"
    assert "cr_v2-C1: resumed at 21 of 84" in shown.getvalue()


def test_the_heart_beats_until_the_end() -> None:
    beats, three = [0], threading.Event()

    def beat() -> None:
        beats[0] += 1
        if beats[0] == 3:
            three.set()

    with heartbeat(beat, seconds=0.001):
        assert three.wait(600)
    ended_at = beats[0]
    assert not any(thread.name == "samsim-heartbeat" for thread in threading.enumerate())
    assert beats[0] == ended_at


# --- speed and what is left --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "0 s"),
        (40.4, "40 s"),
        (59.6, "1 min"),
        (95, "2 min"),
        (3599, "1 h"),
        (3600, "1 h"),
        (31292, "8 h 42 min"),
        (200_000, "55 h 33 min"),
    ],
)
def test_durations(seconds: float, said: str) -> None:
    assert duration(seconds) == said


def test_a_steady_pace_is_estimated_to_the_point() -> None:
    pace = Pace(0.0)
    for number in range(1, 11):
        pace.add(number * 3.0)
    assert pace.left(20, 30.0) == pytest.approx((60.0, 60.0))


def test_a_long_wait_for_the_next_sample_lowers_the_speed() -> None:
    pace = Pace(0.0)
    for number in range(1, 5):
        pace.add(float(number))
    assert pace.seconds_per_sample(4.5) == 1.0
    assert pace.seconds_per_sample(100.0) == 20.0


@given(
    st.lists(st.floats(0.001, 1000.0), max_size=80),
    st.integers(1, 10_000),
    st.floats(0.0, 1000.0),
)
def test_an_estimate_is_a_range_around_what_was_seen(spans: list[float], rest: int, wait: float) -> None:
    pace, now = Pace(0.0), 0.0
    for span in spans:
        now += span
        pace.add(now)
    now += wait
    bounds, mean = pace.left(rest, now), pace.seconds_per_sample(now)
    assert (mean is None) == (not spans)
    assert (bounds is None) == (len(spans) < 4)
    if bounds is not None and mean is not None:
        assert 0 <= bounds[0] <= rest * mean * (1 + 1e-9)
        assert bounds[1] >= rest * mean * (1 - 1e-9)
