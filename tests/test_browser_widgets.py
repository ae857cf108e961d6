"""Lists, positions and options in a real browser: by keyboard, by pointer, without JavaScript, on a phone."""

from __future__ import annotations

from datetime import timedelta

import classroom_kit as kit
import live
import pytest
from test_browser import focused, tab_to, until, visit

pytestmark = pytest.mark.browser

WIDTHS = (320, 390, 768, 1440)
RIGHT = {"leaked": "2, 4", "inputs": "7 9 MASK 3 4 8", "labels": "-100 7 -100\n3 -100 -100", "effect": "C"}
WRONG = {"leaked": "3, 5", "inputs": "7 9 5 3 4 8", "labels": "-100 7 0\n3 -100 0", "effect": "A", "statements": "A, C"}
UNREAD = {"leaked": "2-4", "inputs": "7,, 9", "labels": "[[-100, 7], [3]]", "effect": "E", "statements": "A, none"}
# What is sent before the page is looked at.
STATES = {
    "open": [],
    "wrong": [WRONG],
    "right": [{**RIGHT, "statements": "B, C, D"}],
    "spent": [
        WRONG,
        {"leaked": "0", "inputs": "1", "labels": "1 2\n3 4", "statements": "A"},
        {"leaked": "none", "inputs": "[]", "labels": "9 9\n9 9", "statements": "none"},
    ],
    "unreadable": [UNREAD],
}


@pytest.fixture(scope="module")
def browser():
    with live.chromium() as opened:
        yield opened


@pytest.fixture
def school(tmp_path):
    due = kit.NOW + timedelta(days=14)
    with (
        kit.school("sqlite", tmp_path, due=due, questions=(kit.lists, kit.joined)) as opened,
        live.serving(opened.app) as opened.url,
    ):
        yield opened


def opened(browser, school, **options):
    page = visit(browser, school, "ada", **options)
    page.goto(school.url + "/quiz/1/1")
    return page


def ticked(page, part):
    """Give what is picked in a part."""
    return [
        pick.get_attribute("value") for pick in page.locator(f"#part-{part} [name=pick]").all() if pick.is_checked()
    ]


def tries(page, part):
    return page.locator(f"#part-{part} .tries").inner_text()


@pytest.mark.parametrize("state", STATES)
def test_axe_finds_nothing_nothing_overflows_and_targets_are_large(browser, school, state):
    from axe_playwright_python.sync_playwright import Axe

    ada = school.browser("ada")
    for answers in STATES[state]:
        for part, text in answers.items():
            ada.answer(part, text)
    page = opened(browser, school, reduced_motion="reduce")
    for path in ("/quiz/1/1", "/quiz/1/2" if state == "open" else "/record"):
        page.goto(school.url + path)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            found = Axe().run(page)
            assert found.violations_count == 0, (path, scheme, found.generate_report())
    page.goto(school.url + "/quiz/1/1")
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, f"{wide} px too wide at {width}"
        for target in page.locator(".pick, .option").all():
            box = target.bounding_box()
            assert box["height"] >= 44, (width, box)
            assert box["width"] >= 44, (width, box)
            assert box["x"] + box["width"] <= width, (width, box)
    assert page.said == []
    page.context.close()


def test_axe_finds_nothing_where_a_part_waits_for_its_reason(browser, school):
    from axe_playwright_python.sync_playwright import Axe

    ada = school.browser("ada")
    ada.answer("runs", picks=["B"], number=2)
    page = visit(browser, school, "ada")
    page.goto(f"{school.url}/quiz/1/2?said=runs")
    assert "counts once part b is right, too" in page.locator("#part-runs").inner_text()
    assert Axe().run(page).violations_count == 0
    page.fill("#in-which", "12")
    page.click("#answer-which button.primary")
    page.wait_for_selector("#part-which.right")
    until(page, "document.querySelector('#part-runs .tag').textContent.includes('1 of 1 point')")
    assert page.said == []


def test_positions_by_keyboard_alone(browser, school):
    page = opened(browser, school)
    tab_to(page, "#part-leaked [name=pick]")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert 'value="2"' in focused(page)
    page.keyboard.press("Space")
    assert page.locator("#in-leaked").input_value() == "2"
    page.wait_for_selector("#und-leaked .cells")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert page.locator("#in-leaked").input_value() == "2, 3, 4"
    page.keyboard.press("Enter")  # from a box that is ticked, as from one that is typed in
    page.wait_for_selector("#part-leaked .fb h3:focus")
    assert ticked(page, "leaked") == ["2", "3", "4"]
    tab_to(page, "#in-leaked", most=10)
    page.keyboard.press("Control+A")
    page.keyboard.type("4 and 2")
    until(page, "document.querySelectorAll('#part-leaked [name=pick]:checked').length === 2")
    assert ticked(page, "leaked") == ["2", "4"]
    page.keyboard.press("Enter")
    page.wait_for_selector("#part-leaked h3.tag.good:focus")
    assert "tensor([2, 4])" in page.locator("#part-leaked").inner_text()
    assert page.said == []


