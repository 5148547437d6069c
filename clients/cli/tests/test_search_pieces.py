"""An augmented search on a terminal, redrawn as its pieces come."""

import os
import pty
import re
import subprocess
import sys
import threading

import pytest


def piece(world, step, *found, last="", mode="augmented"):
    pb = world.pb.retriever
    results = [
        pb.SearchResult(
            location=world.pb.code.CodeLocation(
                path=f"{name}.py", line_start=7, qualname=name, repository="kit", version="1"
            ),
            score=0.5,
            streams=["query", "code"],
        )
        for name in found
    ]
    answer = pb.SearchResponse(results=results, mode=mode, augmented_query=last, indexed=9)
    looked_up = [pb.LookUp(text="a \x1b[2Jlist")] if step == "look_up" else []
    going_on = f"\x1b[2Jbehind {step}" if step != "answer" else ""
    return pb.StreamSearchResponse(step=step, answer=answer, look_ups=looked_up, going_on=going_on)


@pytest.fixture
def on_a_terminal(monkeypatch):
    """Runs the command with its output on a terminal of its own; gives what was written there, and the code."""

    def run(*arguments):
        monkeypatch.setenv("TERM", "xterm-256color")
        ours, theirs = pty.openpty()
        command = [sys.executable, "-m", "touchstone_cli.main", *arguments]
        written = bytearray()

        def read():
            while True:
                try:
                    more = os.read(ours, 65536)
                except OSError:
                    return
                if not more:
                    return
                written.extend(more)

        reading = threading.Thread(target=read)
        with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs) as process:
            os.close(theirs)
            reading.start()
            code = process.wait(100)
        reading.join(100)
        os.close(ours)
        return written.decode(), code

    return run


def test_results_so_far_are_redrawn_and_make_room_for_the_answer(on_a_terminal, world):
    def pieces(request):
        assert (request.search.query, request.search.mode) == ("shorten", "augmented")
        yield piece(world, "plain", "early", mode="plain")
        yield piece(world, "look_up", "early", mode="plain")
        yield piece(world, "enrich", "early", last="shorten\nwith dots", mode="plain")
        yield piece(world, "compare", "early", "late")
        yield piece(world, "answer", "late", "early")

    world.answers["StreamSearch"] = pieces
    written, code = on_a_terminal("search", "shorten", "--mode", "augmented")
    assert code == 0 and not world.asked("Search")
    for words in (
        "\ufffd[2Jbehind plain",
        'looked up "a \ufffd[2Jlist"',
        "as the model put it: shorten with dots",
    ):
        assert words in written
    # The answer stands alone behind the last line that was wiped.
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", written[written.rindex("\x1b[2K") :])
    assert [line.split()[0] for line in plain.splitlines() if ".py" in line] == ["late.py:7", "early.py:7"]
    assert "behind compare" not in plain


@pytest.mark.parametrize("found", [("early", "late"), ()])
def test_a_fault_in_the_middle_is_told_in_a_line_under_what_stood_already(on_a_terminal, world, found):
    def pieces(_request):
        yield piece(world, "plain", *found, mode="plain")

    world.answers["StreamSearch"] = pieces
    written, code = on_a_terminal("search", "shorten", "--mode", "augmented")
    assert code == 1 and "ended its answer before it was whole" in written and "Traceback" not in written
    # The last that was wiped stands above it: what follows stays on the screen.
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", written[written.rindex("\x1b[2K") :])
    stays = [line.strip() for line in plain.splitlines() if line.strip()]
    assert [line.split()[0] for line in stays if ".py" in line] == [f"{name}.py:7" for name in found]
    assert "before it was whole" in stays[-1] and ("2 results so far" in plain) == bool(found)


@pytest.mark.parametrize("options", [("--json",), ()])
def test_elsewhere_the_whole_is_waited_for(touchstone, world, options):
    world.answers["Search"] = piece(world, "answer", "late").answer
    done = touchstone("search", "shorten", "--mode", "augmented", *options)
    assert done.code == 0 and "late" in done.out and not world.asked("StreamSearch")
