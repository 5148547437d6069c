"""The pages in a real Chromium: paths that a visitor takes, axe without serious findings, pictures at three widths."""

from __future__ import annotations

import contextlib
import re
import socket
import threading
import time

import grpc
import pytest
import uvicorn
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

from touchstone.annotator.v1 import annotator_pb2
from touchstone.evaluator.v1 import evaluator_pb2 as pb
from touchstone_local import chromium
from touchstone_local.settings import folders
from touchstone_runtime.tokens import TokenFile
from touchstone_web.app import create_app
from touchstone_web.settings import WebSettings

pytestmark = pytest.mark.real
# A busy machine draws a page late; whoever waits in vain is ended by the limit of the whole test.
WAIT_MS = 300_000
expect.set_options(timeout=WAIT_MS)
WIDTHS = {"narrow": 390, "middle": 900, "wide": 1600}
# Tables of which a part is out of sight until they are pushed sideways.
CUT = """[...document.querySelectorAll("table")]
    .filter((table) => table.parentElement.scrollWidth > table.parentElement.clientWidth + 1)
    .map((table) => table.parentElement.getAttribute("aria-label"))"""
# Where pictures are kept for people to look at; tests need none of them.
PICTURES = folders().state / "pictures"


@pytest.fixture(scope="module")
def browser():
    # Fetched by `make tools` before the tests; here only where a single file is run alone.
    found = chromium.ensure(folders().cache)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=str(found.program), env=dict(found.variables), args=["--no-sandbox", "--headless=shell"]
        )
        yield started
        started.close()


