"""Reviews: the fake and PostgreSQL by the same rules, and two people in a real Chromium from queue to export."""

import asyncio
import socket
import threading
import time
from contextlib import asynccontextmanager
from dataclasses import replace

import grpc
import pytest
import uvicorn
from playwright.async_api import async_playwright, expect

from annotator.adapters.exporters import EXPORTERS
from annotator.adapters.labels import SqlLabels
from annotator.adapters.releases import SqlPool, SqlReleases
from annotator.adapters.reviews import SqlReviews
from annotator.app import MIGRATIONS
from annotator.domain.review import Review
from annotator.ports import StepSummary
from annotator.rpc import AnnotatorServicer
from annotator.usecases.exhibits import Exhibits
from annotator.usecases.releases import ReleaseDesk
from annotator.usecases.reviewing import ReviewDesk
from touchstone.annotator.v1 import annotator_pb2 as pb
from touchstone.annotator.v1 import annotator_pb2_grpc as rpc
from touchstone_local import chromium
from touchstone_local.settings import folders
from touchstone_runtime.blobs import BlobStore
from touchstone_runtime.database import Database
from touchstone_runtime.exported import BlobParts
from touchstone_runtime.tokens import TokenFile
from touchstone_web.app import create_app
from touchstone_web.services import Services
from touchstone_web.settings import WebSettings

pytestmark = pytest.mark.real


@pytest.fixture
def fakes(load_module):
    return load_module("services/annotator/tests/conftest.py")


@pytest.fixture
async def database(postgres):
    made = Database(postgres, "annotator_review", MIGRATIONS)
    await made.migrate()
    yield made
    async with made.engine.begin() as connection:
        await connection.exec_driver_sql("DROP SCHEMA annotator_review CASCADE")
    await made.close()


@pytest.fixture(params=["memory", "sql"])
def stores(request, fakes):
    """Labels and reviews."""
    if request.param == "memory":
        labels = fakes.MemoryLabels()
        return labels, fakes.MemoryReviews(labels)
    session = request.getfixturevalue("database").session
    return SqlLabels(session), SqlReviews(session)


async def test_the_queue_goes_by_disagreement_and_doubt(stores, fakes):
    labels, reviews = stores
    given = {
        "plain": {"label": 1},
        "sure": {"label": 1, "score": 0.95},
        "unsure": {"label": 1, "score": 0.55},
        "undecided": {"label": None},
        "disputed": {"label": 0, "audit": 1},
        "people's": {"label": 0, "audit": 1, "decided_by": "person"},
        "elsewhere": {"label": None, "on_demand": True},
    }
    pairs = {name: fakes.judged("q", f"code {name}", **more) for name, more in given.items()}
    for label in pairs.values():
        await labels.add(label)
    seen = []
    while found := await reviews.next_pair("ada"):
        seen.append(next(name for name, label in pairs.items() if label.pair == found.pair))
        await reviews.add(Review(found.pair.pair_id, "ada", "yes"))
    assert seen == ["disputed", "undecided", "unsure", "sure", "plain"]
    # What another reviewer has begun comes first, whatever it is.
    last = pairs["plain"].pair.pair_id
    fresh = fakes.judged("q", "code new", 0, audit=1)
    await labels.add(fresh)
    begun = {(await reviews.next_pair("ben")).pair.pair_id}
    assert begun <= {label.pair.pair_id for name, label in pairs.items() if name in seen}
    await reviews.add(Review(last, "ben", "yes"))
    third = await reviews.next_pair("cleo")
    assert third.pair.pair_id != last, "two opinions are enough"


