"""Draw ``docs/pictures/architecture.svg``: the layers of the package and the two walks through them.

Run it after a folder is added or moved: ``python tools/draw_architecture.py``. The order of the layers is read from
the import contract in ``pyproject.toml``, so the picture cannot contradict it.
"""

from __future__ import annotations

import tomllib
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "pictures" / "architecture.svg"

# The purpose of each layer, and what the two walks do in it.
WORDS = {
    "cli": ("thin shells: options, views, progress", "analyze.py", "run.py"),
    "reports | checking": ("tables, figures, the page · is it fit for use", "", "8 reports/build.py"),
    "experiments": ("cells, run folders, resume", "", "2 runner.py · 3 cell_run.py / 7 run_folder/writing.py"),
    "pipeline": ("one sample, text to result", "2 api.py / 6 conflict_review_runner.py", "4 api.py (many at once)"),
    "agents": ("prompts and answers", "4 perspective_agents.py", ""),
    "engines | metrics | data": (
        "who answers · what it scores · what is read",
        "5 embedded/engine.py",
        "6 metrics/scoring.py",
    ),
    "memory": ("episodes and advice", "", "5 episodic_orchestrator.py"),
    "language | rules": ("cues and scopes · every decision", "3 language/analyze.py / 7 rules/arbiter.py", ""),
    "schemas": ("the records, with the seeds' names", "8 results.py", ""),
}
WIDTH, LEFT, TOP, ROW = 960, 20, 78, 52
ANALYZE, RUN = 380, 670


def layers() -> list[str]:
    """Return the layers in the order of the import contract, without the modules below the schemas."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contract = next(one for one in settings["tool"]["importlinter"]["contracts"] if one["type"] == "layers")
    names = [layer.replace("samsim.", "") for layer in contract["layers"]]
    return names[: names.index("schemas") + 1]


def text(x: int, y: int, content: str, kind: str) -> str:
    """Return one line of text as SVG."""
    return f'<text x="{x}" y="{y}" class="{kind}">{escape(content)}</text>'


def draw() -> str:
    """Return the picture as SVG."""
    names = layers()
    height = TOP + ROW * len(names) + 54
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" aria-labelledby="t d">',
        '<title id="t">The layers of samsim and two walks through them</title>',
        '<desc id="d">Imports point downwards. The left walk is samsim analyze, the right one samsim run.</desc>',
        "<style>text{font-family:ui-sans-serif,system-ui,sans-serif;fill:#1f2937}.n{font-weight:600;font-size:16px}"
        ".w{font-size:12.5px;fill:#4b5563}.s{font-size:12.5px}.h{font-weight:600;font-size:14px}"
        "rect{fill:#f8fafc;stroke:#cbd5e1}.a{fill:#e0f2fe;stroke:#7dd3fc}.r{fill:#fef3c7;stroke:#fcd34d}"
        "@media(prefers-color-scheme:dark){text{fill:#e5e7eb}.w{fill:#9ca3af}rect{fill:#1e293b;stroke:#475569}"
        ".a{fill:#0c4a6e;stroke:#0369a1}.r{fill:#713f12;stroke:#a16207}}</style>",
        text(LEFT, 30, "Layers: imports point down, never up", "h"),
        text(ANALYZE, 30, "samsim analyze TEXT", "h"),
        text(RUN, 30, "samsim run FILE", "h"),
        text(LEFT, 52, "src/samsim/", "w"),
        text(ANALYZE, 52, "follow the numbers", "w"),
        text(RUN, 52, "per sample: the walk on the left", "w"),
    ]
    for number, name in enumerate(names):
        y = TOP + number * ROW
        purpose, analyze, run = WORDS[name]
        parts.append(f'<rect x="{LEFT}" y="{y}" width="{ANALYZE - LEFT - 20}" height="{ROW - 10}" rx="8"/>')
        parts.append(text(LEFT + 14, y + 19, name.replace("|", "·"), "n"))
        parts.append(text(LEFT + 14, y + 35, purpose, "w"))
        for x, kind, said in ((ANALYZE, "a", analyze), (RUN, "r", run)):
            if said:
                first = "1 " if name == "cli" else ""
                parts.append(f'<rect x="{x}" y="{y}" width="270" height="{ROW - 10}" rx="8" class="{kind}"/>')
                steps = (first + said).split(" / ")
                for place, step in enumerate(steps):
                    parts.append(text(x + 12, y + (26 if len(steps) == 1 else 18 + 17 * place), step, "s"))
    y = TOP + len(names) * ROW + 16
    parts.append(
        text(LEFT, y, "The gold wall: engines, memory, rules and pipeline cannot import gold or metrics.", "w")
    )
    parts.append(text(LEFT, y + 20, "metrics and reports cannot import an engine: measuring never makes a call.", "w"))
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    PICTURE.write_text(draw(), encoding="utf-8")
