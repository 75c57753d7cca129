"""Compare several workers with one in the experiment runner, with the embedded engine on the same samples.

    python benchmarks/runner.py [--samples 20000] [--workers 2]

Exits with 1 if two workers are not fast enough. Prints the seconds and samples per second of each, their
ratio, how much CPU time the processes used per second of wall time (2.0 means both cores), and how the
memory of the parent and of the workers grew between the first quarter and the end.
The texts are the shipped reviews over and over, each with a unique number, so nothing is answered from an
earlier sample.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import fmean
from time import perf_counter

from samsim.data.shipped import load_reviews

WANTED = 1.6


def write_samples(path: Path, count: int) -> None:
    reviews = load_reviews()
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            review = reviews[number % len(reviews)]
            row = {"id": f"s{number:06d}", "text": f"{review.text} ({number})", "language": review.language}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def write_config(path: Path, data: Path, workers: int, name: str) -> None:
    config = {
        "name": name,
        "data": {"evaluation": {"path": str(data), "format": "jsonl"}},
        "run": {"out": str(path.parent / "runs"), "workers": workers},
    }
    path.write_text(json.dumps(config), encoding="utf-8")


def resident_kb(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("VmRSS:")), 0)


def family(pid: int) -> list[int]:
    """Return the process and its children."""
    children = Path(f"/proc/{pid}/task/{pid}/children")
    return [pid, *(int(child) for child in children.read_text().split())] if children.exists() else [pid]


def watch(config: Path, outputs: Path, samples: int) -> dict[str, float]:
    """Run in a separate process and sample its memory on the way."""
    command = [sys.executable, "-m", "samsim", "run", str(config), "--no-report"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = perf_counter()
    memory: dict[str, int] = {}
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        quarter = end = None
        while process.poll() is None:
            try:
                process.wait(timeout=0.5)
            except subprocess.TimeoutExpired:
                total = sum(resident_kb(pid) for pid in family(process.pid))
                done = outputs.stat().st_size if outputs.exists() else 0
                if done:
                    memory[str(done)] = total
        elapsed = perf_counter() - started
        if process.returncode:
            raise SystemExit(f"samsim run ended with {process.returncode}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    final = outputs.stat().st_size
    sizes = sorted((int(size), kb) for size, kb in memory.items())
    quarter = next((kb for size, kb in sizes if size >= final / 4), 0)
    end = max((kb for size, kb in sizes if size >= final * 3 / 4), default=0)
    return {
        "seconds": elapsed,
        "rate": samples / elapsed,
        "cores": cpu / elapsed,
        "quarter_mb": quarter / 1024,
        "end_mb": end / 1024,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=20_000)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    os.environ.pop("SAMSIM_DEBUG", None)
    # One worker between two runs of many, so a machine that speeds up or slows down favors neither.
    order = (options.workers, 1, options.workers)
    rates: dict[int, list[float]] = {}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write_samples(folder / "samples.jsonl", options.samples)
        contents = set()
        for number, workers in enumerate(order):
            config, name = folder / f"{number}.yaml", f"run{number}"
            write_config(config, folder / "samples.jsonl", workers, name)
            outputs = folder / "runs" / name / "outputs.jsonl"
            found = watch(config, outputs, options.samples)
            rates.setdefault(workers, []).append(found["rate"])
            contents.add(hashlib.sha256(outputs.read_bytes()).hexdigest())
            print(
                f"{workers} worker{'s' if workers > 1 else ''}: {found['seconds']:.1f} s, "
                f"{found['rate']:,.0f} samples/s, {found['cores']:.2f} cores, "
                f"memory {found['quarter_mb']:.0f} MB at a quarter, {found['end_mb']:.0f} MB in the last quarter",
                flush=True,
            )
        print("outputs are", "the same" if len(contents) == 1 else "DIFFERENT")
    ratio = fmean(rates[options.workers]) / fmean(rates[1])
    print(f"speed-up {ratio:.2f}x (wanted: {WANTED}x on 2 cores)")
    if ratio < WANTED or len(contents) > 1:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
