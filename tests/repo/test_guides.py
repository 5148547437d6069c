"""Every command of the guides is one that the command line understands; those that need no platform are run."""

import re
import shlex
import subprocess
from pathlib import Path

import helm_python
import pytest
import yaml
from typer.testing import CliRunner

from touchstone_cli.main import app, load
from touchstone_runtime.llm import Catalogue

ROOT = Path(__file__).parents[2]
GUIDES = sorted((ROOT / "docs" / "guides").glob("*.md"))
# These need neither a platform nor a sandbox.
ALONE = ("classify", "explain", "completion")
WORDS = (
    'def shorten(text, width):\n    if len(text) <= width:\n        return text\n    return text[: width - 1] + "…"\n'
)


FENCE = re.compile(r"^ *```(\w*)\n(.*?)^ *```", re.S | re.M)


def commands(guide):
    """The commands of a guide's blocks, and those that its sentences quote."""
    text = guide.read_text()
    # What names a language is no list of commands.
    blocks = [block for language, block in FENCE.findall(text) if not language]
    lines = [line.strip() for block in blocks for line in block.splitlines()]
    lines += re.findall(r"`(touchstone [^`]+)`", FENCE.sub("", text))
    return [line for line in lines if line.startswith("touchstone ")]


def parse(words):
    """Parse as the command line does, without running anything; fails on an unknown command or option."""
    command = load(words[0])
    context = command.make_context(words[0], list(words[1:]))
    if hasattr(command, "commands"):
        name, inner, rest = command.resolve_command(context, [*context._protected_args, *context.args])
        inner.make_context(name, rest, parent=context)


ALL = [(guide.stem, line) for guide in GUIDES for line in commands(guide)]


@pytest.mark.parametrize(("guide", "line"), ALL)
def test_a_command_of_a_guide_is_understood(guide, line):
    words = shlex.split(line)[1:]
    # Of the whole command, not of one of its parts.
    parse(words[1:] if words[0] == "--quiet" else words)


def test_guides_that_name_what_is_not_there_would_be_seen():
    assert len(ALL) > 15 and len(GUIDES) >= 2
    for line in ("tasks list --colour red", "tasks nonsense"):
        with pytest.raises(Exception, match=r"No such (option|command)"):
            parse(line.split())


@pytest.mark.parametrize("line", sorted({line for _, line in ALL if line.split()[1] in ALONE}))
def test_a_command_that_needs_no_platform_does_what_the_guide_says(line, tmp_path, monkeypatch):
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "words.py").write_text(WORDS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOUCHSTONE_STATE", str(tmp_path / "state"))
    done = CliRunner().invoke(app, shlex.split(line)[1:], prog_name="touchstone")
    assert done.exit_code == 0, done.output
    assert "shorten" in done.stdout or "→" in done.stdout


def test_the_catalogue_takes_the_table_of_the_guide(tmp_path):
    text = (ROOT / "docs" / "guides" / "benchmark-a-model.md").read_text()
    (block,) = re.findall(r"^ *```toml\n(.*?)^ *```", text, re.S | re.M)
    file = tmp_path / "models.toml"
    file.write_text(f'default = "my-model"\n{block}')
    model = Catalogue.load(file, "http://127.0.0.1:1/v1").resolve("my-model")
    assert (model.model_id, model.base_url, model.stream) == ("my-model-2026-06", "https://models.example/v1", True)
    assert model.thinking_tokens == 8000 and model.cost_usd(10**6, 10**6) == pytest.approx(0.75)


def test_the_chart_takes_the_values_of_the_guide_and_names_what_its_commands_name():
    text = (ROOT / "docs" / "guides" / "run-on-a-cluster.md").read_text()
    (block,) = re.findall(r"^ *```yaml\n(.*?)^ *```", text, re.S | re.M)
    values = yaml.safe_load("\n".join(line[3:] for line in block.splitlines()))
    with helm_python.Chart.load(str(ROOT / "helm" / "touchstone")) as chart:
        files = chart.render(values, name="touchstone", namespace="touchstone")
    documents = [
        document for path, each in files.items() if path.endswith(".yaml") for document in yaml.safe_load_all(each)
    ]
    services = {one["metadata"]["name"]: one["spec"]["ports"] for one in documents if one and one["kind"] == "Service"}
    forwarded = re.findall(r"port-forward service/(\S+) \d+:(\d+)", text)
    assert forwarded
    for name, port in forwarded:
        assert int(port) in {each["port"] for each in services[name]}
    for path in re.findall(r"(?:-f|apply -f|install touchstone) ((?:services|k8s|helm|clients)/\S+)", text):
        assert (ROOT / path).exists(), path


def test_with_an_index_of_cpu_builds_the_lock_is_taken_without_cuda(tmp_path):
    """What `make setup` would do, and what it would leave of the lock; nothing is installed."""
    line = ["make", "-n", "-B", "setup", "TORCH_INDEX=https://cpu.test/simple"]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=True)
    (filtering,) = [each for each in done.stdout.splitlines() if each.startswith("awk ")]
    kept = subprocess.run(
        ["sh", "-c", filtering.partition(" > ")[0]], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    whole = (ROOT / "requirements.lock").read_text()
    names = re.compile(r"^([a-z0-9][a-z0-9._-]*)==", re.M)
    gone = set(names.findall(whole)) - set(names.findall(kept))
    assert {"torch", "triton"} < gone
    assert all(name in ("torch", "triton") or name.startswith(("nvidia-", "cuda-")) for name in gone)
    # Digests go with their package.
    assert kept.count("--hash") < whole.count("--hash") and not kept.startswith(" ")
    assert re.search(r'--index-url https://cpu\.test/simple "torch==\$\(sed', done.stdout)
    assert (
        "CUDA"
        in subprocess.run(["make", "-n", "-B", "setup"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    )
