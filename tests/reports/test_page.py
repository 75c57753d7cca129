"""The page in a real browser: what a reader does, and what a hostile text cannot do."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from samsim.experiments.artefacts import OUTPUTS, SCORECARDS, Run
from samsim.reports.build import ReportFiles, build_report
from samsim.schemas.code_names import EDIT_REFUSAL, SKIP
from samsim.schemas.results import SampleResult
from tests.reports.making_runs import Row, change_manifest, change_rows, copied, fail_sample, with_debate

if TYPE_CHECKING:
    from tests.servers.browser import Chromium, OpenedPage

pytest_plugins = ["tests.servers.browser"]

PHONE = {"width": 360, "height": 740}
EVIL = """</script><img src=x onerror="document.title='owned'"><script>document.title='owned'</script>"""


def choose(shown: OpenedPage, name: str, words: str) -> None:
    """Choose the option of a filter that begins with the words."""
    options = shown.page.locator(f"#b-{name} option")
    place = next(n for n, text in enumerate(options.all_inner_texts()) if text.startswith(words))
    shown.page.select_option(f"#b-{name}", index=place)


def count(shown: OpenedPage) -> int:
    return int(shown.page.inner_text("#b-count").split()[0].replace(",", ""))


def page_overflow(shown: OpenedPage) -> int:
    return int(shown.page.evaluate("document.documentElement.scrollWidth - innerWidth"))


def test_it_opens_without_a_complaint_or_a_request(browser: Chromium, report: ReportFiles) -> None:
    with browser.opened(report.page) as shown:
        assert shown.page.inner_text("h1") == "three-cells"
        assert shown.page.locator("svg[role=img] > title").count() >= 5
        shown.assert_quiet()


def test_from_a_filter_to_a_sample_to_its_votes(browser: Chromium, report: ReportFiles) -> None:
    funnel = next(run for run in report.collected.runs if run.name == "cr_v2-C1").metrics.funnel
    with browser.opened(report.page) as shown:
        page = shown.page
        choose(shown, "run", "cr_v2-C1")
        assert count(shown) == 84
        choose(shown, "state", "flagged")
        assert count(shown) == funnel.flagged
        choose(shown, "state", "changed")
        assert count(shown) == funnel.changed
        page.locator(".row").first.click()
        matrix = page.locator("#b-detail table.votes")
        matrix.wait_for()
        assert matrix.locator("thead th").all_inner_texts() == ["tuple", "A", "B", "C", "decision"]
        assert "FLIP" in matrix.inner_text()
        assert matrix.locator("td[title]").first.get_attribute("title")
        assert page.locator("#b-detail .columns .column").count() == 3
        assert page.locator("#b-detail .mark").count() > 0
        shown.assert_quiet()


def test_rules_subsets_polarities_and_words_can_be_looked_for(browser: Chromium, report: ReportFiles) -> None:
    with browser.opened(report.page) as shown:
        choose(shown, "run", "cr_v2-C1")
        choose(shown, "rule", "rule 1")
        by_rule = count(shown)
        choose(shown, "subset", "negation")
        assert 0 < count(shown) < by_rule
        shown.page.click("#b-clear")
        choose(shown, "polarity", "mixed")
        assert 0 < count(shown) < 84
        shown.page.click("#b-clear")
        shown.page.fill("#b-search", "KO-030")
        assert count(shown) == 1
        assert "용기 디자인" in shown.page.inner_text(".row")
        shown.page.fill("#b-search", "용기 디자인")
        assert count(shown) >= 1
        shown.page.fill("#b-search", "no such words anywhere")
        assert count(shown) == 0
        assert "No sample matches" in shown.page.inner_text("#b-rows")
        shown.assert_quiet()


def test_keys_go_through_the_list_and_escape_closes(browser: Chromium, report: ReportFiles) -> None:
    with browser.opened(report.page) as shown:
        page = shown.page
        page.keyboard.press("j")
        page.wait_for_selector("#b-detail h3")
        first = page.inner_text("#b-detail h3")
        page.keyboard.press("j")
        page.wait_for_function("old => document.querySelector('#b-detail h3').innerText !== old", arg=first)
        page.keyboard.press("k")
        page.wait_for_function("old => document.querySelector('#b-detail h3').innerText === old", arg=first)
        page.focus("#b-rows")
        page.keyboard.press("ArrowDown")
        page.wait_for_function("old => document.querySelector('#b-detail h3').innerText !== old", arg=first)
        page.keyboard.press("Escape")
        assert page.locator("#b-detail").is_hidden()
        page.fill("#b-search", "jk")
        assert page.locator("#b-detail").is_hidden()
        shown.assert_quiet()


def test_a_link_leads_to_its_sample_and_from_there_to_other_runs(browser: Chromium, report: ReportFiles) -> None:
    with browser.opened(report.page, "#uid=ko-030&run=cr_v2-C2") as shown:
        page = shown.page
        page.wait_for_selector("#b-detail h3")
        assert "ko-030" in page.inner_text("#b-detail h3")
        assert "shown" in page.inner_text("#b-detail")
        assert page.locator("#b-detail .others button").all_inner_texts() == ["single-C1", "cr_v2-C1", "cr_v2-C2"]
        page.locator("#b-detail .others button").first.click()
        page.wait_for_function("() => document.querySelector('#b-detail h3').innerText.includes('single-C1')")
        assert "run=single-C1" in page.url
        assert page.locator("#b-detail .column").count() == 1
        shown.assert_quiet()


def test_spans_cover_the_text_once_and_in_order(browser: Chromium, report: ReportFiles) -> None:
    texts = {base.uid: base.text for run in report.collected.runs for base in _results(run.run)}
    with browser.opened(report.page) as shown:
        for uid in ("ko-030", "ko-001", "en-001", "en-030"):
            shown.page.evaluate("uid => { location.hash = `uid=${uid}` }", uid)
            shown.page.wait_for_function(
                "uid => document.querySelector('#b-detail h3')?.innerText.includes(uid)", arg=uid
            )
            segments = shown.page.locator("#b-detail .annotated .seg")
            assert "".join(segments.all_text_contents()) == texts[uid]
        shown.assert_quiet()


def _results(run: Run) -> list[SampleResult]:
    return [sample.result for sample in run.samples() if sample.result is not None]


def test_only_what_is_visible_is_in_the_list(browser: Chromium, report: ReportFiles) -> None:
    with browser.opened(report.page) as shown:
        choose(shown, "run", "all runs")
        assert count(shown) == 312
        assert shown.page.locator(".row").count() < 40
        shown.page.evaluate("document.getElementById('b-rows').scrollTop = 1e9")
        shown.page.wait_for_function("() => document.querySelector('#row-311') !== null")
        assert shown.page.locator(".row").count() < 40


def test_korean_and_english(browser: Chromium, report: ReportFiles) -> None:
    with browser.opened(report.page, locale="ko-KR") as shown:
        page = shown.page
        assert page.locator("#results h2").inner_text() == "결과"
        page.click("text=English")
        assert page.locator("#results h2").inner_text() == "Results"
        page.reload()
        page.wait_for_selector("#b-browser[data-ready=true]")
        assert page.locator("#results h2").inner_text() == "Results"
        shown.assert_quiet()


def test_a_language_that_was_asked_for_wins_over_the_browser(
    browser: Chromium, experiment: Path, tmp_path: Path
) -> None:
    page = build_report([experiment / "cr_v2-C1"], tmp_path, ui="ko", resamples=10).page
    with browser.opened(page, locale="en-US") as shown:
        assert shown.page.locator("#results h2").inner_text() == "결과"
        assert (
            "샘플" in shown.page.locator("#b-count").inner_text() or "개" in shown.page.locator("#b-count").inner_text()
        )


def test_light_and_dark(browser: Chromium, report: ReportFiles) -> None:
    background = "getComputedStyle(document.body).backgroundColor"
    with browser.opened(report.page, color_scheme="dark") as shown:
        dark = shown.page.evaluate(background)
        shown.page.click("[data-set-theme=light]")
        light = shown.page.evaluate(background)
    with browser.opened(report.page, color_scheme="light") as shown:
        assert shown.page.evaluate(background) == light != dark
        shown.page.click("[data-set-theme=dark]")
        assert shown.page.evaluate(background) == dark


@pytest.mark.parametrize("locale", ["en-US", "ko-KR"])
def test_a_phone_scrolls_down_and_not_sideways(browser: Chromium, report: ReportFiles, locale: str) -> None:
    with browser.opened(report.page, viewport=PHONE, locale=locale) as shown:
        for closed in shown.page.locator("details summary").all():
            closed.click()
        assert page_overflow(shown) == 0
        name = shown.page.locator("#table-main-ref_pol tbody th").first.bounding_box()
        assert name is not None
        assert name["width"] > 90
        shown.page.locator(".row").first.click()
        shown.page.wait_for_selector("#b-detail h3")
        assert page_overflow(shown) == 0
        box = shown.page.locator("#b-detail").bounding_box()
        assert box is not None
        assert (box["x"], box["width"]) == (0, 360)
        shown.page.locator("#b-detail .close").click()
        assert shown.page.locator("#b-detail").is_hidden()
        shown.assert_quiet()


@pytest.mark.parametrize("locale", ["en-US", "ko-KR"])
def test_on_a_phone_figures_fit_and_a_wide_table_shows_that_there_is_more(
    browser: Chromium, report: ReportFiles, locale: str
) -> None:
    with browser.opened(report.page, viewport={"width": 390, "height": 800}, locale=locale) as shown:
        page = shown.page
        inside = "one => { const box = one.getBoundingClientRect(); return box.left >= 0 && box.right <= innerWidth }"
        assert page.locator("figure.chart svg").count() == 5
        assert page.evaluate(f"[...document.querySelectorAll('figure.chart svg *')].every({inside})")
        sizes = page.evaluate(
            "[...document.querySelectorAll('figure.chart svg text')].filter(one => one.getClientRects().length)"
            ".map(one => one.getBoundingClientRect().height)"
        )
        assert min(sizes) >= 9
        table = page.locator("#table-main-ref_pol .scroll")
        assert table.evaluate("one => one.scrollWidth > one.clientWidth")
        assert table.evaluate("one => getComputedStyle(one).backgroundImage").count("linear-gradient") == 4
        table.evaluate("one => { one.scrollLeft = 400 }")
        name = table.locator("tbody th").first
        assert (
            name.evaluate(
                "one => one.getBoundingClientRect().left - one.closest('.scroll').getBoundingClientRect().left"
            )
            == 0
        )
        shown.assert_quiet()


def test_on_a_phone_the_decision_comes_before_the_votes(browser: Chromium, report: ReportFiles) -> None:
    viewport = {"width": 390, "height": 800}
    with browser.opened(report.page, "#uid=ko-030&run=cr_v2-C1", viewport=viewport) as shown:
        page = shown.page
        page.wait_for_selector("#b-detail table.votes")
        card = page.locator("#b-detail table.votes tbody tr").first
        boxes = [one.bounding_box() for one in (card.locator("th"), card.locator(".verdict"), card.locator("td").first)]
        tops = [box["y"] for box in boxes if box is not None]
        assert tops == sorted(tops)
        assert len(set(tops)) == 3
        assert all(box is not None and box["x"] >= 0 and box["x"] + box["width"] <= 390 for box in boxes)
        assert page_overflow(shown) == 0
        shown.assert_quiet()


def test_nothing_is_cut_on_a_laptop(browser: Chromium, report: ReportFiles) -> None:
    cut = (
        "[...document.querySelectorAll('figure.table')].filter(one => !one.closest('details'))"
        ".filter(one => one.querySelector('.scroll').scrollWidth > one.querySelector('.scroll').clientWidth)"
        ".map(one => one.id)"
    )
    for locale in ("en-US", "ko-KR"):
        with browser.opened(report.page, locale=locale) as shown:
            assert shown.page.evaluate(cut) == []


def test_a_placebo_is_not_taken_for_advice(browser: Chromium, experiment: Path, tmp_path: Path) -> None:
    run = copied(experiment / "cr_v2-C2", tmp_path / "placebo")

    def neutral(row: Row) -> Row:
        return {**row, "memory": {**row["memory"], "injection_source": "placebo"}}

    change_rows(run, SCORECARDS, neutral)
    page = build_report([run], tmp_path / "out", resamples=10).page
    with browser.opened(page, "#uid=ko-030") as shown:
        shown.page.wait_for_selector("#b-detail h3")
        words = shown.page.inner_text("#b-detail")
        assert "neutral text of the same length was shown" in words
        assert "not shown, replaced by neutral text" in words
        assert "Characters of neutral text" in words
        shown.page.click("[data-set-lang=ko]")
        assert "중립적인 글" in shown.page.inner_text("#b-detail")
        row = shown.page.locator("#table-memory tbody tr").first
        cells = row.locator("td").all_inner_texts()
        assert cells[0] == "중립적인 글(플라시보)"
        assert cells[5] == "–"
        assert cells[6] != "–"
        shown.assert_quiet()


def test_problems_are_told_in_korean_too(browser: Chromium, experiment: Path, tmp_path: Path) -> None:
    run = copied(experiment / "cr_v2-C1", tmp_path / "old")
    (run / SCORECARDS).unlink()
    page = build_report([run], tmp_path / "out", resamples=10).page
    with browser.opened(page, locale="ko-KR") as shown:
        words = shown.page.inner_text("main .banner")
        assert "scorecards.jsonl이 없습니다" in words
        assert "is missing" not in words


def test_on_paper_the_tables_are_whole_and_the_browser_is_gone(browser: Chromium, report: ReportFiles) -> None:
    with browser.opened(report.page, color_scheme="dark") as shown:
        page = shown.page
        page.emulate_media(media="print", color_scheme="dark")
        assert page.locator("#samples").is_hidden()
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert page.evaluate(
            "[...document.querySelectorAll('.scroll')].every(one => getComputedStyle(one).overflowX === 'visible')"
        )
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert page.evaluate("[...document.querySelectorAll('details')].every(one => one.open)")
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert page.evaluate("[...document.querySelectorAll('details')].every(one => !one.open)")
        assert len(page.pdf()) > 10_000


def test_a_hostile_text_is_only_a_text(browser: Chromium, experiment: Path, tmp_path: Path) -> None:
    run = copied(experiment / "cr_v2-C1", tmp_path / "evil")

    def poisoned(row: Row) -> Row:
        tuples = [{**one, "aspect_term": EVIL, "evidence": EVIL, "aspect_ref": EVIL} for one in row["stage1_tuples"]]
        return {**row, "uid": f"{EVIL}{row['uid']}", "text": EVIL + str(row["text"]), "stage1_tuples": tuples}

    change_rows(run, OUTPUTS, poisoned)
    change_rows(run, SCORECARDS, lambda row: {**row, "uid": f"{EVIL}{row['uid']}"})

    def named(manifest: Row) -> None:
        manifest["experiment"] = EVIL
        manifest["cell"]["cell_id"] = manifest["cell"]["engine"] = EVIL

    change_manifest(run, named)
    page = build_report([run], tmp_path / "out", resamples=10).page
    assert EVIL not in page.read_text(encoding="utf-8")
    with browser.opened(page) as shown:
        choose(shown, "state", "flagged")
        shown.page.locator(".row").first.click()
        shown.page.wait_for_selector("#b-detail h3")
        assert EVIL in "".join(shown.page.locator("#b-detail .annotated .seg").all_text_contents())
        assert shown.page.locator("img").count() == 0
        assert shown.page.title() != "owned"
        shown.assert_quiet()


def test_a_failed_sample_says_why(browser: Chromium, experiment: Path, tmp_path: Path) -> None:
    run = copied(experiment / "cr_v2-C1", tmp_path / "failed")
    fail_sample(run, "ko-002", "engine: 3 attempts, HTTP 500")
    page = build_report([run], tmp_path / "out", resamples=10).page
    with browser.opened(page) as shown:
        choose(shown, "state", "failed")
        assert count(shown) == 1
        shown.page.locator(".row").first.click()
        shown.page.wait_for_selector("#b-detail .trouble")
        assert "HTTP 500" in shown.page.inner_text("#b-detail .trouble")
        shown.assert_quiet()


def test_a_debate_is_shown_turn_by_turn(browser: Chromium, experiment: Path, tmp_path: Path) -> None:
    run = copied(experiment / "cr_v2-C1", tmp_path / "debated")
    with_debate(run, "ko-030")
    page = build_report([run], tmp_path / "out", resamples=10).page
    with browser.opened(page, "#uid=ko-030") as shown:
        shown.page.wait_for_selector("#b-detail h3")
        words = shown.page.inner_text("#b-detail")
        for part in (
            "EPM",
            "TAN",
            "CJ",
            "The judge's patch",
            "Stage 2",
            "Override gate (t1)",
            "not applied",
            "Moderator",
        ):
            assert part in words
        assert SKIP["below_min_total"][0] in words
        assert EDIT_REFUSAL["same_ref"][0] in words
        shown.assert_quiet()


def test_what_was_left_out_of_the_list_is_told(browser: Chromium, experiment: Path, tmp_path: Path) -> None:
    files = build_report([experiment / "cr_v2-C1"], tmp_path, resamples=10, sample_budget=8_000)
    left_out = files.collected.samples.left_out
    assert 0 < left_out < 84
    with browser.opened(files.page) as shown:
        assert f"{left_out} are left out here" in shown.page.inner_text("#samples .banner")
        assert count(shown) == 84 - left_out
        shown.assert_quiet()


def test_missing_parts_are_named_on_the_page(browser: Chromium, experiment: Path, tmp_path: Path) -> None:
    run = copied(experiment / "cr_v2-C1", tmp_path / "old")
    (run / SCORECARDS).unlink()
    page = build_report([run], tmp_path / "out", resamples=10).page
    with browser.opened(page) as shown:
        assert "Something is missing" in shown.page.inner_text("main .banner")
        assert "needs inference: repeat run" in shown.page.inner_text("#risk_section")
        shown.page.locator(".row").first.click()
        shown.page.wait_for_selector("#b-detail h3")
        shown.assert_quiet()
