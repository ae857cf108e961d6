from __future__ import annotations

import re
import time
from datetime import timedelta

import classroom_kit as kit
import live
import pytest

pytestmark = pytest.mark.browser

# Every page in every state: what to send first, who looks, where.
STATES = {
    "sign in": ("", [], "/sign-in"),
    "home": ("ada", [("logits", "(8, 20, 48)")], "/"),
    "home of staff": ("ivy", [], "/"),
    "quiz": ("ada", [("hits", "12")], "/quiz/1"),
    "question": ("ada", [], "/quiz/1/1"),
    "wrong": ("ada", [("logits", "(8, 20, 48)")], "/quiz/1/1?said=logits"),
    "right": ("ada", [("logits", "(8, 20, 1000)")], "/quiz/1/1?said=logits"),
    "unreadable": ("ada", [("sel", "(12; 1000")], "/quiz/1/1?said=sel"),
    "two readings": ("ada", [("logits", "8*20")], "/quiz/1/1?said=logits"),
    "repeated": ("ada", [("sel", "(1, 2)"), ("sel", "1 2")], "/quiz/1/1?said=sel"),
    "tries used": ("ada", [("sel", "(1, 2)"), ("sel", "(1, 3)"), ("sel", "(1000, 12)")], "/quiz/1/1?said=sel"),
    "waiting": ("ada", [("rate", "1/7")], "/quiz/1/2?said=rate"),
    "carried": ("ada", [("total", "32"), ("rate", "4/21")], "/quiz/1/2?said=rate"),
    "no PyTorch": ("ada", [("off", ""), ("hits", "12")], "/quiz/1/1?said=hits"),
    "record": ("ada", [("logits", "(8, 20, 48)"), ("hits", "12")], "/record"),
    "empty record": ("ada", [], "/record"),
    "attempts": ("ivy", [("logits", "(8, 20, 48)"), ("hits", "12"), ("sel", "no")], "/course/1/attempts"),
    "no attempts": ("ivy", [], "/course/1/attempts?outcome=right"),
    "not found": ("ada", [], "/nothing"),
}
WIDTHS = (320, 390, 640, 768, 1440)


@pytest.fixture(scope="module")
def browser():
    with live.chromium() as opened:
        yield opened


@pytest.fixture
def school(tmp_path):
    due = kit.NOW + timedelta(days=14)
    with kit.school("sqlite", tmp_path, due=due) as opened, live.serving(opened.app) as opened.url:
        yield opened


def visit(browser, school, name="", **options):
    """Open a page as somebody who is signed in; what its console says is kept as `page.said`."""
    context = browser.new_context(**options)
    if name:
        token = school.browser(name).http.get_cookie("maskwise").value
        context.add_cookies([{"name": "maskwise", "value": token, "url": school.url}])
    context.set_default_timeout(5000)
    page = context.new_page()
    page.said = []
    page.on("console", lambda message: None if "Autofocus" in message.text else page.said.append(message.text))
    page.on("pageerror", lambda error: page.said.append(str(error)))
    return page


def prepare(school, answers):
    ada = school.browser("ada")
    for part, text in answers:
        if part == "off":
            school.observer.on = False
        else:
            ada.answer(part, text, number=2 if part in {"flat", "total", "rate"} else 1)
            school.clock.forward(minutes=1)


def until(page, true, seconds=3.0):
    """Wait for a piece of JavaScript to be true; Playwright's own waiting would need eval, which the pages forbid."""
    end = time.monotonic() + seconds
    while not page.evaluate(true):
        assert time.monotonic() < end, true
        time.sleep(0.02)


def focused(page):
    return page.evaluate("document.activeElement.outerHTML.slice(0, 400)")


def tab_to(page, selector, most=40):
    for _ in range(most):
        if page.evaluate("(s) => document.activeElement.matches(s)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not reach {selector}; at {focused(page)}")


@pytest.mark.parametrize("state", STATES)
def test_axe_finds_nothing_and_nothing_overflows(browser, school, state):
    from axe_playwright_python.sync_playwright import Axe

    who, answers, path = STATES[state]
    prepare(school, answers)
    page = visit(browser, school, who, reduced_motion="reduce")
    page.goto(school.url + path)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found = Axe().run(page)
        assert found.violations_count == 0, (scheme, found.generate_report())
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, f"{wide} px too wide at {width}"
    assert [line for line in page.said if "404" not in line] == []
    page.context.close()


def test_axe_finds_nothing_with_the_list_of_keys_open(browser, school):
    from axe_playwright_python.sync_playwright import Axe

    page = visit(browser, school, "ada")
    page.goto(school.url + "/quiz/1/1")
    page.keyboard.press("?")
    assert page.locator("#keys-help").is_visible()
    assert Axe().run(page).violations_count == 0
    page.keyboard.press("Escape")
    assert not page.locator("#keys-help").is_visible()


