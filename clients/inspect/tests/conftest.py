"""What the platform's side hands to these tests: see tests/contract/test_inspect.py, which runs them."""

import json
from pathlib import Path

import pytest
from inspect_ai import eval
from inspect_ai.model import ModelOutput, ModelUsage, get_model


def pytest_addoption(parser):
    parser.addoption("--given", type=Path, required=True, help="folder: export/, questions.json, log.json; gets logs")


@pytest.fixture(scope="session")
def given(request):
    return request.config.getoption("--given")


@pytest.fixture
def exported(given):
    """Two tasks that stand, and one that was taken back."""
    return given / "export"


@pytest.fixture
def ids(exported):
    """The tasks of the manifest by their functions."""
    entries = json.loads((exported / "manifest.json").read_text())["tasks"]
    return {entry["entry_point"]: entry["task_id"] for entry in entries}


@pytest.fixture
def truths(exported):
    """Ground truths by task."""
    entries = json.loads((exported / "manifest.json").read_text())["tasks"]
    parts = exported / "parts"
    return {entry["task_id"]: (parts / entry["digests"]["ground_truth"]).read_text() for entry in entries}


@pytest.fixture
def saying():
    """Makes a model of outputs, or of a function from messages to an output."""

    def make(outputs):
        left = iter(outputs if isinstance(outputs, list) else ())

        def say(messages, *_):
            output = outputs(messages) if callable(outputs) else next(left)
            # Where nothing is said of tokens, Inspect fetches a table of them from the network to count.
            return output.model_copy(update={"usage": ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)})

        return get_model("mockllm/model", custom_outputs=say)

    return make


@pytest.fixture
def answering(saying):
    """Makes a model that always says the same."""
    return lambda text: saying(lambda _: ModelOutput.from_content("mockllm/model", text))


@pytest.fixture
def evaluated(tmp_path):
    """Runs a task and gives its log."""

    def run(task, model, folder=tmp_path, **named):
        (log,) = eval(task, model=model, log_dir=str(folder), log_format="json", display="none", **named)
        return log

    return run
