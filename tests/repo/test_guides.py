"""Every command of the guides is one that the command line understands; those that need no platform are run."""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from touchstone_cli.main import app, load

ROOT = Path(__file__).parents[2]
GUIDES = sorted((ROOT / "docs" / "guides").glob("*.md"))
# These need neither a platform nor a sandbox.
ALONE = ("classify", "explain", "completion")
WORDS = (
    'def shorten(text, width):\n    if len(text) <= width:\n        return text\n    return text[: width - 1] + "…"\n'
)


def commands(guide):
    """The commands of a guide's blocks, and those that its sentences quote."""
    text = guide.read_text()
    blocks = re.findall(r"^ *```\n(.*?)^ *```", text, re.S | re.M)
    lines = [line.strip() for block in blocks for line in block.splitlines()]
    lines += re.findall(r"`(touchstone [^`]+)`", re.sub(r"^ *```.*?^ *```", "", text, flags=re.S | re.M))
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
    parse(shlex.split(line)[1:])


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