def test_lists_rows_and_options_by_keyboard_alone(browser, school):
    school.browser("ada").answer("leaked", "2, 4")
    page = opened(browser, school)
    page.keyboard.press("b")
    page.wait_for_selector("#in-inputs:focus")
    page.keyboard.type("7 9 [MASK] 3 4 8")
    page.keyboard.press("Enter")
    page.wait_for_selector("#part-inputs.right")

    page.keyboard.press("c")
    page.wait_for_selector("#in-labels:focus")
    page.keyboard.type("ignore 7 -100")
    page.keyboard.press("Enter")
    page.keyboard.type("3 -100 -100")
    assert page.locator("#in-labels").input_value() == "ignore 7 -100\n3 -100 -100"
    page.wait_for_selector("#und-labels .grid")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#part-labels.right")

    page.keyboard.press("d")
    until(page, "document.activeElement.matches('#part-effect [name=pick]')")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert ticked(page, "effect") == ["C"]
    page.keyboard.press("Enter")
    page.wait_for_selector("#part-effect h3.tag.good:focus")

    page.keyboard.press("e")
    until(page, "document.activeElement.matches('#part-statements [name=pick]')")
    for _ in range(3):
        page.keyboard.press("Tab")
        page.keyboard.press("Space")
    assert ticked(page, "statements") == ["B", "C", "D"]
    tab_to(page, "#answer-statements button.primary", most=4)
    page.keyboard.press("Enter")
    page.wait_for_selector("#part-statements.right")
    assert page.locator("#steps a.done").count() == 1
    assert page.said == []


def test_everything_by_pointer_on_a_phone(browser, school):
    page = opened(browser, school, viewport={"width": 390, "height": 800}, has_touch=True)
    for at in ("3", "5"):
        page.locator("#part-leaked .pick", has_text=at).tap()
    page.wait_for_selector("#und-leaked .cells")
    page.tap("#answer-leaked button.primary")
    page.wait_for_selector("#part-leaked .fb.miss")
    for at in ("3", "5", "2", "4"):
        page.locator("#part-leaked .pick", has_text=at).tap()
    page.tap("#answer-leaked button.primary")
    page.wait_for_selector("#part-leaked.right")
    page.locator("#part-effect .option", has_text="finite").tap()
    page.tap("#answer-effect button.primary")
    page.wait_for_selector("#part-effect.right")
    for words in ("replaced", "only at", "Both sides"):
        page.locator("#part-statements .option", has_text=words).tap()
    page.tap("#answer-statements button.primary")
    page.wait_for_selector("#part-statements.right")
    assert page.said == []


def test_everything_without_javascript(browser, school):
    page = opened(browser, school, java_script_enabled=False)
    page.check("#part-leaked [value='3']")
    page.click("#answer-leaked >> text=How is this read?")
    assert "Understood as position" in page.locator("#und-leaked").inner_text()
    assert ticked(page, "leaked") == ["3"]
    page.check("#part-leaked [value='5']")
    page.click("#answer-leaked button.primary")
    assert "Not right yet" in page.locator("#part-leaked").inner_text()
    assert ticked(page, "leaked") == ["3", "5"]
    for at in ("3", "5"):
        page.uncheck(f"#part-leaked [value='{at}']")
    for at in ("2", "4"):
        page.check(f"#part-leaked [value='{at}']")
    page.fill("#in-leaked", "0, 1")
    page.click("#answer-leaked button.primary")
    assert "what is typed counts" in page.locator("#part-leaked").inner_text()
    for at in ("0", "1"):
        page.uncheck(f"#part-leaked [value='{at}']")
    for at in ("2", "4"):
        page.check(f"#part-leaked [value='{at}']")
    page.press("#part-leaked [value='4']", "Enter")  # the text of before stands in the box, and nobody typed it
    assert "tensor([2, 4])" in page.locator("#part-leaked").inner_text()
    page.fill("#in-labels", "-100 7 -100\n3 -100 -100")
    page.click("#answer-labels >> text=How is this read?")
    assert "Understood as 2 rows" in page.locator("#und-labels").inner_text()
    assert page.locator("#in-labels").input_value() == "-100 7 -100\n3 -100 -100"
    page.click("#answer-labels button.primary")
    assert page.locator("#part-labels.right").count() == 1
    page.click("#answer-effect button.primary")
    assert "Pick one of the options first." in page.locator("#part-effect").inner_text()
    page.check("#part-effect [value=C]")
    page.click("#answer-effect button.primary")
    assert page.locator("#part-effect.right").count() == 1
    for letter in "BCD":
        page.check(f"#part-statements [value={letter}]")
    page.click("#answer-statements button.primary")
    assert page.locator("#part-statements.right").count() == 1


