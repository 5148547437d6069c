"""`touchstone annotate` against an annotator that answers as told."""

import json
from concurrent import futures

import grpc
import pytest
import typer
from typer.testing import CliRunner

from touchstone.annotator.v1 import annotator_pb2 as pb
from touchstone.annotator.v1 import annotator_pb2_grpc as rpc
from touchstone_cli.annotate import annotate
from touchstone_cli.errors import CliError


class Annotator(rpc.AnnotatorServiceServicer):
    def __init__(self):
        self.requests = []
        self.fault = None

    def Annotate(self, request, context):
        self.requests.append(request)
        if self.fault:
            context.abort(*self.fault)
        steps = [
            pb.Step(name="screener", outcome="match", detail="[bold]it does", model="m", tokens_in=9, elapsed_s=1.5)
        ]
        pair = pb.LabelledPair(
            pair_id="p", query=request.query, code=request.code, label=1, reason="it [does]", steps=steps
        )
        return pb.AnnotateResponse(pair=pair)


@pytest.fixture
def served(tmp_path):
    servicer = Annotator()
    server = grpc.server(futures.ThreadPoolExecutor(2))
    rpc.add_AnnotatorServiceServicer_to_server(servicer, server)
    address = f"unix:{tmp_path}/s"
    server.add_insecure_port(address)
    server.start()
    app = typer.Typer()
    app.command()(annotate)
    runner = CliRunner(env={"TOUCHSTONE_ANNOTATOR_ADDRESS": address})
    yield servicer, lambda *arguments: runner.invoke(app, [str(argument) for argument in arguments])
    server.stop(None)


@pytest.fixture
def code(tmp_path):
    path = tmp_path / "reverse.py"
    path.write_text("def rev(x):\n    return x[::-1]\n")
    return path


def test_json(served, code):
    servicer, run = served
    done = run("--query", "reverse", "--code", code, "--json")
    answer = json.loads(done.stdout)
    assert (answer["label"], answer["reason"], answer["steps"][0]["outcome"]) == (1, "it [does]", "match")
    assert (servicer.requests[0].language, servicer.requests[0].query) == ("python", "reverse")


def test_for_people(served, code):
    _, run = served
    done = run("-q", "reverse", "-c", code)
    assert "The code answers the query: it [does]" in done.stdout
    assert "[bold]it does" in done.stdout, "what a model wrote is no markup"


def test_language_from_the_name(served, tmp_path):
    servicer, run = served
    path = tmp_path / "a.php"
    path.write_text("<?php")
    run("-q", "x", "-c", path)
    run("-q", "x", "-c", path, "-l", "java")
    assert [request.language for request in servicer.requests] == ["php", "java"]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [("gone.py", None, "cannot be read"), ("a.py", b"\xff\xfe", "no UTF-8"), ("a.xyz", b"x", "--language")],
)
def test_files_that_cannot_be_judged(served, tmp_path, name, content, words):
    _, run = served
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    done = run("-q", "x", "-c", path)
    assert isinstance(done.exception, CliError) and words in str(done.exception) and name in str(done.exception)


def test_what_the_service_says_is_passed_on(served, code):
    servicer, run = served
    servicer.fault = (grpc.StatusCode.INVALID_ARGUMENT, "the query is empty")
    assert str(run("-q", "", "-c", code).exception) == "the query is empty"