def test_a_whole_question_by_keyboard_alone(browser, school):
    page = visit(browser, school)
    page.goto(school.url + "/")
    page.keyboard.type("ada@example.org")  # the box has the focus
    page.keyboard.press("Tab")
    page.keyboard.type(kit.PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url(school.url + "/")
    tab_to(page, "a.btn")
    page.keyboard.press("Enter")
    page.wait_for_url("**/quiz/1")
    tab_to(page, "a.btn")
    page.keyboard.press("Enter")
    page.wait_for_url("**/quiz/1/1")
    tab_to(page, "#in-logits")
    page.keyboard.type("8 x 20 x 48")
    page.keyboard.press("Enter")
    page.wait_for_selector("#part-logits .fb.miss")
    page.wait_for_selector("#part-logits .fb h3:focus")
    assert page.locator("#part-logits .tries").inner_text() == "2 of 3 tries left"
    tab_to(page, "#in-logits", most=3)  # its text is selected, so typing replaces it
    page.keyboard.type("(8, 20, 1000")
    page.keyboard.press("Enter")
    page.wait_for_selector("#in-logits[aria-invalid=true]")
    page.wait_for_selector("#in-logits:focus")
    assert page.locator("#part-logits .tries").inner_text() == "2 of 3 tries left"
    if page.locator("#und-logits button.fix").count():
        tab_to(page, "#und-logits button.fix", most=3)
        page.keyboard.press("Enter")
        page.wait_for_selector("#in-logits:focus")
        assert page.locator("#in-logits").input_value().endswith(")")
    else:
        page.keyboard.press("End")
        page.keyboard.type(")")
    page.keyboard.press("Enter")
    page.wait_for_selector("#part-logits.right")
    page.wait_for_selector("#part-logits h3.tag.good:focus")
    assert "torch.Size([8, 20, 1000])" in page.locator("#part-logits").inner_text()
    page.keyboard.press("b")  # to part b
    page.wait_for_selector("#in-sel:focus")
    page.keyboard.type("(12, 1000)")
    page.keyboard.press("Enter")
    page.wait_for_selector("#part-sel.right")
    page.keyboard.press("c")
    page.keyboard.type("12")
    page.keyboard.press("Enter")
    page.wait_for_selector("#part-hits.right")
    assert page.locator("#steps a.done").count() == 1
    page.keyboard.press("n")
    page.wait_for_url("**/quiz/1/2")
    assert page.said == ["Failed to load resource: the server responded with a status of 422 (UNPROCESSABLE ENTITY)"]


def test_every_stop_of_the_tab_key_can_be_seen(browser, school):
    prepare(school, [("logits", "(8, 20, 48)"), ("sel", "(12; 1000"), ("hits", "12")])
    page = visit(browser, school, "ada")
    page.goto(school.url + "/quiz/1/1")
    for _ in range(30):
        page.keyboard.press("Tab")
        seen = page.evaluate(
            """() => {
              const at = document.activeElement;
              if (at === document.body) return true;
              const style = getComputedStyle(at), box = at.getBoundingClientRect();
              const outlined = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2;
              return outlined && box.width > 0 && box.left >= 0;
            }"""
        )
        assert seen, focused(page)


def test_a_whole_question_without_javascript(browser, school):
    page = visit(browser, school, java_script_enabled=False)
    page.goto(school.url + "/")
    page.fill("#email", "ada@example.org")
    page.fill("#password", kit.PASSWORD)
    page.click("main button")
    page.click("main a.btn")
    page.click("main a.btn >> nth=0")
    page.fill("#in-logits", "8 20 48")
    page.click("#answer-logits >> text=How is this read?")
    assert "Understood as a shape with 3 axes" in page.locator("#und-logits").inner_text()
    assert page.locator("#in-logits").input_value() == "8 20 48"
    page.press("#in-logits", "Enter")
    assert "Not right yet" in page.locator("#part-logits").inner_text()
    page.fill("#in-sel", "(12; 1000")
    page.click("#answer-sel button.primary")
    assert "Can’t read this yet" in page.locator("#part-sel").inner_text()
    if page.locator("#part-sel button.fix").count():
        page.click("#part-sel button.fix")
        assert "Understood as" in page.locator("#und-sel").inner_text()
    else:
        page.fill("#in-sel", "(12, 1000)")
    page.click("#answer-sel button.primary")
    assert "opens when part c is done, too" in page.locator("#part-sel").inner_text()
    page.reload()
    page.fill("#in-logits", "8 20 1000")
    page.click("#answer-logits button.primary")
    page.fill("#in-hits", "12")
    page.click("#answer-hits button.primary")
    assert "torch.Size([12, 1000])" in page.locator("#part-sel").inner_text()
    assert page.locator("#steps a.done").count() == 1
    page.click("a[rel=next]")
    assert page.url.endswith("/quiz/1/2")
    page.click("text=Dark")
    assert page.locator("html").get_attribute("data-theme") == "dark"
    page.click("text=Sign out")
    assert page.url.endswith("/sign-in")


def test_a_preview_comes_within_250_ms_of_the_pause_and_is_spoken_later(browser, school):
    page = visit(browser, school, "ada")
    page.goto(school.url + "/quiz/1/1")
    page.evaluate(
        """() => {
          const box = document.getElementById('in-logits'), und = document.getElementById('und-logits');
          box.addEventListener('input', () => { window.typed = performance.now(); });
          const look = () => { if (und.textContent.includes('Understood')) window.shown ??= performance.now(); };
          new MutationObserver(look).observe(und, { childList: true, subtree: true });
        }"""
    )
    times = []
    for text in ("8 20 48", "8 20 49", "8 20 50"):
        page.evaluate("() => { window.shown = undefined; }")
        page.fill("#in-logits", text)
        until(page, "window.shown !== undefined")
        times.append(page.evaluate("window.shown - window.typed"))
    assert min(times) <= 250, times
    assert page.locator("#say-logits").inner_text() == ""
    until(page, "document.getElementById('say-logits').textContent.includes('8 by 20 by 50')")
    assert page.said == []


def test_an_answer_survives_a_server_that_is_away_and_counts_once(browser, school):
    page = visit(browser, school, "ada")
    page.goto(school.url + "/quiz/1/1")
    page.fill("#in-logits", "(8, 20, 48)")
    page.wait_for_selector("#und-logits .shapes")
    page.context.set_offline(True)
    page.click("#answer-logits button.primary")
    page.wait_for_selector("#und-logits >> text=Not sent")
    assert page.locator("#in-logits").input_value() == "(8, 20, 48)"
    page.context.set_offline(False)
    page.click("#answer-logits button.primary")
    page.wait_for_selector("#part-logits .fb.miss")
    assert page.locator("#part-logits .tries").inner_text() == "2 of 3 tries left"


def test_what_a_second_tab_is_told_is_not_taken_for_a_preview(browser, school):
    """Typed and sent within the pause of the preview, at a part that another tab has closed."""
    first = visit(browser, school, "ada")
    first.goto(f"{school.url}/quiz/1/1")
    second = first.context.new_page()
    second.goto(f"{school.url}/quiz/1/1")
    first.fill("#in-logits", "(8, 20, 1000)")
    first.click("#answer-logits button.primary")
    first.wait_for_selector("#part-logits.right")
    second.fill("#in-logits", "(8, 20, 48)")
    second.click("#answer-logits button.primary")
    second.wait_for_timeout(1200)
    assert "Understood" not in second.locator("#und-logits").inner_text()
    assert "takes no more answers" in second.locator("#und-logits").inner_text()


def test_a_double_click_counts_once(browser, school):
    page = visit(browser, school, "ada")
    page.goto(school.url + "/quiz/1/1")
    page.fill("#in-logits", "(8, 20, 48)")
    page.dblclick("#answer-logits button.primary")
    page.wait_for_selector("#part-logits .fb.miss")
    time.sleep(0.3)
    page.reload()
    assert page.locator("#part-logits .tries").inner_text() == "2 of 3 tries left"
    assert page.locator("#log li").count() == 1


def test_the_text_of_other_boxes_stays_while_one_is_checked(browser, school):
    page = visit(browser, school, "ada")
    page.goto(school.url + "/quiz/1/1")
    page.fill("#in-sel", "half an answ")
    page.fill("#in-hits", "12")
    page.click("#answer-hits button.primary")
    page.wait_for_selector("#part-hits.right")
    assert page.locator("#in-sel").input_value() == "half an answ"
    assert page.locator("#log li").count() == 1
    assert "Saved 15:57" in page.locator("#saved").inner_text()


ATTACKS = [
    "<script>document.title='x'</script>",
    "<img src=x onerror=\"document.title='x'\">",
    "\"><svg onload=document.title='x'>",
    "{{ 7*7 }}",
    "javascript:document.title='x'",
    "' autofocus onfocus=document.title='x' '",
    "</pre></template><script>document.title='x'</script>",
]


def test_no_answer_of_a_student_runs_in_anybodys_browser(browser, school):
    ada = school.browser("ada")
    for text in ATTACKS:
        ada.answer("logits", text)
    for who, path in (
        ("ada", "/quiz/1/1?said=logits"),
        ("ada", "/record"),
        ("ivy", "/course/1/attempts"),
    ):
        page = visit(browser, school, who)
        page.goto(school.url + path)
        page.wait_for_timeout(100)
        assert page.title() != "x"
        assert page.locator("main script, main img").count() == 0
        assert page.said == []  # the policy had nothing to refuse
        page.context.close()


def test_a_shape_is_read_out_as_sizes_and_axes(browser, school):
    prepare(school, [("logits", "(8, 20, 1000)"), ("sel", "(3, 4)")])
    page = visit(browser, school, "ada")
    page.goto(school.url + "/quiz/1/1")
    tree = page.locator("main").aria_snapshot()
    assert "8 (B) by 20 (T) by 1000 (V)" in tree
    assert "3 by 4" in tree
    assert re.search(r'heading "a Give the shape of the prediction scores\."', tree)
    assert "Right: 1 of 1 point" in tree


def test_the_web_process_serves_a_page_quickly(browser, school):
    ada = school.browser("ada")
    for n in range(3):
        ada.answer("logits", f"no {n}")
    started = time.perf_counter()
    for _ in range(20):
        ada.get("/quiz/1/1")
    assert (time.perf_counter() - started) / 20 < 0.1