def test_picks_write_the_text_and_text_sets_the_picks(browser, school):
    page = opened(browser, school)
    page.check("#part-leaked [value='4']")
    page.check("#part-leaked [value='0']")
    assert page.locator("#in-leaked").input_value() == "0, 4"
    page.fill("#in-leaked", "positions 1 and 5")
    until(page, "document.querySelector('#part-leaked [value=\"5\"]').checked")
    assert ticked(page, "leaked") == ["1", "5"]
    page.uncheck("#part-leaked [value='1']")
    assert page.locator("#in-leaked").input_value() == "5"
    page.uncheck("#part-leaked [value='5']")
    assert page.locator("#in-leaked").input_value() == ""
    page.fill("#in-leaked", "2")
    until(page, "document.querySelector('#part-leaked [value=\"2\"]').checked")
    page.fill("#in-leaked", "")
    until(page, "!document.querySelector('#part-leaked [name=pick]:checked')")
    page.fill("#in-leaked", "none")
    page.wait_for_selector("#und-leaked .cells")
    assert ticked(page, "leaked") == []
    assert page.said == []


def test_a_late_preview_takes_no_pick_back(browser, school):
    page = opened(browser, school)

    def slow(route):
        page.wait_for_timeout(350)
        route.continue_()

    page.route("**/preview", slow)
    page.check("#part-leaked [value='1']")
    page.wait_for_timeout(250)  # the preview of 1 alone is under way
    page.check("#part-leaked [value='3']")
    page.wait_for_timeout(1500)
    assert ticked(page, "leaked") == ["1", "3"]
    assert page.locator("#in-leaked").input_value() == "1, 3"


def test_none_of_these_stands_alone(browser, school):
    page = opened(browser, school)
    page.check("#part-statements [value=A]")
    page.check("#part-statements [value=none]")
    assert ticked(page, "statements") == ["none"]
    page.check("#part-statements [value=D]")
    assert ticked(page, "statements") == ["D"]


def test_a_preview_is_spoken_in_words_once(browser, school):
    page = opened(browser, school)
    page.fill("#in-labels", "-100 7\n3 -100")
    until(page, "document.getElementById('say-labels').textContent.includes('row 1')")
    said = page.evaluate("document.getElementById('say-labels').textContent")
    assert said == "Understood as 2 rows: row 0: -100, 7; row 1: 3, -100"
    page.check("#part-leaked [value='2']")
    page.check("#part-leaked [value='4']")
    until(page, "document.getElementById('say-leaked').textContent.includes('2, 4')")
    assert page.evaluate("document.getElementById('say-leaked').textContent") == "Understood as positions: 2, 4"


def test_widgets_have_names_for_those_who_do_not_see_them(browser, school):
    ada = school.browser("ada")
    ada.answer("labels", "1 2\n3 4")
    page = opened(browser, school)
    tree = page.locator("main").aria_snapshot()
    assert 'group "Positions to pick for part a"' in tree
    assert 'checkbox "position 2, [MASK]"' in tree
    assert 'textbox "Your answer to part a: pick positions, or type them, such as 71, 73, or none"' in tree
    assert 'radiogroup "Your answer to part d. Pick one"' in tree
    assert 'radio "A nan"' in tree
    assert 'group "Your answer to part e. Tick all that hold"' in tree
    assert "row 0: 1, 2; row 1: 3, 4" in tree


def test_a_choice_cannot_be_tried_again_in_a_second_tab(browser, school):
    first = opened(browser, school)
    second = first.context.new_page()
    second.goto(school.url + "/quiz/1/1")
    for page, letter in ((first, "A"), (second, "C")):
        page.check(f"#part-effect [value={letter}]")
        page.click("#answer-effect button.primary")
        page.wait_for_timeout(300)
    first.wait_for_selector("#part-effect.spent")
    assert "takes no more answers" in second.locator("#und-effect").inner_text()
    assert ticked(second, "effect") == ["C"]


def test_a_long_quiz_keeps_its_header_in_its_place(browser, tmp_path):
    with (
        kit.school("sqlite", tmp_path, questions=(kit.joined,) * 60) as many,
        live.serving(many.app) as many.url,
    ):
        page = visit(browser, many, "ada")
        page.goto(many.url + "/quiz/1/30")
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            assert wide <= 0, f"{wide} px too wide at {width}"
            hit = page.evaluate(
                """() => [...document.querySelectorAll('#steps a')].every(step => {
                  const box = step.getBoundingClientRect();
                  return document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2) === step;
                })"""
            )
            assert hit, f"segments cover each other at {width}"


def test_no_text_of_several_lines_runs_anything(browser, school):
    ada = school.browser("ada")
    for text in ("</textarea><script>document.title='x'</script>", "1\n<img src=x onerror=\"document.title='x'\">"):
        ada.answer("labels", text)
        page = opened(browser, school)
        page.wait_for_timeout(100)
        assert page.title() != "x"
        assert page.locator("main script, main img").count() == 0
        assert page.locator("#in-labels").input_value() == text
        assert page.said == []
        page.context.close()
