"""``report.html``: a single self-contained file, with a policy that forbids loading anything else."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from samsim import __version__
from samsim.reports.codes import words_by_kind
from samsim.reports.collecting import Collected
from samsim.reports.numbers import whole
from samsim.reports.page.sample_pack import DETAILS_PER_CHUNK
from samsim.reports.page.sections import SECTIONS, banners, provenance, sections, words
from samsim.reports.tables.formats import page_text
from samsim.reports.tables.model import said
from samsim.reports.words import PAGE, all_words
from samsim.schemas.code_names import Ui

_SCRIPTS = ("page.js", "spans.js", "detail.js", "browser.js")
_BLANK = re.compile(r"\{\{([a-z_]+|t:[a-z_]+)\}\}")


def report_page(collected: Collected, ui: Ui | None = None) -> str:
    """Return the whole page; without ``ui``, its language follows the reader's browser."""
    style, script = _template("report.css"), _script()
    title = PAGE["page_title"]
    return _filled(
        "report.html",
        {
            "lang": ui or "en",
            "default_lang": f' data-default-lang="{ui}"' if ui else "",
            "experiment": escape(collected.experiment, quote=True),
            "title": escape(said(title, ui or "en").format(name=collected.experiment)),
            "policy": _policy(style, script),
            "version": escape(__version__),
            "style": style,
            "script": script,
            "contents": "".join(f'<a href="#{key}">{words(key)}</a>' for key in (*SECTIONS, "samples", "provenance")),
            "banners": banners(collected),
            "sections": sections(collected),
            "browser": _filled("browser.html", {"left_out": _left_out(collected)}),
            "provenance": provenance(collected),
            "made_by": words("made_by", version=__version__),
            "words": _data(all_words()),
            "codes": _data(words_by_kind()),
            "runs": _data(_runs(collected)),
            "packed": _packed(collected),
        },
    )


def _runs(collected: Collected) -> dict[str, Any]:
    names = [run.name for run in collected.runs]
    reviewing = (place for place, run in enumerate(collected.runs) if run.is_evaluation and run.metrics.funnel.reviewed)
    first = next(reviewing, next((place for place, run in enumerate(collected.runs) if run.is_evaluation), 0))
    return {"names": names, "first": first, "details_per_chunk": DETAILS_PER_CHUNK}


def _left_out(collected: Collected) -> str:
    found = collected.samples
    if not found.left_out:
        return ""
    numbers = {"included": found.included, "left_out": found.left_out, "total": found.included + found.left_out}
    return f'<p class="banner">{words("left_out", **{name: whole(count) for name, count in numbers.items()})}</p>'


def _packed(collected: Collected) -> str:
    found = collected.samples
    chunks = {"sample-index": found.index}
    chunks |= {f"base-{number}": chunk for number, chunk in enumerate(found.bases)}
    chunks |= {f"detail-{number}": chunk for number, chunk in enumerate(found.details)}
    return "\n".join(
        f'<script type="application/octet-stream" id="{name}">{chunk}</script>' for name, chunk in chunks.items()
    )


def _policy(style: str, script: str) -> str:
    """Return a policy that allows exactly this style and script, and no request of any kind."""
    return (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; img-src data:;"
        " base-uri 'none'; form-action 'none'"
    )


def _digest(content: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()


def _data(value: Any) -> str:
    """Return JSON that cannot close the element it is embedded in."""
    written = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return written.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


@cache
def _template(name: str) -> str:
    return files("samsim.reports.page").joinpath("templates", name).read_text(encoding="utf-8")


@cache
def _script() -> str:
    parts = "\n".join(_template(name) for name in _SCRIPTS)
    return f'(() => {{\n"use strict";\n{parts}\n}})();'


def _filled(name: str, values: Mapping[str, str]) -> str:
    """Return a template with each blank filled in once; inserted values are not scanned again."""

    def fill(blank: re.Match[str]) -> str:
        key = blank[1]
        return page_text(all_words()[key[2:]]) if key.startswith("t:") else values[key]

    return _BLANK.sub(fill, _template(name))