async def test_opinions_stand_and_a_third_comes_too_late(stores, fakes):
    labels, reviews = stores
    pair_id = (await labels.add(fakes.judged("q", "code", 1))).pair.pair_id
    first = Review(pair_id, "ben", "yes", "note")
    assert await reviews.add(first) == [first]
    assert await reviews.add(replace(first, opinion="no")) == [first]
    found = await asyncio.gather(*(reviews.add(Review(pair_id, f"r{number}", "no")) for number in range(4)))
    assert all(len(each) <= 2 for each in found) and len(await reviews.of_pair(pair_id)) == 2
    assert await reviews.unsettled() == []
    assert await reviews.next_dispute("ben") == "" and await reviews.next_dispute("cleo") == pair_id
    decision = Review(pair_id, "cleo", "yes")
    assert await reviews.adjudicate(decision) == decision
    assert await reviews.adjudicate(Review(pair_id, "dan", "no")) == decision == await reviews.decision(pair_id)
    assert await reviews.next_dispute("dan") == "" and await reviews.unsettled() == [pair_id]
    both, compared, decided = await reviews.figures()
    assert ([(*sorted(pair), times) for pair, times in both.items()], compared, decided) == ([("no", "yes", 1)], {}, 0)
    await labels.add(fakes.judged("q", "code", 0, method="person-review", decided_by="person"))
    assert await reviews.unsettled() == [] and (await reviews.figures())[1:] == ({(0, 1): 1}, 1)


async def test_people_outrank_methods_and_reviewers_outrank_what_is_brought(stores, fakes):
    labels, _ = stores
    code = "def f(x): return x"

    async def current(label, method, by="person"):
        added = await labels.add(fakes.judged("q", code, label, method=method, decided_by=by))
        return (await labels.of_pair(added.pair.pair_id))[0].method_id

    assert await current(1, "full-1", "screener") == "full-1"
    assert await current(0, "person-one") == await current(1, "full-2", "screener") == "person-one"
    assert await current(1, "person-two") == "person-two"
    assert await current(0, "person-review") == await current(1, "person-three") == "person-review"
    assert await current(1, "full-3", "screener") == "person-review"


async def test_what_is_stored_waits_to_be_announced(stores, fakes):
    labels, _ = stores
    code = "def f(x): return x"
    given = [
        fakes.judged("q", code, 1),
        fakes.judged("q", code, 0, method="person-review", decided_by="person"),
        fakes.judged("another", code, 1),
        fakes.judged("asked for", code, 1, on_demand=True),
    ]
    for label in given:
        await labels.add(label)
        await labels.add(label)
    first, other = given[0].pair.pair_id, given[2].pair.pair_id
    assert await labels.unannounced(9) == sorted((first, other)) and len(await labels.unannounced(1)) == 1
    assert await labels.unannounced_methods(first) == ["full-1", "person-review"]
    await labels.announced(first, ["full-1"])
    assert await labels.unannounced_methods(first) == ["person-review"]
    await labels.announced(other, [])
    await labels.announced(first, ["person-review"])
    assert await labels.unannounced(9) == [other]
    await labels.add(given[0])
    assert await labels.unannounced(9) == [other], "what is known already waits for nothing"


class Silent:
    async def announce(self, label):
        """Nobody listens in this test."""


async def no_lag():
    return 0


