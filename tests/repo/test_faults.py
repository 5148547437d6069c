"""Faults are judged in one place: no adapter decides by itself what a status of another service means."""

import ast
import importlib
import subprocess
from pathlib import Path

from touchstone_runtime.errors import NotFoundError

ROOT = Path(__file__).resolve().parents[2]
TABLE = {"rpc_fault", "refused", "_fault"}


def sources():
    listed = subprocess.run(
        ["git", "ls-files", "services/*/src/*.py"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [ROOT / line for line in listed.stdout.splitlines() if (ROOT / line).is_file()]


def names(node):
    return {inner.attr if isinstance(inner, ast.Attribute) else getattr(inner, "id", "") for inner in ast.walk(node)}


def around_the_table(tree):
    """Lines that judge a callee's status by themselves."""
    found = [node.lineno for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr == "StatusCode"]
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler) and node.type is not None and "AioRpcError" in names(node.type):
            raises = any(isinstance(inner, ast.Raise) for inner in ast.walk(node))
            called = {name for inner in ast.walk(node) if isinstance(inner, ast.Call) for name in names(inner.func)}
            if raises and not called & TABLE:
                found.append(node.lineno)
    return found


def test_no_adapter_judges_a_status_around_the_table():
    found = {str(path.relative_to(ROOT)): lines for path in sources() if (lines := around_the_table(_tree(path)))}
    assert not found


def test_the_check_sees_what_it_is_for():
    code = "try:\n    call()\nexcept grpc.aio.AioRpcError as error:\n    raise MyError(str(error)) from error\n"
    assert around_the_table(ast.parse(code)) == [3]
    assert around_the_table(ast.parse("grpc.StatusCode.UNAVAILABLE")) == [1]
    assert not around_the_table(ast.parse(code.replace("MyError(str(error))", "rpc_fault(error, 'x')")))


def _tree(path):
    return ast.parse(path.read_text())


def test_every_program_that_fetches_is_given_certificates_and_proxies():
    """Who runs a fetching program with an environment of its own names the network's variables in it."""
    fetching = ("jgo", "npm", "ls-remote", "PIP_INDEX_URL", "GOPROXY")
    found = []
    for path in sources():
        text = path.read_text()
        fetches = any(f'"{word}"' in text for word in fetching) and '"GOPROXY": "off"' not in text
        # Who hands on all that it was given has them from whoever started it.
        if fetches and "network_variables" not in text and "**os.environ" not in text:
            found.append(str(path.relative_to(ROOT)))
    assert not found


# Not of a thing that could exist, but of a value from a list that the service has.
CLOSED = {"UnknownStrategyError", "UnknownTrackError", "UnknownFormatError", "UnknownEmbeddingModelError"}


def test_whoever_names_a_thing_that_does_not_exist_is_told_that_and_not_that_it_was_said_wrongly():
    found = {}
    for path in (ROOT / "services").glob("*/src/*/errors.py"):
        module = importlib.import_module(f"{path.parent.name}.errors")
        for name, kind in vars(module).items():
            if name.startswith("Unknown") and name not in CLOSED:
                found[f"{path.parent.name}.{name}"] = issubclass(kind, NotFoundError)
    assert len(found) > 5
    assert not [name for name, tells in found.items() if not tells]
