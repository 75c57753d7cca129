"""Measure the CPU time to start: `import samsim` and `samsim --help`, compared with a bare interpreter.

    python benchmarks/startup.py

The result is the least of several starts, user and system time of the process and its children together. The
goals: `import samsim` at most 50 ms beyond the interpreter itself, `samsim --help` at most 150 ms in all.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys

STARTS = {
    "python -c pass": ("-c", "pass"),
    "import samsim": ("-c", "import samsim"),
    "samsim --help": ("-m", "samsim", "--help"),
}
PLAIN = "python -c pass"


def cpu_seconds(arguments: tuple[str, ...]) -> float:
    """Start Python once and return the CPU time it used."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)


def least(starts: int) -> dict[str, float]:
    """Return the least CPU time of each start, because disturbances only ever add to it."""
    taken: dict[str, list[float]] = {name: [] for name in STARTS}
    for _ in range(starts):
        for name, arguments in STARTS.items():
            taken[name].append(cpu_seconds(arguments))
    return {name: min(times) for name, times in taken.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--starts", type=int, default=10, help="how often each is started")
    found = least(parser.parse_args().starts)
    print("| start | CPU, ms | beyond the interpreter, ms | ratio |")
    print("|---|---|---|---|")
    for name, seconds in found.items():
        beyond = seconds - found[PLAIN]
        print(f"| `{name}` | {1000 * seconds:.0f} | {1000 * beyond:.0f} | {seconds / found[PLAIN]:.1f} |")


if __name__ == "__main__":
    main()