@pytest.fixture
async def annotator(database, fakes, tmp_path):
    """The annotator on PostgreSQL, served, with two pairs to review."""
    blobs, labels = BlobStore(f"file://{tmp_path}/blobs"), SqlLabels(database.session)
    step = StepSummary("execution", "2 of 3 passed", "case 3: expected 4, got 5", "", 0, 0, 0.1, 0.0)
    await labels.add(fakes.judged("reverse a string", "def f(x):\n    return x[::-1]", None, steps=(step,)))
    await labels.add(fakes.judged("sum a list", "def f(x):\n    return max(x)", 1, audit=0))
    releases = ReleaseDesk(SqlPool(database.session), SqlReleases(database.session), blobs, BlobParts(blobs), EXPORTERS)
    exhibits = Exhibits(BlobParts(blobs))
    desk = ReviewDesk(SqlReviews(database.session), labels, blobs, Silent(), exhibits)
    servicer = AnnotatorServicer(None, None, releases, None, None, None, desk, labels.training, no_lag, list)
    server = grpc.aio.server()
    rpc.add_AnnotatorServiceServicer_to_server(servicer, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    yield f"127.0.0.1:{port}"
    await server.stop(None)


@asynccontextmanager
async def site(address, tokens):
    """The web application, served by a thread with a loop of its own."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))

        async def run():
            services = Services({"annotator": grpc.aio.insecure_channel(address)}, timeout_s=60.0)
            app = create_app(services, WebSettings(tokens_file=tokens.path))
            server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="off"))
            started.append(server)
            await server.serve(sockets=[listener])

        started = []
        thread = threading.Thread(target=lambda: asyncio.run(run()), daemon=True)
        thread.start()
        while not (started and started[0].started):
            await asyncio.to_thread(time.sleep, 0.01)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        started[0].should_exit = True
        await asyncio.to_thread(thread.join, 20)


async def signed_in(browser, address, text):
    """A reviewer's page, signed in by keyboard; whatever the page's own scripts do wrong fails the test."""
    page = await (await browser.new_context(base_url=address)).new_page()
    page.set_default_timeout(60_000)
    page.on("pageerror", lambda error: problems.append(str(error)))
    problems = page.problems = []
    await page.goto("/review")
    await page.get_by_label("Token").focus()
    await page.keyboard.type(text)
    await page.keyboard.press("Enter")
    await expect(page.locator("#agreement")).to_be_visible()
    return page


async def press(page, key, note=""):
    """Give an opinion by keyboard, with a note; waits for the page that follows."""
    if note:
        await page.keyboard.press("m")
        await page.keyboard.type(note)
        await page.keyboard.press("Escape")
    # No opinion is taken in the moment in which a pair comes.
    await page.locator("#opinion[data-ready]").wait_for()
    async with page.expect_navigation():
        await page.keyboard.press(key)


@pytest.mark.timeout(300)
async def test_two_people_review_by_keyboard_and_their_labels_are_released(annotator, tmp_path):
    expect.set_options(timeout=60_000)
    tokens = TokenFile(tmp_path / "tokens.json")
    texts = {name: tokens.create(name, "judge")[1] for name in ("ada", "ben", "cleo")}
    # Fetched by `make tools` before the tests; here only where a single file is run alone.
    found = await asyncio.to_thread(chromium.ensure, folders().cache)
    async with async_playwright() as playwright, site(annotator, tokens) as address:
        browser = await playwright.chromium.launch(
            executable_path=str(found.program), env=dict(found.variables), args=["--no-sandbox", "--headless=shell"]
        )
        ada, ben, cleo = [await signed_in(browser, address, text) for text in texts.values()]
        # Disagreement comes before doubt; nobody sees what a method said.
        await expect(ada.locator("#query")).to_have_text("sum a list")
        for words in ("screener", "undecided", "score", "it says so"):
            assert words not in await ada.locator("main").inner_text()
        await press(ada, "n", "yes, it is the greatest: y n u")
        await expect(ada.locator("#query")).to_have_text("reverse a string")
        await expect(ada.get_by_text("case 3: expected 4, got 5")).to_be_visible()
        await press(ada, "y")
        await expect(ada.locator("#nothing")).to_have_text("Nothing waits for you.")
        # The other one is asked about the same pairs and learns nothing of what was said.
        await ben.reload()
        for _ in range(2):
            query = await ben.locator("#query").inner_text()
            assert "greatest" not in await ben.content()
            await press(ben, "n")
            assert query in ("sum a list", "reverse a string")
        await expect(ben.locator("#nothing")).to_be_visible()
        await expect(ben.locator("#agreement")).to_contain_text("over 2 pairs with two opinions")
        # Of the two, one is in dispute; a third person decides.
        await ben.goto("/review/disputes")
        await expect(ben.locator("#nothing")).to_have_text("No two others differ.")
        await cleo.goto("/review/disputes")
        await expect(cleo.locator("#query")).to_have_text("reverse a string")
        await press(cleo, "y", "it does")
        await expect(cleo.locator("#agreement")).to_contain_text("2 pairs")
        await browser.close()
        assert not [problem for page in (ada, ben, cleo) for problem in page.problems]
    async with grpc.aio.insecure_channel(annotator) as channel:
        stub = rpc.AnnotatorServiceStub(channel)
        await stub.CreateRelease(pb.CreateReleaseRequest(name="reviewed", decided_by=["person"]))
        files = {}
        async for piece in stub.ExportRelease(pb.ExportReleaseRequest(name="reviewed")):
            files[piece.path] = files.get(piece.path, b"") + piece.data
    graded = files["qrels/graded.tsv"].decode().splitlines()
    assert sorted(line.rpartition("\t")[2] for line in graded[1:]) == ["0", "2"]
