"""Draw the pictures in the two READMEs from the real terminal view.

python tools/draw_pictures.py
"""

from __future__ import annotations

from pathlib import Path

from samsim.cli.result_view.picture import render_svg
from samsim.pipeline.api import Pipeline
from samsim.schemas.code_names import Ui

# Texts whose tuples the review changes: one agent misses the negation and is outvoted.
PICTURES: tuple[tuple[str, str, Ui], ...] = (
    ("analyze-en.svg", "I don't think the keyboard is comfortable, but I love the screen.", "en"),
    ("analyze-ko.svg", "직원이 친절하다고 할 수는 없지만 음식은 훌륭해요.", "ko"),
)


FOLDER = Path(__file__).parent.parent / "docs" / "pictures"
WIDTH = 110


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text, ui in PICTURES:
        svg = render_svg(Pipeline().analyze(text), width=WIDTH, ui=ui)
        (FOLDER / name).write_text(svg, encoding="utf-8")
        print(FOLDER / name)


if __name__ == "__main__":
    main()