@contextlib.contextmanager
def served(services, **settings):
    """The application, served on a port of this machine."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        app = create_app(services, WebSettings(web_live_poll_s=0.05, **settings))
        server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="off"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        server.should_exit = True
        thread.join(120)


@pytest.fixture
def site(known_services):
    with served(known_services) as address:
        yield address


@contextlib.contextmanager
def opened(browser, site, *, width=1440, scheme="light"):
    """A page whose own errors, and whatever the security policy refuses, fail the test."""
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, base_url=site)
    context.set_default_timeout(WAIT_MS)
    page = context.new_page()
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    yield page
    context.close()
    assert not [problem for problem in problems if "404" not in problem]


def test_no_page_has_a_serious_finding_and_none_is_wider_than_its_window(browser, site, addresses):
    found = []
    for scheme in ("light", "dark"):
        for name, width in WIDTHS.items():
            with opened(browser, site, width=width, scheme=scheme) as page:
                for address in addresses:
                    page.goto(address)
                    # Colours are those of the scheme; what can be pushed sideways is another thing on a phone.
                    if name == "wide" or (name == "narrow" and scheme == "light"):
                        violations = Axe().run(page).response["violations"]
                        found += [
                            f"{scheme} {address}: {each['id']}: {each['nodes'][0]['html'][:120]}"
                            for each in violations
                            if each["impact"] in ("serious", "critical")
                        ]
                    if page.evaluate("document.documentElement.scrollWidth > window.innerWidth"):
                        found.append(f"{name} {address}: wider than its window")
                    found += [f"{name} {address}: {table} is cut" for table in page.evaluate(CUT)]
                    if scheme == "light" or address in ("/", "/status"):
                        target = (
                            PICTURES
                            / scheme
                            / f"{address.strip('/').partition('?')[0].replace('/', '_') or 'board'}-{name}.png"
                        )
                        target.parent.mkdir(parents=True, exist_ok=True)
                        page.screenshot(path=str(target), full_page=True)
    assert not found


def test_a_set_of_tasks_with_a_long_name_makes_no_page_wider_than_its_window(browser, site, known_services):
    known = known_services.answers["evaluator.GetBoard"]

    def long(request):
        answer = known(request)
        for scope in (answer.scope, *answer.scopes):
            scope.name = "24 of release 2026-11, sample 0 (set 400fea), and of another one beside it"
        return answer

    known_services.answers["evaluator.GetBoard"] = long
    with opened(browser, site, width=WIDTHS["narrow"]) as page:
        page.goto("/")
        assert not page.evaluate("document.documentElement.scrollWidth > window.innerWidth")


def test_axe_sees_what_is_wrong(browser, site):
    context = browser.new_context()
    page = context.new_page()
    page.set_content("<html><title>x</title><p style='color:#ddd;background:#fff'>pale</p><img src='data:,'></html>")
    impacts = {each["id"]: each["impact"] for each in Axe().run(page).response["violations"]}
    context.close()
    assert {"color-contrast", "image-alt", "html-has-lang"} <= set(impacts)


def test_a_visitor_filters_sorts_and_keeps_the_address(browser, site):
    with opened(browser, site) as page:
        page.goto("/")
        page.get_by_label("Sorted by").select_option("model")
        page.wait_for_url("**sort=model**")
        page.get_by_role("combobox", name="Strategy").select_option("cocost")
        page.wait_for_url("**strategy=cocost**")
        expect(page.locator("#rows table").first.locator("tbody tr")).to_have_count(1)
        # The address alone gives the same view.
        page.goto(page.url)
        expect(page.locator("#rows table").first.locator("tbody tr")).to_have_count(1)
        expect(page.get_by_role("combobox", name="Strategy")).to_have_value("cocost")


def test_a_visitor_chooses_columns_and_keeps_them_in_the_address(browser, site):
    with opened(browser, site) as page:
        page.goto("/")
        page.get_by_text("Columns", exact=True).click()
        page.get_by_role("checkbox", name="Sandbox CPU seconds").check()
        page.wait_for_url("**columns=cpu**")
        page.get_by_role("checkbox", name="USD").uncheck()
        page.wait_for_url(lambda address: "columns=cost" not in address)
        heads = page.locator("#rows table").first.locator("thead th")
        expect(heads.filter(has_text="Sandbox CPU seconds")).to_have_count(1)
        expect(heads.filter(has_text="USD")).to_have_count(0)
        page.goto(page.url)
        expect(heads.filter(has_text="Sandbox CPU seconds")).to_have_count(1)
        expect(page.get_by_role("link", name="What is seen as CSV")).to_have_attribute(
            "href", re.compile("columns=cpu")
        )


def test_a_visitor_goes_from_the_board_to_one_answer_by_keyboard(browser, site):
    with opened(browser, site) as page:
        page.goto("/")
        page.keyboard.press("Tab")
        expect(page.get_by_text("To the content")).to_be_focused()
        page.keyboard.press("Enter")
        page.locator("#rows a[href^='/runs/']").first.focus()
        page.keyboard.press("Enter")
        page.wait_for_url("**/runs/**")
        expect(page.locator("#live")).to_contain_text("3 of 3 answers judged")
        page.locator("tbody a[href*='/tasks/']").filter(has_text="f1").first.focus()
        page.keyboard.press("Enter")
        page.wait_for_url("**/tasks/**")
        expect(page.get_by_role("heading", name="The verdict")).to_be_visible()
        # What a candidate said is text: two spaces stay two, and no script of it ran.
        assert "expected  2   spaces, got <script>" in page.locator("pre.value").first.inner_text()


def test_a_row_leads_where_its_name_leads(browser, site):
    for width in WIDTHS.values():
        with opened(browser, site, width=width) as page:
            page.goto("/tasks")
            # Whatever lies on top at that place is what a visitor hits.
            page.locator("#found tbody tr").first.get_by_text("Easy").click(force=True)
            page.wait_for_url(f"**/tasks/{'0' * 32}")
            page.goto(f"/runs/{'0' * 32}")
            # What links elsewhere in a row goes there.
            page.locator("td[data-label=Task] a").first.click()
            page.wait_for_url("**/tasks/**")


def test_a_run_that_goes_on_is_followed_without_reloading(browser, site, known_services):
    finished = known_services.answers["evaluator.GetRun"]
    state = {"done": 1}

    def running(request):
        answer = finished(request)
        answer.finished = answer.summary.judged = state["done"]
        return answer

    known_services.answers["evaluator.GetRun"] = running
    with opened(browser, site) as page:
        page.goto(f"/runs/{'0' * 32}")
        expect(page.locator("#live")).to_contain_text("1 of 3 answers judged")
        state["done"] = 2
        expect(page.locator("#live")).to_contain_text("2 of 3 answers judged")
        state["done"] = 3
        expect(page.locator("#live")).to_contain_text("3 of 3 answers judged")


def test_a_run_is_followed_again_after_a_restart(browser, site, known_services, fault_of):
    finished = known_services.answers["evaluator.GetRun"]
    state = {"done": 1, "away": False}

    def restarting(request):
        if state["away"]:
            return fault_of(grpc.StatusCode.UNAVAILABLE, "restarting")
        answer = finished(request)
        answer.finished = answer.summary.judged = state["done"]
        return answer

    known_services.answers["evaluator.GetRun"] = restarting
    with opened(browser, site) as page:
        # Whatever stands before the pages answers with no stream while they restart.
        page.route("**/events", lambda route: route.fulfill(status=404), times=1)
        page.goto(f"/runs/{'0' * 32}")
        expect(page.locator("#away")).to_be_visible()
        state["done"] = 2
        expect(page.locator("#live")).to_contain_text("2 of 3 answers judged")
        expect(page.locator("#away")).to_be_hidden()
        state["away"] = True
        expect(page.locator("#away")).to_be_visible()
        state["done"], state["away"] = 3, False
        expect(page.locator("#live")).to_contain_text("3 of 3 answers judged")


def test_every_page_works_without_scripts(browser, site, addresses):
    context = browser.new_context(java_script_enabled=False, base_url=site)
    context.set_default_timeout(WAIT_MS)
    page = context.new_page()
    for address in addresses:
        page.goto(address)
        assert page.locator("h1").count() == 1
    page.goto("/tasks")
    page.get_by_label("Words").fill("normalise")
    page.get_by_role("button", name="Show").click()
    assert "q=normalise" in page.url
    context.close()


def test_a_visitor_searches_by_typing_and_by_keys_alone(browser, site, known_services):
    with opened(browser, site) as page:
        page.goto("/search")
        expect(page.get_by_label("What the code shall do")).to_be_focused()
        page.keyboard.type("shorten text")
        expect(page.locator("a.result")).to_have_count(3)
        page.wait_for_url("**/search?q=shorten+text")
        page.get_by_label("Language").select_option("python")
        page.wait_for_url("**/search?q=shorten+text&language=python")
        page.locator("#q").focus()
        page.keyboard.press("ArrowDown")
        expect(page.locator("a.result").nth(0)).to_be_focused()
        page.keyboard.press("Escape")
        expect(page.locator("#q")).to_be_focused()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowUp")
        page.keyboard.press("ArrowUp")
        expect(page.locator("#q")).to_be_focused()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("/")
        expect(page.locator("#q")).to_be_focused()
        # In the question a slash is a letter.
        page.keyboard.press("End")
        page.keyboard.type("/")
        expect(page.locator("#q")).to_have_value("shorten text/")
        # Who is quicker than the answer stays where they went.
        page.keyboard.press("ArrowDown")
        page.wait_for_url("**/search?q=shorten+text%2F&language=python")
        expect(page.locator("a.result").nth(0)).to_be_focused()
        page.keyboard.press("Enter")
        page.wait_for_url("**/search/shorten-1.2")
        expect(page.locator("#L7")).to_contain_text("def shorten")
        # Back is the same question with the same answer.
        page.go_back()
        expect(page.locator("a.result")).to_have_count(3)
        expect(page.get_by_label("Language")).to_have_value("python")
        last = [request for name, request in known_services.asked if name == "retriever.Search"][-1]
        assert (last.query, list(last.filters.languages)) == ("shorten text/", ["python"])


def test_while_somebody_types_a_wrong_pattern_the_page_says_so_and_stays(browser, site):
    with opened(browser, site) as page:
        page.goto("/search?q=x")
        page.get_by_text("Exactly").click()
        page.get_by_label("Pattern").fill("(")
        expect(page.get_by_role("status")).to_contain_text("no regular expression")
        page.get_by_label("Pattern").fill("(a)")
        expect(page.locator("a.result")).to_have_count(3)
        expect(page.get_by_label("Pattern")).to_be_focused()


def test_pieces_of_an_answer_take_one_anothers_place(browser, site, known_services):
    going_on = threading.Event()
    whole = known_services.answers["retriever.StreamSearch"]

    def held(request):
        pieces = whole(request)
        return [*pieces[:-1], going_on.is_set, pieces[-1]]

    known_services.answers["retriever.StreamSearch"] = held
    with opened(browser, site) as page:
        page.goto("/search?q=shorten")
        page.get_by_role("link", name="Let a model read the question first").click()
        page.wait_for_url("**/search?q=shorten&mode=augmented")
        expect(page.get_by_role("status")).to_contain_text("The model writes such code … 3 results so far")
        page.locator("#looked-up summary").click()
        page.locator("#q").focus()
        page.keyboard.press("ArrowDown")
        going_on.set()
        expect(page.locator("a.result")).to_have_count(1)
        # Who was reading stays where they were, and what was opened stays open.
        expect(page.locator("a.result")).to_be_focused()
        expect(page.locator("#looked-up li")).to_be_visible()
        expect(page.locator("#found")).not_to_contain_text("so far")
        asked = [name for name, _request in known_services.asked]
        assert asked.count("retriever.StreamSearch") == 1


def test_whoever_types_or_leaves_waits_for_the_model_no_more(browser, site, known_services):
    def ended(count):
        while [name for name, _request in known_services.asked].count("retriever.StreamSearch ended") < count:
            time.sleep(0.05)

    with opened(browser, site) as page:
        page.goto("/search?q=slowly&mode=augmented")
        expect(page.get_by_role("status")).to_contain_text("The model writes such code")
        page.locator("#q").fill("shorten text")
        expect(page.locator("#found")).not_to_contain_text("so far")
        page.wait_for_url("**/search?q=shorten+text")
        ended(1)
        page.goto("/search?q=slowly&mode=augmented")
        expect(page.get_by_role("status")).to_contain_text("The model writes such code")
        page.goto("/search")
        ended(2)


def test_a_connection_that_breaks_off_is_told_and_asks_nobody_again(browser, site, known_services):
    known_services.answers["retriever.StreamSearch"] = lambda request: [RuntimeError("no more")]
    # The browser logs the end of the connection as an error, which is what this is about.
    context = browser.new_context(base_url=site)
    page = context.new_page()
    page.goto("/search?q=x&mode=augmented")
    expect(page.get_by_role("status")).to_contain_text("The connection broke off: load the page again")
    # A browser that asks again does so after some seconds.
    page.wait_for_timeout(5000)
    context.close()
    assert [name for name, _request in known_services.asked].count("retriever.StreamSearch") == 1


def test_a_line_of_a_function_has_an_address(browser, site):
    with opened(browser, site) as page:
        page.goto("/search/shorten-1.2#L9")
        expect(page.locator("#L9:target")).to_be_in_viewport()
        page.locator("#L10 a").click()
        page.wait_for_url("**/search/shorten-1.2#L10")


def test_filters_offer_what_the_set_of_tasks_has_that_was_chosen(browser, site, known_services):
    known = known_services.answers["evaluator.GetBoard"]
    sets = [
        pb.Scope(digest=digest * 64, kind="release", name=name, tasks=9, runs=2, languages=languages)
        for digest, name, languages in (("a", "first", ["python"]), ("b", "second", ["go", "rust"]))
    ]

    def of(request):
        found, mine = known(request), sets[request.scope.startswith("b")]
        del found.scopes[:]
        found.scopes.extend(sets)
        found.scope.CopyFrom(mine)
        found.language = request.language or mine.languages[0]
        if found.language not in mine.languages:
            del found.rows[:], found.pairs[:]
            found.tasks = 0
        return found

    known_services.answers["evaluator.GetBoard"] = of
    for width in WIDTHS.values():
        with opened(browser, site, width=width) as page:
            page.goto("/")
            offered = page.locator("select[name=language] option")
            expect(offered).to_have_text(["python"])
            page.get_by_text("Columns", exact=True).click()
            page.get_by_label("Set of tasks").focus()
            page.get_by_label("Set of tasks").select_option(label="second (9 tasks)")
            expect(offered).to_have_text(["go", "rust"])
            # What was opened stays open, whoever chose goes on where they were, and the address is of what is seen.
            expect(page.get_by_label("Memory gap")).to_be_visible()
            expect(page.get_by_label("Set of tasks")).to_be_focused()
            assert "language=" not in page.url and page.locator("#rows tbody tr").count() > 1
            assert not page.evaluate("document.documentElement.scrollWidth > window.innerWidth")
            page.screenshot(path=str(PICTURES / f"filters-{width}.png"), full_page=True)


@contextlib.contextmanager
def reviewing(browser, services, tmp_path, path="/review"):
    """The page of a signed-in reviewer with a new pair after each opinion, and the opinions that were kept."""
    kept = []

    def pair():
        number = len(kept) + 1
        return annotator_pb2.PairToReview(
            pair_id=f"pair{number}", query=f"query {number}", code="def f(): pass", language="python"
        )

    def keep(answer):
        return lambda request: kept.append((request.pair_id, request.opinion)) or answer

    services.answers |= {
        "annotator.GetNextReview": lambda _: annotator_pb2.GetNextReviewResponse(pair=pair()),
        "annotator.GetNextDispute": lambda _: annotator_pb2.GetNextDisputeResponse(pair=pair()),
        "annotator.AddReview": keep(annotator_pb2.AddReviewResponse()),
        "annotator.Adjudicate": keep(annotator_pb2.AdjudicateResponse()),
    }
    tokens = TokenFile(tmp_path / "tokens.json")
    _, text = tokens.create("ada", "judge")
    with served(services, tokens_file=tokens.path) as site, opened(browser, site) as page:
        page.goto("/review")
        page.get_by_label("Token").fill(text)
        page.get_by_role("button", name="Sign in").click()
        expect(page.locator("#opinion")).to_be_visible()
        page.goto(path)
        yield page, kept


@pytest.mark.parametrize(
    ("path", "key", "opinion"), [("/review", "y", "yes"), ("/review/disputes", "u", "cannot_tell")]
)
def test_a_key_that_is_held_decides_one_pair(browser, known_services, tmp_path, path, key, opinion):
    with reviewing(browser, known_services, tmp_path, path) as (page, kept):
        page.locator("#opinion[data-ready]").wait_for()
        page.keyboard.down(key)
        expect(page.locator("#query")).to_have_text("query 2")
        page.locator("#opinion[data-ready]").wait_for()
        # The keyboard repeats what is held.
        for _ in range(3):
            page.keyboard.down(key)
        page.keyboard.up(key)
        page.locator("#opinion[data-ready]").wait_for()
        page.keyboard.press("n")
        expect(page.locator("#query")).to_have_text("query 3")
        assert kept == [("pair1", opinion), ("pair2", "no")]


def test_nothing_is_decided_in_the_moment_in_which_a_pair_comes(browser, known_services, tmp_path):
    # A key that bounces, somebody who presses or clicks twice, a remote screen that repeats a key as presses.
    hasty = """() => {
        const press = () => document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "y", bubbles: true }));
        press();
        document.querySelector("#opinion button").click();
        let left = 30;
        const again = () => { press(); if (left--) setTimeout(again, 40); else document.body.dataset.quiet = "1"; };
        again();
    }"""
    with reviewing(browser, known_services, tmp_path) as (page, kept):
        page.add_init_script(
            f"""document.addEventListener("DOMContentLoaded", () => {{
                if (location.search) ({hasty})();
            }});"""
        )
        page.locator("#opinion[data-ready]").wait_for()
        page.keyboard.press("y")
        expect(page.locator("#query")).to_have_text("query 2")
        page.locator("body[data-quiet]").wait_for()
        page.locator("#opinion[data-ready]").wait_for()
        assert kept == [("pair1", "yes")]
        page.get_by_role("button", name="No (n)").click()
        expect(page.locator("#query")).to_have_text("query 3")
        assert kept == [("pair1", "yes"), ("pair2", "no")]
