"""Draw the pictures of the two READMEs from the real terminal view.

python tools/draw_pictures.py
"""

from __future__ import annotations

from pathlib import Path

from samsim.cli.picture import render_svg
from samsim.pipeline.api import Pipeline

PICTURES = (
    ("analyze-en.svg", "I don't think the keyboard is comfortable, but I love the screen.", "en"),
    ("analyze-ko.svg", "음질은 나쁘지 않은데 배터리가 오래가지 않네요.", "ko"),
)


def main() -> None:
    folder = Path(__file__).parent.parent / "docs" / "pictures"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text, ui in PICTURES:
        svg = render_svg(Pipeline().analyze(text), width=110, ui=ui)
        (folder / name).write_text(svg, encoding="utf-8")
        print(folder / name)


if __name__ == "__main__":
    main()
